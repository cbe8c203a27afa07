package lockfile

import (
	"maps"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// Digest is the server's digest; see the package comment for its recipe. It is computed on each call.
func (s *Server) Digest() string {
	return newSeals().sealServer(s)
}

// Equal reports whether two servers have the same contract; their digests are equal then.
func (s *Server) Equal(other *Server) bool {
	if s.ProtocolVersion != other.ProtocolVersion || s.Instructions != other.Instructions ||
		!equalObjects(s.Info, other.Info) || !equalObjects(s.Capabilities, other.Capabilities) {
		return false
	}
	for _, kind := range EntryKinds() {
		if !maps.EqualFunc(s.Entries(kind), other.Entries(kind), (*Entry).Equal) {
			return false
		}
	}
	return true
}

// equalObjects also tells an object that is not known from an empty one.
func equalObjects(a, b map[string]any) bool {
	return (a == nil) == (b == nil) && canonjson.Equal(a, b)
}

// Entries returns the entries of one kind, nil for KindServer.
func (s *Server) Entries(kind Kind) map[string]*Entry {
	switch kind {
	case KindTool:
		return s.Tools
	case KindPrompt:
		return s.Prompts
	case KindResource:
		return s.Resources
	case KindTemplate:
		return s.ResourceTemplates
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

// EntryKinds lists the kinds of entries in the order in which they are shown.
func EntryKinds() []Kind { return []Kind{KindTool, KindPrompt, KindResource, KindTemplate} }
