package lockfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// Parse reads a lockfile strictly: every part has its type, nothing is missing or unknown, and every digest is right.
// White space, key order and line ends do not matter. The error is a *ParseError.
func Parse(data []byte) (*File, error) {
	tree, err := canonjson.Decode(data)
	if err != nil {
		return nil, syntaxError(data, err)
	}
	p := parser{data: data}
	f, parseErr := p.file(tree)
	if parseErr != nil {
		return nil, parseErr
	}
	return f, nil
}

// syntaxError explains a text that is not JSON. Conflict markers come first: they are the usual reason, and the message
// of a JSON reader would not say so.
func syntaxError(data []byte, err error) *ParseError {
	if line, label := conflictMarker(data); line > 0 {
		problem := "unresolved merge conflict"
		if label != "" {
			problem += fmt.Sprintf(" (%.80q)", label)
		}
		return &ParseError{Line: line, Column: 1, Problem: problem, Hint: hintConflict, Kind: ErrConflict}
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return &ParseError{Problem: "the file is empty", Hint: hintRelock, Kind: ErrTruncated}
	}
	var syntax *canonjson.SyntaxError
	if !errors.As(err, &syntax) {
		return &ParseError{Problem: err.Error(), Hint: hintRelock, Kind: ErrSyntax}
	}
	e := &ParseError{
		Line: syntax.Line, Column: syntax.Column, Pointer: syntax.Pointer,
		Problem: syntax.Problem, Hint: hintRelock, Kind: ErrSyntax,
	}
	switch syntax.Kind {
	case canonjson.Truncated:
		e.Problem, e.Kind = "the file is cut off: "+syntax.Problem, ErrTruncated
	case canonjson.DuplicateKey:
		e.Kind = ErrDuplicate
	}
	return e
}

// conflictMarker returns the first line that a version control system left behind, and the label on it.
func conflictMarker(data []byte) (line int, label string) {
	for n, text := range strings.Split(string(data), "\n") {
		for _, marker := range [...]string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"} {
			rest, ok := strings.CutPrefix(strings.TrimRight(text, "\r"), marker)
			if ok && (rest == "" || rest[0] == ' ') {
				return n + 1, strings.TrimSpace(rest)
			}
		}
	}
	return 0, ""
}

type parser struct{ data []byte }

// fail builds an error at the place that the tokens name.
func (p parser) fail(kind error, hint string, tokens []string, format string, args ...any) *ParseError {
	pointer := canonjson.Pointer(tokens...)
	line, column, _ := canonjson.Locate(p.data, pointer)
	return &ParseError{
		Line: line, Column: column, Pointer: pointer,
		Problem: fmt.Sprintf(format, args...), Hint: hint, Kind: kind,
	}
}

func (p parser) file(tree any) (*File, *ParseError) {
	top, ok := tree.(map[string]any)
	if !ok {
		return nil, p.fail(ErrNotLock, hintManifest, nil, "%s, want a lockfile (an object)", typeName(tree))
	}
	if err := p.version(top); err != nil {
		return nil, err
	}
	if err := p.known(top, nil, "lockfileVersion", "integrity", "servers"); err != nil {
		return nil, err
	}
	servers, err := p.object(top, nil, "servers", true)
	if err != nil {
		return nil, err
	}
	want, err := p.text(top, nil, "integrity", true)
	if err != nil {
		return nil, err
	}
	f := &File{Servers: make(map[string]*Server, len(servers))}
	canonical := []byte{'{'}
	for _, name := range sortedUTF16(servers) {
		s, form, err := p.server(servers[name], []string{"servers", name})
		if err != nil {
			return nil, err
		}
		f.Servers[name] = s
		canonical = appendMember(canonical, name, form)
	}
	if got := integrityOf(append(canonical, '}')); got != want {
		return nil, p.fail(ErrEdited, hintRelock, []string{"integrity"},
			"the file was edited by hand or merged: its integrity is %.80q, its content has %q", want, got)
	}
	return f, nil
}

func (p parser) version(top map[string]any) *ParseError {
	v, ok := top["lockfileVersion"]
	if !ok {
		return p.fail(ErrNotLock, hintManifest, nil, `not a lockfile: "lockfileVersion" is missing`)
	}
	n, ok := v.(json.Number)
	if !ok {
		return p.fail(ErrType, hintRelock, []string{"lockfileVersion"}, `"lockfileVersion" is %s, want a number`, typeName(v))
	}
	if n == "1" {
		return nil
	}
	if i, ok := new(big.Int).SetString(string(n), 10); ok && i.Cmp(big.NewInt(Version)) > 0 {
		return p.fail(ErrNewer, hintUpgrade, []string{"lockfileVersion"},
			"lockfile version %.20s is newer than this fusionctl supports (%d)", n, Version)
	}
	return p.fail(ErrType, hintRelock, []string{"lockfileVersion"}, "lockfile version %.20s does not exist, want %d", n, Version)
}

// server reads one server and returns its canonical form with its digest as well.
func (p parser) server(v any, at []string) (*Server, []byte, *ParseError) {
	if at[len(at)-1] == "" {
		return nil, nil, p.fail(ErrMissing, hintRelock, at, "a server has no name")
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, nil, p.fail(ErrType, hintRelock, at, "the server is %s, want an object", typeName(v))
	}
	if err := p.known(m, at, "digest", "protocolVersion", "server", "capabilities", "instructions",
		"tools", "prompts", "resources", "resourceTemplates"); err != nil {
		return nil, nil, err
	}
	s, want, err := p.serverHead(m, at)
	if err != nil {
		return nil, nil, err
	}
	var members []member
	for name, v := range serverHead(s) {
		members = append(members, member{name, canonjson.Append(nil, v)})
	}
	for _, kind := range EntryKinds() {
		entries, form, err := p.section(m, at, kind)
		if err != nil {
			return nil, nil, err
		}
		s.setEntries(kind, entries)
		members = append(members, member{sectionName[kind], form})
	}
	form, got := appendSealed(nil, members, "digest")
	if got != want {
		return nil, nil, p.fail(ErrEdited, hintRelock, append(at, "digest"),
			"server %.80q was edited by hand: its digest is %.80q, its content has %q", at[1], want, got)
	}
	return s, form, nil
}

func (p parser) serverHead(m map[string]any, at []string) (s *Server, digest string, err *ParseError) {
	s = &Server{}
	if digest, err = p.text(m, at, "digest", true); err != nil {
		return nil, "", err
	}
	if s.ProtocolVersion, err = p.text(m, at, "protocolVersion", false); err != nil {
		return nil, "", err
	}
	if s.Instructions, err = p.text(m, at, "instructions", false); err != nil {
		return nil, "", err
	}
	if s.Info, err = p.object(m, at, "server", false); err != nil {
		return nil, "", err
	}
	if s.Capabilities, err = p.object(m, at, "capabilities", false); err != nil {
		return nil, "", err
	}
	return s, digest, nil
}

func (p parser) section(m map[string]any, at []string, kind Kind) (map[string]*Entry, []byte, *ParseError) {
	section := sectionName[kind]
	stored, err := p.object(m, at, section, true)
	if err != nil {
		return nil, nil, err
	}
	entries := make(map[string]*Entry, len(stored))
	canonical := []byte{'{'}
	for _, key := range sortedUTF16(stored) {
		e, form, err := p.entry(stored[key], kind, append(at[:len(at):len(at)], section, key))
		if err != nil {
			return nil, nil, err
		}
		entries[key] = e
		canonical = appendMember(canonical, key, form)
	}
	return entries, append(canonical, '}'), nil
}

func (p parser) entry(v any, kind Kind, at []string) (*Entry, []byte, *ParseError) {
	key := at[len(at)-1]
	if key == "" {
		return nil, nil, p.fail(ErrMissing, hintRelock, at, "a %s has no name", kind)
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, nil, p.fail(ErrType, hintRelock, at, "%s %.80q is %s, want an object", kind, key, typeName(v))
	}
	want, err := p.text(m, at, "digest", true)
	if err != nil {
		return nil, nil, err
	}
	delete(m, "digest") // the tree is ours: it was decoded a moment ago
	e := &Entry{Fields: wireFields(m)}
	if problem := checkFields(kind, e.Fields); problem != "" {
		return nil, nil, p.fail(ErrDefinition, hintRelock, at, "%s %.80q: %s", kind, key, problem)
	}
	form, got := appendEntry(nil, e)
	if got != want {
		return nil, nil, p.fail(ErrEdited, hintRelock, append(at, "digest"),
			"%s %.80q of server %.80q was edited by hand: its digest is %.80q, its content has %q", kind, key, at[1], want, got)
	}
	return e, form, nil
}

func (p parser) object(m map[string]any, at []string, name string, required bool) (map[string]any, *ParseError) {
	v, ok := m[name]
	if !ok {
		if !required {
			return nil, nil
		}
		return nil, p.fail(ErrMissing, hintRelock, at, "%q is missing", name)
	}
	o, ok := v.(map[string]any)
	if !ok {
		return nil, p.fail(ErrType, hintRelock, append(at, name), "%q is %s, want an object", name, typeName(v))
	}
	return o, nil
}

func (p parser) text(m map[string]any, at []string, name string, required bool) (string, *ParseError) {
	v, ok := m[name]
	if !ok {
		if !required {
			return "", nil
		}
		return "", p.fail(ErrMissing, hintRelock, at, "%q is missing", name)
	}
	s, ok := v.(string)
	if !ok {
		return "", p.fail(ErrType, hintRelock, append(at, name), "%q is %s, want a string", name, typeName(v))
	}
	if s == "" {
		return "", p.fail(ErrMissing, hintRelock, append(at, name), "%q is empty", name)
	}
	return s, nil
}

// known refuses members that this version does not know. A newer fusionctl that adds one raises the version.
func (p parser) known(m map[string]any, at []string, names ...string) *ParseError {
	for _, name := range canonjson.SortedKeys(m) {
		found := false
		for _, known := range names {
			found = found || name == known
		}
		if !found {
			return p.fail(ErrUnknown, hintRelock, append(at, name), "unknown part %.80q", name)
		}
	}
	return nil
}

func (s *Server) setEntries(kind Kind, entries map[string]*Entry) {
	switch kind {
	case KindTool:
		s.Tools = entries
	case KindPrompt:
		s.Prompts = entries
	case KindResource:
		s.Resources = entries
	case KindTemplate:
		s.ResourceTemplates = entries
	}
}

// SetEntry adds or replaces one entry.
func (s *Server) SetEntry(kind Kind, key string, e *Entry) {
	entries := s.Entries(kind)
	if entries == nil {
		entries = map[string]*Entry{}
		s.setEntries(kind, entries)
	}
	entries[key] = e
}
