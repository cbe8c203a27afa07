package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// maxBytes bounds the text of a policy. A policy is written by people.
const maxBytes = 4 << 20

// An Error says where a policy is wrong.
type Error struct {
	Line    int // from 1; 0 when no place can be named
	Problem string
	Hint    string // what to do; may be empty
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Problem
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Problem)
}

// Load reads the policy at path. The error wraps fs.ErrNotExist when there is no file, and an *Error when it is wrong.
func Load(path string) (*Policy, error) {
	data, err := ReadText(path)
	if err != nil {
		return nil, err
	}
	p, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("reading policy %q: %w", path, err)
	}
	return p, nil
}

// ReadText reads the bytes of the policy at path, bounded.
func ReadText(path string) ([]byte, error) {
	data, err := readBounded(path)
	if err != nil {
		var pathErr *fs.PathError
		if errors.As(err, &pathErr) {
			err = pathErr.Err // the path is said below
		}
		return nil, fmt.Errorf("reading policy %q: %w", path, err)
	}
	if len(data) > maxBytes {
		return nil, fmt.Errorf("reading policy %q: it has more than %d MiB", path, maxBytes>>20)
	}
	return data, nil
}

func readBounded(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxBytes+1))
}

// Parse reads a policy. An empty text is the empty policy.
func Parse(data []byte) (*Policy, error) {
	root, err := rootNode(data)
	if err != nil {
		return nil, err
	}
	r := &reader{}
	p := &Policy{}
	if root != nil {
		r.policy(root, p)
	}
	if r.err != nil {
		return nil, r.err
	}
	return p, nil
}

// rootNode is the mapping at the root, nil when there is none.
func rootNode(data []byte) (*yaml.Node, error) {
	var doc yaml.Node
	decoder := yaml.NewDecoder(strings.NewReader(string(data)))
	switch err := decoder.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, &Error{Problem: short("not YAML: " + strings.TrimPrefix(err.Error(), "yaml: "))}
	}
	var more yaml.Node
	if err := decoder.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, &Error{Line: more.Line, Problem: "more than one document"}
	}
	if len(doc.Content) != 1 {
		return nil, nil
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil, nil
	}
	return root, nil
}

// A reader walks the nodes of a policy and keeps the first error.
type reader struct{ err error }

func (r *reader) fail(n *yaml.Node, hint, format string, args ...any) {
	if r.err == nil {
		r.err = &Error{Line: n.Line, Problem: short(fmt.Sprintf(format, args...)), Hint: hint}
	}
}

// short bounds a message that quotes the file: it need not be a policy at all.
func short(message string) string {
	const most = 200
	if runes := []rune(message); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return message
}

// fields walks a mapping and calls the function for each of its keys.
func (r *reader) fields(n *yaml.Node, what string, known map[string]func(*yaml.Node)) {
	r.members(n, what, func(key, value *yaml.Node) {
		read := known[key.Value]
		if read == nil {
			r.fail(key, "known here: "+strings.Join(canonjson.SortedKeys(known), ", "), "unknown key %q in %s", key.Value, what)
			return
		}
		read(value)
	})
}

func (r *reader) members(n *yaml.Node, what string, each func(key, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		r.fail(n, "", "%s: want keys and values, found %s", what, kindOf(n))
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content) && r.err == nil; i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode || key.Tag == "!!merge" || key.Anchor != "":
			r.fail(key, "", "%s: want plain keys without anchors and merges", what)
		case seen[key.Value] != 0:
			r.fail(key, "", "duplicate key %q in %s, first in line %d", key.Value, what, seen[key.Value])
		default:
			seen[key.Value] = key.Line
			each(key, value)
		}
	}
}

func (r *reader) items(n *yaml.Node, what string, each func(*yaml.Node)) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return
	}
	if n.Kind != yaml.SequenceNode {
		r.fail(n, "", "%s: want a list, found %s", what, kindOf(n))
		return
	}
	for _, item := range n.Content {
		if r.err == nil {
			each(item)
		}
	}
}

// text returns a function that stores a scalar as it is written.
func (r *reader) text(what string, to *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || n.Anchor != "" {
			r.fail(n, "", "%s: want a text, found %s", what, kindOf(n))
			return
		}
		*to = n.Value
	}
}

func kindOf(n *yaml.Node) string {
	switch {
	case n.Anchor != "" || n.Kind == yaml.AliasNode:
		return "an anchor or alias"
	case n.Kind == yaml.MappingNode:
		return "keys and values"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!null":
		return "nothing"
	}
	return fmt.Sprintf("%q", n.Value)
}

func (r *reader) policy(root *yaml.Node, p *Policy) {
	r.fields(root, "the policy", map[string]func(*yaml.Node){
		"lockfile": r.text("lockfile", &p.Lockfile),
		"servers":  func(n *yaml.Node) { p.Servers = r.servers(n) },
		"fail-on": func(n *yaml.Node) {
			t, err := ParseThreshold(n.Value)
			if err != nil {
				r.fail(n, "", "fail-on %v", err)
			}
			p.FailOn = t
		},
		"audience": func(n *yaml.Node) {
			a, err := diff.ParseAudience(n.Value)
			if err != nil {
				r.fail(n, "", "%v", err)
			}
			p.Audience = a
		},
		"token-limit": func(n *yaml.Node) {
			limit, err := strconv.Atoi(n.Value)
			if err != nil || limit < 1 || n.Tag != "!!int" {
				r.fail(n, "", "token-limit: want a whole number above 0, found %s", kindOf(n))
			}
			p.TokenLimit = limit
		},
		"severity": func(n *yaml.Node) {
			r.items(n, "severity", func(item *yaml.Node) { p.Severities = append(p.Severities, r.severityRule(item)) })
		},
		"ignore": func(n *yaml.Node) {
			r.items(n, "ignore", func(item *yaml.Node) { p.Ignore = append(p.Ignore, r.ignored(item)) })
		},
		"accept": func(n *yaml.Node) {
			r.items(n, "accept", func(item *yaml.Node) { p.Accept = append(p.Accept, r.acceptance(item)) })
		},
	})
}

func (r *reader) servers(n *yaml.Node) map[string]any {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return map[string]any{}
	}
	m, ok := r.value(n, 0).(map[string]any)
	if !ok {
		r.fail(n, "", "servers: want a server by each name, found %s", kindOf(n))
	}
	return m
}

// value turns a node into a canonjson value.
func (r *reader) value(n *yaml.Node, depth int) any {
	const maxDepth = 64
	switch {
	case n.Anchor != "" || n.Kind == yaml.AliasNode:
		r.fail(n, "write the value out", "anchors and aliases are not supported")
	case depth > maxDepth:
		r.fail(n, "", "nested deeper than %d", maxDepth)
	case n.Kind == yaml.MappingNode:
		m := map[string]any{}
		r.members(n, "servers", func(key, value *yaml.Node) { m[key.Value] = r.value(value, depth+1) })
		return m
	case n.Kind == yaml.SequenceNode:
		a := []any{}
		for _, e := range n.Content {
			a = append(a, r.value(e, depth+1))
		}
		return a
	default:
		return r.scalar(n)
	}
	return nil
}

func (r *reader) scalar(n *yaml.Node) any {
	switch n.Tag {
	case "!!null":
		return nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true")
	case "!!int", "!!float":
		if number, err := canonjson.Number(n.Value); err == nil {
			return json.Number(number)
		}
	}
	return n.Value
}

func (r *reader) severityRule(n *yaml.Node) SeverityRule {
	s := SeverityRule{Line: n.Line}
	level := ""
	r.fields(n, "severity", map[string]func(*yaml.Node){
		"rule":     r.text("rule", &s.Rule),
		"server":   r.text("server", &s.Server),
		"tool":     r.text("tool", &s.Tool),
		"severity": r.text("severity", &level),
	})
	r.knownRule(n, s.Rule)
	if err := s.Severity.UnmarshalText([]byte(strings.ToUpper(level))); err != nil || s.Severity == diff.None {
		r.fail(n, `to leave a change out, use "ignore" or "accept"`, "severity %q: want breaking, risky, safe or cosmetic", level)
	}
	return s
}

func (r *reader) knownRule(n *yaml.Node, id string) {
	if _, ok := diff.Lookup(id); !ok {
		r.fail(n, `"fusionctl rules" lists them`, "unknown rule %q", id)
	}
}

func (r *reader) ignored(n *yaml.Node) Ignored {
	i := Ignored{Line: n.Line}
	r.fields(n, "ignore", map[string]func(*yaml.Node){
		"server":  r.text("server", &i.Server),
		"tool":    r.text("tool", &i.Tool),
		"pointer": r.text("pointer", &i.Pointer),
	})
	if !strings.HasPrefix(i.Pointer, "/") {
		r.fail(n, "", `ignore: pointer %q: want a JSON pointer such as "/annotations/title"`, i.Pointer)
	}
	return i
}

func (r *reader) acceptance(n *yaml.Node) Acceptance {
	a := Acceptance{Line: n.Line}
	expires := ""
	r.fields(n, "accept", map[string]func(*yaml.Node){
		"fingerprint": r.text("fingerprint", &a.Fingerprint),
		"rule":        r.text("rule", &a.Rule),
		"server":      r.text("server", &a.Server),
		"tool":        r.text("tool", &a.Tool),
		"pointer":     r.text("pointer", &a.Pointer),
		"reason":      r.text("reason", &a.Reason),
		"author":      r.text("author", &a.Author),
		"expires":     r.text("expires", &expires),
	})
	if !isFingerprint(a.Fingerprint) {
		r.fail(n, `"fusionctl diff" prints it`, "accept: fingerprint %q: want 16 hex digits", a.Fingerprint)
	}
	for _, f := range []struct{ name, value string }{{"reason", a.Reason}, {"author", a.Author}, {"expires", expires}} {
		if strings.TrimSpace(f.value) == "" {
			r.fail(n, "", "accept: missing %q", f.name)
		}
	}
	if a.Rule != "" {
		r.knownRule(n, a.Rule)
	}
	day, err := ParseDay(expires)
	if err != nil {
		r.fail(n, "", "accept: expires %v", err)
	}
	a.Expires = day
	return a
}

func isFingerprint(s string) bool {
	return len(s) == 16 && !slices.ContainsFunc([]byte(s), func(c byte) bool {
		return !('0' <= c && c <= '9' || 'a' <= c && c <= 'f')
	})
}

// ParseDay reads a date such as 2026-12-31.
func ParseDay(s string) (time.Time, error) {
	day, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q: want a date such as 2026-12-31", s)
	}
	return day, nil
}
