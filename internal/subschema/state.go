package subschema

import (
	"slices"
)

// A state is a goal for one type, in the middle of its case analysis: literals that hold, and clauses of which one alternative
// must hold.
type state struct {
	t       int
	place   int32
	atoms   []lit // sorted
	clauses []clause
	has     []string // object: names that are there, sorted
	split   []string // object: members whose values were split, see discriminate
	most    int      // object: how many members there may be; 0 is not known
}

// A clause is a disjunction of alternatives, each a conjunction.
type clause [][]lit

func (st *state) clone() *state {
	c := *st
	c.atoms = slices.Clone(st.atoms)
	c.clauses = slices.Clone(st.clauses)
	c.has = slices.Clone(st.has)
	return &c
}

func (st *state) holds(l lit) bool {
	_, ok := slices.BinarySearch(st.atoms, l)
	return ok
}

// assert adds a literal; false when that contradicts the state outright.
func (s *search) assert(st *state, l lit) bool {
	l = s.at(l, st.t)
	switch l {
	case litTrue:
		return true
	case litFalse:
		return false
	}
	if st.holds(l.not()) {
		return false
	}
	if st.holds(l) {
		return true
	}
	n := &s.nodes[l.node()]
	if t := s.boundStatus(st, n); t != open {
		return t == holds != l.negated()
	}
	switch n.kind {
	case kAll:
		if !l.negated() {
			for _, k := range n.kids {
				if !s.assert(st, k) {
					return false
				}
			}
			return true
		}
		c := make(clause, len(n.kids))
		for i, k := range n.kids {
			c[i] = []lit{k.not()}
		}
		st.clauses = append(st.clauses, c)
	case kOne:
		st.clauses = append(st.clauses, s.oneClause(n, l.negated()))
	case kProps:
		if l.negated() {
			st.clauses = append(st.clauses, s.someMember(*n))
		}
	case kItems:
		if l.negated() {
			st.clauses = append(st.clauses, s.someItem(*n))
		}
	case kHas:
		if !l.negated() {
			i, _ := slices.BinarySearch(st.has, n.text)
			st.has = slices.Insert(st.has, i, n.text)
		}
	case kMinProps:
		if l.negated() && n.n > 0 {
			st.atMost(n.n - 1)
		}
	case kMaxProps:
		if !l.negated() {
			st.atMost(n.n)
		}
	}
	i, _ := slices.BinarySearch(st.atoms, l)
	st.atoms = slices.Insert(st.atoms, i, l)
	return true
}

// atMost notes that there are at most n members. That there are none is left to the bounds.
func (st *state) atMost(n int) {
	if n > 0 && (st.most == 0 || n < st.most) {
		st.most = n
	}
}

// oneClause spells out "exactly one" or its negation.
func (s *search) oneClause(n *node, negated bool) clause {
	kids := slices.Clone(n.kids)
	s.spend(len(kids) * len(kids) / 64)
	var c clause
	none := make([]lit, len(kids))
	for i, k := range kids {
		none[i] = k.not()
	}
	if !negated {
		for i, k := range kids {
			alt := append([]lit{k}, none[:i]...)
			c = append(c, append(alt, none[i+1:]...))
		}
		return c
	}
	c = append(c, none)
	for i, k := range kids[:len(kids)-1] {
		c = append(c, []lit{k, s.either(kids[i+1:]...)})
	}
	return c
}

// someMember spells out the negation of a kProps node: a member that breaks it.
func (s *search) someMember(n node) clause {
	var c clause
	for i, name := range n.names {
		if n.kids[i] != litTrue {
			c = append(c, []lit{s.add(node{kind: kHas, text: name}), s.member(name, n.kids[i].not())})
		}
	}
	patterns := make([]lit, len(n.patterns))
	for i, pattern := range n.patterns {
		patterns[i] = s.add(node{kind: kPattern, text: pattern})
		if k := n.kids[len(n.names)+i]; k != litTrue {
			c = append(c, []lit{s.add(node{kind: kSome, kids: []lit{k.not(), patterns[i]}})})
		}
	}
	if rest := n.kids[len(n.kids)-1]; rest != litTrue {
		kids := []lit{rest.not()}
		if len(n.names) > 0 {
			kids = append(kids, s.add(node{kind: kEnum, values: stringValues(n.names)}).not())
		}
		for _, p := range patterns {
			kids = append(kids, p.not())
		}
		c = append(c, []lit{s.add(node{kind: kSome, kids: kids})})
	}
	return c
}

func (s *search) member(name string, l lit) lit {
	return s.simplified(node{kind: kProps, names: []string{name}, kids: []lit{l, litTrue}})
}

func stringValues(names []string) []any {
	values := make([]any, len(names))
	for i, name := range names {
		values[i] = name
	}
	return sortValues(values)
}

// someItem spells out the negation of a kItems node: an item that breaks it.
func (s *search) someItem(n node) clause {
	var c clause
	last := len(n.kids) - 1
	for i, k := range n.kids[:last] {
		if k != litTrue {
			c = append(c, []lit{s.add(node{kind: kMinItems, n: i + 1}), s.position(i, k.not())})
		}
	}
	if rest := n.kids[last]; rest != litTrue {
		c = append(c, []lit{s.simplified(node{kind: kMinItems, n: last + 1}), s.add(node{kind: kSomeItem, n: last, kids: []lit{rest.not()}})})
	}
	return c
}

// position puts l on position i alone.
func (s *search) position(i int, l lit) lit {
	kids := make([]lit, i+2)
	kids[i] = l
	return s.simplified(node{kind: kItems, kids: kids})
}

type truth uint8

const (
	open truth = iota
	holds
	fails
)

func (t truth) not() truth {
	switch t {
	case holds:
		return fails
	case fails:
		return holds
	}
	return open
}

// maxGlance is how many nodes one look at a literal may visit. Choices and conjunctions that share their parts are a graph:
// a walk of all its paths may have no end.
const maxGlance = 2000

// looksPerStep is how many looks at a literal cost one step.
const looksPerStep = 256

// status tells what the state says about l, as far as that is cheap to see.
func (s *search) status(st *state, l lit) truth {
	s.glance = maxGlance
	result := s.seen(st, l)
	s.looked += 1 + (maxGlance-s.glance)/4
	if s.looked >= looksPerStep { // one look is cheap, but unions of hundreds of branches take a million of them
		s.spend(s.looked / looksPerStep)
		s.looked %= looksPerStep
	}
	return result
}

// seen is status within what is left of the glance.
func (s *search) seen(st *state, l lit) truth {
	if s.glance--; s.glance < 0 {
		return open
	}
	l = s.at(l, st.t)
	switch {
	case l == litTrue || st.holds(l):
		return holds
	case l == litFalse || st.holds(l.not()):
		return fails
	}
	n := &s.nodes[l.node()]
	if l.negated() {
		return s.nodeStatus(st, n).not()
	}
	return s.nodeStatus(st, n)
}

// nodeStatus is the status of the positive literal of n, which itself is neither known to hold nor to fail.
func (s *search) nodeStatus(st *state, n *node) truth {
	switch n.kind {
	case kAll:
		result := holds
		kids := n.kids
		for _, k := range kids {
			switch s.seen(st, k) {
			case fails:
				return fails
			case open:
				result = open
			}
		}
		return result
	case kOne:
		return s.oneStatus(st, n.kids)
	case kProps:
		return s.propsStatus(st, n)
	case kEnum, kPattern, kFormat, kMultiple:
		return s.scalarStatus(st, n)
	case kMinLength, kMaxLength, kMin, kMax:
		if t := s.boundStatus(st, n); t != open {
			return t
		}
		return s.scalarStatus(st, n)
	case kMinItems, kMaxItems, kMinProps, kMaxProps:
		return s.boundStatus(st, n)
	case kHas:
		if s.places.absent(st.place, n.text) || st.most > 0 && len(st.has) >= st.most {
			return fails
		}
	}
	return open
}

func (s *search) oneStatus(st *state, kids []lit) truth {
	yes, maybe := 0, 0
	for _, k := range kids {
		switch s.seen(st, k) {
		case holds:
			yes++
		case open:
			maybe++
		}
	}
	switch {
	case yes > 1 || yes+maybe == 0:
		return fails
	case yes == 1 && maybe == 0:
		return holds
	}
	return open
}

// scalarStatus judges a scalar literal when the state leaves only listed values.
func (s *search) scalarStatus(st *state, n *node) truth {
	for _, a := range st.atoms {
		if m := &s.nodes[a.node()]; m.kind == kEnum && !a.negated() {
			return s.onValues(m.values, n, false)
		}
	}
	return open
}

// onValues judges n on each of the values.
func (s *search) onValues(values []any, n *node, negated bool) truth {
	yes, no := 0, 0
	for _, v := range values {
		s.eval.failed, s.eval.steps = false, 1000
		ok := s.eval.accepts(n, v) != negated
		switch {
		case s.eval.failed:
			return open
		case ok:
			yes++
		default:
			no++
		}
		if yes > 0 && no > 0 {
			return open
		}
	}
	if yes > 0 {
		return holds
	}
	return fails
}

// propsStatus judges a kProps node by the members that are known to be there, and the ones known to be absent.
func (s *search) propsStatus(st *state, n *node) truth {
	for _, name := range st.has {
		for _, k := range s.memberKids(n, name) {
			if k != litTrue && s.conflict(s.memberGoal(st, name), k) {
				return fails
			}
		}
	}
	if n.kids[len(n.kids)-1] != litTrue || len(n.patterns) > 0 {
		return open
	}
	for i, name := range n.names {
		k := n.kids[i]
		if k == litTrue || s.isAbsent(st, name) {
			continue
		}
		goal := s.memberGoal(st, name)
		if !slices.Contains(goal, k) && !s.conflict(goal, k.not()) {
			return open
		}
	}
	return holds
}

func (s *search) isAbsent(st *state, name string) bool {
	if s.places.absent(st.place, name) {
		return true
	}
	s.looked += len(st.atoms) / 16
	for _, a := range st.atoms {
		if n := &s.nodes[a.node()]; n.kind == kHas && a.negated() && n.text == name {
			return true
		}
	}
	return false
}

// memberGoal collects what the state demands of the member named name.
func (s *search) memberGoal(st *state, name string) []lit {
	var goal []lit
	s.looked += len(st.atoms) / 16
	for _, a := range st.atoms {
		if n := &s.nodes[a.node()]; n.kind == kProps && !a.negated() {
			goal = append(goal, s.memberKids(n, name)...)
		}
	}
	return goal
}

type memberKey struct {
	digest digest
	name   string
}

// memberKids is what one kProps node demands of the member named name.
func (s *search) memberKids(n *node, name string) []lit {
	if len(n.patterns) == 0 {
		if i, ok := slices.BinarySearch(n.names, name); ok {
			return n.kids[i : i+1]
		}
		return n.kids[len(n.kids)-1:]
	}
	key := memberKey{n.digest, name}
	if kids, ok := s.kids[key]; ok {
		return kids
	}
	s.eval.failed = false
	kids := s.eval.propKids(n, name, nil)
	if s.eval.failed {
		kids = []lit{s.add(node{kind: kUnknown, text: "a pattern that could not be matched against a name"})}
	}
	s.kids[key] = kids
	return kids
}

// conflict reports that no value can satisfy both the goal and l, as far as that is cheap to see: by type, by a
// contradiction, or because the goal leaves only listed values that l refuses. It is what tells the branches of a union
// with a discriminator apart.
func (s *search) conflict(goal []lit, l lit) bool {
	m := s.mask(l)
	for _, g := range goal {
		m &= s.mask(g)
		if m == 0 || g == l.not() || g == litFalse {
			return true
		}
	}
	for _, g := range goal {
		for _, part := range s.conjuncts(g) {
			n := &s.nodes[part.node()]
			if part == l.not() {
				return true
			}
			if n.kind == kEnum && !part.negated() && s.onValues(n.values, &s.nodes[l.node()], l.negated()) == fails {
				return true
			}
		}
	}
	if n := &s.nodes[l.node()]; n.kind == kEnum && !l.negated() {
		for _, g := range goal {
			if s.onValues(n.values, &s.nodes[g.node()], g.negated()) == fails {
				return true
			}
		}
	}
	return false
}

func (s *search) conjuncts(l lit) []lit {
	if n := &s.nodes[l.node()]; n.kind == kAll && !l.negated() {
		return n.kids
	}
	return []lit{l}
}
