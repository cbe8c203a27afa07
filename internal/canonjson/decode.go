package canonjson

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// DecodeLimits reads exactly one JSON value within limits.
func DecodeLimits(data []byte, limits Limits) (any, error) {
	d := decoder{data: data, limits: limits.orDefault(), keys: map[string]string{}}
	if len(data) > d.limits.Bytes {
		return nil, d.locate(d.fail(TooLarge, 0, "the text has %d bytes, the limit is %d", len(data), d.limits.Bytes))
	}
	d.skipSpace()
	v, err := d.value(0)
	if err != nil {
		return nil, d.locate(err)
	}
	d.skipSpace()
	if d.pos < len(data) {
		return nil, d.locate(d.fail(Malformed, d.pos, "unexpected %s after the value", d.show(d.pos)))
	}
	return v, nil
}

type decoder struct {
	data   []byte
	pos    int
	limits Limits
	keys   map[string]string // interned object keys: a tool list repeats the same few
}

func (d *decoder) fail(kind Kind, at int, format string, args ...any) *SyntaxError {
	return &SyntaxError{Kind: kind, Offset: at, Problem: fmt.Sprintf(format, args...)}
}

// locate fills line and column, which cost a pass over the text, only when there is an error.
func (d *decoder) locate(e *SyntaxError) error {
	before := d.data[:min(e.Offset, len(d.data))]
	e.Line = bytes.Count(before, []byte{'\n'}) + 1
	e.Column = len(before) - bytes.LastIndexByte(before, '\n')
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
	if d.pos >= len(d.data) {
		return nil, d.fail(Truncated, d.pos, "the text ends where a value should stand")
	}
	switch c := d.data[d.pos]; {
	case c == '{':
		return d.object(depth + 1)
	case c == '[':
		return d.array(depth + 1)
	case c == '"':
		return d.text()
	case c == '-' || isDigit(c):
		return d.number()
	case c == 't':
		return d.word("true", true)
	case c == 'f':
		return d.word("false", false)
	case c == 'n':
		return d.word("null", nil)
	}
	return nil, d.fail(Malformed, d.pos, "unexpected %s where a value should stand", d.show(d.pos))
}

func (d *decoder) word(word string, v any) (any, *SyntaxError) {
	rest := d.data[d.pos:]
	if len(rest) < len(word) && string(rest) == word[:len(rest)] {
		return nil, d.fail(Truncated, len(d.data), "the text ends inside a value")
	}
	if len(rest) < len(word) || string(rest[:len(word)]) != word {
		return nil, d.fail(Malformed, d.pos, "unexpected %s where a value should stand", d.show(d.pos))
	}
	d.pos += len(word)
	return v, nil
}

func (d *decoder) object(depth int) (any, *SyntaxError) {
	if depth > d.limits.Depth {
		return nil, d.fail(TooLarge, d.pos, "nested deeper than %d levels", d.limits.Depth)
	}
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
			err.Pointer = "/" + EscapeToken(key) + err.Pointer
			return nil, err
		}
		m[key] = v
	}
}

func (d *decoder) array(depth int) (any, *SyntaxError) {
	if depth > d.limits.Depth {
		return nil, d.fail(TooLarge, d.pos, "nested deeper than %d levels", d.limits.Depth)
	}
	d.pos++
	a := []any{}
	for {
		done, err := d.next(']', len(a) == 0)
		if done || err != nil {
			return a, err
		}
		v, err := d.value(depth)
		if err != nil {
			err.Pointer = "/" + strconv.Itoa(len(a)) + err.Pointer
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
	if d.pos >= len(d.data) {
		return "", d.fail(Truncated, d.pos, "the text ends where a key should stand")
	}
	if d.data[d.pos] != '"' {
		return "", d.fail(Malformed, d.pos, "unexpected %s where a key should stand", d.show(d.pos))
	}
	key, err := d.str(true)
	if err != nil {
		return "", err
	}
	d.skipSpace()
	if d.pos >= len(d.data) {
		return "", d.fail(Truncated, d.pos, "the text ends after a key")
	}
	if d.data[d.pos] != ':' {
		return "", d.fail(Malformed, d.pos, "unexpected %s after a key, want ':'", d.show(d.pos))
	}
	d.pos++
	d.skipSpace()
	return key, nil
}

func (d *decoder) text() (any, *SyntaxError) {
	s, err := d.str(false)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// str reads the string at pos. Strings without escapes, nearly all, are cut out in one piece.
func (d *decoder) str(intern bool) (string, *SyntaxError) {
	start := d.pos + 1
	ascii := true
	for i := start; i < len(d.data); i++ {
		switch c := d.data[i]; {
		case c == '"':
			raw := d.data[start:i]
			if !ascii && !utf8.Valid(raw) {
				return "", d.fail(BadText, start+invalidAt(raw), "invalid UTF-8")
			}
			d.pos = i + 1
			if !intern {
				return string(raw), nil
			}
			return d.intern(raw), nil
		case c == '\\':
			return d.escaped(start, i)
		case c < 0x20:
			return "", d.fail(Malformed, i, "control character %U inside a string", c)
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return "", d.fail(Truncated, len(d.data), "the text ends inside a string")
}

func (d *decoder) intern(raw []byte) string {
	if s, ok := d.keys[string(raw)]; ok {
		return s
	}
	s := string(raw)
	if len(d.keys) < 4096 && len(s) <= 64 {
		d.keys[s] = s
	}
	return s
}

func invalidAt(raw []byte) int {
	for i := 0; i < len(raw); {
		r, n := utf8.DecodeRune(raw[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return 0
}

func (d *decoder) escaped(start, i int) (string, *SyntaxError) {
	buf := append(make([]byte, 0, i-start+32), d.data[start:i]...)
	for i < len(d.data) {
		c := d.data[i]
		switch {
		case c == '"':
			if !utf8.Valid(buf) {
				return "", d.fail(BadText, start, "invalid UTF-8")
			}
			d.pos = i + 1
			return string(buf), nil
		case c == '\\':
			r, n, err := d.escape(i)
			if err != nil {
				return "", err
			}
			buf = utf8.AppendRune(buf, r)
			i += n
		case c < 0x20:
			return "", d.fail(Malformed, i, "control character %U inside a string", c)
		default:
			buf = append(buf, c)
			i++
		}
	}
	return "", d.fail(Truncated, len(d.data), "the text ends inside a string")
}

// escape reads the escape sequence at i and returns its length.
func (d *decoder) escape(i int) (rune, int, *SyntaxError) {
	if i+1 >= len(d.data) {
		return 0, 0, d.fail(Truncated, len(d.data), "the text ends inside a string")
	}
	const short, plain = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	c := d.data[i+1]
	if k := bytes.IndexByte([]byte(short), c); k >= 0 {
		return rune(plain[k]), 2, nil
	}
	if c != 'u' {
		return 0, 0, d.fail(Malformed, i, "unknown escape \\%s", string(rune(c)))
	}
	r, err := d.hex4(i)
	if err != nil {
		return 0, 0, err
	}
	if !utf16.IsSurrogate(r) {
		return r, 6, nil
	}
	if i+7 < len(d.data) && d.data[i+6] == '\\' && d.data[i+7] == 'u' {
		low, err := d.hex4(i + 6)
		if err != nil {
			return 0, 0, err
		}
		if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
			return both, 12, nil
		}
	}
	return 0, 0, d.fail(BadText, i, "lone surrogate \\u%04x", r)
}

func (d *decoder) hex4(i int) (rune, *SyntaxError) {
	if i+6 > len(d.data) {
		return 0, d.fail(Truncated, len(d.data), "the text ends inside a string")
	}
	n, err := strconv.ParseUint(string(d.data[i+2:i+6]), 16, 16)
	if err != nil {
		return 0, d.fail(Malformed, i, "malformed \\u escape")
	}
	return rune(n), nil
}

func (d *decoder) number() (any, *SyntaxError) {
	end := d.pos
	for end < len(d.data) && isNumberByte(d.data[end]) {
		end++
	}
	if end-d.pos > d.limits.NumberDigits {
		return nil, d.fail(TooLarge, d.pos, "a number of %d characters, the limit is %d", end-d.pos, d.limits.NumberDigits)
	}
	n, err := Number(string(d.data[d.pos:end]))
	if err != nil {
		if end == len(d.data) && !isDigit(d.data[end-1]) {
			return nil, d.fail(Truncated, d.pos, "the text ends inside a number")
		}
		return nil, d.fail(Malformed, d.pos, "%v", err)
	}
	d.pos = end
	return n, nil
}

func isNumberByte(c byte) bool {
	return isDigit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

func quote(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return strconv.Quote(s)
}
