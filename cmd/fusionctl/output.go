package main

import (
	"bytes"
	"fmt"
	"unicode/utf16"

	"github.com/fusionctl/fusionctl/internal/report"
)

// harmlessJSON writes characters that would not print as JSON escapes. Line breaks are the layout's own: inside of strings
// JSON has none.
func harmlessJSON(text []byte) []byte {
	var b bytes.Buffer
	for _, r := range string(text) {
		s := string(r)
		switch {
		case r == '\n' || report.Harmless(s) == s:
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.Bytes()
}

// harmless is report.Harmless.
func harmless(s string) string { return report.Harmless(s) }
