package subschema

import (
	"bytes"
	"crypto/sha256"
	"slices"
)

// A canoniser turns the raw graph of the translator, which may have cycles, into a hash-consed one.
//
// Strongly connected components are taken in reverse topological order. A node outside of cycles is simplified and
// interned. The nodes of a cycle are told apart by refinement: start with the digest of the node without the kids that are in the
// cycle, then mix in the digests of the kids, until the number of classes no longer grows. The final digest covers the
// set of all classes, so that equal digests from two graphs mean bisimilar nodes: refinement by equal class sets makes
// the map from one round to the next the same in both.
type canoniser struct {
	raw   []node
	out   *graph
	final []lit   // per raw node
	order []int32 // Tarjan: discovery number, 0 when unseen
	low   []int32
	stack []int32
	on    []bool
	count int32
}

// follow resolves links.
func (c *canoniser) follow(l lit) lit {
	for c.raw[l.node()].kind == kLink {
		next := c.raw[l.node()].kids[0]
		l = next ^ l&1
	}
	return l
}

func canonical(raw []node, root lit) compiled {
	c := &canoniser{raw: raw, out: newGraph(len(raw)), final: make([]lit, len(raw)),
		order: make([]int32, len(raw)), low: make([]int32, len(raw)), on: make([]bool, len(raw))}
	for i := range raw {
		if raw[i].kind != kLink {
			for j, k := range raw[i].kids {
				raw[i].kids[j] = c.follow(k)
			}
		}
	}
	root = c.follow(root)
	c.visit(root.node())
	final := c.final[root.node()] ^ root&1
	return compiled{c.out, final, c.erasedFrom(final)}
}

func (c *canoniser) visit(v int32) {
	c.count++
	c.order[v], c.low[v] = c.count, c.count
	c.stack, c.on[v] = append(c.stack, v), true
	for _, k := range c.raw[v].kids {
		w := k.node()
		if c.order[w] == 0 {
			c.visit(w)
			c.low[v] = min(c.low[v], c.low[w])
		} else if c.on[w] {
			c.low[v] = min(c.low[v], c.order[w])
		}
	}
	if c.low[v] != c.order[v] {
		return
	}
	i := slices.Index(c.stack, v)
	component := slices.Clone(c.stack[i:])
	c.stack = c.stack[:i]
	for _, w := range component {
		c.on[w] = false
	}
	if len(component) == 1 && !slices.ContainsFunc(c.raw[v].kids, func(k lit) bool { return k.node() == v }) {
		c.single(v)
	} else {
		c.cycle(component)
	}
}

func (c *canoniser) single(v int32) {
	n := c.raw[v]
	kids := make([]lit, len(n.kids))
	for i, k := range n.kids {
		kids[i] = c.final[k.node()] ^ k&1
	}
	n.kids = kids
	c.final[v] = c.out.simplified(n)
}

func (c *canoniser) cycle(component []int32) {
	prev, next := map[int32]digest{}, map[int32]digest{}
	heads := map[int32][]byte{}
	for _, v := range component {
		heads[v] = encode(nil, &c.raw[v])
		prev[v] = digest{}
	}
	classes := 1
	for {
		seen := map[digest]bool{}
		for _, v := range component {
			d := c.round(v, heads[v], prev)
			next[v] = d
			seen[d] = true
		}
		prev, next = next, map[int32]digest{}
		if len(seen) == classes {
			break
		}
		classes = len(seen)
	}
	c.close(component, prev)
}

func (c *canoniser) kidDigest(k lit, prev map[int32]digest) []byte {
	d, inside := prev[k.node()]
	mark := byte(k & 1)
	if !inside {
		f := c.final[k.node()] ^ k&1
		d = c.out.nodes[f.node()].digest
		mark = 2 + byte(f&1)
	}
	return append([]byte{mark}, d[:]...)
}

func (c *canoniser) round(v int32, head []byte, prev map[int32]digest) digest {
	n := &c.raw[v]
	parts := make([][]byte, len(n.kids))
	for i, k := range n.kids {
		parts[i] = c.kidDigest(k, prev)
	}
	if n.kind == kAll || n.kind == kOne {
		slices.SortFunc(parts, bytes.Compare)
	}
	h := sha256.New()
	h.Write(head)
	for _, p := range parts {
		h.Write(p)
	}
	var d digest
	copy(d[:], h.Sum(nil))
	return d
}

// close numbers the classes and builds one node for each.
func (c *canoniser) close(component []int32, class map[int32]digest) {
	var set []digest
	for _, v := range component {
		set = append(set, class[v])
	}
	slices.SortFunc(set, func(a, b digest) int { return bytes.Compare(a[:], b[:]) })
	set = slices.Compact(set)
	h := sha256.New()
	for _, d := range set {
		h.Write(d[:])
	}
	whole := h.Sum(nil)
	var fresh []int32
	for _, v := range component {
		d := class[v]
		sum := sha256.Sum256(append(append([]byte("cycle"), d[:]...), whole...))
		var full digest
		copy(full[:], sum[:])
		before := len(c.out.nodes)
		n := c.raw[v]
		n.digest = full
		c.final[v] = c.out.intern(n)
		if len(c.out.nodes) > before {
			fresh = append(fresh, v)
		}
	}
	for _, v := range fresh {
		kids := make([]lit, len(c.raw[v].kids))
		for i, k := range c.raw[v].kids {
			kids[i] = c.final[k.node()] ^ k&1
		}
		c.out.nodes[c.final[v].node()].kids = kids
	}
}
