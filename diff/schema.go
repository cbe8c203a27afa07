package diff

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// compareToolSchemas compares the input and the output schema of a tool.
func compareToolSchemas(c *collector, base, rev *lockfile.Entry) {
	if !canonjson.Equal(base.InputSchema(), rev.InputSchema()) {
		compareWholeSchemas(c, Input, "/inputSchema", base.InputSchema(), rev.InputSchema())
		compareRoot(c, base.InputSchema(), rev.InputSchema())
	}
	b, r := base.OutputSchema(), rev.OutputSchema()
	switch {
	case canonjson.Equal(b, r):
	case b == nil:
		j := &judge{c: c, side: Output}
		problem := j.fault(j.compile(r))
		if problem == "" {
			problem = malformed(r)
		}
		if problem != "" {
			c.add("tool-output-schema-broken", "/outputSchema", nil, r, "an output schema was added that is not legal: %s", cut(escapeHidden(problem), 3*maxQuoted))
			return
		}
		c.add("tool-output-schema-added", "/outputSchema", nil, r, "an output schema was added")
	case r == nil:
		c.add("tool-output-schema-removed", "/outputSchema", b, nil, "the output schema was removed: readers lose their contract")
	default:
		compareWholeSchemas(c, Output, "/outputSchema", b, r)
	}
}

// compareWholeSchemas compares two schemas that are not equal: first what the verdict is about, then what that left out.
func compareWholeSchemas(c *collector, side Side, prefix string, base, rev any) {
	first := len(c.diff.Changes)
	compareSchemas(c, side, prefix, base, rev)
	reportUnseen(c, side, prefix, base, rev, first)
}

var rootCombinators = []string{"oneOf", "anyOf", "allOf"}

// compareRoot reports a combinator that was put at the root of an input schema. Large model providers refuse a tool, and
// with it the whole list, when its arguments are described by a choice at the root. One combinator in place of another
// changes nothing for them.
func compareRoot(c *collector, base, rev any) {
	refused := slices.ContainsFunc(rootCombinators, func(keyword string) bool { return has(mapOf(base), keyword) })
	for _, keyword := range rootCombinators {
		if !refused && has(mapOf(rev), keyword) {
			c.add("tool-root-combinator-added", "/inputSchema/"+keyword, nil, mapOf(rev)[keyword],
				"the input schema has %s at its root now, which several model providers refuse", keyword)
		}
	}
	was, is := providerShapes(base), providerShapes(rev)
	for _, shape := range is {
		if !slices.ContainsFunc(was, func(s providerShape) bool { return s.kind == shape.kind }) {
			c.add("tool-provider-shape-added", "/inputSchema"+shape.pointer, nil, nil, "%s, which several model providers refuse", shape.text)
		}
	}
}

// A providerShape is something in a legal schema that large model providers refuse.
type providerShape struct{ kind, pointer, text string }

// providerShapes lists the first place of each kind: a property name that is no plain name of at most 64 characters, and a
// definition that refers to itself.
func providerShapes(schema any) []providerShape {
	var out []providerShape
	var visit func(n node, open []string)
	seen := map[string]bool{}
	found := map[string]bool{}
	report := func(kind string, n node, format string, args ...any) {
		if !found[kind] {
			found[kind] = true
			out = append(out, providerShape{kind, canonjson.Pointer(n.at...), fmt.Sprintf(format, args...)})
		}
	}
	visit = func(n node, open []string) {
		m := n.object()
		pointer := canonjson.Pointer(n.at...)
		if slices.Contains(open, pointer) {
			report("recursive", n, "the definition at %s refers to itself", quote(pointer))
			return
		}
		if m == nil || seen[pointer] {
			return
		}
		seen[pointer] = true
		open = append(open[:len(open):len(open)], pointer)
		if ref, ok := m["$ref"].(string); ok {
			if target, ok := n.follow(ref); ok {
				visit(target, open)
			}
		}
		for _, name := range canonjson.SortedKeys(mapOf(m["properties"])) {
			if !plainPropertyName(name) {
				report("name", n.child("properties", name), "the name %s is longer than 64 characters or has others than letters, digits, _, . and -", quote(name))
			}
		}
		for _, child := range n.children() {
			visit(child, open)
		}
	}
	visit(node{schema, nil, schema}, nil)
	return out
}

func plainPropertyName(name string) bool {
	if name == "" || len(name) > 64 {
		return false
	}
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-', c == '.':
		default:
			return false
		}
	}
	return true
}

// children are the sub-schemas of a schema, definitions aside, in a fixed order.
func (n node) children() []node {
	m := n.object()
	var out []node
	for _, keyword := range canonjson.SortedKeys(m) {
		switch v := m[keyword].(type) {
		case map[string]any:
			switch {
			case keyword == "$defs" || keyword == "definitions":
			case mapOfSchemas[keyword]:
				for _, name := range canonjson.SortedKeys(v) {
					out = append(out, n.child(keyword, name))
				}
			case oneSchema[keyword]:
				out = append(out, n.child(keyword))
			}
		case []any:
			if listOfSchemas[keyword] {
				for i := range v {
					out = append(out, n.child(keyword, strconv.Itoa(i)))
				}
			}
		}
	}
	return out
}
