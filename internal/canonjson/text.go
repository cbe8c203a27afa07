package canonjson

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

func (d *decoder) str() (any, *SyntaxError) {
	raw, _, err := d.rawString()
	if err != nil {
		return nil, err
	}
	return string(raw), nil
}

// rawString reads the string at pos and returns its content. Strings without escapes, nearly all, are plain: a piece of the
// text. Any other is valid until the next one is read.
func (d *decoder) rawString() (raw []byte, plain bool, err *SyntaxError) {
	start := d.pos + 1
	ascii := true
	for i := start; i < len(d.data); i++ {
		c := d.data[i]
		if ordinary[c] {
			continue
		}
		switch {
		case c == '"':
			raw := d.data[start:i]
			if !ascii && !utf8.Valid(raw) {
				return nil, false, d.fail(BadText, start+invalidAt(raw), "invalid UTF-8")
			}
			d.pos = i + 1
			return raw, true, nil
		case c == '\\':
			raw, err := d.escaped(start, i)
			return raw, false, err
		case c < 0x20:
			return nil, false, d.fail(Malformed, i, "control character %U inside a string", c)
		}
		ascii = false
	}
	return nil, false, d.fail(Truncated, len(d.data), "the text ends inside a string")
}

// ordinary are the bytes that need no second look inside of a string: ASCII without quote, backslash and control characters.
var ordinary = func() (set [256]bool) {
	for c := byte(0x20); c < utf8.RuneSelf; c++ {
		set[c] = c != '"' && c != '\\'
	}
	return set
}()

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

func (d *decoder) escaped(start, i int) ([]byte, *SyntaxError) {
	buf := append(d.scratch[:0], d.data[start:i]...)
	defer func() { d.scratch = buf }()
	for i < len(d.data) {
		c := d.data[i]
		switch {
		case c == '"':
			if raw := d.data[start:i]; !utf8.Valid(raw) { // escapes are ASCII, so they do not matter here
				return nil, d.fail(BadText, start+invalidAt(raw), "invalid UTF-8")
			}
			d.pos = i + 1
			return buf, nil
		case c == '\\':
			r, n, err := d.escape(i)
			if err != nil {
				return nil, err
			}
			buf = utf8.AppendRune(buf, r)
			i += n
		case c < 0x20:
			return nil, d.fail(Malformed, i, "control character %U inside a string", c)
		default:
			buf = append(buf, c)
			i++
		}
	}
	return nil, d.fail(Truncated, len(d.data), "the text ends inside a string")
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
		return 0, 0, d.fail(Malformed, i, "unknown escape: %s after a backslash", d.show(i+1))
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

// quote shows a text from the input, cut and without anything that a terminal would obey.
func quote(s string) string {
	const most = 120
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return strconv.Quote(s)
}
