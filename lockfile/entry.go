package lockfile

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"weak"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// An Entry is one definition (a tool, a prompt, a resource, a resource template) as it was on the wire, without the
// member that is its key in the map of the server: "name" for tools and prompts, "uri" for resources, "uriTemplate" for
// templates. Fields that this version of fusionctl does not know are kept. An entry never changes.
//
// It holds its canonical form, which is much smaller than the tree of maps and slices in Fields.
type Entry struct {
	stored []byte // the canonical form that the digest covers; nil is an object without members
	// The tree lives as long as somebody uses it, and then until the next collection of garbage: of ten thousand entries a
	// comparison looks into few, and one after the other.
	tree atomic.Pointer[weak.Pointer[map[string]any]]
}

// keyField is the member of a wire definition that becomes the entry's key.
var keyField = map[Kind]string{
	KindTool:     "name",
	KindPrompt:   "name",
	KindResource: "uri",
	KindTemplate: "uriTemplate",
}

// NewEntry makes an entry and its key from a definition as a server sends it, in any form that encoding/json gives or takes
// for maps, slices, texts and numbers. The definition is not changed. The error names what is missing or wrong.
func NewEntry(kind Kind, definition map[string]any) (key string, e *Entry, err error) {
	field, ok := keyField[kind]
	if !ok {
		return "", nil, fmt.Errorf("%s: not a kind of entry", kind)
	}
	value, ok := definition[field]
	if key, err = entryKey(kind, value, ok); err != nil {
		return "", nil, err
	}
	normal, err := canonjson.Normalize(definition)
	if err != nil {
		return key, nil, fmt.Errorf("%s %q: %w", kind, key, err)
	}
	fields := maps.Clone(normal.(map[string]any))
	delete(fields, field)
	e = EntryOf(fields)
	return key, e, e.check(kind, key)
}

// ReadEntry is NewEntry for a definition in canonical form, as canonjson writes it.
func ReadEntry(kind Kind, definition []byte) (key string, e *Entry, err error) {
	field, ok := keyField[kind]
	if !ok {
		return "", nil, fmt.Errorf("%s: not a kind of entry", kind)
	}
	before, value, after, found := canonjson.Cut(definition, field)
	var v any
	if found {
		v = canonjson.DecodeCompact(value)
	}
	if key, err = entryKey(kind, v, found); err != nil {
		return "", nil, err
	}
	e = &Entry{stored: slices.Concat(before, after)}
	if e.namesDigest() {
		e = EntryOf(canonjson.DecodeCompact(e.stored).(map[string]any))
	}
	return key, e, e.check(kind, key)
}

func entryKey(kind Kind, value any, found bool) (string, error) {
	if !found {
		return "", fmt.Errorf("%s: %q is missing", kind, keyField[kind])
	}
	key, ok := value.(string)
	if !ok {
		return "", fmt.Errorf("%s: %q is %s, want a string", kind, keyField[kind], typeName(value))
	}
	if key == "" {
		return "", fmt.Errorf("%s: %q is empty", kind, keyField[kind])
	}
	return key, nil
}

// EntryOf makes an entry of fields that are decoded already: nil, bool, string, json.Number in canonical spelling, []any and
// map[string]any. It panics on any other value, and checks nothing; NewEntry does.
func EntryOf(fields map[string]any) *Entry {
	if len(fields) == 0 {
		return &Entry{}
	}
	return &Entry{stored: canonjson.Append(nil, storedFields(fields))}
}

// Fields are the members of the definition. They are made when they are asked for and may not be changed. Values are nil,
// bool, string, json.Number in canonical spelling, []any and map[string]any.
func (e *Entry) Fields() map[string]any {
	if cached := e.tree.Load(); cached != nil {
		if tree := cached.Value(); tree != nil {
			return *tree
		}
	}
	fields := wireFields(canonjson.DecodeCompact(e.Canonical()).(map[string]any))
	cached := weak.Make(&fields)
	e.tree.Store(&cached)
	return fields
}

// Canonical is the canonical form of the entry as the file stores it, without its digest, which covers it. It may not be
// changed.
func (e *Entry) Canonical() []byte {
	if e.stored == nil {
		return []byte("{}")
	}
	return e.stored
}

// Equal reports whether two entries are the same definition.
func (e *Entry) Equal(other *Entry) bool { return bytes.Equal(e.Canonical(), other.Canonical()) }

// Digest is the entry's digest; see the package comment for its recipe. It is computed on each call.
func (e *Entry) Digest() string { return canonjson.DigestBytes(e.Canonical()) }

// Definition is the entry as it was on the wire: its fields and its key.
func (e *Entry) Definition(kind Kind, key string) map[string]any {
	d := maps.Clone(e.Fields())
	d[keyField[kind]] = key
	return d
}

// Description is the entry's description, "" when it has none.
func (e *Entry) Description() string { return e.text("description") }

// Title is the entry's title, "" when it has none.
func (e *Entry) Title() string { return e.text("title") }

// InputSchema is the schema of a tool's arguments, nil when it has none.
func (e *Entry) InputSchema() any { return e.Fields()["inputSchema"] }

// OutputSchema is the schema of a tool's structured content, nil when it has none.
func (e *Entry) OutputSchema() any { return e.Fields()["outputSchema"] }

// Annotations are the tool annotations as sent, nil when there are none.
func (e *Entry) Annotations() map[string]any {
	m, _ := e.Fields()["annotations"].(map[string]any)
	return m
}

func (e *Entry) text(name string) string {
	s, _ := e.Fields()[name].(string)
	return s
}

// fieldTypes are the members whose type the protocol fixes and on which the comparison relies.
var fieldTypes = map[string]string{
	"title": "a string", "description": "a string", "annotations": "an object", "execution": "an object",
	"icons": "an array", "arguments": "an array", "mimeType": "a string", "_meta": "an object",
}

// maxTree bounds the memory that Fields may take. Some megabytes of text can be made to fill gigabytes.
const maxTree = 512 << 20

var tooManyValues = fmt.Sprintf("its many small values would fill more than %d MiB of memory", maxTree>>20)

func (e *Entry) check(kind Kind, key string) error {
	if problem := e.problem(kind); problem != "" {
		return fmt.Errorf("%s %q: %s", kind, key, problem)
	}
	return nil
}

// problem returns what is wrong with the members of a definition, "" when nothing is. A tool without an input schema
// is wrong: the protocol requires one, and a client refuses such a tool. What the schema says is not judged here.
func (e *Entry) problem(kind Kind) string {
	schemas := map[string]string{}
	for name, value := range canonjson.Members(e.Canonical()) {
		got := typeOf(value)
		if want, ok := fieldTypes[name]; ok && got != want {
			return fmt.Sprintf("%q is %s, want %s", name, got, want)
		}
		if kind == KindTool && (name == "inputSchema" || name == "outputSchema") {
			schemas[name] = got
		}
	}
	for _, name := range []string{"inputSchema", "outputSchema"} {
		switch got := schemas[name]; {
		case got == "" && kind == KindTool && name == "inputSchema":
			return `"inputSchema" is missing`
		case got != "" && got != "an object":
			return fmt.Sprintf("%q is %s, want an object", name, got)
		}
	}
	if canonjson.TreeSize(e.stored) > maxTree {
		return tooManyValues
	}
	return ""
}

// namesDigest reports whether a member needs another name in the file.
func (e *Entry) namesDigest() bool {
	for name := range canonjson.Members(e.stored) {
		if isDigestName(name) {
			return true
		}
	}
	return false
}

func isDigestName(name string) bool { return strings.TrimLeft(name, "_") == "digest" }

// storedFields gives the members of an entry the names that they have in the file. Only a member that is called "digest"
// on the wire, perhaps with underscores before it, has another name there: one underscore more, since "digest" is taken.
func storedFields(fields map[string]any) map[string]any { return renameDigest(fields, "_", 0) }

// wireFields is the inverse of storedFields.
func wireFields(stored map[string]any) map[string]any { return renameDigest(stored, "", 1) }

func renameDigest(fields map[string]any, add string, cut int) map[string]any {
	var renamed map[string]any
	for name := range fields {
		if !isDigestName(name) {
			continue
		}
		if renamed == nil {
			renamed = map[string]any{}
			for other, v := range fields {
				if !isDigestName(other) {
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

// typeName is the type of a decoded value.
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

// typeOf is the type of a value in canonical form.
func typeOf(value []byte) string {
	switch value[0] {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '[':
		return "an array"
	case '{':
		return "an object"
	default:
		return "a number"
	}
}
