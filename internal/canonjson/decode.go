package canonjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
)

// DecodeLimits reads exactly one JSON value within limits.
func DecodeLimits(data []byte, limits Limits) (any, error) {
	d := decoder{data: data, limits: limits.orDefault(), keys: map[string]string{}, numbers: map[string]any{}}
	var v any
	err := d.text(func() (err *SyntaxError) {
		v, err = d.value(0)
		return err
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// text reads what stands around the one value of a text.
func (d *decoder) text(value func() *SyntaxError) error {
	if len(d.data) > d.limits.Bytes {
		return d.locate(d.fail(TooLarge, 0, "the text has %d bytes, the limit is %d", len(d.data), d.limits.Bytes))
	}
	if err := d.encoding(); err != nil {
		return d.locate(err)
	}
	d.skipSpace()
	if err := value(); err != nil {
		return d.locate(err)
	}
	d.skipSpace()
	if d.pos < len(d.data) {
		return d.locate(d.fail(Malformed, d.pos, "unexpected %s after the value", d.show(d.pos)))
	}
	return nil
}

type decoder struct {
	data    []byte
	pos     int
	limits  Limits
	values  int               // read so far
	keys    map[string]string // interned object keys: a tool list repeats the same few
	numbers map[string]any    // interned short numbers, for the same reason
	scratch []byte            // the last string that had escapes
}

// encoding refuses what editors and shells on Windows put out in place of UTF-8, by its name.
func (d *decoder) encoding() *SyntaxError {
	switch {
	case bytes.HasPrefix(d.data, []byte("\xef\xbb\xbf")):
		return d.fail(BadText, 0, "the text begins with a byte order mark")
	case bytes.HasPrefix(d.data, []byte("\xff\xfe")), bytes.HasPrefix(d.data, []byte("\xfe\xff")):
		return d.fail(BadText, 0, "the text is UTF-16, want UTF-8")
	}
	return nil
}

func (d *decoder) fail(kind Kind, at int, format string, args ...any) *SyntaxError {
	return &SyntaxError{Kind: kind, Offset: at, Problem: fmt.Sprintf(format, args...)}
}

// locate fills line and column, which cost a pass over the text, only when there is an error.
func (d *decoder) locate(e *SyntaxError) error {
	before := d.data[:min(e.Offset, len(d.data))]
	e.Line = bytes.Count(before, []byte{'\n'}) + 1
	e.Column = len(before) - bytes.LastIndexByte(before, '\n')
	slices.Reverse(e.path)
	e.Pointer, e.path = Pointer(e.path...), nil
	return e
}

func (d *decoder) show(at int) string {
	if at >= len(d.data) {
		return "end of text"
	}
	r, _ := utf8.DecodeRune(d.data[at:])
	return strconv.QuoteRune(r)
}

func (d *decoder) skipSpace() {
	for d.pos < len(d.data) {
		switch d.data[d.pos] {
		case ' ', '\t', '\n', '\r':
			d.pos++
		default:
			return
		}
	}
}

func (d *decoder) value(depth int) (any, *SyntaxError) {
	c, err := d.begin(depth)
	if err != nil {
		return nil, err
	}
	switch c {
	case '{':
		return d.object(depth + 1)
	case '[':
		return d.array(depth + 1)
	case '"':
		return d.str()
	case 't':
		return true, d.word("true")
	case 'f':
		return false, d.word("false")
	case 'n':
		return nil, d.word("null")
	}
	return d.number()
}

// begin looks at the first byte of the value at pos, which stands at depth, and counts the value. What it returns is one of
// {["tfn-0123456789.
func (d *decoder) begin(depth int) (byte, *SyntaxError) {
	if d.pos >= len(d.data) {
		return 0, d.fail(Truncated, d.pos, "the text ends where a value should stand")
	}
	if d.values++; d.values > d.limits.Values {
		return 0, d.fail(TooLarge, d.pos, "more than %d values", d.limits.Values)
	}
	switch c := d.data[d.pos]; c {
	case '{', '[':
		if depth >= d.limits.Depth {
			return 0, d.fail(TooLarge, d.pos, "nested deeper than %d levels", d.limits.Depth)
		}
		return c, nil
	case '"', 't', 'f', 'n', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return c, nil
	}
	return 0, d.fail(Malformed, d.pos, "unexpected %s where a value should stand", d.show(d.pos))
}

func (d *decoder) word(word string) *SyntaxError {
	rest := d.data[d.pos:]
	if len(rest) < len(word) && string(rest) == word[:len(rest)] {
		return d.fail(Truncated, len(d.data), "the text ends inside a value")
	}
	if len(rest) < len(word) || string(rest[:len(word)]) != word {
		return d.fail(Malformed, d.pos, "unexpected %s where a value should stand", d.show(d.pos))
	}
	d.pos += len(word)
	return nil
}

func (d *decoder) object(depth int) (any, *SyntaxError) {
	d.pos++
	m := make(map[string]any)
	for first := true; ; first = false {
		done, err := d.next('}', first)
		if done || err != nil {
			return m, err
		}
		at := d.pos
		key, err := d.key()
		if err != nil {
			return nil, err
		}
		if _, dup := m[key]; dup {
			return nil, d.fail(DuplicateKey, at, "duplicate key %s", quote(key))
		}
		v, err := d.value(depth)
		if err != nil {
			err.path = append(err.path, key)
			return nil, err
		}
		m[key] = v
	}
}

// emptyArray is shared: it has no room, so nobody can write to it.
var emptyArray any = []any{}

func (d *decoder) array(depth int) (any, *SyntaxError) {
	d.pos++
	var a []any
	for {
		done, err := d.next(']', len(a) == 0)
		switch {
		case err != nil:
			return nil, err
		case done && a == nil:
			return emptyArray, nil
		case done:
			return a, nil
		}
		v, err := d.value(depth)
		if err != nil {
			err.path = append(err.path, strconv.Itoa(len(a)))
			return nil, err
		}
		a = append(a, v)
	}
}

// next moves to the next member, over its comma, or over the closing byte.
func (d *decoder) next(closing byte, first bool) (done bool, err *SyntaxError) {
	d.skipSpace()
	if d.pos >= len(d.data) {
		return false, d.fail(Truncated, d.pos, "the text ends before the closing %q", closing)
	}
	switch c := d.data[d.pos]; {
	case c == closing:
		d.pos++
		return true, nil
	case first:
		return false, nil
	case c != ',':
		return false, d.fail(Malformed, d.pos, "unexpected %s, want ',' or %q", d.show(d.pos), closing)
	}
	d.pos++
	d.skipSpace()
	if d.pos < len(d.data) && d.data[d.pos] == closing {
		return false, d.fail(Malformed, d.pos, "unexpected %q after ','", closing)
	}
	return false, nil
}

func (d *decoder) key() (string, *SyntaxError) {
	raw, plain, err := d.rawKey()
	if err != nil {
		return "", err
	}
	if !plain {
		return string(raw), nil
	}
	return d.intern(raw), nil
}

// rawKey reads a key, as rawString does, and the colon behind it.
func (d *decoder) rawKey() (raw []byte, plain bool, err *SyntaxError) {
	if d.pos >= len(d.data) {
		return nil, false, d.fail(Truncated, d.pos, "the text ends where a key should stand")
	}
	if d.data[d.pos] != '"' {
		return nil, false, d.fail(Malformed, d.pos, "unexpected %s where a key should stand", d.show(d.pos))
	}
	if raw, plain, err = d.rawString(); err != nil {
		return nil, false, err
	}
	d.skipSpace()
	if d.pos >= len(d.data) {
		return nil, false, d.fail(Truncated, d.pos, "the text ends after a key")
	}
	if d.data[d.pos] != ':' {
		return nil, false, d.fail(Malformed, d.pos, "unexpected %s after a key, want ':'", d.show(d.pos))
	}
	d.pos++
	d.skipSpace()
	return raw, plain, nil
}

func (d *decoder) number() (any, *SyntaxError) {
	start := d.pos
	raw, n, err := d.numeral()
	if err != nil {
		return nil, err
	}
	text := d.data[start:d.pos]
	if v, ok := d.numbers[string(text)]; ok {
		return v, nil
	}
	if n == "" {
		n = json.Number(raw)
	}
	var v any = n
	if len(text) <= 4 && len(d.numbers) < 1024 {
		d.numbers[string(text)] = v
	}
	return v, nil
}

// numeral reads the number at pos. Its canonical spelling is n or, when n is empty, what stands in the text.
func (d *decoder) numeral() (raw []byte, n json.Number, fault *SyntaxError) {
	end := d.pos
	for end < len(d.data) && isNumberByte(d.data[end]) {
		end++
	}
	raw = d.data[d.pos:end]
	if stop, plain := scanNumber(raw); plain && stop == len(raw) {
		d.pos = end
		return raw, "", nil
	}
	// The canonical form of a number can be a little longer than its text; what was accepted once must be so again.
	const layout = 64
	if len(raw) > d.limits.NumberDigits+layout {
		return nil, "", d.fail(TooLarge, d.pos, "a number of %d characters, the limit is %d digits", len(raw), d.limits.NumberDigits)
	}
	n, err := Number(string(raw))
	switch {
	case errors.Is(err, errExponent):
		return nil, "", d.fail(TooLarge, d.pos, "%v", err)
	case err != nil && end == len(d.data) && !isDigit(raw[len(raw)-1]):
		return nil, "", d.fail(Truncated, d.pos, "the text ends inside a number")
	case err != nil:
		return nil, "", d.fail(Malformed, d.pos, "%v", err)
	}
	if digits := significant(n); digits > d.limits.NumberDigits {
		return nil, "", d.fail(TooLarge, d.pos, "a number of %d digits, the limit is %d", digits, d.limits.NumberDigits)
	}
	d.pos = end
	return raw, n, nil
}

func isNumberByte(c byte) bool {
	return isDigit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}
