package capture

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// quote shows a short text from outside in an error or a problem.
func quote(s string) string { return strconv.QuoteToGraphic(cut(s, 120)) }

// harmless makes one line of text from outside safe for a terminal: what is not plainly printable is shown as an escape.
func harmless(s string, limit int) string {
	var b strings.Builder
	for _, r := range cut(s, limit) {
		switch {
		case r == '\t':
			b.WriteByte(' ')
		case r == utf8.RuneError || !unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// cut shortens s to about limit bytes, at the end of a rune.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "…"
}

// A tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	data []byte
}

const (
	tailBytes = 4096
	tailLines = 10
)

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p[max(0, len(p)-tailBytes):]...)
	if extra := len(t.data) - tailBytes; extra > 0 {
		t.data = append(t.data[:0], t.data[extra:]...)
	}
	return len(p), nil
}

// lines returns the last lines, each made harmless.
func (t *tail) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var lines []string
	for line := range bytes.Lines(t.data) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			lines = append(lines, harmless(string(line), 500))
		}
	}
	return lines[max(0, len(lines)-tailLines):]
}
