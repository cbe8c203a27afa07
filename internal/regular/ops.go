package regular

import (
	"slices"
	"unicode/utf8"
)

// Intersect returns the strings of both.
func Intersect(a, b *Language, budget *Budget) (*Language, error) {
	switch {
	case a == all || b == none:
		return b, nil
	case b == all || a == none:
		return a, nil
	case a.pieces == nil:
		return a.filter(b, true, budget)
	case b.pieces == nil:
		return b.filter(a, true, budget)
	}
	return combine(a, b, func(x, y bool) bool { return x && y }, budget)
}

// Union returns the strings of either.
func Union(a, b *Language, budget *Budget) (*Language, error) {
	switch {
	case a == none || b == all:
		return b, nil
	case b == none || a == all:
		return a, nil
	case a.pieces == nil && b.pieces == nil:
		return Words(slices.Concat(a.words, b.words)...), nil
	}
	return combine(a, b, func(x, y bool) bool { return x || y }, budget)
}

// Minus returns the strings of a that are not in b.
func Minus(a, b *Language, budget *Budget) (*Language, error) {
	switch {
	case b == none || a == none:
		return a, nil
	case b == all:
		return none, nil
	case a.pieces == nil:
		return a.filter(b, false, budget)
	}
	return combine(a, b, func(x, y bool) bool { return x && !y }, budget)
}

// Complement returns all other strings.
func Complement(a *Language, budget *Budget) (*Language, error) {
	a, err := a.expanded(budget.orDefault())
	if err != nil {
		return nil, err
	}
	pieces := make([]piece, len(a.pieces))
	for i, p := range a.pieces {
		pieces[i] = piece{p.from, p.d.complement()}
	}
	return fromPieces(pieces), nil
}

// Subset reports whether every string of a is in b.
func Subset(a, b *Language, budget *Budget) (bool, error) {
	if a == b || a == none || b == all {
		return true, nil
	}
	budget = budget.orDefault()
	rest, err := Minus(a, b, budget)
	if err != nil {
		return false, err
	}
	return EmptyWithin(rest, 0, -1, budget)
}

// Equal reports whether both have the same strings.
func Equal(a, b *Language, budget *Budget) (bool, error) {
	if a == b || a.pieces != nil && b.pieces != nil && len(a.pieces) == 1 && len(b.pieces) == 1 {
		return a == b || a.pieces[0].d.equal(b.pieces[0].d), nil // canonical forms
	}
	budget = budget.orDefault()
	if ok, err := Subset(a, b, budget); !ok || err != nil {
		return false, err
	}
	return Subset(b, a, budget)
}

// filter keeps the words of a that are in b, or those that are not.
func (a *Language) filter(b *Language, in bool, budget *Budget) (*Language, error) {
	budget = budget.orDefault()
	var kept []string
	for _, w := range a.words {
		if !budget.spend(1 + len(w)) {
			return nil, ErrTooLarge
		}
		if b.Match(w) == in {
			kept = append(kept, w)
		}
	}
	if len(kept) == 0 {
		return none, nil
	}
	return &Language{words: kept}, nil
}

// combine joins two languages interval by interval.
func combine(a, b *Language, op func(x, y bool) bool, budget *Budget) (*Language, error) {
	budget = budget.orDefault()
	a, err := a.expanded(budget)
	if err != nil {
		return nil, err
	}
	if b, err = b.expanded(budget); err != nil {
		return nil, err
	}
	var pieces []piece
	for i, j := 0, 0; i < len(a.pieces) && j < len(b.pieces); {
		d, err := product(a.pieces[i].d, b.pieces[j].d, op, budget)
		if err != nil {
			return nil, err
		}
		pieces = append(pieces, piece{max(a.pieces[i].from, b.pieces[j].from), d})
		endA, endB := a.end(i), b.end(j)
		if endA <= endB {
			i++
		}
		if endB <= endA {
			j++
		}
	}
	return fromPieces(pieces), nil
}

// fate returns 1 for a universal, 0 for a dead and -1 for any other state.
func (t *table) fate(q int32) int8 {
	switch {
	case !t.sink(q):
		return -1
	case t.accept[q]:
		return 1
	}
	return 0
}

// absorbs reports that op has one value for all pairs in which the left (or right) side stays at fate.
func absorbs(op func(x, y bool) bool, fate int8, left bool) bool {
	if fate < 0 {
		return false
	}
	if left {
		return op(fate == 1, false) == op(fate == 1, true)
	}
	return op(false, fate == 1) == op(true, fate == 1)
}

// product runs both automata side by side.
func product(a, b *dfa, op func(x, y bool) bool, budget *Budget) (*dfa, error) {
	joint, ofA, ofB := joinAlphabets(a.alpha, b.alpha)
	if !budget.spend(len(joint.starts) + a.states() + b.states()) {
		return nil, ErrTooLarge
	}
	t := &table{k: joint.n}
	index := map[[2]int32]int32{}
	var pairs [][2]int32
	state := func(p, q int32) int32 {
		// Once one side settles the answer for good, the other no longer matters: all such pairs are one state.
		if absorbs(op, a.fate(p), true) {
			q = -1
		} else if absorbs(op, b.fate(q), false) {
			p = -1
		}
		pair := [2]int32{p, q}
		n, ok := index[pair]
		if !ok {
			n = int32(len(pairs))
			index[pair] = n
			pairs = append(pairs, pair)
			x, y := p >= 0 && a.accept[max(p, 0)], q >= 0 && b.accept[max(q, 0)]
			t.accept = append(t.accept, op(x, y))
		}
		return n
	}
	state(0, 0)
	for i := 0; i < len(pairs); i++ {
		if !budget.spend(1 + t.k) {
			return nil, ErrTooLarge
		}
		p, q := pairs[i][0], pairs[i][1]
		for c := range t.k {
			if p < 0 || q < 0 {
				t.next = append(t.next, int32(i))
				continue
			}
			t.next = append(t.next, state(a.row(p)[ofA[c]], b.row(q)[ofB[c]]))
		}
	}
	return newDFA(t, joint), nil
}

// expanded returns the language as pieces; for a list of words that is a tree of prefixes.
func (l *Language) expanded(budget *Budget) (*Language, error) {
	if l.pieces != nil {
		return l, nil
	}
	var sets []charset
	seen := map[rune]bool{}
	for _, w := range l.words {
		for _, r := range w {
			if !seen[r] {
				seen[r] = true
				sets = append(sets, charset{{r, r}})
			}
		}
	}
	if !budget.spend(len(sets) * 8) {
		return nil, ErrTooLarge
	}
	alpha := newAlphabet(sets)
	t := &table{k: alpha.n}
	add := func() (int32, bool) {
		if !budget.spend(1 + t.k) {
			return 0, false
		}
		t.next = append(t.next, make([]int32, t.k)...)
		t.accept = append(t.accept, false)
		n := int32(len(t.accept) - 1)
		for c := range t.k {
			t.row(n)[c] = 1 // the dead end
		}
		return n, true
	}
	add()
	if _, ok := add(); !ok {
		return nil, ErrTooLarge
	}
	for _, w := range l.words {
		q := int32(0)
		if !budget.spend(utf8.RuneCountInString(w)) {
			return nil, ErrTooLarge
		}
		for _, r := range w {
			c := alpha.of(r)
			if t.row(q)[c] == 1 {
				n, ok := add()
				if !ok {
					return nil, ErrTooLarge
				}
				t.row(q)[c] = n
			}
			q = t.row(q)[c]
		}
		t.accept[q] = true
	}
	return fromPieces([]piece{{0, newDFA(t, alpha)}}), nil
}
