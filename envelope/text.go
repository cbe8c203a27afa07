package envelope

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits on single texts, in runes. They hold when a value enters an envelope, so that what is stored is what is written.
const (
	maxCode     = 64
	maxName     = 120 // names of actions, fields and details
	maxText     = 1000
	maxFieldLen = 400
	maxEntries  = 20 // actions, details
)

// clean makes foreign text fit for an envelope: valid UTF-8, one line, no character that a reader cannot see, at most limit
// runes. White space with a line break or tab in it becomes one space, so that no value can begin a line of its own;
// control, direction, zero-width and tag characters become their code point, as in [U+202E], so that nothing is hidden and
// nothing that was hidden is lost. It is idempotent.
func clean(s string, limit int) string {
	if len(s) <= limit && plain(s) {
		return s
	}
	// A longer text is not read to its end: white space apart, every rune of it yields at least one rune of output.
	var b strings.Builder
	count, prev, space := 0, rune(0), false
	put := func(t string, n int) bool {
		if count+n > limit {
			return false
		}
		b.WriteString(t)
		count += n
		return true
	}
	fits := true
	for i := 0; fits && i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if breaksLine(r) || r == ' ' && i < len(s) && startsBreak(s[i:]) {
			space, prev = true, ' '
			continue
		}
		if r == ' ' && (space || count == 0) {
			prev = ' '
			continue
		}
		if space && count > 0 {
			fits = put(" ", 1)
		}
		space = false
		switch {
		case !fits:
		case hidden(r, prev):
			t := codePoint(r)
			fits = put(t, len(t))
		case r == utf8.RuneError:
			fits = put("\uFFFD", 1)
		default:
			fits = put(string(r), 1)
		}
		prev = r
	}
	if fits {
		return strings.Trim(b.String(), " ")
	}
	return ellipsis(b.String(), limit)
}

// Line makes foreign text fit for a log or a table, as envelopes do with what they show: one line of at most limit runes,
// without characters that a reader cannot see and without what looks like a credential.
func Line(text string, limit int) string { return clean(scrub(text), limit) }

// ellipsis cuts s, which has more to come, so that a "…" fits behind it within limit runes.
func ellipsis(s string, limit int) string {
	for n := utf8.RuneCountInString(s); n > 0 && n >= limit; n-- {
		_, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
	}
	s = strings.Trim(s, " ")
	if s == "" && limit <= 0 {
		return ""
	}
	return s + "…"
}

// cut shortens s to limit runes.
func cut(s string, limit int) string {
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s
	}
	end := 0
	for i := 0; i < limit; i++ {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	return ellipsis(s[:end], limit)
}

// plain reports whether s is printable ASCII without outer spaces: the common case, which needs no copy.
func plain(s string) bool {
	if s == "" {
		return true
	}
	if s[0] == ' ' || s[len(s)-1] == ' ' {
		return false
	}
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func breaksLine(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// startsBreak reports whether only spaces stand before the next line break.
func startsBreak(s string) bool {
	// Bounded: a run of spaces longer than this is kept as it is until the last ones.
	for i, r := range s {
		if r != ' ' || i > 64 {
			return breaksLine(r)
		}
	}
	return true
}

// hidden reports whether r must not stand in an envelope as itself. Joiners are needed to spell some scripts and emoji, and
// stay where they follow a visible character outside ASCII; so do the two common variation selectors.
func hidden(r, prev rune) bool {
	switch {
	case r < 0x20, r >= 0x7F && r < 0xA0:
		return true
	case r < 0xA0:
		return false
	case r == 0x200C, r == 0x200D, r == 0xFE0E, r == 0xFE0F:
		return prev < 0xA0 || invisible(prev) && !(r == 0x200D && prev == 0xFE0F)
	}
	return invisible(r)
}

func invisible(r rune) bool {
	switch {
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r): // bidi, zero width, soft hyphen, tags; private use
		return true
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0100 && r <= 0xE01EF: // variation selectors
		return true
	case r == 0x034F, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r == 0x3164, r == 0xFFA0, r == 0x2800: // blank letters
		return true
	case r >= 0xE0000 && r <= 0xE0FFF: // tags and what is reserved beside them
		return true
	case r >= 0x180B && r <= 0x180F:
		return true
	}
	return r&0xFFFE == 0xFFFE || r >= 0xFDD0 && r <= 0xFDEF // noncharacters
}

func codePoint(r rune) string {
	const hex = "0123456789ABCDEF"
	digits := 4
	for r>>(4*digits) != 0 {
		digits++
	}
	b := []byte("[U+")
	for i := digits - 1; i >= 0; i-- {
		b = append(b, hex[r>>(4*i)&15])
	}
	return string(append(b, ']'))
}

// cleanCode keeps what a code may consist of.
func cleanCode(c Code) Code {
	for i := 0; i < len(c); i++ {
		if !codeByte(c[i]) || i >= maxCode {
			b := []byte(c[:min(len(c), maxCode)])
			for j := range b {
				if !codeByte(b[j]) {
					b[j] = '_'
				}
			}
			return Code(b)
		}
	}
	if c == "" {
		return CodeInternalError
	}
	return c
}

func codeByte(b byte) bool {
	return b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b == '_' || b == '-' || b == '.' || b == ':' || b == '/'
}

// appendContent escapes s for element content. Only what must be escaped is: the reader is a model, and ">" and quotes cost
// it tokens. The one ">" that XML forbids in content is that of "]]>".
func appendContent(dst []byte, s string) []byte {
	if strings.IndexByte(s, '&') < 0 && strings.IndexByte(s, '<') < 0 && strings.IndexByte(s, '>') < 0 {
		return append(dst, s...)
	}
	from := 0
	for i := 0; i < len(s); i++ {
		escape := ""
		switch s[i] {
		case '&':
			escape = "&amp;"
		case '<':
			escape = "&lt;"
		case '>':
			if i < 2 || s[i-1] != ']' || s[i-2] != ']' {
				continue
			}
			escape = "&gt;"
		default:
			continue
		}
		dst = append(append(dst, s[from:i]...), escape...)
		from = i + 1
	}
	return append(dst, s[from:]...)
}

// appendAttr escapes s for an attribute value in double quotes.
func appendAttr(dst []byte, s string) []byte {
	from := 0
	for i := 0; i < len(s); i++ {
		escape := ""
		switch s[i] {
		case '&':
			escape = "&amp;"
		case '<':
			escape = "&lt;"
		case '>':
			escape = "&gt;"
		case '"':
			escape = "&quot;"
		case '\'':
			escape = "&apos;"
		default:
			continue
		}
		dst = append(append(dst, s[from:i]...), escape...)
		from = i + 1
	}
	return append(dst, s[from:]...)
}
