package subschema

import (
	"slices"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// Unions with a discriminator, and chains of if and then over one, become clauses that have little to do with one another
// unless the discriminator is known: of n branches, some 2^n combinations of "not this one" would be walked. With its value
// known each of them collapses by propagation. So, where clauses ask for constants of one member, the values of that
// member are split first: one alternative for each constant, one for all other values, and one for its absence.

// A constTest is a member of which some literal asks whether it is one of a few values.
type constTest struct {
	name   string
	values []any
}

// A tally gathers the tests of one member.
type tally struct {
	clauses, last int
	values        []any
	seen          map[string]bool
}

// take adds a test that stands in the clause i.
func (t *tally) take(test constTest, i, most int) {
	if t.last != i {
		t.clauses, t.last = t.clauses+1, i
	}
	for _, v := range test.values {
		if len(t.values) > most {
			return
		}
		if key := string(canonjson.Append(nil, v)); !t.seen[key] {
			t.seen[key] = true
			t.values = append(t.values, v)
		}
	}
}

const (
	maxTests     = 256    // tests that are listed for one node
	minConstants = 4      // below, the clauses are split one by one
	maxFanOut    = 40_000 // alternatives times clauses
)

// discriminate returns a clause that always holds and splits the values of a discriminator, or nil. Its member is noted, so
// that it is split once.
func (s *search) discriminate(st *state) clause {
	if st.t != tObject || len(st.clauses) < 2 {
		return nil
	}
	size := 0
	for _, c := range st.clauses {
		for _, alt := range c {
			size += len(alt)
		}
	}
	if s.spend(size / 64); size > maxFanOut {
		return nil
	}
	found := map[string]*tally{}
	for i, c := range st.clauses {
		for _, alt := range c {
			for _, l := range alt {
				for _, test := range s.constTests(l.node()) {
					t := found[test.name]
					if t == nil {
						t = &tally{last: -1, seen: map[string]bool{}}
						found[test.name] = t
					}
					t.take(test, i, maxFanOut/len(st.clauses))
				}
			}
		}
	}
	best, name := 0, ""
	for n, t := range found { // the most clauses; of equals the first by name
		switch {
		case len(t.values) < minConstants, 2*t.clauses < len(st.clauses), len(t.values)*len(st.clauses) > maxFanOut, slices.Contains(st.split, n):
		case t.clauses > best || t.clauses == best && n < name:
			best, name = t.clauses, n
		}
	}
	if best == 0 {
		return nil
	}
	st.split = append(slices.Clip(st.split), name)
	return s.valuesClause(name, sortValues(found[name].values))
}

func (s *search) valuesClause(name string, values []any) clause {
	has := s.add(node{kind: kHas, text: name})
	var c clause
	for _, v := range values {
		c = append(c, []lit{has, s.member(name, s.add(node{kind: kEnum, values: []any{v}}))})
	}
	return append(c, []lit{has.not()}, []lit{has, s.member(name, s.add(node{kind: kEnum, values: values}).not())})
}

// constTests lists the tests of constants in a node, whatever its sign, that speak of members of the value at hand.
func (s *search) constTests(id int32) []constTest {
	if tests, ok := s.tests[id]; ok {
		return tests
	}
	if s.tests == nil {
		s.tests = map[int32][]constTest{}
	}
	s.tests[id] = nil // for references that lead back
	var tests []constTest
	n := s.nodes[id]
	switch n.kind {
	case kAll, kOne:
		for _, k := range n.kids {
			if tests = append(tests, s.constTests(k.node())...); len(tests) > maxTests {
				tests = tests[:maxTests]
				break
			}
		}
	case kProps:
		for i, name := range n.names {
			for _, part := range s.conjuncts(n.kids[i]) {
				if e := &s.nodes[part.node()]; e.kind == kEnum && len(tests) < maxTests {
					tests = append(tests, constTest{name, e.values})
				}
			}
		}
	}
	s.spend(1)
	s.tests[id] = tests
	return tests
}
