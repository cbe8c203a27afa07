package subschema

import (
	"math"
	"slices"
	"strconv"
)

// An objectGoal is the demand on one object when every clause is settled. Demands on all members of a name come from kProps
// nodes; the rest says which members must be there. So it is enough to choose finitely many names: the ones that schemas
// mention, and from each class of other names, those that match the same patterns, as many as are needed.
type objectGoal struct {
	*search
	st       *state
	props    []*node
	names    []lit // literals that every name must satisfy
	somes    []*node
	absent   map[string]bool
	explicit []string // names that schemas mention, sorted
	patterns []string // what tells other names apart
	lo, hi   int
	chosen   []member
	unsure   bool
}

// A member is a chosen name and what its value must satisfy beside the kProps nodes.
type member struct {
	name  string
	extra []lit
}

func (s *search) object(st *state) outcome {
	o := &objectGoal{search: s, st: st, absent: map[string]bool{}, hi: math.MaxInt}
	for _, a := range st.atoms {
		o.take(a, &s.nodes[a.node()])
	}
	for _, name := range s.places.free(st.place) {
		o.absent[name] = true
		o.explicit = append(o.explicit, name)
	}
	// Also names that only a branch mentions which does not apply: their members stand at places of their own, where other
	// names are free than under a name that nobody mentions.
	o.explicit = append(o.explicit, s.places.mentioned(st.place)...)
	o.patterns = append(o.patterns, s.places.patternsOf(st.place)...)
	slices.Sort(o.explicit)
	o.explicit = slices.Compact(o.explicit)
	slices.Sort(o.patterns)
	o.patterns = slices.Compact(o.patterns)
	if o.lo > o.hi || len(st.has) > o.hi {
		return outcome{status: unsat}
	}
	for _, name := range st.has {
		if o.absent[name] || !o.nameFits(name, o.names) {
			return o.verdict(outcome{status: unsat})
		}
		o.chosen = append(o.chosen, member{name: name})
	}
	for i := range o.chosen {
		if r := o.value(&o.chosen[i]); r.status == unsat {
			return r
		}
	}
	return o.verdict(o.assign(0))
}

// verdict weakens a refutation that left something open.
func (o *objectGoal) verdict(r outcome) outcome {
	if r.status == unsat && o.unsure {
		return o.giveUp(reasonPattern)
	}
	return r
}

func (o *objectGoal) take(a lit, n *node) {
	switch n.kind {
	case kHas:
		o.explicit = append(o.explicit, n.text)
		if a.negated() {
			o.absent[n.text] = true
		}
	case kProps:
		if !a.negated() {
			o.props = append(o.props, n)
			o.explicit = append(o.explicit, n.names...)
			o.patterns = append(o.patterns, n.patterns...)
		}
	case kNames:
		if a.negated() {
			o.somes = append(o.somes, &node{kind: kSome, kids: []lit{litTrue, n.kids[0].not()}})
		} else {
			o.names = append(o.names, n.kids[0])
		}
	case kSome:
		o.somes = append(o.somes, n)
	case kMinProps:
		if a.negated() {
			o.hi = min(o.hi, n.n-1)
		} else {
			o.lo = max(o.lo, n.n)
		}
	case kMaxProps:
		if a.negated() {
			o.lo = max(o.lo, n.n+1)
		} else {
			o.hi = min(o.hi, n.n)
		}
	}
}

// nameFits reports whether a name satisfies literals.
func (o *objectGoal) nameFits(name string, lits []lit) bool {
	for _, l := range lits {
		o.eval.failed, o.eval.steps = false, 10000
		ok := o.eval.holds(l, name)
		if o.eval.failed {
			o.unsure = true
			return false
		}
		if !ok {
			return false
		}
	}
	return true
}

// value solves the value of a chosen member.
func (o *objectGoal) value(m *member) outcome {
	goal := slices.Clone(m.extra)
	for _, n := range o.props {
		goal = append(goal, o.memberKids(n, m.name)...)
	}
	return o.solve(goal, o.places.member(o.st.place, m.name))
}

func (o *objectGoal) isChosen(name string) bool {
	return slices.ContainsFunc(o.chosen, func(m member) bool { return m.name == name })
}

// assign finds a member for each kSome node from i on, then fills up.
func (o *objectGoal) assign(i int) outcome {
	if !o.spend(1) {
		return o.giveUp(reasonSteps)
	}
	if i == len(o.somes) {
		return o.fill()
	}
	some := o.somes[i]
	value, names := some.kids[0], some.kids[1:]
	result := outcome{status: unsat}
	try := func(r outcome) bool {
		if r.status != unsat {
			result = r
		}
		return r.status == sat
	}
	for j := range o.chosen {
		if !o.nameFits(o.chosen[j].name, names) {
			continue
		}
		before := o.chosen[j]
		o.chosen[j].extra = append(slices.Clone(before.extra), value)
		r := o.value(&o.chosen[j])
		if r.status != unsat {
			r = o.assign(i + 1)
		}
		if try(r) {
			return r
		}
		o.chosen[j] = before
	}
	if len(o.chosen) >= o.hi {
		return result
	}
	for _, name := range o.explicit {
		if o.absent[name] || o.isChosen(name) || !o.nameFits(name, names) || !o.nameFits(name, o.names) {
			continue
		}
		if try(o.with(member{name, []lit{value}}, func() outcome { return o.assign(i + 1) })) {
			return result
		}
	}
	o.fresh(names, []lit{value}, o.somes[i+1:], func(name string) bool {
		return try(o.with(member{name, []lit{value}}, func() outcome { return o.assign(i + 1) }))
	})
	return result
}

// with chooses one more member for as long as then runs.
func (o *objectGoal) with(m member, then func() outcome) outcome {
	r := o.value(&m)
	if r.status == unsat {
		return r
	}
	o.chosen = append(o.chosen, m)
	r = then()
	o.chosen = o.chosen[:len(o.chosen)-1]
	return r
}

// fill adds members until there are enough, and builds the object.
func (o *objectGoal) fill() outcome {
	size := len(o.chosen)
	defer func() { o.chosen = o.chosen[:size] }()
	if size > o.hi {
		return outcome{status: unsat}
	}
	for _, name := range o.explicit {
		if len(o.chosen) >= o.lo {
			break
		}
		if m := (member{name: name}); !o.absent[name] && !o.isChosen(name) && o.nameFits(name, o.names) {
			switch o.value(&m).status {
			case sat:
				o.chosen = append(o.chosen, m)
			case unknown:
				o.unsure = true
			}
		}
	}
	over := false
	for len(o.chosen) < o.lo && !over {
		before := len(o.chosen)
		o.fresh(nil, nil, nil, func(name string) bool {
			if o.lo > maxMembers {
				over = true
				return o.value(&member{name: name}).status == sat
			}
			switch m := (member{name: name}); o.value(&m).status {
			case sat:
				o.chosen = append(o.chosen, m)
				return true
			case unknown:
				o.unsure = true
			}
			return false
		})
		if over {
			return o.giveUp(reasonSize)
		}
		if len(o.chosen) == before {
			return outcome{status: unsat}
		}
	}
	return o.build()
}

func (o *objectGoal) build() outcome {
	value := make(map[string]any, len(o.chosen))
	for i := range o.chosen {
		r := o.value(&o.chosen[i])
		if r.status != sat {
			return r
		}
		value[o.chosen[i].name] = r.value
	}
	return outcome{status: sat, value: value}
}

// fresh offers one unused name of each class of names that no schema mentions, until use returns true. Names are of one
// class when the same patterns match them and the same later kSome nodes could be satisfied by them. The value of the member
// will have to satisfy extra.
func (o *objectGoal) fresh(lits, extra []lit, later []*node, use func(name string) bool) {
	goal := append(slices.Clone(o.names), lits...)
	goal = append(goal, o.add(node{kind: kType, n: tString}))
	used := slices.Clone(o.explicit)
	for _, m := range o.chosen {
		used = append(used, m.name)
	}
	if len(used) > 0 {
		goal = append(goal, o.add(node{kind: kEnum, values: stringValues(used)}).not())
	}
	// The patterns that the names match anyway come first: what they demand of the value may refute all classes at once.
	var sure, splits []lit
	for _, p := range o.patterns {
		if l := o.add(node{kind: kPattern, text: p}); slices.Contains(goal, l) {
			sure = append(sure, l)
		} else {
			splits = append(splits, l)
		}
	}
	for _, n := range later {
		if l := o.all(n.kids[1:]...); l != litTrue && !slices.Contains(splits, l) {
			splits = append(splits, l)
		}
	}
	for _, l := range sure {
		extra = append(slices.Clip(extra), o.matched(o.nodes[l.node()].text)...)
	}
	if len(sure) > 0 && o.solve(extra, 0).status == unsat { // at place 0 no name is free: it is refuted everywhere
		return
	}
	o.classes(goal, extra, splits, use)
}

// matched is what a value must satisfy whose name matches a pattern.
func (o *objectGoal) matched(pattern string) []lit {
	var lits []lit
	for _, n := range o.props {
		if i := slices.Index(n.patterns, pattern); i >= 0 {
			lits = append(lits, n.kids[len(n.names)+i])
		}
	}
	return lits
}

func (o *objectGoal) classes(goal, extra, splits []lit, use func(name string) bool) bool {
	if len(splits) > 0 {
		if !o.spend(1) {
			o.giveUp(reasonSteps)
			o.unsure = true
			return false
		}
		if o.solve(goal, 0).status == unsat {
			return false
		}
		goal = slices.Clip(goal)
		split, rest := splits[0], splits[1:]
		if o.classes(append(goal, split.not()), extra, rest, use) {
			return true
		}
		if n := &o.nodes[split.node()]; n.kind == kPattern {
			if more := o.matched(n.text); len(more) > 0 {
				if extra = append(slices.Clip(extra), more...); o.solve(extra, 0).status == unsat {
					return false
				}
			}
		}
		return o.classes(append(goal, split), extra, rest, use)
	}
	if name, ok := o.readable(goal); ok {
		return use(name)
	}
	r := o.solve(goal, 0)
	switch r.status {
	case sat:
		return use(r.value.(string))
	case unknown:
		o.unsure = true
	}
	return false
}

var plainNames = []string{"extra", "key", "name", "x"}

// readable tries plain words for a name.
func (o *objectGoal) readable(goal []lit) (string, bool) {
	unsure := o.unsure
	defer func() { o.unsure = unsure }()
	for i := range 4 + len(o.chosen) {
		name := "extra" + strconv.Itoa(i)
		if i < len(plainNames) {
			name = plainNames[i]
		}
		if o.nameFits(name, goal) {
			return name, true
		}
	}
	return "", false
}
