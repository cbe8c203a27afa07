package lockfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// Format writes f as a lockfile. Equal contracts give equal bytes. It fails only on what Parse would refuse: a server or
// an entry without a name, a tool without an input schema, a file of more than MaxBytes.
func Format(f *File) ([]byte, error) { return formatWithin(f, MaxBytes) }

func formatWithin(f *File, most int) ([]byte, error) {
	l, err := lay(f, most)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Grow(l.guess())
	if err := l.write(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// A layout is a file that can be written, more than once if need be, without ever being a whole in memory.
type layout struct {
	file  *File
	seals seals
	most  int // bytes
}

func lay(f *File, most int) (layout, error) {
	if err := check(f); err != nil {
		return layout{}, fmt.Errorf("formatting lockfile: %w", err)
	}
	return layout{file: f, seals: seal(f), most: most}, nil
}

// guess is about the size of the file: its line ends and indentation are as much as the rest.
func (l layout) guess() int {
	size := 1 << 10
	for _, s := range l.file.Servers {
		for _, kind := range EntryKinds() {
			for _, e := range s.Entries(kind) {
				size += 2*len(e.stored) + len(e.stored)/4 + 100
			}
		}
	}
	return min(size, l.most)
}

var errTooLong = errors.New("formatting lockfile")

// write writes the file to out. The error wraps errTooLong when it is not of out.
func (l layout) write(out io.Writer) error {
	w := writer{stream: stream{out: out}, layout: l}
	w.open()
	w.text("integrity", l.seals.integrity)
	w.key("lockfileVersion")
	w.dst = strconv.AppendInt(w.dst, Version, 10)
	w.key("servers")
	w.open()
	for _, name := range canonjson.SortedKeys(l.file.Servers) {
		w.key(name)
		w.server(l.file.Servers[name], l.seals.servers[name])
	}
	w.close()
	w.close()
	w.dst = append(w.dst, '\n')
	if w.size() > l.most {
		return fmt.Errorf("%w: it would have more than %d MiB", errTooLong, l.most>>20)
	}
	return w.flush()
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
	if problem := e.problem(kind); problem != "" {
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
	stream
	layout
	depth int
	entry []byte // in canonical form
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
	w.dst, _ = canonjson.AppendIndentMax(w.dst, v, w.depth, w.left())
}

// left is how long dst may become, from where on the file is refused anyway.
func (w *writer) left() int { return w.most - w.written }

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
		if w.size() > w.most || w.err != nil {
			break // the end tells
		}
		e := entries[key]
		w.key(key)
		w.entry = e.appendCanonical(w.entry[:0], w.seals.entries[e])
		w.dst, _ = canonjson.IndentCompactMax(w.dst, w.entry, w.depth, w.left())
		w.spill()
	}
	w.close()
}
