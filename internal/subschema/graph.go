package subschema

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math/big"
	"slices"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// A lit is a node or its negation: the number of the node shifted by one, the lowest bit set for the negation.
type lit int32

const (
	litTrue  lit = 0 // node 0 of each graph accepts everything
	litFalse lit = 1
)

func (l lit) not() lit      { return l ^ 1 }
func (l lit) negated() bool { return l&1 == 1 }
func (l lit) node() int32   { return int32(l >> 1) }

type kind uint8

// The algebra. Every kind but kTrue, kAll, kOne, kType, kEnum and kUnknown speaks about one JSON type and holds for values of
// other types; its negation is false for them.
const (
	kTrue      kind = iota
	kLink           // only while translating: another name for kids[0]
	kAll            // all kids hold; a disjunction is a negated kAll
	kOne            // exactly one kid holds
	kType           // n is a mask of types
	kEnum           // one of the scalars in values
	kUnknown        // text says what is not modelled; equal text over equal kids is equal
	kMin            // num, flag: exclusive
	kMax            // num, flag: exclusive
	kMultiple       // num
	kMinLength      // n
	kMaxLength      // n
	kPattern        // text
	kFormat         // text
	kMinItems       // n
	kMaxItems       // n
	kItems          // kids: one per leading position, the last one for all others
	kCountMin       // at least n items satisfy kids[0]
	kCountMax       // at most n items satisfy kids[0]
	kSomeItem       // an item at position n or later satisfies kids[0]; never negated
	kUnique         //
	kProps          // names and patterns with their kids, the last kid for all other names; flag: written as properties
	kNames          // every name satisfies kids[0]
	kHas            // member named text
	kMinProps       // n
	kMaxProps       // n
	kSome           // a member whose name satisfies kids[1:] and whose value satisfies kids[0]; never negated
)

type digest [16]byte

type node struct {
	kind     kind
	flag     bool
	n        int
	num      *big.Rat
	text     string
	values   []any
	names    []string
	patterns []string
	kids     []lit
	digest   digest
}

// A graph holds hash-consed nodes: equal structure is one number.
type graph struct {
	nodes []node
	index map[digest]int32
	buf   []byte
	order []lit
}

func newGraph(size int) *graph {
	g := &graph{nodes: make([]node, 0, size+1), index: make(map[digest]int32, size+1)}
	g.add(node{kind: kTrue})
	return g
}

// encode writes the parts of n but its kids.
func encode(b []byte, n *node) []byte {
	b = append(b, byte(n.kind), 0)
	if n.flag {
		b[1] = 1
	}
	b = binary.AppendVarint(b, int64(n.n))
	if n.num != nil {
		b = append(b, n.num.RatString()...)
	}
	b = binary.AppendUvarint(b, uint64(len(n.text)))
	b = append(b, n.text...)
	for _, list := range [][]string{n.names, n.patterns} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, s := range list {
			b = binary.AppendUvarint(b, uint64(len(s)))
			b = append(b, s...)
		}
	}
	for _, v := range n.values {
		b = canonjson.Append(b, v)
		b = append(b, ',')
	}
	return b
}

func (g *graph) digestOf(l lit) (d digest) {
	d = g.nodes[l.node()].digest
	if l.negated() {
		d[0] ^= 0xff
	}
	return d
}

func (g *graph) compare(a, b lit) int {
	if a == b {
		return 0
	}
	x, y := g.nodes[a.node()].digest, g.nodes[b.node()].digest
	if c := bytes.Compare(x[:], y[:]); c != 0 {
		return c
	}
	return int(a&1) - int(b&1)
}

// add interns n, whose kids must be final.
func (g *graph) add(n node) lit {
	if n.kind == kAll || n.kind == kOne {
		slices.SortFunc(n.kids, g.compare)
	}
	b := encode(g.buf[:0], &n)
	for _, k := range n.kids {
		d := g.nodes[k.node()].digest
		b = append(b, byte(k&1))
		b = append(b, d[:]...)
	}
	g.buf = b
	sum := sha256.Sum256(b)
	copy(n.digest[:], sum[:])
	return g.intern(n)
}

func (g *graph) intern(n node) lit {
	if id, ok := g.index[n.digest]; ok {
		return lit(id << 1)
	}
	id := int32(len(g.nodes))
	g.nodes = append(g.nodes, n)
	g.index[n.digest] = id
	return lit(id << 1)
}

// all is the conjunction, simplified.
func (g *graph) all(kids ...lit) lit {
	flat := make([]lit, 0, len(kids))
	mask := anyType
	for _, k := range kids {
		n := &g.nodes[k.node()]
		switch {
		case k == litTrue:
		case n.kind == kType:
			mask &= typeMask(n, k)
		case n.kind == kAll && !k.negated():
			for _, k := range n.kids {
				if m := &g.nodes[k.node()]; m.kind == kType {
					mask &= typeMask(m, k)
				} else {
					flat = append(flat, k)
				}
			}
		default:
			flat = append(flat, k)
		}
	}
	if mask == 0 {
		return litFalse
	}
	if mask != anyType {
		flat = append(flat, g.add(node{kind: kType, n: mask}))
	}
	slices.Sort(flat)
	flat = slices.Compact(flat)
	for i, k := range flat {
		if k == litFalse || i > 0 && flat[i-1] == k.not() {
			return litFalse
		}
	}
	switch len(flat) {
	case 0:
		return litTrue
	case 1:
		return flat[0]
	}
	return g.add(node{kind: kAll, kids: flat})
}

func typeMask(n *node, l lit) int {
	if l.negated() {
		return anyType &^ n.n
	}
	return n.n
}

// either is the disjunction, simplified.
func (g *graph) either(kids ...lit) lit {
	neg := make([]lit, len(kids))
	for i, k := range kids {
		neg[i] = k.not()
	}
	return g.all(neg...).not()
}

// one is "exactly one", simplified.
func (g *graph) one(kids ...lit) lit {
	rest := make([]lit, 0, len(kids))
	trues := 0
	for _, k := range kids {
		switch k {
		case litTrue:
			trues++
		case litFalse:
		default:
			rest = append(rest, k)
		}
	}
	switch {
	case trues > 1:
		return litFalse
	case trues == 1:
		for i := range rest {
			rest[i] = rest[i].not()
		}
		return g.all(rest...)
	case len(rest) == 0:
		return litFalse
	case len(rest) == 1:
		return rest[0]
	}
	return g.add(node{kind: kOne, kids: rest})
}

// simplified interns n after the simplifications of its kind.
func (g *graph) simplified(n node) lit {
	switch n.kind {
	case kAll:
		return g.all(n.kids...)
	case kOne:
		return g.one(n.kids...)
	case kType:
		if n.n == anyType {
			return litTrue
		}
		if n.n == 0 {
			return litFalse
		}
	case kEnum:
		if len(n.values) == 0 {
			return litFalse
		}
	case kMinLength, kMinItems, kMinProps, kCountMin:
		if n.n <= 0 {
			return litTrue
		}
	case kItems:
		for len(n.kids) > 1 && n.kids[len(n.kids)-2] == n.kids[len(n.kids)-1] {
			n.kids = n.kids[:len(n.kids)-1]
		}
		if len(n.kids) == 1 && n.kids[0] == litTrue {
			return litTrue
		}
	case kNames:
		if n.kids[0] == litTrue {
			return litTrue
		}
	case kProps:
		if !n.flag && len(n.names)+len(n.patterns) == 0 && n.kids[0] == litTrue {
			return litTrue
		}
	}
	return g.add(n)
}

// The JSON types. An integer is a number with multipleOf 1.
const (
	tNull = 1 << iota
	tBoolean
	tNumber
	tString
	tArray
	tObject
	anyType = 1<<iota - 1
)

// guard is the type that a kind speaks about, 0 when it speaks about all.
func guard(k kind) int {
	switch {
	case k < kMin:
		return 0
	case k < kMinLength:
		return tNumber
	case k < kMinItems:
		return tString
	case k < kProps:
		return tArray
	}
	return tObject
}
