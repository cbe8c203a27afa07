package lockfile

import (
	"crypto/sha256"
	"encoding/hex"
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
//
// No tree of the text is built: its canonical form is taken apart, and the digests cover pieces of it.
func Parse(data []byte) (*File, error) {
	text, err := canonjson.Compact(data, limits(len(data)))
	if err != nil {
		return nil, syntaxError(data, err)
	}
	p := parser{data: data}
	f, parseErr := p.file(text)
	if parseErr == nil {
		parseErr = p.verify()
	}
	if parseErr != nil {
		return nil, parseErr
	}
	return f, nil
}

type parser struct {
	data   []byte
	claims []claim // the digests that stand in the file, the innermost first
}

// A claim is a digest in the file and the canonical form that it should be of, which the member with the digest interrupts.
type claim struct {
	server        string
	kind          Kind // "" is the file
	key           string
	want          string
	before, after []byte
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

// parts are the members of an object of the file that this version knows, and the first one that it does not.
func parts(object []byte, names ...string) (known map[string][]byte, unknown string, odd bool) {
	known = make(map[string][]byte, len(names))
	for name, value := range canonjson.Members(object) {
		switch {
		case slices.Contains(names, name):
			known[name] = value
		case !odd:
			unknown, odd = name, true
		}
	}
	return known, unknown, odd
}

// unknown refuses members that this version does not know. A newer fusionctl that adds one raises the version.
func (p *parser) unknown(at []string, name string) *ParseError {
	return p.fail(ErrUnknown, hintRelock, append(at, name), "unknown part %.80q", name)
}

func (p *parser) file(text []byte) (*File, *ParseError) {
	if typeOf(text) != "an object" {
		return nil, p.fail(ErrNotLock, hintManifest, nil, "%s, want a lockfile (an object)", typeOf(text))
	}
	top, name, odd := parts(text, "lockfileVersion", "integrity", "servers")
	if err := p.version(top); err != nil {
		return nil, err
	}
	if odd {
		return nil, p.unknown(nil, name)
	}
	servers, err := p.object(top, nil, "servers", true)
	if err != nil {
		return nil, err
	}
	want, err := p.text(top, nil, "integrity", true)
	if err != nil {
		return nil, err
	}
	f := &File{Servers: map[string]*Server{}}
	for name, server := range canonjson.Members(servers) {
		if f.Servers[name], err = p.server(server, []string{"servers", name}); err != nil {
			return nil, err
		}
	}
	p.claim(claim{want: want}, text, "integrity")
	return f, nil
}

func (p *parser) claim(c claim, object []byte, member string) {
	c.before, _, c.after, _ = canonjson.Cut(object, member)
	p.claims = append(p.claims, c)
}

// verify compares the digests in the file with those of its content, the innermost first: they name the place best.
func (p *parser) verify() *ParseError {
	for _, c := range p.claims {
		sum := sha256.New()
		sum.Write(c.before)
		sum.Write(c.after)
		got := "sha256:" + hex.EncodeToString(sum.Sum(nil))
		if got == c.want {
			continue
		}
		switch c.kind {
		case "":
			return p.edited([]string{"integrity"}, "the file",
				"; each server is as it was written, so one was added, removed or renamed, or the integrity itself was changed", c.want, got)
		case KindServer:
			return p.edited([]string{"servers", c.server, "digest"}, fmt.Sprintf("server %.80q", c.server),
				"; each entry is as it was written, so one was added, removed or renamed, or the head of the server was changed", c.want, got)
		}
		return p.edited([]string{"servers", c.server, sectionName[c.kind], c.key, "digest"},
			fmt.Sprintf("%s %.80q of server %.80q", c.kind, c.key, c.server), "", c.want, got)
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

func (p *parser) version(top map[string][]byte) *ParseError {
	v, ok := top["lockfileVersion"]
	if _, sealed := top["integrity"]; !ok && sealed {
		return p.fail(ErrMissing, hintRelock, nil, `"lockfileVersion" is missing`)
	}
	if !ok {
		return p.fail(ErrNotLock, hintManifest, nil, `not a lockfile: "lockfileVersion" is missing`)
	}
	n := string(v)
	if _, ok := top["servers"]; !ok && n != "1" { // package-lock.json has the same member
		return p.fail(ErrNotLock, hintManifest, nil, `not a lockfile of fusionctl: "servers" is missing`)
	}
	at := []string{"lockfileVersion"}
	if typeOf(v) != "a number" {
		return p.fail(ErrType, hintRelock, at, `"lockfileVersion" is %s, want a number`, typeOf(v))
	}
	if n == "1" {
		return nil
	}
	if i, ok := new(big.Int).SetString(n, 10); ok && i.Cmp(big.NewInt(Version)) > 0 {
		return p.fail(ErrNewer, hintUpgrade, at, "lockfile version %.20s is newer than this fusionctl supports (%d)", n, Version)
	}
	return p.fail(ErrType, hintRelock, at, "lockfile version %.20s does not exist, want %d", n, Version)
}

func (p *parser) server(text []byte, at []string) (*Server, *ParseError) {
	name := at[len(at)-1]
	if name == "" {
		return nil, p.fail(ErrMissing, hintRelock, at, "a server has no name")
	}
	if typeOf(text) != "an object" {
		return nil, p.fail(ErrType, hintRelock, at, "the server is %s, want an object", typeOf(text))
	}
	members, other, odd := parts(text, "digest", "protocolVersion", "server", "capabilities", "instructions",
		"tools", "prompts", "resources", "resourceTemplates")
	if odd {
		return nil, p.unknown(at, other)
	}
	s, digest, err := p.serverHead(members, at)
	if err != nil {
		return nil, err
	}
	for _, kind := range EntryKinds() {
		if err := p.section(s, members, at, kind); err != nil {
			return nil, err
		}
	}
	p.claim(claim{server: name, kind: KindServer, want: digest}, text, "digest")
	return s, nil
}

func (p *parser) serverHead(members map[string][]byte, at []string) (s *Server, digest string, err *ParseError) {
	s = &Server{}
	if digest, err = p.text(members, at, "digest", true); err != nil {
		return nil, "", err
	}
	if s.ProtocolVersion, err = p.text(members, at, "protocolVersion", false); err != nil {
		return nil, "", err
	}
	if s.Instructions, err = p.text(members, at, "instructions", false); err != nil {
		return nil, "", err
	}
	if s.Info, err = p.tree(members, at, "server"); err != nil {
		return nil, "", err
	}
	if s.Capabilities, err = p.tree(members, at, "capabilities"); err != nil {
		return nil, "", err
	}
	return s, digest, nil
}

func (p *parser) section(s *Server, members map[string][]byte, at []string, kind Kind) *ParseError {
	section := sectionName[kind]
	stored, err := p.object(members, at, section, true)
	if err != nil {
		return err
	}
	entries := map[string]*Entry{}
	place := append(slices.Clone(at), section, "")
	for key, text := range canonjson.Members(stored) {
		place[len(place)-1] = key
		if entries[key], err = p.entry(text, kind, place); err != nil {
			return err
		}
	}
	s.setEntries(kind, entries)
	return nil
}

func (p *parser) entry(text []byte, kind Kind, at []string) (*Entry, *ParseError) {
	key := at[len(at)-1]
	if key == "" {
		return nil, p.fail(ErrMissing, hintRelock, at, "a %s has no name", kind)
	}
	if typeOf(text) != "an object" {
		return nil, p.fail(ErrType, hintRelock, at, "%s %.80q is %s, want an object", kind, key, typeOf(text))
	}
	before, digest, after, found := canonjson.Cut(text, "digest")
	member := map[string][]byte{"digest": digest}
	if !found {
		clear(member)
	}
	want, err := p.text(member, at, "digest", true)
	if err != nil {
		return nil, err
	}
	e := &Entry{stored: slices.Concat(before, after)} // a copy, so that nobody keeps the text of the whole file
	if problem := e.problem(kind); problem != "" {
		return nil, p.fail(ErrDefinition, hintRelock, at, "%s %.80q: %s", kind, key, problem)
	}
	p.claims = append(p.claims, claim{server: at[1], kind: kind, key: key, want: want, before: e.stored})
	return e, nil
}

// tree is an object that stays a tree: what a server tells of itself is short.
func (p *parser) tree(members map[string][]byte, at []string, name string) (map[string]any, *ParseError) {
	text, err := p.object(members, at, name, false)
	if text == nil || err != nil {
		return nil, err
	}
	if canonjson.TreeSize(text) > maxTree {
		return nil, p.fail(ErrDefinition, hintRelock, append(at, name), "%q: "+tooManyValues, name)
	}
	return canonjson.DecodeCompact(text).(map[string]any), nil
}

func (p *parser) object(members map[string][]byte, at []string, name string, required bool) ([]byte, *ParseError) {
	text, ok := members[name]
	if !ok {
		if !required {
			return nil, nil
		}
		return nil, p.fail(ErrMissing, hintRelock, at, "%q is missing", name)
	}
	if typeOf(text) != "an object" {
		return nil, p.fail(ErrType, hintRelock, append(at, name), "%q is %s, want an object", name, typeOf(text))
	}
	return text, nil
}

func (p *parser) text(members map[string][]byte, at []string, name string, required bool) (string, *ParseError) {
	v, ok := members[name]
	if !ok {
		if !required {
			return "", nil
		}
		return "", p.fail(ErrMissing, hintRelock, at, "%q is missing", name)
	}
	s, ok := canonjson.Text(v)
	if !ok {
		return "", p.fail(ErrType, hintRelock, append(at, name), "%q is %s, want a string", name, typeOf(v))
	}
	if s == "" {
		return "", p.fail(ErrMissing, hintRelock, append(at, name), "%q is empty", name)
	}
	return s, nil
}
