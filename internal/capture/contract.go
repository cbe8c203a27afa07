package capture

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// An item is one definition of a list in canonical form, or why it has none.
type item struct {
	text []byte
	err  error
	name string // best guess, when err is not nil
}

// readHead fills in what a server says about itself, from an object like the result of initialize.
func readHead(server *lockfile.Server, m map[string]any) (problems []Problem) {
	wrong := func(name, want string) {
		problems = append(problems, Problem{Kind: lockfile.KindServer, Text: fmt.Sprintf("%s is left out: not %s", name, want)})
	}
	ok := true
	if v := m["protocolVersion"]; v != nil {
		if server.ProtocolVersion, ok = v.(string); !ok {
			wrong("protocolVersion", "a string")
		}
	}
	if v := m["serverInfo"]; v != nil {
		if server.Info, ok = v.(map[string]any); !ok {
			wrong("serverInfo", "an object")
		}
	}
	if v := m["capabilities"]; v != nil {
		if server.Capabilities, ok = v.(map[string]any); !ok {
			wrong("capabilities", "an object")
		}
	}
	if v := m["instructions"]; v != nil {
		if server.Instructions, ok = v.(string); !ok {
			wrong("instructions", "a string")
		}
	}
	return problems
}

// splitPage takes a page apart. A page that is not acceptable as a whole, say for a duplicate key, is read item by item,
// so that one bad definition costs only itself.
func splitPage(raw []byte, member string) (items []item, next *string, err error) {
	text, strictErr := canonjson.Compact(raw, canonjson.Limits{})
	if strictErr != nil {
		items, next, err = splitLoosely(raw, member)
		for _, it := range items {
			if it.err != nil {
				return items, next, err
			}
		}
		return nil, nil, strictErr
	}
	if text[0] != '{' {
		return nil, nil, errors.New("the result is not an object")
	}
	parts := members(text)
	if t := parts["resultType"]; t != nil && string(t) != `"complete"` {
		return nil, nil, errors.New("the result is not complete: the server asks for input before it lists")
	}
	list := parts[member]
	if list == nil || list[0] != '[' {
		return nil, nil, fmt.Errorf("the result has no array %q", member)
	}
	if c := parts["nextCursor"]; c != nil && string(c) != "null" {
		cursor, ok := canonjson.Text(c)
		if !ok {
			return nil, nil, faultf(ErrCursor, hintCursor, "nextCursor is not a string")
		}
		next = &cursor
	}
	return elements(list), next, nil
}

// members are those of an object in canonical form.
func members(object []byte) map[string]json.RawMessage {
	parts := map[string]json.RawMessage{}
	for name, value := range canonjson.Members(object) {
		parts[name] = value
	}
	return parts
}

// elements are the items of a list in canonical form.
func elements(list []byte) (items []item) {
	for text := range canonjson.Elements(list) {
		items = append(items, item{text: text})
	}
	return items
}

func splitLoosely(raw []byte, member string) (items []item, next *string, err error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, nil, err
	}
	var a []json.RawMessage
	if err := json.Unmarshal(m[member], &a); err != nil {
		return nil, nil, fmt.Errorf("the result has no array %q", member)
	}
	if c, ok := m["nextCursor"]; ok && string(c) != "null" {
		next = new(string)
		if err := json.Unmarshal(c, next); err != nil {
			return nil, nil, faultf(ErrCursor, hintCursor, "nextCursor is not a string")
		}
	}
	return splitItems(a), next, nil
}

func splitItems(raw []json.RawMessage) (items []item) {
	for _, r := range raw {
		it := item{}
		if it.text, it.err = canonjson.Compact(r, canonjson.Limits{}); it.err != nil {
			var named struct{ Name, URI, URITemplate any }
			_ = json.Unmarshal(r, &named)
			for _, n := range []any{named.Name, named.URI, named.URITemplate} {
				if s, ok := n.(string); ok && it.name == "" {
					it.name = s
				}
			}
		}
		items = append(items, it)
	}
	return items
}

// bareReason is the reason of lockfile.NewEntry without the kind and the name, which a Problem has already.
func bareReason(err error, kind lockfile.Kind, key string) string {
	reason := strings.TrimPrefix(err.Error(), string(kind)+": ")
	return strings.TrimPrefix(reason, fmt.Sprintf("%s %q: ", kind, key))
}

// addEntries makes the entries of one kind. What cannot be one is left out and told. So are definitions that share a
// name but differ: which of them a call reaches is not known, and keeping the first would depend on the order.
func addEntries(server *lockfile.Server, kind lockfile.Kind, items []item) (problems []Problem) {
	clear(server.Entries(kind))
	leave := func(i int, name, text string) {
		if name == "" {
			text = fmt.Sprintf("%s number %d of the list is left out: %s", kind, i+1, text)
		} else {
			text = "left out: " + text
		}
		problems = append(problems, Problem{Kind: kind, Name: name, Text: text})
	}
	clash := map[string]bool{}
	for i, it := range items {
		if it.err != nil {
			leave(i, it.name, it.err.Error())
			continue
		}
		if it.text[0] != '{' {
			leave(i, "", "not an object")
			continue
		}
		key, entry, err := lockfile.ReadEntry(kind, it.text)
		if err != nil {
			leave(i, key, bareReason(err, kind, key))
			continue
		}
		old, exists := server.Entries(kind)[key]
		switch {
		case clash[key]:
		case !exists:
			server.SetEntry(kind, key, entry)
		case old.Equal(entry):
			problems = append(problems, Problem{Kind: kind, Name: key, Text: "listed more than once, always the same", Notice: true})
		default:
			clash[key] = true
			leave(i, key, "listed more than once with different definitions")
		}
	}
	for key := range clash {
		delete(server.Entries(kind), key)
	}
	return problems
}
