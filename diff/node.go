package diff

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// A node is one (sub-)schema and the place where it stands in its document.
type node struct {
	root any
	at   []string
	v    any
}

// child is the node at one keyword, name or index below n, without following references.
func (n node) child(tokens ...string) node {
	v := n.v
	for _, t := range tokens {
		switch c := v.(type) {
		case map[string]any:
			v = c[t]
		case []any:
			i, err := strconv.Atoi(t)
			if err != nil || i < 0 || i >= len(c) {
				v = nil
				continue
			}
			v = c[i]
		default:
			v = nil
		}
	}
	return node{n.root, append(n.at[:len(n.at):len(n.at)], tokens...), v}
}

// object is the node's schema as an object: true is the empty one. It is nil for false and for what is no schema.
func (n node) object() map[string]any {
	switch v := n.v.(type) {
	case map[string]any:
		return v
	case bool:
		if v {
			return map[string]any{}
		}
	}
	return nil
}

// resolve follows references while the schema is nothing but one (texts aside; before 2019-09 whatever stands beside a
// reference is ignored). A reference that leads nowhere, out of the document or in a circle is left as it is.
func (n node) resolve() node {
	for range 64 {
		m, ok := n.v.(map[string]any)
		if !ok {
			return n
		}
		ref, ok := m["$ref"].(string)
		if !ok || !siblingsIgnored(n.root) && !onlyReference(m) {
			return n
		}
		target, ok := n.follow(ref)
		if !ok {
			return n
		}
		n = target
	}
	return n
}

func onlyReference(m map[string]any) bool {
	for k := range m {
		switch k {
		case "$ref", "default", "deprecated", "readOnly", "writeOnly", "$defs", "definitions", "$schema", "$id", "format":
		default:
			if !displayWords[k] {
				return false
			}
		}
	}
	return true
}

// siblingsIgnored reports whether the dialect ignores what stands beside a $ref.
func siblingsIgnored(root any) bool {
	m, _ := root.(map[string]any)
	uri, _ := m["$schema"].(string)
	return strings.Contains(uri, "draft-04") || strings.Contains(uri, "draft-06") || strings.Contains(uri, "draft-07")
}

// follow finds the target of a reference inside of the document: a pointer or a plain name.
func (n node) follow(ref string) (node, bool) {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return node{}, false
	}
	if fragment != "" && fragment[0] != '/' {
		return n.anchor(fragment)
	}
	if plain, err := url.PathUnescape(fragment); err == nil {
		fragment = plain
	}
	v, ok := canonjson.Lookup(n.root, fragment)
	if !ok {
		return node{}, false
	}
	return node{n.root, canonjson.Tokens(fragment), v}, true
}

// anchor looks for a plain name among the definitions, the only place where they are met.
func (n node) anchor(name string) (node, bool) {
	root, _ := n.root.(map[string]any)
	for _, keyword := range []string{"$defs", "definitions"} {
		definitions, _ := root[keyword].(map[string]any)
		for _, key := range canonjson.SortedKeys(definitions) {
			m, _ := definitions[key].(map[string]any)
			if m["$anchor"] == name || m["$id"] == "#"+name || m["id"] == "#"+name {
				return node{n.root, []string{keyword, key}, m}, true
			}
		}
	}
	return node{}, false
}

// branches are the elements of an array of schemas.
func (n node) branches(keyword string) []node {
	m := n.object()
	list, _ := m[keyword].([]any)
	out := make([]node, len(list))
	for i := range list {
		out[i] = n.child(keyword, strconv.Itoa(i))
	}
	return out
}

// types are the JSON types that a schema allows at most, as far as type, enum, const and combinators tell; nil means any.
func (n node) types() []string { return n.typesDepth(0) }

var allTypes = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

func (n node) typesDepth(depth int) []string {
	n = n.resolve()
	m := n.object()
	if m == nil {
		return []string{}
	}
	if depth > 16 {
		return nil
	}
	var types []string
	switch t := m["type"].(type) {
	case string:
		types = []string{t}
	case []any:
		types = stringsOf(t)
	}
	if values, ok := valuesOf(m); ok {
		types = narrowTypes(types, typesOfValues(values))
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		branches := n.branches(keyword)
		if len(branches) == 0 {
			continue
		}
		union := []string{}
		for _, b := range branches {
			t := b.typesDepth(depth + 1)
			if t == nil {
				union = nil
				break
			}
			union = append(union, t...)
		}
		types = narrowTypes(types, union)
	}
	for _, b := range n.branches("allOf") {
		types = narrowTypes(types, b.typesDepth(depth+1))
	}
	if types == nil {
		return nil
	}
	slices.Sort(types)
	return slices.Compact(types)
}

// narrowTypes is the intersection of two type sets; nil is any type, and integer is a part of number.
func narrowTypes(a, b []string) []string {
	if a == nil {
		return slices.Clone(b)
	}
	if b == nil {
		return a
	}
	out := []string{}
	for _, t := range a {
		if allowsType(b, t) {
			out = append(out, t)
		} else if t == "number" && slices.Contains(b, "integer") {
			out = append(out, "integer")
		}
	}
	return out
}

// allowsType reports whether each value of type t is of one of the types.
func allowsType(types []string, t string) bool {
	return types == nil || slices.Contains(types, t) || t == "integer" && slices.Contains(types, "number")
}

// mayBe reports whether some value of type t may be allowed.
func mayBe(types []string, t string) bool {
	return allowsType(types, t) || t == "number" && slices.Contains(types, "integer")
}

// valuesOf are the constants to which enum and const limit a schema.
func valuesOf(m map[string]any) ([]any, bool) {
	if c, ok := m["const"]; ok {
		return []any{c}, true
	}
	list, ok := m["enum"].([]any)
	return list, ok
}

func typesOfValues(values []any) []string {
	out := []string{}
	for _, v := range values {
		switch v := v.(type) {
		case nil:
			out = append(out, "null")
		case bool:
			out = append(out, "boolean")
		case string:
			out = append(out, "string")
		case []any:
			out = append(out, "array")
		case map[string]any:
			out = append(out, "object")
		case json.Number:
			if r, ok := number(v); ok && r.IsInt() {
				out = append(out, "integer")
			} else {
				out = append(out, "number")
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
