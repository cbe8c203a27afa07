package canonjson

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// maxExponent bounds the decimal exponent of a number; beyond it a text is refused rather than rounded.
const maxExponent = 1 << 30

var (
	errNumber   = errors.New("malformed number")
	errExponent = errors.New("exponent out of range")
)

// Number returns the canonical spelling of a JSON number.
func Number(text string) (json.Number, error) {
	end, plain := scanNumber(text)
	if end != len(text) || end == 0 {
		return "", errNumber
	}
	if plain {
		return json.Number(text), nil
	}
	return canonicalNumber(text)
}

// scanNumber returns the length of the number at the start of s, 0 when there is none, and whether its spelling is
// canonical already (a short integer).
func scanNumber[T string | []byte](s T) (end int, plain bool) {
	i := 0
	if i < len(s) && s[i] == '-' {
		i++
	}
	first := i
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	if i == first || (s[first] == '0' && i > first+1) {
		return 0, false
	}
	plain = i-first <= 21 && (s[0] != '-' || s[first] != '0')
	if i < len(s) && s[i] == '.' {
		j := i + 1
		for j < len(s) && isDigit(s[j]) {
			j++
		}
		if j == i+1 {
			return 0, false
		}
		i, plain = j, false
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		k := j
		for j < len(s) && isDigit(s[j]) {
			j++
		}
		if j == k {
			return 0, false
		}
		i, plain = j, false
	}
	return i, plain
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// canonicalNumber lays the digits out as ECMAScript's Number::toString does, from the exact decimal value.
func canonicalNumber(text string) (json.Number, error) {
	sign, rest := "", text
	if strings.HasPrefix(rest, "-") {
		sign, rest = "-", rest[1:]
	}
	exp := 0
	if i := strings.IndexAny(rest, "eE"); i >= 0 {
		e, err := strconv.Atoi(rest[i+1:])
		if strings.Trim(rest[:i], "0.") == "" {
			return "0", nil
		}
		// Digits before or behind the point move the exponent; what counts is the one of the canonical form, below. The
		// margin keeps the sum inside of 32 bits.
		const margin = 1 << 20
		if err != nil || e > maxExponent+margin || e < -maxExponent-margin {
			return "", errExponent
		}
		exp, rest = e, rest[:i]
	}
	whole, frac, _ := strings.Cut(rest, ".")
	digits := whole + frac
	point := len(whole) + exp // the value is 0.digits × 10^point
	trimmed := strings.TrimLeft(digits, "0")
	point -= len(digits) - len(trimmed)
	digits = strings.TrimRight(trimmed, "0")
	if digits == "" {
		return "0", nil
	}
	if e := point - 1; e > maxExponent || e < -maxExponent {
		return "", errExponent
	}
	return json.Number(sign + layout(digits, point)), nil
}

// significant counts the digits of a number in canonical form, without the zeros that only place the point.
func significant(n json.Number) int {
	if len(n) <= 21 {
		return len(n)
	}
	mantissa, _, _ := strings.Cut(string(n), "e")
	mantissa = strings.TrimLeft(mantissa, "-0.")
	return len(mantissa) - strings.Count(mantissa, ".")
}

func layout(digits string, point int) string {
	k := len(digits)
	switch {
	case k <= point && point <= 21:
		return digits + strings.Repeat("0", point-k)
	case 0 < point && point <= 21:
		return digits[:point] + "." + digits[point:]
	case -6 < point && point <= 0:
		return "0." + strings.Repeat("0", -point) + digits
	}
	mantissa := digits[:1]
	if k > 1 {
		mantissa += "." + digits[1:]
	}
	e := point - 1
	if e >= 0 {
		return mantissa + "e+" + strconv.Itoa(e)
	}
	return mantissa + "e" + strconv.Itoa(e)
}
