package lockfile

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// Format writes f as a lockfile. Equal contracts give equal bytes. It fails only on what Parse would refuse: a server or
// an entry without a name, a tool without an input schema, a file of more than MaxBytes.
func Format(f *File) ([]byte, error) { return formatWithin(f, MaxBytes) }

func formatWithin(f *File, most int) ([]byte, error) {
	if err := check(f); err != nil {
		return nil, fmt.Errorf("formatting lockfile: %w", err)
	}
	w := writer{seals: seal(f, guess(f)), most: most}
	w.dst = make([]byte, 0, 2*w.seals.size)
	w.open()
	w.text("integrity", w.seals.integrity)
	w.key("lockfileVersion")
	w.dst = strconv.AppendInt(w.dst, Version, 10)
	w.key("servers")
	w.open()
	for _, name := range canonjson.SortedKeys(f.Servers) {
		w.key(name)
		w.server(f.Servers[name], w.seals.servers[name])
	}
	w.close()
	w.close()
	if w.dst = append(w.dst, '\n'); len(w.dst) > most {
		return nil, fmt.Errorf("formatting lockfile: it would have more than %d MiB", most>>20)
	}
	return w.dst, nil
}

// guess is about the size of the canonical form of f: most definitions have a kilobyte.
func guess(f *File) int {
	entries := 1
	for _, s := range f.Servers {
		for _, kind := range EntryKinds() {
			entries += len(s.Entries(kind))
		}
	}
	return entries << 10
}

// check finds what Parse would refuse.
func check(f *File) error {
	for _, name := range canonjson.SortedKeys(f.Servers) {
		s := f.Servers[name]
		switch {
		case badName(name) != nil:
			return fmt.Errorf("server %q: %w", name, badName(name))
		case s == nil:
			return fmt.Errorf("server %q: it is nil", name)
		}
		for _, kind := range EntryKinds() {
			entries := s.Entries(kind)
			for _, key := range canonjson.SortedKeys(entries) {
				if err := checkEntry(kind, key, entries[key]); err != nil {
					return fmt.Errorf("server %q: %s %q: %w", name, kind, key, err)
				}
			}
		}
	}
	return nil
}

func checkEntry(kind Kind, key string, e *Entry) error {
	if err := badName(key); err != nil {
		return err
	}
	if e == nil {
		return errors.New("it is nil")
	}
	if problem := checkFields(kind, e.Fields); problem != "" {
		return errors.New(problem)
	}
	return nil
}

// badName also refuses bytes that are not UTF-8: replaced by U+FFFD, two names could become one.
func badName(name string) error {
	switch {
	case name == "":
		return errors.New("its name is empty")
	case !utf8.ValidString(name):
		return errors.New("its name is not UTF-8")
	}
	return nil
}

// A writer lays out the objects of the file itself; canonjson lays out what is in them, the same way.
type writer struct {
	dst   []byte
	depth int
	most  int // bytes, from where on Format refuses the file anyway
	seals seals
}

func (w *writer) open() {
	w.dst = append(w.dst, '{')
	w.depth++
}

func (w *writer) close() {
	w.depth--
	if w.dst[len(w.dst)-1] != '{' { // an empty object stays on its line
		w.newline()
	}
	w.dst = append(w.dst, '}')
}

func (w *writer) key(name string) {
	if w.dst[len(w.dst)-1] != '{' {
		w.dst = append(w.dst, ',')
	}
	w.newline()
	w.dst = append(canonjson.AppendString(w.dst, name), ": "...)
}

func (w *writer) newline() {
	const indent = "        "
	w.dst = append(append(w.dst, '\n'), indent[:2*w.depth]...)
}

func (w *writer) text(name, value string) {
	w.key(name)
	w.dst = canonjson.AppendString(w.dst, value)
}

func (w *writer) value(v any) {
	w.dst, _ = canonjson.AppendIndentMax(w.dst, v, w.depth, w.most)
}

func (w *writer) server(s *Server, digest string) {
	w.open()
	if s.Capabilities != nil {
		w.key("capabilities")
		w.value(s.Capabilities)
	}
	w.text("digest", digest)
	if s.Instructions != "" {
		w.text("instructions", s.Instructions)
	}
	w.section(s, KindPrompt)
	if s.ProtocolVersion != "" {
		w.text("protocolVersion", s.ProtocolVersion)
	}
	w.section(s, KindTemplate)
	w.section(s, KindResource)
	if s.Info != nil {
		w.key("server")
		w.value(s.Info)
	}
	w.section(s, KindTool)
	w.close()
}

func (w *writer) section(s *Server, kind Kind) {
	w.key(sectionName[kind])
	w.open()
	entries := s.Entries(kind)
	for _, key := range canonjson.SortedKeys(entries) {
		if len(w.dst) > w.most {
			break // Format refuses it
		}
		e := entries[key]
		w.key(key)
		w.value(entryTree(e, w.seals.entries[e]))
	}
	w.close()
}

func entryTree(e *Entry, digest string) map[string]any {
	stored := storedFields(e.Fields)
	tree := make(map[string]any, len(stored)+1)
	for name, v := range stored {
		tree[name] = v
	}
	tree["digest"] = digest
	return tree
}
