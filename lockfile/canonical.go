package lockfile

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// The canonical forms nest: a file holds servers and a server holds entries, each with its digest. So every definition is
// written in canonical form once, into one buffer; when an object is complete its digest is taken from the buffer and put
// into the gap where the member belongs.

// seals are all digests of a file.
type seals struct {
	integrity string
	servers   map[string]string
	entries   map[*Entry]string // an entry that two servers share has one digest
	size      int               // bytes of the canonical form of the file
}

// seal computes all digests of f. The canonical form of an entry is shorter than its part of the file, so that size, the
// bytes of a file or a guess at them, spares the buffer from growing.
func seal(f *File, size int) seals {
	s := seals{servers: make(map[string]string, len(f.Servers)), entries: map[*Entry]string{}}
	dst := append(make([]byte, 0, size), `{"lockfileVersion":`...)
	dst = strconv.AppendInt(dst, Version, 10)
	dst = append(dst, `,"servers":{`...)
	for _, name := range canonjson.CanonicalKeys(f.Servers) {
		dst = appendKey(dst, name)
		dst, s.servers[name] = s.appendServer(dst, f.Servers[name])
	}
	dst = append(dst, "}}"...)
	s.integrity, s.size = canonjson.DigestBytes(dst), len(dst)
	return s
}

// appendServer appends the canonical form of a server with its digest.
func (s seals) appendServer(dst []byte, server *Server) ([]byte, string) {
	start := len(dst)
	dst = append(dst, '{')
	if server.Capabilities != nil {
		dst = canonjson.Append(append(dst, `"capabilities":`...), server.Capabilities)
	}
	gap := len(dst) // "digest" stands behind "capabilities"
	if server.Instructions != "" {
		dst = canonjson.AppendString(appendKey(dst, "instructions"), server.Instructions)
	}
	dst = s.appendEntries(dst, server, KindPrompt)
	if server.ProtocolVersion != "" {
		dst = canonjson.AppendString(appendKey(dst, "protocolVersion"), server.ProtocolVersion)
	}
	dst = s.appendEntries(dst, server, KindTemplate)
	dst = s.appendEntries(dst, server, KindResource)
	if server.Info != nil {
		dst = canonjson.Append(appendKey(dst, "server"), server.Info)
	}
	dst = s.appendEntries(dst, server, KindTool)
	return sealObject(append(dst, '}'), start, gap)
}

func (s seals) appendEntries(dst []byte, server *Server, kind Kind) []byte {
	dst = append(appendKey(dst, sectionName[kind]), '{')
	entries := server.Entries(kind)
	for _, key := range canonjson.CanonicalKeys(entries) {
		e := entries[key]
		dst, s.entries[e] = appendEntry(appendKey(dst, key), e)
	}
	return append(dst, '}')
}

// appendEntry appends the canonical form of an entry with its digest.
func appendEntry(dst []byte, e *Entry) ([]byte, string) {
	start, gap := len(dst), -1
	fields := storedFields(e.Fields)
	dst = append(dst, '{')
	for _, name := range canonjson.CanonicalKeys(fields) {
		if gap < 0 && canonjson.CompareKeys(name, "digest") > 0 {
			gap = len(dst)
		}
		dst = canonjson.Append(appendKey(dst, name), fields[name])
	}
	if gap < 0 {
		gap = len(dst)
	}
	return sealObject(append(dst, '}'), start, gap)
}

// sealObject takes the digest of the object that begins at start and puts it into the object, at gap.
func sealObject(dst []byte, start, gap int) ([]byte, string) {
	const prefix = `"digest":"sha256:`
	var piece [1 + len(prefix) + 2*sha256.Size + 2]byte
	sum := sha256.Sum256(dst[start:])
	member := append(hex.AppendEncode(append(piece[:1], prefix...), sum[:]), '"')
	digest := string(member[1+len(`"digest":"`) : len(member)-1])
	switch {
	case dst[gap-1] != '{': // behind another member, perhaps before one: its comma follows
		member[0] = ','
	case dst[gap] != '}': // the first of several
		member = append(member[1:], ',')
	default:
		member = member[1:]
	}
	return slices.Insert(dst, gap, member...), digest
}

// appendKey appends the key of the next member of an object that is being written.
func appendKey(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return append(canonjson.AppendString(dst, name), ':')
}

// sectionName is where the entries of a kind stand in a server.
var sectionName = map[Kind]string{
	KindTool:     "tools",
	KindPrompt:   "prompts",
	KindResource: "resources",
	KindTemplate: "resourceTemplates",
}
