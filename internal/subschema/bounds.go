package subschema

import (
	"math"
	"math/big"
)

// boundStatus judges a bound by the bounds that the state already has: minItems 3 holds where minItems 5 does, and fails
// beside maxItems 2. n is a count or a number bound.
func (s *search) boundStatus(st *state, n *node) truth {
	switch n.kind {
	case kMin, kMax:
		return s.numberStatus(st, n)
	case kMinLength, kMaxLength, kMinItems, kMaxItems, kMinProps, kMaxProps:
	default:
		return open
	}
	low, high := countFamily(n.kind)
	lo, hi := 0, math.MaxInt
	if low == kMinProps {
		lo = len(st.has)
	}
	for _, a := range st.atoms {
		m := &s.nodes[a.node()]
		switch {
		case m.kind == low && !a.negated():
			lo = max(lo, m.n)
		case m.kind == low:
			hi = min(hi, m.n-1)
		case m.kind == high && !a.negated():
			hi = min(hi, m.n)
		case m.kind == high:
			lo = max(lo, m.n+1)
		}
	}
	if n.kind == low {
		switch {
		case lo >= n.n:
			return holds
		case hi < n.n:
			return fails
		}
		return open
	}
	switch {
	case hi <= n.n:
		return holds
	case lo > n.n:
		return fails
	}
	return open
}

func countFamily(k kind) (low, high kind) {
	switch k {
	case kMinLength, kMaxLength:
		return kMinLength, kMaxLength
	case kMinItems, kMaxItems:
		return kMinItems, kMaxItems
	}
	return kMinProps, kMaxProps
}

func (s *search) numberStatus(st *state, n *node) truth {
	g := numberGoal{}
	for _, a := range st.atoms {
		if m := &s.nodes[a.node()]; m.kind == kMin || m.kind == kMax {
			g.add(m, a.negated())
		}
	}
	if n.kind == kMin {
		switch {
		case g.lo != nil && reaches(g.lo, g.loOpen, n.num, n.flag, 1):
			return holds
		case g.hi != nil && misses(g.hi, g.hiOpen, n.num, n.flag, 1):
			return fails
		}
		return open
	}
	switch {
	case g.hi != nil && reaches(g.hi, g.hiOpen, n.num, n.flag, -1):
		return holds
	case g.lo != nil && misses(g.lo, g.loOpen, n.num, n.flag, -1):
		return fails
	}
	return open
}

// reaches reports that all numbers beyond end, in direction dir, are beyond bound.
func reaches(end *big.Rat, endOpen bool, bound *big.Rat, boundOpen bool, dir int) bool {
	c := end.Cmp(bound) * dir
	return c > 0 || c == 0 && (endOpen || !boundOpen)
}

// misses reports that no number up to end, seen in direction dir, is beyond bound.
func misses(end *big.Rat, endOpen bool, bound *big.Rat, boundOpen bool, dir int) bool {
	c := end.Cmp(bound) * dir
	return c < 0 || c == 0 && (endOpen || boundOpen)
}
