package lockfile

import (
	"maps"
	"slices"
	"strconv"
	"unicode/utf16"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// The canonical forms nest: a file holds servers and a server holds entries, each with its digest. Every definition is
// therefore written in canonical form once; a digest goes into the gap that its object kept free for it.

// A member is one member of an object whose value is in canonical form already.
type member struct {
	name  string
	value []byte
}

// appendSealed appends the canonical form of an object without the member named sealed to dst, and returns the digest of
// these bytes and the same object with the member put in.
func appendSealed(dst []byte, members []member, sealed string) (with []byte, digest string) {
	slices.SortFunc(members, func(a, b member) int { return compareUTF16(a.name, b.name) })
	start, gap := len(dst), -1
	dst = append(dst, '{')
	for _, m := range members {
		if gap < 0 && compareUTF16(m.name, sealed) > 0 {
			gap = len(dst)
		}
		if len(dst)-1 != start {
			dst = append(dst, ',')
		}
		dst = append(canonjson.AppendString(dst, m.name), ':')
		dst = append(dst, m.value...)
	}
	if gap < 0 {
		gap = len(dst)
	}
	dst = append(dst, '}')
	digest = canonjson.DigestBytes(dst[start:])
	piece := strconv.AppendQuote(nil, sealed)
	piece = append(piece, ':')
	piece = strconv.AppendQuote(piece, digest)
	switch {
	case len(members) == 0:
	case gap == start+1:
		piece = append(piece, ',')
	default:
		piece = append([]byte{','}, piece...)
	}
	return slices.Insert(dst, gap, piece...), digest
}

// compareUTF16 orders names by their UTF-16 code units, as RFC 8785 wants it.
func compareUTF16(a, b string) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] != b[i] && (a[i] >= 0xEE || b[i] >= 0xEE) {
			// Only above U+E000 do the orders of UTF-8 and UTF-16 differ.
			return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
		}
		if a[i] != b[i] {
			return int(a[i]) - int(b[i])
		}
	}
	return len(a) - len(b)
}

// appendEntry appends the canonical form of an entry with its digest.
func appendEntry(dst []byte, e *Entry) ([]byte, string) {
	fields := storedFields(e.Fields)
	members := make([]member, 0, len(fields))
	scratch := make([]byte, 0, 1024)
	for name, v := range fields {
		start := len(scratch)
		scratch = canonjson.Append(scratch, v)
		members = append(members, member{name, scratch[start:len(scratch):len(scratch)]})
	}
	return appendSealed(dst, members, "digest")
}

// appendServer appends the canonical form of a server with its digest.
func appendServer(dst []byte, s *Server) ([]byte, string) {
	var members []member
	for name, v := range serverHead(s) {
		members = append(members, member{name, canonjson.Append(nil, v)})
	}
	for _, kind := range EntryKinds() {
		members = append(members, member{sectionName[kind], appendEntries(nil, s.Entries(kind))})
	}
	return appendSealed(dst, members, "digest")
}

func appendEntries(dst []byte, entries map[string]*Entry) []byte {
	dst = append(dst, '{')
	for _, key := range sortedUTF16(entries) {
		form, _ := appendEntry(nil, entries[key])
		dst = appendMember(dst, key, form)
	}
	return append(dst, '}')
}

// appendMember appends a member to an object that is being written.
func appendMember(dst []byte, name string, value []byte) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(canonjson.AppendString(dst, name), ':')
	return append(dst, value...)
}

func sortedUTF16[V any](m map[string]V) []string {
	keys := slices.Collect(maps.Keys(m))
	slices.SortFunc(keys, compareUTF16)
	return keys
}

// integrity is the digest over everything in the file but itself.
func integrity(f *File) string {
	servers := []byte{'{'}
	for _, name := range sortedUTF16(f.Servers) {
		form, _ := appendServer(nil, f.Servers[name])
		servers = appendMember(servers, name, form)
	}
	return integrityOf(append(servers, '}'))
}

// integrityOf takes the canonical form of all servers.
func integrityOf(servers []byte) string {
	_, digest := appendSealed(nil, []member{
		{"lockfileVersion", strconv.AppendInt(nil, Version, 10)},
		{"servers", servers},
	}, "integrity")
	return digest
}

// sectionName is where the entries of a kind stand in a server.
var sectionName = map[Kind]string{
	KindTool:     "tools",
	KindPrompt:   "prompts",
	KindResource: "resources",
	KindTemplate: "resourceTemplates",
}

// serverHead is what a server holds beside its entries and digest, under the names of the file.
func serverHead(s *Server) map[string]any {
	head := map[string]any{}
	if s.ProtocolVersion != "" {
		head["protocolVersion"] = s.ProtocolVersion
	}
	if s.Info != nil {
		head["server"] = s.Info
	}
	if s.Capabilities != nil {
		head["capabilities"] = s.Capabilities
	}
	if s.Instructions != "" {
		head["instructions"] = s.Instructions
	}
	return head
}
