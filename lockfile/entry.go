package lockfile

import (
	"fmt"
	"maps"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// keyField is the member of a wire definition that becomes the entry's key.
var keyField = map[Kind]string{
	KindTool:     "name",
	KindPrompt:   "name",
	KindResource: "uri",
	KindTemplate: "uriTemplate",
}

// NewEntry makes an entry and its key from a definition as a server sends it, in any form that encoding/json gives or takes
// for maps, slices, texts and numbers. The definition is not changed; parts that need no change are shared. The error
// names what is missing or wrong.
func NewEntry(kind Kind, definition map[string]any) (key string, e *Entry, err error) {
	field, ok := keyField[kind]
	if !ok {
		return "", nil, fmt.Errorf("%s: not a kind of entry", kind)
	}
	value, ok := definition[field]
	if !ok {
		return "", nil, fmt.Errorf("%s: %q is missing", kind, field)
	}
	key, ok = value.(string)
	if !ok {
		return "", nil, fmt.Errorf("%s: %q is %s, want a string", kind, field, typeName(value))
	}
	if key == "" {
		return "", nil, fmt.Errorf("%s: %q is empty", kind, field)
	}
	normal, err := canonjson.Normalize(definition)
	if err != nil {
		return key, nil, fmt.Errorf("%s %q: %w", kind, key, err)
	}
	fields := maps.Clone(normal.(map[string]any))
	delete(fields, field)
	if problem := checkFields(kind, fields); problem != "" {
		return key, nil, fmt.Errorf("%s %q: %s", kind, key, problem)
	}
	return key, &Entry{Fields: fields}, nil
}

// fieldTypes are the members whose type the protocol fixes and on which the comparison relies.
var fieldTypes = map[string]string{
	"title": "a string", "description": "a string", "annotations": "an object", "execution": "an object",
	"icons": "an array", "arguments": "an array", "mimeType": "a string", "_meta": "an object",
}

// checkFields returns what is wrong with the members of a definition, "" when nothing is. A tool without an input schema
// is wrong: the protocol requires one, and a client refuses such a tool. What the schema says is not judged here.
func checkFields(kind Kind, fields map[string]any) string {
	for _, name := range canonjson.SortedKeys(fields) {
		want, ok := fieldTypes[name]
		if ok && typeName(fields[name]) != want {
			return fmt.Sprintf("%q is %s, want %s", name, typeName(fields[name]), want)
		}
	}
	if kind != KindTool {
		return ""
	}
	schema, ok := fields["inputSchema"]
	if !ok {
		return `"inputSchema" is missing`
	}
	if _, ok := schema.(map[string]any); !ok {
		return fmt.Sprintf(`"inputSchema" is %s, want an object`, typeName(schema))
	}
	if out, ok := fields["outputSchema"]; ok {
		if _, ok := out.(map[string]any); !ok {
			return fmt.Sprintf(`"outputSchema" is %s, want an object`, typeName(out))
		}
	}
	return ""
}

// Definition is the entry as it was on the wire: its fields and its key.
func (e *Entry) Definition(kind Kind, key string) map[string]any {
	d := maps.Clone(e.Fields)
	if d == nil {
		d = map[string]any{}
	}
	d[keyField[kind]] = key
	return d
}

// Digest is the entry's digest; see the package comment for its recipe. It is computed on each call.
func (e *Entry) Digest() string { return canonjson.Digest(storedFields(e.Fields)) }

// Digest is the server's digest; see the package comment for its recipe. It is computed on each call.
func (s *Server) Digest() string {
	_, digest := seals{entries: map[*Entry]string{}}.appendServer(nil, s)
	return digest
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

// storedFields gives the members of an entry the names that they have in the file. Only a member that is called "digest"
// on the wire, perhaps with underscores before it, has another name there: one underscore more, since "digest" is taken.
func storedFields(fields map[string]any) map[string]any { return renameDigest(fields, "_", 0) }

// wireFields is the inverse of storedFields.
func wireFields(stored map[string]any) map[string]any { return renameDigest(stored, "", 1) }

func renameDigest(fields map[string]any, add string, cut int) map[string]any {
	var renamed map[string]any
	for name := range fields {
		if strings.TrimLeft(name, "_") != "digest" {
			continue
		}
		if renamed == nil {
			renamed = map[string]any{}
			for other, v := range fields {
				if strings.TrimLeft(other, "_") != "digest" {
					renamed[other] = v
				}
			}
		}
		renamed[add+name[cut:]] = fields[name]
	}
	if renamed == nil {
		return fields
	}
	return renamed
}

func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	default:
		return "a number"
	}
}
