package subschema

import "slices"

// What a schema declares does not depend on whether it matters for acceptance: anyOf [true, {properties: {a: …}}] accepts
// everything, and still speaks of a. The graph of a schema forgets such parts. Their names are kept here, for the whole
// schema rather than for the place where they stood: a name too much that counts as declared only makes a decision stricter.

// erased is what parts of a schema declare that its graph does not hold.
type erased struct {
	names    []string // sorted
	patterns []string
	all      bool // an additionalProperties or a propertyNames that says something
}

// erasedFrom lists what the raw nodes declare that did not become a part of the graph below root.
func (c *canoniser) erasedFrom(root lit) *erased {
	kept := make([]bool, len(c.out.nodes))
	queue := []int32{root.node()}
	kept[root.node()] = true
	for len(queue) > 0 {
		n := &c.out.nodes[queue[len(queue)-1]]
		queue = queue[:len(queue)-1]
		for _, k := range n.kids {
			if id := k.node(); !kept[id] {
				kept[id] = true
				queue = append(queue, id)
			}
		}
	}
	e := &erased{}
	for i := range c.raw {
		n := &c.raw[i]
		switch n.kind {
		case kHas, kProps, kNames:
		default:
			continue
		}
		if f := c.final[i]; c.order[i] != 0 && kept[f.node()] && c.out.nodes[f.node()].kind == n.kind {
			continue
		}
		switch n.kind {
		case kHas:
			e.names = append(e.names, n.text)
		case kNames:
			e.all = e.all || n.kids[0] != litTrue
		case kProps:
			e.names = append(e.names, n.names...)
			e.patterns = append(e.patterns, n.patterns...)
			rest := n.kids[len(n.kids)-1]
			e.all = e.all || rest != litTrue && rest != litFalse
		}
	}
	slices.Sort(e.names)
	e.names = slices.Compact(e.names)
	return e
}

// declares reports whether an erased part of the producer declares a name.
func (e *erased) declares(name string, patterns *matcher) bool {
	if e == nil {
		return false
	}
	if _, ok := slices.BinarySearch(e.names, name); ok || e.all {
		return true
	}
	for _, pattern := range e.patterns {
		if ok, known := patterns.match(pattern, name); ok || !known {
			return true
		}
	}
	return false
}
