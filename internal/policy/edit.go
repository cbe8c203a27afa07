package policy

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// ErrAccepted says that the policy has an acceptance of this change already.
var ErrAccepted = errors.New("the policy accepts this change already")

// AddAcceptance returns the text of a policy with one more acceptance, the newest first. Everything else, comments
// included, stays as it is. An acceptance of the same change whose day is over is replaced by nothing: it must be removed by
// hand, so that a second extension does not happen without a look at the first.
func AddAcceptance(data []byte, a Acceptance) ([]byte, error) {
	before, err := Parse(data)
	if err != nil {
		return nil, err
	}
	for _, old := range before.Accept {
		if old.Fingerprint == a.Fingerprint {
			return nil, fmt.Errorf(`%w: line %d, until %s; to extend it, change its "expires" there`, ErrAccepted, old.Line, old.Expires.Format(time.DateOnly))
		}
	}
	edited, err := insertAcceptance(data, a)
	if err != nil {
		return nil, err
	}
	if err := checkEdit(before, edited, a); err != nil {
		return nil, err
	}
	return edited, nil
}

func insertAcceptance(data []byte, a Acceptance) ([]byte, error) {
	root, err := rootNode(data)
	if err != nil {
		return nil, err
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	at, indent := len(lines), "  "
	head := ""
	key, value := acceptNode(root)
	switch {
	case key == nil:
		if n := len(data); n > 0 && data[n-1] != '\n' {
			head = "\n"
		}
		head += "accept:\n"
	case value.Kind == yaml.SequenceNode && len(value.Content) > 0 && value.Style&yaml.FlowStyle == 0 && value.Line > key.Line:
		at, indent = key.Line, strings.Repeat(" ", value.Column-1)
	case len(value.Content) == 0 && value.Line <= key.Line:
		// "accept:" or "accept: []" by itself: the line is written anew.
		lines[key.Line-1] = []byte("accept:\n")
		at = key.Line
	default:
		return nil, &Error{Line: key.Line, Problem: `"accept" is not written as one item a line`, Hint: `write each acceptance as "- fingerprint: …" on lines of its own`}
	}
	var out []byte
	for _, l := range lines[:at] {
		out = append(out, l...)
	}
	out = append(out, head...)
	out = append(out, formatAcceptance(a, indent)...)
	for _, l := range lines[at:] {
		out = append(out, l...)
	}
	return out, nil
}

func acceptNode(root *yaml.Node) (key, value *yaml.Node) {
	if root == nil {
		return nil, nil
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == "accept" {
			return root.Content[i], root.Content[i+1]
		}
	}
	return nil, nil
}

func formatAcceptance(a Acceptance, indent string) string {
	var b strings.Builder
	dash := "- "
	for _, f := range []struct{ name, value string }{
		{"fingerprint", quoted(a.Fingerprint)},
		{"rule", a.Rule},
		{"server", quoted(a.Server)},
		{"tool", quoted(a.Tool)},
		{"pointer", quoted(a.Pointer)},
		{"reason", quoted(a.Reason)},
		{"author", quoted(a.Author)},
		{"expires", a.Expires.Format(time.DateOnly)},
	} {
		if f.value == "" || f.value == `""` {
			continue
		}
		b.WriteString(indent + dash + f.name + ": " + f.value + "\n")
		dash = "  "
	}
	return b.String()
}

// quoted is a text in double quotes as YAML reads them: JSON's escapes are a part of YAML's.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20 || r == 0x7F || 0x80 <= r && r < 0xA0 || r == 0x2028 || r == 0x2029 || r == 0xFEFF:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// checkEdit reads the edited text back: it must be the policy of before and one acceptance more.
func checkEdit(before *Policy, edited []byte, a Acceptance) error {
	after, err := Parse(edited)
	if err != nil {
		return fmt.Errorf("the policy with the new acceptance: %w", err)
	}
	want, got := *before, *after
	want.Accept = append([]Acceptance{a}, before.Accept...)
	want, got = withoutLines(want), withoutLines(got)
	if !reflect.DeepEqual(want, got) {
		return errors.New(`the acceptance does not fit into the policy's layout: add it by hand`)
	}
	return nil
}

func withoutLines(p Policy) Policy {
	p.Severities = append([]SeverityRule(nil), p.Severities...)
	p.Ignore = append([]Ignored(nil), p.Ignore...)
	p.Accept = append([]Acceptance(nil), p.Accept...)
	for i := range p.Severities {
		p.Severities[i].Line = 0
	}
	for i := range p.Ignore {
		p.Ignore[i].Line = 0
	}
	for i := range p.Accept {
		p.Accept[i].Line = 0
	}
	return p
}
