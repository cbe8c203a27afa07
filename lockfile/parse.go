package lockfile

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// limits are those of canonjson with room for what the file puts around a definition: what was captured within them can be
// read back. In a file as Format writes it a value takes more than twelve bytes, with its line and indentation; a text with
// many more values is made to fill the memory.
func limits(size int) canonjson.Limits {
	return canonjson.Limits{Bytes: MaxBytes, Depth: 512 + 8, Values: max(1_000_000, size/12)}
}

// Parse reads a lockfile strictly: every part has its type, nothing is missing or unknown, and every digest is right.
// White space, key order, number spelling and line ends do not matter. The error is a *ParseError.
func Parse(data []byte) (*File, error) {
	tree, err := canonjson.DecodeLimits(data, limits(len(data)))
	if err != nil {
		return nil, syntaxError(data, err)
	}
	p := parser{data: data, declared: seals{servers: map[string]string{}, entries: map[*Entry]string{}}}
	f, parseErr := p.file(tree)
	if parseErr == nil {
		parseErr = p.verify(f)
	}
	if parseErr != nil {
		return nil, parseErr
	}
	return f, nil
}

type parser struct {
	data     []byte
	declared seals // the digests that stand in the file
}

// fail builds an error at the place that the tokens name.
func (p *parser) fail(kind error, hint string, tokens []string, format string, args ...any) *ParseError {
	pointer := canonjson.Pointer(tokens...)
	line, column, _ := canonjson.Locate(p.data, pointer)
	return &ParseError{
		Line: line, Column: column, Pointer: pointer,
		Problem: fmt.Sprintf(format, args...), Hint: hint, Kind: kind,
	}
}

func (p *parser) file(tree any) (*File, *ParseError) {
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
	p.declared.integrity = want
	for _, name := range canonjson.SortedKeys(servers) {
		if f.Servers[name], err = p.server(servers[name], []string{"servers", name}); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// verify compares the digests in the file with those of its content, the innermost first: they name the place best.
func (p *parser) verify(f *File) *ParseError {
	have := seal(f, len(p.data)/2+len(p.data)/8)
	for _, name := range canonjson.SortedKeys(f.Servers) {
		s := f.Servers[name]
		for _, kind := range EntryKinds() {
			entries := s.Entries(kind)
			for _, key := range canonjson.SortedKeys(entries) {
				e := entries[key]
				if want, got := p.declared.entries[e], have.entries[e]; want != got {
					return p.edited([]string{"servers", name, sectionName[kind], key, "digest"},
						fmt.Sprintf("%s %.80q of server %.80q", kind, key, name), "", want, got)
				}
			}
		}
		if want, got := p.declared.servers[name], have.servers[name]; want != got {
			return p.edited([]string{"servers", name, "digest"}, fmt.Sprintf("server %.80q", name),
				"; each entry is as it was written, so one was added, removed or renamed, or the head of the server was changed", want, got)
		}
	}
	if want, got := p.declared.integrity, have.integrity; want != got {
		return p.edited([]string{"integrity"}, "the file",
			"; each server is as it was written, so one was added, removed or renamed, or the integrity itself was changed", want, got)
	}
	return nil
}

func (p *parser) edited(at []string, what, deduction, want, got string) *ParseError {
	member := at[len(at)-1]
	if !isDigest(want) {
		return p.fail(ErrEdited, hintRelock, at, "%s has no legal %s: %.80q, want \"sha256:\" and 64 hexadecimal digits", what, member, want)
	}
	return p.fail(ErrEdited, hintRelock, at,
		"%s was edited by hand or by a merge: its %s is %s, its content has %s%s", what, member, short(want), short(got), deduction)
}

func isDigest(s string) bool {
	hex, ok := strings.CutPrefix(s, "sha256:")
	return ok && len(hex) == 64 && strings.Trim(hex, "0123456789abcdef") == ""
}

// short is enough of a digest to tell two apart.
func short(digest string) string { return digest[:len("sha256:")+12] + "…" }

func (p *parser) version(top map[string]any) *ParseError {
	v, ok := top["lockfileVersion"]
	if _, sealed := top["integrity"]; !ok && sealed {
		return p.fail(ErrMissing, hintRelock, nil, `"lockfileVersion" is missing`)
	}
	if !ok {
		return p.fail(ErrNotLock, hintManifest, nil, `not a lockfile: "lockfileVersion" is missing`)
	}
	if _, ok := top["servers"]; !ok && v != json.Number("1") { // package-lock.json has the same member
		return p.fail(ErrNotLock, hintManifest, nil, `not a lockfile of fusionctl: "servers" is missing`)
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

func (p *parser) server(v any, at []string) (*Server, *ParseError) {
	name := at[len(at)-1]
	if name == "" {
		return nil, p.fail(ErrMissing, hintRelock, at, "a server has no name")
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, p.fail(ErrType, hintRelock, at, "the server is %s, want an object", typeName(v))
	}
	if err := p.known(m, at, "digest", "protocolVersion", "server", "capabilities", "instructions",
		"tools", "prompts", "resources", "resourceTemplates"); err != nil {
		return nil, err
	}
	s, digest, err := p.serverHead(m, at)
	if err != nil {
		return nil, err
	}
	p.declared.servers[name] = digest
	for _, kind := range EntryKinds() {
		if err := p.section(s, m, at, kind); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (p *parser) serverHead(m map[string]any, at []string) (s *Server, digest string, err *ParseError) {
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

func (p *parser) section(s *Server, m map[string]any, at []string, kind Kind) *ParseError {
	section := sectionName[kind]
	stored, err := p.object(m, at, section, true)
	if err != nil {
		return err
	}
	entries := make(map[string]*Entry, len(stored))
	place := append(slices.Clone(at), section, "")
	for _, key := range canonjson.SortedKeys(stored) {
		place[len(place)-1] = key
		if entries[key], err = p.entry(stored[key], kind, place); err != nil {
			return err
		}
	}
	s.setEntries(kind, entries)
	return nil
}

func (p *parser) entry(v any, kind Kind, at []string) (*Entry, *ParseError) {
	key := at[len(at)-1]
	if key == "" {
		return nil, p.fail(ErrMissing, hintRelock, at, "a %s has no name", kind)
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, p.fail(ErrType, hintRelock, at, "%s %.80q is %s, want an object", kind, key, typeName(v))
	}
	digest, err := p.text(m, at, "digest", true)
	if err != nil {
		return nil, err
	}
	delete(m, "digest") // the tree is ours: it was decoded a moment ago
	e := &Entry{Fields: wireFields(m)}
	if problem := checkFields(kind, e.Fields); problem != "" {
		return nil, p.fail(ErrDefinition, hintRelock, at, "%s %.80q: %s", kind, key, problem)
	}
	p.declared.entries[e] = digest
	return e, nil
}

func (p *parser) object(m map[string]any, at []string, name string, required bool) (map[string]any, *ParseError) {
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

func (p *parser) text(m map[string]any, at []string, name string, required bool) (string, *ParseError) {
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
func (p *parser) known(m map[string]any, at []string, names ...string) *ParseError {
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
