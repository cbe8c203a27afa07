package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// Harmless makes a text from outside safe to print on a terminal: control characters (line breaks and tabs too), direction
// marks, zero width and tag characters, and bytes that are not UTF-8 are written as visible escapes.
func Harmless(s string) string {
	if !strings.ContainsFunc(s, unprintable) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02x`, s[i])
		} else {
			writeRune(&b, r)
		}
		i += n
	}
	return b.String()
}

func writeRune(b *strings.Builder, r rune) {
	switch {
	case !unprintable(r):
		b.WriteRune(r)
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\t':
		b.WriteString(`\t`)
	case r == '\r':
		b.WriteString(`\r`)
	case r > 0xFFFF:
		fmt.Fprintf(b, `\U%08x`, r)
	default:
		fmt.Fprintf(b, `\u%04x`, r)
	}
}

// unprintable reports whether a character is not seen as itself. unicode.IsPrint refuses controls, format characters,
// private use and all spaces but the plain one; the characters added here print as nothing or combine across letters.
func unprintable(r rune) bool {
	switch {
	case !unicode.IsPrint(r):
		return true
	case r == 0x115F || r == 0x1160 || r == 0x3164 || r == 0xFFA0 || r == 0x034F:
		return true
	case 0xE0100 <= r && r <= 0xE01EF:
		return true
	}
	return false
}

// maxValue is how many characters of a value a report for people shows.
const maxValue = 240

// value writes a JSON value as one short harmless line.
func value(v any, most int) string {
	return cut(Harmless(string(canonjson.Append(nil, v))), most)
}

// values writes two values as short lines. Two long texts are cut around the place where they begin to differ, so that the
// difference is seen.
func values(before, after any, most int) (string, string) {
	b, okB := before.(string)
	a, okA := after.(string)
	if !okB || !okA || utf8.RuneCountInString(b) <= most && utf8.RuneCountInString(a) <= most {
		return value(before, most), value(after, most)
	}
	const context = 40
	start := 0
	for i, r := range b { // i is the same place in both texts as long as they are equal
		next, _ := utf8.DecodeRuneInString(a[min(i, len(a)):])
		if next != r {
			break
		}
		start = i
	}
	for back := 0; back < context && start > 0; back++ {
		_, n := utf8.DecodeLastRuneInString(b[:start])
		start -= n
	}
	if start == 0 {
		return value(before, most), value(after, most)
	}
	return value("…"+b[start:], most), value("…"+a[start:], most)
}

// cut shortens s to at most n characters and says how many are missing.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	i, seen := 0, 0
	for i = range s {
		if seen == n {
			break
		}
		seen++
	}
	return fmt.Sprintf("%s… (%d more characters)", s[:i], utf8.RuneCountInString(s)-n)
}
