package lockfile

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// syntaxError explains a text that is not JSON. Conflict markers come first: they are the usual reason, and the message
// of a JSON reader would not say so.
func syntaxError(data []byte, err error) *ParseError {
	var syntax *canonjson.SyntaxError
	if !errors.As(err, &syntax) {
		return &ParseError{Problem: err.Error(), Hint: hintRelock, Kind: ErrSyntax}
	}
	if c, ok := findConflict(data); ok {
		return &ParseError{Line: c.line, Column: 1, Problem: c.String(), Hint: hintConflict, Kind: ErrConflict}
	}
	if len(data) > 0 && len(bytes.TrimSpace(data)) == 0 {
		return &ParseError{Line: 1, Column: 1, Problem: "the file is empty but for white space", Hint: hintRelock, Kind: ErrTruncated}
	}
	if len(data) == 0 {
		return &ParseError{Line: 1, Column: 1, Problem: "the file is empty", Hint: hintRelock, Kind: ErrTruncated}
	}
	if len(bytes.Trim(data, "\x00 \r\n")) == 0 { // what some file systems leave after a power cut
		return &ParseError{Line: 1, Column: 1, Problem: "the file holds only zero bytes", Hint: hintRelock, Kind: ErrTruncated}
	}
	e := &ParseError{
		Line: syntax.Line, Column: syntax.Column, Pointer: syntax.Pointer,
		Problem: syntax.Problem, Hint: hintRelock, Kind: ErrSyntax,
	}
	switch syntax.Kind {
	case canonjson.Truncated:
		e.Problem, e.Kind = "the file is cut off: "+syntax.Problem, ErrTruncated
	case canonjson.DuplicateKey:
		e.Kind, e.Hint = ErrDuplicate, hintDuplicate
	case canonjson.BadText:
		e.Kind, e.Hint = ErrEncoding, hintEncoding
	}
	return e
}

// A conflict is what a version control system left in a file that it could not merge.
type conflict struct {
	line         int // of the first marker
	ours, theirs string
	places       int
}

func (c conflict) String() string {
	text := "unresolved merge conflict"
	switch {
	case c.ours != "" && c.theirs != "":
		text += fmt.Sprintf(" between %.80q and %.80q", c.ours, c.theirs)
	case c.ours+c.theirs != "":
		text += fmt.Sprintf(" (%.80q)", c.ours+c.theirs)
	}
	if c.places > 1 {
		text += fmt.Sprintf(", the first of %d", c.places)
	}
	return text
}

// findConflict looks for marker lines. A line of equal signs alone may come from other texts and proves nothing.
func findConflict(data []byte) (c conflict, ok bool) {
	number := 0
	for line := range bytes.Lines(data) {
		number++
		side, label := conflictMarker(line)
		if side == 0 {
			continue
		}
		if c.line == 0 {
			c.line = number
		}
		if side == '<' {
			c.places++
			if c.ours == "" {
				c.ours = label
			}
		} else if c.theirs == "" {
			c.theirs = label
		}
	}
	return c, c.line > 0
}

// conflictMarker returns '<' or '>' for a line that begins or ends a conflict: seven such characters or more, as the
// attribute conflict-marker-size of git may ask, then nothing or a space and a label.
func conflictMarker(line []byte) (side byte, label string) {
	if len(line) < 7 || line[0] != '<' && line[0] != '>' {
		return 0, ""
	}
	rest := bytes.TrimLeft(line, string(line[0]))
	if len(line)-len(rest) < 7 || len(rest) > 0 && bytes.IndexByte([]byte(" \t\r\n"), rest[0]) < 0 {
		return 0, ""
	}
	return line[0], strings.ToValidUTF8(string(bytes.TrimSpace(rest)), "\uFFFD")
}
