package lockfile

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"strconv"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// The canonical forms nest: a file holds servers and a server holds entries, each with its digest. An entry has its canonical
// form already; those of a server and of the file are hashed as they are written and never exist as a whole.

// seals are all digests of a file.
type seals struct {
	integrity string
	servers   map[string]string
	entries   map[*Entry]string // an entry that two servers share has one digest
}

func newSeals() seals {
	return seals{servers: map[string]string{}, entries: map[*Entry]string{}}
}

// seal computes all digests of f.
func seal(f *File) seals {
	s := newSeals()
	file := sha256.New()
	w := canonicalWriter{stream{out: file}}
	w.dst = append(w.dst, `{"lockfileVersion":`...)
	w.dst = strconv.AppendInt(w.dst, Version, 10)
	w.key("servers")
	w.dst = append(w.dst, '{')
	for _, name := range canonjson.CanonicalKeys(f.Servers) {
		server := f.Servers[name]
		s.servers[name] = s.sealServer(server)
		w.key(name)
		w.server(server, s.servers[name], s.entries)
	}
	w.dst = append(w.dst, "}}"...)
	s.integrity = w.digest(file)
	return s
}

// sealServer computes the digests of a server and its entries.
func (s seals) sealServer(server *Server) string {
	for _, kind := range EntryKinds() {
		for _, e := range server.Entries(kind) {
			if s.entries[e] == "" {
				s.entries[e] = e.Digest()
			}
		}
	}
	sum := sha256.New()
	w := canonicalWriter{stream{out: sum}}
	w.server(server, "", s.entries)
	return w.digest(sum)
}

// A canonicalWriter writes the canonical form of the objects of the file itself.
type canonicalWriter struct{ stream }

// digest ends what was written to sum.
func (w *canonicalWriter) digest(sum hash.Hash) string {
	_ = w.flush() // a hash takes everything
	return "sha256:" + hex.EncodeToString(sum.Sum(nil))
}

// key writes the key of the next member of an object that is being written.
func (w *canonicalWriter) key(name string) {
	if w.dst[len(w.dst)-1] != '{' {
		w.dst = append(w.dst, ',')
	}
	w.dst = append(canonjson.AppendString(w.dst, name), ':')
}

func (w *canonicalWriter) text(name, value string) {
	if value != "" {
		w.key(name)
		w.dst = canonjson.AppendString(w.dst, value)
	}
}

func (w *canonicalWriter) object(name string, value map[string]any) {
	if value != nil {
		w.key(name)
		w.dst = canonjson.Append(w.dst, value)
	}
}

// server writes a server; its digest covers all but itself and is left out while it is computed.
func (w *canonicalWriter) server(server *Server, digest string, entries map[*Entry]string) {
	w.dst = append(w.dst, '{')
	w.object("capabilities", server.Capabilities)
	w.text("digest", digest)
	w.text("instructions", server.Instructions)
	w.entries(server, KindPrompt, entries)
	w.text("protocolVersion", server.ProtocolVersion)
	w.entries(server, KindTemplate, entries)
	w.entries(server, KindResource, entries)
	w.object("server", server.Info)
	w.entries(server, KindTool, entries)
	w.dst = append(w.dst, '}')
}

func (w *canonicalWriter) entries(server *Server, kind Kind, digests map[*Entry]string) {
	w.key(sectionName[kind])
	w.dst = append(w.dst, '{')
	entries := server.Entries(kind)
	for _, key := range canonjson.CanonicalKeys(entries) {
		w.key(key)
		w.dst = entries[key].appendCanonical(w.dst, digests[entries[key]])
		w.spill()
	}
	w.dst = append(w.dst, '}')
}

// appendCanonical appends the canonical form of the entry with its digest.
func (e *Entry) appendCanonical(dst []byte, digest string) []byte {
	before, _, after, _ := canonjson.Cut(e.Canonical(), "digest")
	dst = append(dst, before...)
	if len(before) > 1 {
		dst = append(dst, ',')
	}
	dst = canonjson.AppendString(append(dst, `"digest":`...), digest)
	if len(before) == 1 && len(after) > 1 { // the first of several
		dst = append(dst, ',')
	}
	return append(dst, after...)
}

// sectionName is where the entries of a kind stand in a server.
var sectionName = map[Kind]string{
	KindTool:     "tools",
	KindPrompt:   "prompts",
	KindResource: "resources",
	KindTemplate: "resourceTemplates",
}

// A stream gathers what is written and hands it on in large pieces. Its users look at the last byte, which therefore stays.
type stream struct {
	dst     []byte
	out     io.Writer
	written int   // bytes that were handed on
	err     error // the first of out
}

// spill hands on what was written, when it is much.
func (s *stream) spill() {
	const piece = 32 << 10
	if last := len(s.dst) - 1; last >= piece {
		s.hand(s.dst[:last])
		s.dst = append(s.dst[:0], s.dst[last])
	}
}

// flush hands on everything.
func (s *stream) flush() error {
	s.hand(s.dst)
	s.dst = s.dst[:0]
	return s.err
}

func (s *stream) hand(piece []byte) {
	s.written += len(piece)
	if s.err == nil {
		_, s.err = s.out.Write(piece)
	}
}

// size is the number of bytes written so far.
func (s *stream) size() int { return s.written + len(s.dst) }
