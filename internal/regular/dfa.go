package regular

import "slices"

// A table is a complete deterministic automaton over numbered classes. State 0 is the start.
type table struct {
	k      int     // classes
	next   []int32 // state*k + class
	accept []bool
}

func (t *table) row(q int32) []int32 { return t.next[int(q)*t.k : int(q+1)*t.k] }

// sink reports that q can never be left.
func (t *table) sink(q int32) bool {
	for _, r := range t.row(q) {
		if r != q {
			return false
		}
	}
	return true
}

// dead and universal recognise the two sinks that a minimal automaton can have.
func (t *table) dead(q int32) bool      { return !t.accept[q] && t.sink(q) }
func (t *table) universal(q int32) bool { return t.accept[q] && t.sink(q) }

func (t *table) complement() *table {
	accept := make([]bool, len(t.accept))
	for i, a := range t.accept {
		accept[i] = !a
	}
	return &table{t.k, t.next, accept}
}

// A dfa is a minimal table with the coarsest alphabet, states in breadth-first order: equal languages are equal structs.
type dfa struct {
	table
	alpha *alphabet
}

var (
	dfaNone = &dfa{table{1, []int32{0}, []bool{false}}, newAlphabet(nil)}
	dfaAll  = &dfa{table{1, []int32{0}, []bool{true}}, dfaNone.alpha}
)

func (d *dfa) states() int { return len(d.accept) }

func (d *dfa) match(s string) bool {
	q := int32(0)
	for _, r := range s {
		q = d.next[int(q)*d.k+int(d.alpha.of(r))]
	}
	return d.accept[q]
}

func (d *dfa) equal(e *dfa) bool {
	return d == e || slices.Equal(d.accept, e.accept) && slices.Equal(d.next, e.next) && d.alpha.equal(e.alpha)
}

func (d *dfa) complement() *dfa {
	switch d {
	case dfaAll:
		return dfaNone
	case dfaNone:
		return dfaAll
	}
	return &dfa{*d.table.complement(), d.alpha}
}

// newDFA brings a complete table of reachable states into the canonical form.
func newDFA(t *table, a *alphabet) *dfa {
	t = minimal(t)
	if len(t.accept) == 1 {
		if t.accept[0] {
			return dfaAll
		}
		return dfaNone
	}
	to := equalColumns(t)
	merged, old := a.merged(to, t.k)
	next := make([]int32, 0, len(t.accept)*merged.n)
	for q := range t.accept {
		row := t.row(int32(q))
		for _, c := range old {
			next = append(next, row[c])
		}
	}
	return &dfa{table{merged.n, next, t.accept}, merged}
}

// equalColumns maps each class to the first class on which all states do the same.
func equalColumns(t *table) []int32 {
	to := make([]int32, t.k)
	first := make(map[uint64][]int32, t.k)
	for c := range t.k {
		hash := uint64(14695981039346656037)
		for q := c; q < len(t.next); q += t.k {
			hash = (hash ^ uint64(t.next[q])) * 1099511628211
		}
		to[c] = int32(c)
		for _, d := range first[hash] {
			if sameColumn(t, c, int(d)) {
				to[c] = d
				break
			}
		}
		if to[c] == int32(c) {
			first[hash] = append(first[hash], int32(c))
		}
	}
	return to
}

func sameColumn(t *table, c, d int) bool {
	for i := 0; i < len(t.next); i += t.k {
		if t.next[i+c] != t.next[i+d] {
			return false
		}
	}
	return true
}
