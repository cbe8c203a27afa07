package canonjson

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Append appends the canonical form of a decoded value. It panics on a value that Decode cannot return.
func Append(dst []byte, v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		var few [16]string // spares an allocation for nearly all objects
		dst = append(dst, '{')
		for i, k := range canonicalKeys(few[:0], v) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(AppendString(dst, k), ':')
			dst = Append(dst, v[k])
		}
		return append(dst, '}')
	case []any:
		dst = append(dst, '[')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = Append(dst, e)
		}
		return append(dst, ']')
	}
	return appendScalar(dst, v)
}

func appendScalar(dst []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		return strconv.AppendBool(dst, v)
	case string:
		return AppendString(dst, v)
	case json.Number:
		return append(dst, v...)
	}
	panic(fmt.Sprintf("canonjson: a %T is not a decoded JSON value", v))
}

// AppendIndent appends the form for files: two spaces a level, keys in code-point order, no line end after the value.
// Lines after the first are indented by depth levels.
func AppendIndent(dst []byte, v any, depth int) []byte {
	return appendIndent(dst, v, depth, math.MaxInt)
}

// AppendIndentMax is AppendIndent that gives up soon after dst has grown beyond most bytes: a deep value of a few kilobytes
// can have megabytes of indentation.
func AppendIndentMax(dst []byte, v any, depth, most int) (form []byte, ok bool) {
	form = appendIndent(dst, v, depth, most)
	return form, len(form) <= most
}

func appendIndent(dst []byte, v any, depth, most int) []byte {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return append(dst, "{}"...)
		}
		var few [16]string
		dst = append(dst, '{')
		for i, k := range sortedKeys(few[:0], v) {
			if len(dst) > most {
				return dst
			}
			dst = newline(dst, i, depth+1)
			dst = append(AppendString(dst, k), ": "...)
			dst = appendIndent(dst, v[k], depth+1, most)
		}
		if len(dst) > most {
			return dst
		}
		return append(newline(dst, 0, depth), '}')
	case []any:
		if len(v) == 0 {
			return append(dst, "[]"...)
		}
		dst = append(dst, '[')
		for i, e := range v {
			if len(dst) > most {
				return dst
			}
			dst = newline(dst, i, depth+1)
			dst = appendIndent(dst, e, depth+1, most)
		}
		if len(dst) > most {
			return dst
		}
		return append(newline(dst, 0, depth), ']')
	}
	return appendScalar(dst, v)
}

func newline(dst []byte, i, depth int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	const spaces = "                                "
	dst = append(dst, '\n')
	n := 2 * depth
	for ; n > len(spaces); n -= len(spaces) {
		dst = append(dst, spaces...)
	}
	return append(dst, spaces[:n]...)
}

// SortedKeys returns the keys of m in code-point order.
func SortedKeys[V any](m map[string]V) []string { return sortedKeys(make([]string, 0, len(m)), m) }

func sortedKeys[V any](keys []string, m map[string]V) []string {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// CanonicalKeys returns the keys of m in the order of the canonical form, that of [CompareKeys].
func CanonicalKeys[V any](m map[string]V) []string {
	return canonicalKeys(make([]string, 0, len(m)), m)
}

func canonicalKeys[V any](keys []string, m map[string]V) []string {
	keys = sortedKeys(keys, m)
	for _, k := range keys {
		if hasHighByte(k) {
			slices.SortFunc(keys, CompareKeys)
			break
		}
	}
	return keys
}

// hasHighByte reports whether s has a character from U+E000 up; only there do the orders of UTF-8 and UTF-16 differ.
func hasHighByte[T string | []byte](s T) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0xEE {
			return true
		}
	}
	return false
}

// CompareKeys orders keys by their UTF-16 code units, as RFC 8785 section 3.2.3 asks.
func CompareKeys(a, b string) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] == b[i] {
			continue
		}
		if a[i] < 0xEE && b[i] < 0xEE {
			return int(a[i]) - int(b[i])
		}
		return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
	}
	return len(a) - len(b)
}

// AppendString appends s as a JSON string with the escapes of RFC 8785 and no others. Bytes that are not UTF-8 become
// U+FFFD; a decoded value has none.
func AppendString(dst []byte, s string) []byte {
	const hexDigits = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[start:i]...), "\uFFFD"...)
				start = i + 1
			}
			i += n
			continue
		}
		if c >= 0x20 && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, `\b`...)
		case '\f':
			dst = append(dst, `\f`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, `\u00`...)
			dst = append(dst, hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}
