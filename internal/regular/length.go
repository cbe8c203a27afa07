package regular

import "slices"

// EmptyWithin reports whether l has no string of minLen to maxLen code points; maxLen < 0 means no upper bound. It is
// exact; the error is ErrTooLarge.
func EmptyWithin(l *Language, minLen, maxLen int, b *Budget) (bool, error) {
	b = b.orDefault()
	if maxLen < 0 {
		maxLen = maxInt
	}
	if l.pieces == nil {
		for _, w := range l.words {
			if n := len([]rune(w)); n >= minLen && n <= maxLen {
				return false, nil
			}
		}
		return true, nil
	}
	for i, p := range l.pieces {
		lo, hi := max(p.from, minLen), min(l.end(i), maxLen)
		if lo > hi || p.d == dfaNone {
			continue
		}
		if p.d == dfaAll {
			return false, nil
		}
		empty, err := newWalk(&p.d.table, b).empty(lo, hi)
		if err != nil || !empty {
			return false, err
		}
	}
	return true, nil
}

// A bitset is a set of states.
type bitset []uint64

func (s bitset) has(i int32) bool { return s[i>>6]>>(i&63)&1 != 0 }
func (s bitset) add(i int32)      { s[i>>6] |= 1 << (i & 63) }

func (s bitset) zero() bool {
	for _, w := range s {
		if w != 0 {
			return false
		}
	}
	return true
}

// A walk is the graph of an automaton without its letters, cut down to the states from which something is accepted.
type walk struct {
	n     int
	words int
	succ  [][]int32 // useful successors of useful states
	final bitset
	start bool // the start is useful
	b     *Budget
}

func newWalk(t *table, b *Budget) *walk {
	n := len(t.accept)
	w := &walk{n: n, words: (n + 63) / 64, succ: make([][]int32, n), b: b}
	w.final = make(bitset, w.words)
	pred := make([][]int32, n)
	for q := range n {
		row := slices.Clone(t.row(int32(q)))
		slices.Sort(row)
		w.succ[q] = slices.Compact(row)
		for _, r := range w.succ[q] {
			pred[r] = append(pred[r], int32(q))
		}
		if t.accept[q] {
			w.final.add(int32(q))
		}
	}
	useful := make([]bool, n)
	var stack []int32
	for q := range n {
		if t.accept[q] {
			useful[q] = true
			stack = append(stack, int32(q))
		}
	}
	for len(stack) > 0 {
		q := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, p := range pred[q] {
			if !useful[p] {
				useful[p] = true
				stack = append(stack, p)
			}
		}
	}
	for q := range n {
		if !useful[q] {
			w.succ[q] = nil
			continue
		}
		w.succ[q] = slices.DeleteFunc(w.succ[q], func(r int32) bool { return !useful[r] })
	}
	w.start = useful[0]
	return w
}

// step returns the states one character on. It charges what it touches and reports false when the budget is used up.
func (w *walk) step(s bitset) (bitset, bool) {
	out := make(bitset, w.words)
	touched := w.words
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			q := i<<6 | trailing(word)
			touched += len(w.succ[q])
			for _, r := range w.succ[q] {
				out.add(r)
			}
		}
	}
	return out, w.b.spend(touched)
}

func (w *walk) accepts(s bitset) bool {
	for i := range s {
		if s[i]&w.final[i] != 0 {
			return true
		}
	}
	return false
}

// empty reports that no accepting state is reached in lo to hi steps. All states are useful, so a set that is not empty
// leads to an accepting state in less than n steps.
func (w *walk) empty(lo, hi int) (bool, error) {
	if !w.start {
		return true, nil
	}
	s, err := w.after(lo)
	if err != nil {
		return false, err
	}
	left := hi - lo
	for i := 0; !s.zero(); i++ {
		if w.accepts(s) {
			return false, nil
		}
		if i >= left {
			return true, nil
		}
		var ok bool
		if s, ok = w.step(s); !ok {
			return false, ErrTooLarge
		}
	}
	return true, nil
}

// walkLimit is the number of sets that are walked before the matrix is squared instead, where that is affordable.
const walkLimit = 4096

// after returns the states that are reached by exactly k steps. The sequence of sets is ultimately periodic: Brent's
// method finds the period, and k is then reduced by it.
func (w *walk) after(k int) (bitset, error) {
	s := make(bitset, w.words)
	s.add(0)
	saved, power, period := s, 1, 0
	for i := 0; i < k; i++ {
		if i >= walkLimit && w.n <= 512 {
			return w.jump(s, k-i)
		}
		var ok bool
		if s, ok = w.step(s); !ok {
			return nil, ErrTooLarge
		}
		period++
		if s.zero() {
			return s, nil
		}
		if slices.Equal(s, saved) {
			for range (k - i - 1) % period {
				if s, ok = w.step(s); !ok {
					return nil, ErrTooLarge
				}
			}
			return s, nil
		}
		if period == power {
			saved, power, period = s, power*2, 0
		}
	}
	return s, nil
}

// jump advances s by k steps with the binary powers of the reachability matrix.
func (w *walk) jump(s bitset, k int) (bitset, error) {
	m := make([]bitset, w.n)
	for q := range m {
		m[q] = make(bitset, w.words)
		for _, r := range w.succ[q] {
			m[q].add(r)
		}
	}
	apply := func(m []bitset, s bitset) bitset {
		out := make(bitset, w.words)
		for i, word := range s {
			for ; word != 0; word &= word - 1 {
				for j, v := range m[i<<6|trailing(word)] {
					out[j] |= v
				}
			}
		}
		return out
	}
	for ; k > 0; k >>= 1 {
		if !w.b.spend(w.n * w.words * 8) {
			return nil, ErrTooLarge
		}
		if k&1 == 1 {
			s = apply(m, s)
		}
		square := make([]bitset, w.n)
		for q := range m {
			square[q] = apply(m, m[q])
		}
		m = square
	}
	return s, nil
}
