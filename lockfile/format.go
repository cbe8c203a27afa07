package lockfile

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// Format writes f as a lockfile. Equal contracts give equal bytes. It fails only on a value that Parse would refuse: a
// server or an entry without a name.
func Format(f *File) ([]byte, error) {
	servers := map[string]any{}
	for name, s := range f.Servers {
		if name == "" {
			return nil, fmt.Errorf("formatting lockfile: a server has no name")
		}
		tree, err := serverTree(s)
		if err != nil {
			return nil, fmt.Errorf("formatting lockfile: server %q: %w", name, err)
		}
		servers[name] = tree
	}
	tree := map[string]any{
		"lockfileVersion": json.Number(strconv.Itoa(Version)),
		"integrity":       integrity(f),
		"servers":         servers,
	}
	return append(canonjson.AppendIndent(nil, tree, 0), '\n'), nil
}

func serverTree(s *Server) (map[string]any, error) {
	tree := serverHead(s)
	tree["digest"] = s.Digest()
	for _, kind := range EntryKinds() {
		entries := map[string]any{}
		for key, e := range s.Entries(kind) {
			if key == "" {
				return nil, fmt.Errorf("a %s has no name", kind)
			}
			entries[key] = entryTree(e)
		}
		tree[sectionName[kind]] = entries
	}
	return tree, nil
}

func entryTree(e *Entry) map[string]any {
	stored := storedFields(e.Fields)
	tree := make(map[string]any, len(stored)+1)
	for name, v := range stored {
		tree[name] = v
	}
	tree["digest"] = e.Digest()
	return tree
}
