package subschema

import "encoding/json"

// decide finishes a state: it propagates, then splits the values of a discriminator or the cheapest clause, and when no clause is left solves the atoms.
func (s *search) decide(st *state) outcome {
	if !s.spend(1) {
		return s.giveUp(reasonSteps)
	}
	if !s.propagate(st) {
		return outcome{status: unsat}
	}
	if len(st.clauses) == 0 {
		return s.theory(st)
	}
	c := s.discriminate(st)
	if c == nil {
		c = st.shortest()
	}
	result := outcome{status: unsat}
	for _, alt := range c {
		if s.hopeless(st, alt) {
			continue
		}
		next := st.clone()
		if !s.assertAll(next, alt) {
			continue
		}
		o := s.decide(next)
		switch o.status {
		case sat:
			return o
		case unknown:
			result = o
			if s.steps > s.limit {
				return o
			}
		}
	}
	return result
}

// shortest takes the clause with the fewest alternatives out of the state.
func (st *state) shortest() clause {
	best := 0
	for i, c := range st.clauses {
		if len(c) < len(st.clauses[best]) {
			best = i
		}
	}
	c := st.clauses[best]
	st.clauses = append(st.clauses[:best:best], st.clauses[best+1:]...)
	return c
}

func (s *search) assertAll(st *state, alt []lit) bool {
	for _, l := range alt {
		if !s.assert(st, l) {
			return false
		}
	}
	return true
}

// propagate drops alternatives that fail and clauses that hold, and asserts what is left alone; false: no value.
func (s *search) propagate(st *state) bool {
	for changed := true; changed; {
		changed = false
		kept := st.clauses[:0:0]
		pending := st.clauses
		st.clauses = nil
		for i, c := range pending {
			if !s.spend(1) {
				kept = append(kept, pending[i:]...)
				changed = false
				break
			}
			c, done := s.reduce(st, c)
			switch {
			case done:
			case len(c) == 0:
				return false
			case len(c) == 1:
				if !s.assertAll(st, c[0]) {
					return false
				}
				changed = true
			default:
				kept = append(kept, c)
			}
		}
		if len(st.clauses) > 0 {
			changed = true
		}
		st.clauses = append(kept, st.clauses...)
	}
	return true
}

// reduce drops the alternatives that fail; done when one of them holds.
func (s *search) reduce(st *state, c clause) (out clause, done bool) {
	kept := 0
	for i, alt := range c {
		if s.steps > s.limit {
			return c, false // decide gives up next
		}
		switch s.altStatus(st, alt) {
		case holds:
			return nil, true
		case fails:
			if kept == i && out == nil {
				out = append(make(clause, 0, len(c)), c[:i]...)
			}
			continue
		}
		if out != nil {
			out = append(out, alt)
		}
		kept++
	}
	if out == nil {
		return c, false
	}
	return out, false
}

func (s *search) altStatus(st *state, alt []lit) truth {
	result := holds
	for _, l := range alt {
		switch s.status(st, l) {
		case fails:
			return fails
		case open:
			result = open
		}
	}
	return result
}

// hopeless looks one level down: when an alternative demands a member or an item that no value can be, it need not be
// combined with the other clauses.
func (s *search) hopeless(st *state, alt []lit) bool {
	if st.t != tObject {
		return false
	}
	for _, l := range alt {
		n := &s.nodes[l.node()]
		if n.kind != kHas || l.negated() {
			continue
		}
		name := n.text
		goal := s.memberGoal(st, name)
		extra := false
		for _, m := range alt {
			if n := &s.nodes[m.node()]; n.kind == kProps && !m.negated() {
				goal = append(goal, s.memberKids(n, name)...)
				extra = true
			}
		}
		if extra && s.solve(goal, s.places.member(st.place, name)).status == unsat {
			return true
		}
	}
	return false
}

// theory solves a state without clauses.
func (s *search) theory(st *state) outcome {
	for _, a := range st.atoms {
		if n := &s.nodes[a.node()]; n.kind == kUnknown {
			return s.giveUp(n.text)
		}
	}
	switch st.t {
	case tNull:
		return outcome{status: sat}
	case tBoolean:
		return s.boolean(st)
	case tNumber:
		return s.number(st)
	case tString:
		return s.text(st)
	case tArray:
		return s.array(st)
	}
	return s.object(st)
}

func (s *search) boolean(st *state) outcome {
	for _, v := range [...]bool{false, true} {
		if s.allHold(st.atoms, v) {
			return outcome{status: sat, value: v}
		}
	}
	return outcome{status: unsat}
}

// allHold reports whether v satisfies the atoms. Those whose clauses are settled are left out.
func (s *search) allHold(atoms []lit, v any) bool {
	for _, a := range atoms {
		switch s.nodes[a.node()].kind {
		case kAll, kOne:
			continue
		}
		s.eval.failed, s.eval.steps = false, 10000
		if !s.eval.holds(a, v) || s.eval.failed {
			return false
		}
	}
	return true
}

// number solves the atoms of a number.
func (s *search) number(st *state) outcome {
	g := numberGoal{}
	for _, a := range st.atoms {
		n := &s.nodes[a.node()]
		if !g.add(n, a.negated()) && n.kind == kEnum {
			return s.listed(st, n)
		}
	}
	r, found, known := g.solve(s.spend)
	switch {
	case !known:
		return s.giveUp("a number that meets all multipleOf was not found within the limits")
	case !found:
		return outcome{status: unsat}
	}
	v, ok := toNumber(r)
	if !ok {
		return s.giveUp("a number without a finite decimal form")
	}
	return outcome{status: sat, value: v}
}

// listed tries the values of an enumeration.
func (s *search) listed(st *state, n *node) outcome {
	result := outcome{status: unsat}
	for _, v := range n.values {
		if s.allHold(st.atoms, v) {
			return outcome{status: sat, value: v}
		}
		if s.eval.failed {
			result = s.giveUp("a pattern or a format that could not be matched against a value")
		}
	}
	return result
}

// add takes one literal; false for one that lists the only values.
func (g *numberGoal) add(n *node, negated bool) bool {
	switch n.kind {
	case kMin:
		if negated {
			g.atMost(n.num, !n.flag)
		} else {
			g.atLeast(n.num, n.flag)
		}
	case kMax:
		if negated {
			g.atLeast(n.num, !n.flag)
		} else {
			g.atMost(n.num, n.flag)
		}
	case kMultiple:
		switch {
		case negated:
			g.not = append(g.not, n.num)
		case g.step == nil:
			g.step = n.num
		default:
			g.step = lcm(g.step, n.num)
		}
	case kEnum:
		if !negated {
			return false
		}
		for _, v := range n.values {
			if v, ok := v.(json.Number); ok {
				if r, ok := rat(v); ok {
					g.except = append(g.except, r)
				}
			}
		}
	}
	return true
}
