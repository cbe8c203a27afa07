package subschema

import (
	"fmt"
	"math"
	"slices"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// An arrayGoal is the demand on one array when every clause is settled. Positions from k on are alike, so that an array is
// built item by item; what counts about the items so far is how often each counted literal was met.
type arrayGoal struct {
	*search
	st       *state
	items    []*node
	counters []counter
	lo, hi   int
	k        int // positions from here on are alike
	unique   bool
	double   bool

	chosen []item
	twin   [2]int         // with double: the two positions that hold the same value
	seen   map[string]int // states met, with the least length; with unique only those under way
	unsure bool
}

// A counter bounds how many items satisfy a literal.
type counter struct {
	l        lit
	min, max int // max < 0: none
	from     int // positions before it do not count
	have     int
}

type item struct {
	goal  []lit
	place int32
	added []int // counters that it was counted for
}

func (s *search) array(st *state) outcome {
	a := &arrayGoal{search: s, st: st, hi: math.MaxInt}
	for _, l := range st.atoms {
		a.take(l, &s.nodes[l.node()])
	}
	if a.lo > a.hi {
		return outcome{status: unsat}
	}
	a.k = s.places.prefix(st.place)
	for _, n := range a.items {
		a.k = max(a.k, len(n.kids)-1)
	}
	for _, c := range a.counters {
		a.k = max(a.k, c.from)
		if c.max >= 0 && c.min > c.max {
			return outcome{status: unsat}
		}
	}
	if a.unique && a.lo > 64 {
		return a.manyDifferent()
	}
	if !a.double {
		return a.attempt(a.lo)
	}
	return a.twins()
}

// attempt runs the search for arrays of at least lo items.
func (a *arrayGoal) attempt(lo int) outcome {
	a.lo, a.chosen, a.seen, a.unsure = lo, nil, map[string]int{}, false
	o := a.extend()
	if o.status == unsat && a.unsure {
		return outcome{status: unknown}
	}
	return o
}

// twins looks for an array with two equal items. Positions from k on being alike, the pairs up to k+1 are enough.
func (a *arrayGoal) twins() outcome {
	lo := a.lo
	result := outcome{status: unsat}
	for j := 1; j <= a.k+1 && j < a.hi; j++ {
		for i := range j {
			a.twin = [2]int{i, j}
			o := a.attempt(max(lo, j+1))
			if o.status == sat {
				return o
			}
			if o.status == unknown {
				result = o
			}
			if !a.spend(1) {
				return a.giveUp(reasonSteps)
			}
		}
	}
	return result
}

func (a *arrayGoal) take(l lit, n *node) {
	neg := l.negated()
	switch n.kind {
	case kItems:
		if !neg {
			a.items = append(a.items, n)
		}
	case kMinItems:
		if neg {
			a.hi = min(a.hi, n.n-1)
		} else {
			a.lo = max(a.lo, n.n)
		}
	case kMaxItems:
		if neg {
			a.lo = max(a.lo, n.n+1)
		} else {
			a.hi = min(a.hi, n.n)
		}
	case kCountMin:
		if neg {
			a.count(n.kids[0], 0, n.n-1)
		} else {
			a.count(n.kids[0], n.n, -1)
		}
	case kCountMax:
		if neg {
			a.count(n.kids[0], n.n+1, -1)
		} else {
			a.count(n.kids[0], 0, n.n)
		}
	case kSomeItem:
		a.counters = append(a.counters, counter{l: n.kids[0], min: 1, max: -1, from: n.n})
	case kUnique:
		a.unique, a.double = a.unique || !neg, a.double || neg
	}
}

func (a *arrayGoal) count(l lit, least, most int) {
	for i := range a.counters {
		if c := &a.counters[i]; c.l == l && c.from == 0 {
			c.min = max(c.min, least)
			if most >= 0 && (c.max < 0 || most < c.max) {
				c.max = most
			}
			return
		}
	}
	a.counters = append(a.counters, counter{l: l, min: least, max: most})
}

// goalAt is what the kItems nodes demand at position i.
func (a *arrayGoal) goalAt(i int) []lit {
	var goal []lit
	for _, n := range a.items {
		goal = append(goal, itemKid(n, i))
	}
	return goal
}

func (a *arrayGoal) met() bool {
	return !slices.ContainsFunc(a.counters, func(c counter) bool { return c.have < c.min })
}

// key describes what the rest of the search depends on.
func (a *arrayGoal) key(i int) string {
	have := make([]int, len(a.counters))
	for j, c := range a.counters {
		have[j] = c.have
		if c.max < 0 {
			have[j] = min(c.have, c.min)
		}
	}
	left := max(a.lo-i, 0)
	if a.double && i > a.twin[0] && i <= a.twin[1] {
		return fmt.Sprint(min(i, a.k), have, left, i, a.chosen[a.twin[0]].added)
	}
	return fmt.Sprint(min(i, a.k), have, left)
}

// extend adds items until all demands are met.
func (a *arrayGoal) extend() outcome {
	if !a.spend(1) {
		return a.giveUp(reasonSteps)
	}
	i := len(a.chosen)
	if i >= a.lo && a.met() {
		return a.finish()
	}
	if i >= a.hi {
		return outcome{status: unsat}
	}
	if i >= maxPositions {
		return a.giveUp(reasonSize)
	}
	// A state met before at no greater length gives nothing new: what comes after it was tried, or is being tried,
	// and from position k on the items between may be left out.
	key := a.key(i)
	if at, met := a.seen[key]; met && at <= i {
		return outcome{status: unsat}
	}
	a.seen[key] = i
	if a.unique {
		defer delete(a.seen, key)
	}
	var o outcome
	if a.double && i == a.twin[1] {
		o = a.repeat(a.chosen[a.twin[0]])
	} else {
		goal := a.goalAt(i)
		if a.double && i == a.twin[0] {
			goal = append(goal, a.goalAt(a.twin[1])...)
		}
		o = a.classify(goal, nil, 0)
	}
	return o
}

// repeat puts the first twin's goal, and so its value, at the second position.
func (a *arrayGoal) repeat(first item) outcome {
	it := item{goal: first.goal, place: first.place}
	for j := range a.counters {
		c := &a.counters[j]
		if !slices.Contains(first.added, j) {
			continue
		}
		if c.from > a.twin[1] {
			continue
		}
		it.added = append(it.added, j)
	}
	return a.push(it)
}

// push takes an item, goes on, and takes it back.
func (a *arrayGoal) push(it item) outcome {
	ok := true
	for _, j := range it.added {
		c := &a.counters[j]
		c.have++
		ok = ok && (c.max < 0 || c.have <= c.max)
	}
	o := outcome{status: unsat}
	if ok {
		a.chosen = append(a.chosen, it)
		o = a.extend()
		a.chosen = a.chosen[:len(a.chosen)-1]
	}
	for _, j := range it.added {
		a.counters[j].have--
	}
	return o
}

// classify decides for each counter from j on whether the next item is counted, then solves the item.
func (a *arrayGoal) classify(goal []lit, added []int, j int) outcome {
	i := len(a.chosen)
	if j == len(a.counters) {
		it := item{goal: goal, place: a.places.item(a.st.place, i), added: added}
		o := a.solve(goal, it.place)
		switch o.status {
		case unsat:
			return o
		case unknown:
			a.unsure = true
			return outcome{status: unsat}
		}
		return a.push(it)
	}
	c := a.counters[j]
	counts := c.from <= i
	if a.double && i == a.twin[0] && c.from <= a.twin[1] {
		counts = true
	}
	if !counts || c.max < 0 && c.have >= c.min {
		return a.classify(goal, added, j+1)
	}
	goal, added = slices.Clip(goal), slices.Clip(added)
	yes := func() outcome {
		if c.max >= 0 && c.have >= c.max {
			return outcome{status: unsat}
		}
		return a.classify(append(goal, c.l), append(added, j), j+1)
	}
	no := func() outcome {
		if c.max < 0 {
			return a.classify(goal, added, j+1)
		}
		return a.classify(append(goal, c.l.not()), added, j+1)
	}
	if c.have >= c.min {
		yes, no = no, yes
	}
	first := yes()
	if first.status == sat {
		return first
	}
	second := no()
	if second.status == unsat && first.status == unknown {
		return first
	}
	return second
}

// finish builds the array.
func (a *arrayGoal) finish() outcome {
	if a.unique {
		return a.different()
	}
	value := make([]any, len(a.chosen))
	for i, it := range a.chosen {
		o := a.solve(it.goal, it.place)
		if o.status != sat {
			return o
		}
		value[i] = o.value
	}
	return outcome{status: sat, value: value}
}

// different gives the chosen items different values: one after the other, and if that fails by matching positions with
// as many values of each as there are positions.
func (a *arrayGoal) different() outcome {
	value := make([]any, 0, len(a.chosen))
	for _, it := range a.chosen {
		o := a.otherThan(it, value)
		if o.status != sat {
			break
		}
		value = append(value, o.value)
	}
	if len(value) == len(a.chosen) {
		return outcome{status: sat, value: value}
	}
	lists := make([][]any, len(a.chosen))
	for i, it := range a.chosen {
		for len(lists[i]) < len(a.chosen) {
			o := a.otherThan(it, lists[i])
			if o.status == unknown {
				a.unsure = true
			}
			if o.status != sat {
				break
			}
			lists[i] = append(lists[i], o.value)
		}
	}
	return match(lists)
}

func (a *arrayGoal) otherThan(it item, values []any) outcome {
	goal := slices.Clip(it.goal)
	for _, v := range values {
		goal = append(goal, constant(a.search, v).not())
	}
	return a.light(a.solve(goal, it.place))
}

// match chooses a different value from each list (Kuhn's augmenting paths).
func match(lists [][]any) outcome {
	owner := map[string]int{}
	value := make([]any, len(lists))
	var place func(i int, seen map[string]bool) bool
	place = func(i int, seen map[string]bool) bool {
		for _, v := range lists[i] {
			key := string(canonjson.Append(nil, v))
			if seen[key] {
				continue
			}
			seen[key] = true
			if j, taken := owner[key]; !taken || place(j, seen) {
				owner[key], value[i] = i, v
				return true
			}
		}
		return false
	}
	for i := range lists {
		if !place(i, map[string]bool{}) {
			return outcome{status: unsat}
		}
	}
	return outcome{status: sat, value: value}
}

// manyDifferent answers long arrays of different items without building them, as far as the number of values shows it.
func (a *arrayGoal) manyDifferent() outcome {
	it := item{goal: a.goalAt(a.k), place: a.places.item(a.st.place, a.k)}
	var values []any
	for len(values) < 64 {
		o := a.otherThan(it, values)
		if o.status == unsat && len(values)+a.k < a.lo {
			return o
		}
		if o.status != sat {
			break
		}
		values = append(values, o.value)
	}
	return a.giveUp(reasonSize)
}
