package validate

import (
	"strconv"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// A node is one object schema of the document.
type node struct {
	pointer string
	base    string // pointer of the innermost resource around it (an ancestor with $id, or the root)
	m       map[string]any
	kids    []kid
	loose   bool // it, or something below or referred to, is not enforced as written
}

type kid struct {
	keyword string
	pointer string
}

// document is the schema as a graph: all object schemas by pointer. Compile makes one per attempt.
type document struct {
	root    any
	version int
	nodes   map[string]*node
	order   []*node
	// scattered: there are schemas in places where no keyword puts them
	scattered bool
}

func newDocument(root any, version int) *document {
	d := &document{root: root, version: version, nodes: map[string]*node{}}
	d.collect(root, "", "")
	// Definitions in places of the author's choice are schemas as soon as a reference leads there.
	for i := 0; i < len(d.order); i++ {
		n := d.order[i]
		if target, ok := d.pointerRef(n, "$ref"); ok && d.nodes[target] == nil {
			if v, ok := canonjson.Lookup(root, target); ok && !inData(target) {
				d.collect(v, target, d.baseOf(target))
				d.scattered = true
			}
		}
	}
	return d
}

// inData reports whether a pointer leads into a keyword whose value is data, which must not be rewritten.
func inData(pointer string) bool {
	for _, t := range canonjson.Tokens(pointer) {
		if t == "const" || t == "enum" || t == "default" || t == "examples" {
			return true
		}
	}
	return false
}

func (d *document) idKeyword() string {
	if d.version == 4 {
		return "id"
	}
	return "$id"
}

// refOnly reports whether $ref hides its siblings, as it does up to draft-07.
func (d *document) refOnly(m map[string]any) bool {
	_, ok := m["$ref"]
	return ok && d.version < 2019
}

func (d *document) collect(v any, pointer, base string) {
	m, ok := v.(map[string]any)
	if !ok || d.nodes[pointer] != nil {
		return
	}
	if id, ok := m[d.idKeyword()].(string); ok && pointer != "" && !d.refOnly(m) && !strings.HasPrefix(id, "#") {
		base = pointer
	}
	n := &node{pointer: pointer, base: base, m: m}
	d.nodes[pointer] = n
	d.order = append(d.order, n)
	for _, keyword := range positionKeywords {
		v, ok := m[keyword]
		if !ok || positions[keyword].since > d.version {
			continue
		}
		shape, at := positions[keyword].shape, pointer+"/"+keyword
		visit := func(v any, at string) {
			n.kids = append(n.kids, kid{keyword, at})
			d.collect(v, at, base)
		}
		switch v := v.(type) {
		case []any:
			if shape&list != 0 {
				for i, e := range v {
					visit(e, at+"/"+strconv.Itoa(i))
				}
			}
		case map[string]any:
			if shape&one != 0 {
				visit(v, at)
			} else if shape&named != 0 {
				for _, k := range canonjson.SortedKeys(v) {
					visit(v[k], at+"/"+canonjson.EscapeToken(k))
				}
			}
		}
	}
}

func (d *document) baseOf(pointer string) string {
	for p := pointer; p != ""; {
		p = p[:strings.LastIndexByte(p, '/')]
		if n := d.nodes[p]; n != nil {
			return n.base
		}
	}
	return ""
}

// pointerRef returns the absolute pointer that a reference of the form "#" or "#/…" means.
func (d *document) pointerRef(n *node, keyword string) (string, bool) {
	ref, ok := n.m[keyword].(string)
	if !ok || !strings.HasPrefix(ref, "#") || len(ref) > 1 && ref[1] != '/' {
		return "", false
	}
	if ref == "#/" { // the library takes it for the root
		return n.base, true
	}
	fragment, ok := unescapeFragment(ref[1:])
	return n.base + fragment, ok
}

// loosen marks the nodes above those in which something is not enforced.
func (d *document) loosen() {
	up := map[string][]*node{}
	var queue []*node
	for _, n := range d.order {
		for _, k := range n.kids {
			up[k.pointer] = append(up[k.pointer], n)
		}
		for _, keyword := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
			if _, ok := n.m[keyword]; !ok {
				continue
			}
			if target, ok := d.pointerRef(n, keyword); ok && keyword == "$ref" {
				up[target] = append(up[target], n)
			} else {
				n.loose = true // it may lead to such a place
			}
		}
		if n.loose {
			queue = append(queue, n)
		}
	}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for _, u := range up[n.pointer] {
			if !u.loose {
				u.loose = true
				queue = append(queue, u)
			}
		}
	}
}

// looseUnder reports whether a sub-schema that n holds under keyword is loose.
func (d *document) looseUnder(n *node, keyword string) bool {
	for _, k := range n.kids {
		if kn := d.nodes[k.pointer]; k.keyword == keyword && kn != nil && kn.loose {
			return true
		}
	}
	return false
}
