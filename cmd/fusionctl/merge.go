package main

import (
	"fmt"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// A merge of three lockfiles goes by parts: the servers, and of each server its header fields and its items. A part that
// one side changed is taken from that side; a part that both changed alike is taken once; a part that both changed
// differently is a conflict, and our side stands.

// threeWay decides about one part by the digests of its three versions; "" is absent.
func threeWay(base, ours, theirs string) (takeTheirs, conflict bool) {
	switch {
	case ours == theirs || theirs == base:
		return false, false
	case ours == base:
		return true, false
	}
	return false, true
}

func mergeFiles(base, ours, theirs *lockfile.File) (*lockfile.File, []string) {
	merged := &lockfile.File{Servers: map[string]*lockfile.Server{}}
	var conflicts []string
	for _, name := range unionKeys(base.Servers, ours.Servers, theirs.Servers) {
		b, o, t := base.Servers[name], ours.Servers[name], theirs.Servers[name]
		takeTheirs, conflict := threeWay(serverDigest(b), serverDigest(o), serverDigest(t))
		s := o
		switch {
		case takeTheirs:
			s = t
		case conflict && (o == nil || t == nil):
			// One side took the server away and the other changed it.
			conflicts = append(conflicts, fmt.Sprintf("server %q", name))
		case conflict:
			var inside []string
			s, inside = mergeServers(b, o, t)
			for _, c := range inside {
				conflicts = append(conflicts, fmt.Sprintf("%s of server %q", c, name))
			}
		}
		if s != nil {
			merged.Servers[name] = s
		}
	}
	return merged, conflicts
}

func serverDigest(s *lockfile.Server) string {
	if s == nil {
		return ""
	}
	return s.Digest()
}

func mergeServers(base, ours, theirs *lockfile.Server) (*lockfile.Server, []string) {
	if base == nil {
		base = &lockfile.Server{}
	}
	merged := &lockfile.Server{}
	conflicts := mergeHeader(merged, base, ours, theirs)
	for _, kind := range lockfile.EntryKinds() {
		b, o, t := base.Entries(kind), ours.Entries(kind), theirs.Entries(kind)
		for _, key := range unionKeys(b, o, t) {
			takeTheirs, conflict := threeWay(entryDigest(b[key]), entryDigest(o[key]), entryDigest(t[key]))
			e := o[key]
			if takeTheirs {
				e = t[key]
			}
			if conflict {
				conflicts = append(conflicts, fmt.Sprintf("%s %q", kind, key))
			}
			if e != nil {
				merged.SetEntry(kind, key, e)
			}
		}
	}
	return merged, conflicts
}

func entryDigest(e *lockfile.Entry) string {
	if e == nil {
		return ""
	}
	return e.Digest()
}

// mergeHeader merges what a server says of itself.
func mergeHeader(merged, base, ours, theirs *lockfile.Server) (conflicts []string) {
	for _, part := range []struct {
		name string
		of   func(*lockfile.Server) any
		take func(from *lockfile.Server)
	}{
		{"protocol version", func(s *lockfile.Server) any { return s.ProtocolVersion }, func(s *lockfile.Server) { merged.ProtocolVersion = s.ProtocolVersion }},
		{"name and version", func(s *lockfile.Server) any { return object(s.Info) }, func(s *lockfile.Server) { merged.Info = s.Info }},
		{"capabilities", func(s *lockfile.Server) any { return object(s.Capabilities) }, func(s *lockfile.Server) { merged.Capabilities = s.Capabilities }},
		{"instructions", func(s *lockfile.Server) any { return s.Instructions }, func(s *lockfile.Server) { merged.Instructions = s.Instructions }},
	} {
		takeTheirs, conflict := threeWay(canonjson.Digest(part.of(base)), canonjson.Digest(part.of(ours)), canonjson.Digest(part.of(theirs)))
		if takeTheirs {
			part.take(theirs)
		} else {
			part.take(ours)
		}
		if conflict {
			conflicts = append(conflicts, part.name)
		}
	}
	return conflicts
}

// object is m as a JSON value: nil when there is none.
func object(m map[string]any) any {
	if m == nil {
		return nil
	}
	return m
}

// unionKeys are the keys of all maps, sorted.
func unionKeys[V any](maps ...map[string]V) []string {
	all := map[string]bool{}
	for _, m := range maps {
		for key := range m {
			all[key] = true
		}
	}
	return canonjson.SortedKeys(all)
}
