package foreign

import (
	"encoding/xml"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// children are the elements that an envelope may have, by their parent.
var children = map[string][]string{
	"":                   {"tool_error", "validation_error"},
	"tool_error":         {"message", "recovery", "available_actions", "details", "retry_after", "contract_awareness"},
	"validation_error":   {"field", "not_shown", "recovery", "example", "contract_awareness"},
	"available_actions":  {"action", "not_shown"},
	"details":            {"detail", "not_shown"},
	"contract_awareness": {"system_note", "instructions", "change_count", "max_severity", "contract_changes", "not_shown"},
	"contract_changes":   {"change"},
	"change":             {"description", "before", "after"},
}

// many are the elements that may stand beside another of their name.
var many = map[string]bool{"field": true, "action": true, "detail": true, "change": true}

// prose are the elements that hold sentences of ours, in which a text from elsewhere stands in quotes. All others hold one text, or
// one value in JSON, and nothing else.
var prose = map[string]bool{"field": true, "message": true, "recovery": true, "system_note": true, "instructions": true, "description": true, "detail": true}

// Envelope checks that an envelope has no element, no line and no sentence that a text from elsewhere made. Whole names elements
// whose text is that of somebody else as a whole, as the message of a Go error is.
func Envelope(t testing.TB, what, text string, whole ...string) {
	t.Helper()
	Harmless(t, what, text)
	if len(text) > 4096 || strings.Count(text, "\n") >= 64 {
		t.Errorf("%s: %d bytes on %d lines", what, len(text), strings.Count(text, "\n")+1)
	}
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimLeft(line, " "), "<") {
			t.Errorf("%s: a text begins the line %q", what, line)
		}
	}
	d := xml.NewDecoder(strings.NewReader(text))
	path, seen := []string{""}, []map[string]bool{{}}
	for {
		token, err := d.Token()
		if err == io.EOF && len(path) == 1 && len(seen[0]) == 1 {
			return
		}
		if err != nil {
			t.Errorf("%s: not one element: %v\n%s", what, err, text)
			return
		}
		parent := path[len(path)-1]
		switch token := token.(type) {
		case xml.StartElement:
			name := token.Name.Local
			if !slices.Contains(children[parent], name) || seen[len(seen)-1][name] && !many[name] {
				t.Errorf("%s: an element %q that is not ours, in %q\n%s", what, name, parent, text)
			}
			seen[len(seen)-1][name] = true
			path, seen = append(path, name), append(seen, map[string]bool{})
		case xml.EndElement:
			path, seen = path[:len(path)-1], seen[:len(seen)-1]
		case xml.CharData:
			if children[parent] != nil && strings.TrimSpace(string(token)) != "" {
				t.Errorf("%s: the text %q stands between elements", what, token)
			}
			if prose[parent] && !slices.Contains(whole, parent) {
				Sentence(t, what+", "+parent, string(token))
			}
		default:
			t.Errorf("%s: %T is not ours\n%s", what, token, text)
		}
	}
}

// Sentence checks that the marker stands in quotes only, wherever it stands in a sentence.
func Sentence(t testing.TB, what, s string) {
	t.Helper()
	var quote byte
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote == 0 && strings.HasPrefix(s[i:], Marker):
			t.Errorf("%s: a text poses as ours: %.300q", what, s[max(0, i-200):])
			return
		case quote == '"' && c == '\\':
			i++
		case quote == c:
			quote = 0
		case quote == 0 && (c == '"' || c == '\'' && (i == 0 || !letter(s[i-1]))): // an apostrophe opens nothing
			quote = c
		}
	}
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// Line checks a text that goes to a log or a table: one line, harmless and short.
func Line(t testing.TB, what, s string, most int) {
	t.Helper()
	Harmless(t, what, s)
	if n := utf8.RuneCountInString(s); strings.Contains(s, "\n") || n > most {
		t.Errorf("%s: %d characters, want one line of at most %d: %.300q", what, n, most, s)
	}
}

// Harmless checks that nothing stands in an output that a terminal obeys or a reader cannot see.
func Harmless(t testing.TB, what, s string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Errorf("%s: not UTF-8: %.300q", what, s)
	}
	for i, r := range s {
		if obeyed(r) {
			t.Errorf("%s: %U in …%q", what, r, s[max(0, i-60):min(len(s), i+20)])
			return
		}
	}
}

// obeyed is a list of its own, not that of the packages under test.
func obeyed(r rune) bool {
	switch {
	case r == '\n':
		return false
	case r < 0x20 || 0x7f <= r && r <= 0x9f: // controls
	case r == 0xad || r == 0x34f || r == 0x61c || r == 0x180e || r == 0xfeff || r == 0x3164:
	case 0x200b <= r && r <= 0x200f || 0x2028 <= r && r <= 0x202e || 0x2060 <= r && r <= 0x206f: // zero width and direction
	case 0xe000 <= r && r <= 0xf8ff || r >= 0xf0000: // private use
	case 0xe0000 <= r && r <= 0xe0fff: // tags and variation selectors
	case 0xfdd0 <= r && r <= 0xfdef || r&0xfffe == 0xfffe: // noncharacters
	default:
		return false
	}
	return true
}
