package subschema

import (
	"encoding/binary"
	"slices"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// New names are free: a producer does not send, as an undeclared key, a name that only the consumer declares. What that
// means is defined by places. A place is a pair of sets of nodes: the schemas of the producer and those of the consumer that
// stand at one path of a value. At the root these are the two roots; from there on
//
//   - the schemas that act on the same value belong together: the parts of allOf, anyOf, oneOf, not, if, dependentSchemas and
//     the targets of $ref, whichever of them apply;
//   - the place of a member holds what properties, patternProperties and additionalProperties of these say about its name;
//   - the place of an item holds what items, prefixItems and contains say about its position.
//
// At a place the names are free, and so absent from the witness, that the consumer declares in properties and the producer does
// not declare: neither in properties nor in required (or dependencies, or a constant), nor by a pattern, a propertyNames
// that says something, or an additionalProperties that is neither true nor false.
type alignment struct {
	s      *search
	places []aligned
	index  map[string]int32
	atoms  map[string]*inPlace
}

type aligned struct {
	sides    [2]*inPlace // producer, consumer
	free     []string
	names    []string // mentioned by either side, sorted
	patterns []string
	prefix   int
	members  map[string]int32
	items    map[int]int32
}

// inPlace is what acts on the value of a place, for one side.
type inPlace struct {
	key    string
	nodes  []int32
	props  []*node
	items  []*node
	counts []*node
	names  []*node
	has    []*node
}

// newAlignment makes the table. Place 0 is where no name is free; root is 0 for plain inclusion.
func newAlignment(s *search, producer, consumer lit, strict bool) (a *alignment, root int32) {
	a = &alignment{s: s, places: make([]aligned, 1)}
	if strict || producer == consumer {
		return a, 0
	}
	a.index, a.atoms = map[string]int32{}, map[string]*inPlace{}
	return a, a.place([]int32{producer.node()}, []int32{consumer.node()})
}

func setKey(nodes []int32) string {
	var b []byte
	for _, n := range nodes {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return string(b)
}

// side closes a set of nodes over what acts on the same value.
func (a *alignment) side(nodes []int32) *inPlace {
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	key := setKey(nodes)
	if p, ok := a.atoms[key]; ok {
		return p
	}
	p := &inPlace{key: key, nodes: nodes}
	a.atoms[key] = p
	seen := map[int32]bool{}
	var visit func(id int32)
	visit = func(id int32) {
		if seen[id] {
			return
		}
		seen[id] = true
		n := &a.s.nodes[id]
		switch n.kind {
		case kAll, kOne:
			for _, k := range n.kids {
				visit(k.node())
			}
		case kProps:
			p.props = append(p.props, n)
		case kItems:
			p.items = append(p.items, n)
		case kCountMin, kCountMax:
			p.counts = append(p.counts, n)
		case kNames:
			p.names = append(p.names, n)
		case kHas:
			p.has = append(p.has, n)
		}
	}
	for _, id := range nodes {
		visit(id)
	}
	a.s.spend(len(seen) / 16)
	return p
}

// place interns a pair. Where the consumer has nothing to say, or the same as the producer, no name is free from there on.
func (a *alignment) place(producer, consumer []int32) int32 {
	p, c := a.side(producer), a.side(consumer)
	if p.key == c.key || len(c.props)+len(c.items)+len(c.counts) == 0 {
		return 0
	}
	key := setKey([]int32{int32(len(p.nodes))}) + p.key + c.key
	if id, ok := a.index[key]; ok {
		return id
	}
	id := int32(len(a.places))
	a.index[key] = id
	x := aligned{sides: [2]*inPlace{p, c}, members: map[string]int32{}, items: map[int]int32{}}
	for _, side := range x.sides {
		for _, n := range side.items {
			x.prefix = max(x.prefix, len(n.kids)-1)
		}
		for _, n := range side.props {
			x.patterns = append(x.patterns, n.patterns...)
			x.names = append(x.names, n.names...)
		}
	}
	slices.Sort(x.names)
	x.names = slices.Compact(x.names)
	for _, n := range c.props {
		if !n.flag {
			continue
		}
		for _, name := range n.names {
			if !a.declared(p, name) {
				x.free = append(x.free, name)
			}
		}
	}
	slices.Sort(x.free)
	x.free = slices.Compact(x.free)
	a.places = append(a.places, x)
	return id
}

// declared reports whether the producer's schemas at a place declare a name.
func (a *alignment) declared(p *inPlace, name string) bool {
	if a.s.erased.declares(name, a.s.patterns) {
		return true
	}
	for _, n := range p.has {
		if n.text == name {
			return true
		}
	}
	for _, n := range p.props {
		if _, ok := slices.BinarySearch(n.names, name); ok {
			return true
		}
		if rest := n.kids[len(n.kids)-1]; rest != litTrue && rest != litFalse {
			return true
		}
		for _, pattern := range n.patterns {
			if ok, known := a.s.patterns.match(pattern, name); ok || !known {
				return true
			}
		}
	}
	for _, n := range p.names {
		if a.s.at(n.kids[0], tString) == litTrue {
			continue
		}
		a.s.eval.failed, a.s.eval.steps = false, 10000
		if a.s.eval.holds(n.kids[0], name) || a.s.eval.failed {
			return true
		}
	}
	return false
}

func (a *alignment) free(place int32) []string       { return a.places[place].free }
func (a *alignment) mentioned(place int32) []string  { return a.places[place].names }
func (a *alignment) patternsOf(place int32) []string { return a.places[place].patterns }
func (a *alignment) prefix(place int32) int          { return a.places[place].prefix }

func (a *alignment) absent(place int32, name string) bool {
	_, ok := slices.BinarySearch(a.places[place].free, name)
	return ok
}

// member is the place of the member named name.
func (a *alignment) member(place int32, name string) int32 {
	if place == 0 {
		return 0
	}
	if id, ok := a.places[place].members[name]; ok {
		return id
	}
	var sets [2][]int32
	a.s.eval.failed = false
	for i, side := range a.places[place].sides {
		for _, n := range side.props {
			for _, k := range a.s.eval.propKids(n, name, nil) {
				sets[i] = append(sets[i], k.node())
			}
		}
	}
	id := int32(0)
	if !a.s.eval.failed { // a pattern that cannot be matched: nothing is free below
		id = a.place(sets[0], sets[1])
	}
	a.places[place].members[name] = id
	return id
}

// item is the place of the item at position i.
func (a *alignment) item(place int32, i int) int32 {
	if place == 0 {
		return 0
	}
	i = min(i, a.places[place].prefix)
	if id, ok := a.places[place].items[i]; ok {
		return id
	}
	var sets [2][]int32
	for j, side := range a.places[place].sides {
		for _, n := range side.items {
			sets[j] = append(sets[j], itemKid(n, i).node())
		}
		for _, n := range side.counts {
			sets[j] = append(sets[j], n.kids[0].node())
		}
	}
	id := a.place(sets[0], sets[1])
	a.places[place].items[i] = id
	return id
}

// respects reports whether a value carries no free name.
func (a *alignment) respects(v any, place int32) bool {
	if place == 0 {
		return true
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range canonjson.SortedKeys(v) {
			if a.absent(place, name) || !a.respects(v[name], a.member(place, name)) {
				return false
			}
		}
	case []any:
		for i, item := range v {
			if !a.respects(item, a.item(place, i)) {
				return false
			}
		}
	}
	return true
}
