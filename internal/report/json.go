package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"github.com/fusionctl/fusionctl/diff"
)

// writeJSON writes the report as it is: the JSON form is the model. Characters that a person would not see are written as
// escapes, so that the file can be shown on a terminal; a reader of JSON gets them back unchanged.
func writeJSON(w io.Writer, r diff.Report, _ Options) error {
	text, err := marshal(r)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// marshal is indented JSON without HTML escapes and with everything that does not print escaped.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return escapeUnprintable(b.Bytes()), nil
}

// escapeUnprintable escapes characters beyond ASCII that do not print. In JSON they stand in strings only.
func escapeUnprintable(text []byte) []byte {
	s := string(text)
	hidden := func(r rune) bool { return r >= 0x7F && unprintable(r) }
	if !strings.ContainsFunc(s, hidden) {
		return text
	}
	var b bytes.Buffer
	for _, r := range s {
		switch {
		case !hidden(r):
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
