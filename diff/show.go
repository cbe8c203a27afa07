package diff

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// Texts in messages come from servers: they are quoted, cut, and everything that does not print is shown as an escape.

const (
	maxQuoted = 120 // characters of one text in a message
	maxListed = 8   // names in one list in a message
)

// quote quotes a text from outside, as JSON does.
func quote(s string) string { return escapeHidden(string(canonjson.Append(nil, cut(s, maxQuoted)))) }

// changedWord says what happened to a member; nil is an absent one.
func changedWord(before, after any) string {
	switch {
	case before == nil:
		return "was added"
	case after == nil:
		return "was removed"
	}
	return "changed"
}

// cut shortens s to at most n characters.
func cut(s string, n int) string {
	i := 0
	for at := range s {
		if i == n {
			return s[:at] + "…"
		}
		i++
	}
	return s
}

// show writes a value as short JSON.
func show(v any) string {
	text := escapeHidden(string(canonjson.Append(nil, v)))
	short := cut(text, maxQuoted)
	if short != text && insideText(short) {
		short += `"` // or what comes after it would read as a part of the text, and the next text as ours
	}
	return short
}

// insideText reports whether the beginning of a JSON text ends within a string.
func insideText(s string) bool {
	inside := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			inside = !inside
		case inside && s[i] == '\\':
			i++
		}
	}
	return inside
}

// escapeHidden writes characters that do not print as JSON escapes.
func escapeHidden(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// quoteList writes names as a quoted list: "a", "b" and 3 more.
func quoteList(names []string) string {
	var b strings.Builder
	for i, name := range names {
		if i == maxListed {
			fmt.Fprintf(&b, " and %d more", len(names)-maxListed)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quote(name))
	}
	return b.String()
}

// showList writes values as a list of short JSON.
func showList(values []any) string {
	if len(values) == 0 {
		return "no value"
	}
	var b strings.Builder
	for i, v := range values {
		if i == maxListed {
			fmt.Fprintf(&b, " and %d more", len(values)-maxListed)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(show(v))
	}
	return b.String()
}

// sortedStrings returns the strings of an array; other elements are left out.
func stringsOf(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, e := range list {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
