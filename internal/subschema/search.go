package subschema

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/fusionctl/fusionctl/internal/regular"
)

// A search looks for a value that satisfies a set of literals: a goal. See README.md for the method.
type search struct {
	*graph
	eval      evaluator
	patterns  *matcher
	steps     int // used
	limit     int
	nodeLimit int
	memory    int    // bytes of keys in memo
	glance    int    // what is left of one look at the state
	looked    int    // looks that no step was spent for yet
	reason    string // why some branch could not be decided; the first one

	memo   map[string]outcome
	frames []frame
	simple [6]map[lit]lit
	places *alignment
	masks  map[lit]int
	kids   map[memberKey][]lit
	langs  map[string]*regular.Language
	tests  map[int32][]constTest

	weights map[weightKey]weighed
	erased  *erased // of the producer
}

type status uint8

const (
	unsat status = iota
	sat
	unknown
)

type outcome struct {
	status status
	value  any
	low    int // of a remembered refutation: the lowest open goal it rests on, noFrame when on none
}

// A frame is a goal under way. A goal that contains an open one yields no smallest value on that path: a value for it
// would hold a smaller value for the open goal. Such a refutation rests on the open goal and is remembered only as long
// as that stays open, or for good when it ends refuted without resting on another.
type frame struct {
	goal        []lit
	place       int32
	low         int // the lowest frame that a refutation inside rested on
	provisional []string
}

const noFrame = math.MaxInt

const (
	reasonSteps  = "the step budget is used up"
	reasonDepth  = "the schemas nest deeper than the search goes"
	reasonSize   = "a counter-example would need more parts than the search builds"
	maxDepth     = 400
	maxMemo      = 12 << 20 // bytes of keys that are remembered
	maxNodes     = 100_000  // nodes that the search may add to those of the schemas
	maxMembers   = 400
	maxPositions = 400
)

func (s *search) giveUp(reason string) outcome {
	if s.reason == "" {
		s.reason = reason
	}
	return outcome{status: unknown}
}

// spend takes steps and reports whether any are left.
func (s *search) spend(n int) bool {
	s.steps += n
	if len(s.nodes) > s.nodeLimit {
		s.steps = s.limit + 1
	}
	return s.steps <= s.limit
}

// goalKey writes the key of a sorted goal.
func goalKey(goal []lit, place int32) string {
	b := make([]byte, 0, 4*len(goal)+4)
	b = binary.AppendUvarint(b, uint64(place))
	for _, l := range goal {
		b = binary.AppendUvarint(b, uint64(l))
	}
	return string(b)
}

// flatten spells out conjunctions and sorts; false when literals contradict each other outright.
func (s *search) flatten(lits []lit) ([]lit, bool) {
	out := make([]lit, 0, len(lits)+8)
	for _, l := range lits {
		out = s.spread(l, out)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	for i, l := range out {
		if l == litFalse || i > 0 && out[i-1] == l.not() {
			return nil, false
		}
	}
	if len(out) > 0 && out[0] == litTrue {
		out = out[1:]
	}
	return out, true
}

func (s *search) spread(l lit, to []lit) []lit {
	if n := &s.nodes[l.node()]; n.kind == kAll && !l.negated() {
		for _, k := range n.kids {
			to = s.spread(k, to)
		}
		return to
	}
	return append(to, l)
}

// solve looks for a value of the goal at a place of the alignment.
func (s *search) solve(lits []lit, place int32) outcome {
	if !s.spend(1) {
		return s.giveUp(reasonSteps)
	}
	goal, ok := s.flatten(lits)
	if !ok {
		return outcome{status: unsat}
	}
	s.spend(len(goal) / 32)
	key := goalKey(goal, place)
	if o, ok := s.memo[key]; ok {
		if o.low != noFrame {
			s.rest(o.low)
		}
		return o
	}
	for i := range s.frames {
		if f := &s.frames[i]; f.place == place && subset(f.goal, goal) {
			s.rest(i)
			return outcome{status: unsat}
		}
	}
	if len(s.frames) >= maxDepth {
		return s.giveUp(reasonDepth)
	}
	s.frames = append(s.frames, frame{goal: goal, place: place, low: noFrame})
	o := s.split(goal, place)
	s.close(key, o)
	return o
}

// rest notes that the innermost goal rests on the open frame i.
func (s *search) rest(i int) {
	if len(s.frames) > 0 {
		f := &s.frames[len(s.frames)-1]
		f.low = min(f.low, i)
	}
}

// close ends the innermost frame and remembers its outcome as far as that is safe.
func (s *search) close(key string, o outcome) {
	depth := len(s.frames) - 1
	f := s.frames[depth]
	s.frames = s.frames[:depth]
	o.low = noFrame
	s.memory += len(key) + 48
	room := s.memory <= maxMemo // without it a goal is solved again when it is met again
	switch {
	case o.status == sat:
		s.forget(f.provisional)
	case o.status == unknown:
		s.forget(f.provisional)
		room = room && f.low >= depth
	case f.low >= depth: // all that rested on this goal is refuted with it
		s.rebase(f.provisional, noFrame)
	default:
		o.low = f.low
		s.rebase(f.provisional, f.low)
		under := &s.frames[f.low]
		under.provisional = append(under.provisional, f.provisional...)
		if room {
			under.provisional = append(under.provisional, key)
		}
		s.rest(f.low)
	}
	if room {
		s.memo[key] = o
	}
}

// rebase says on which open goal remembered refutations rest from now on.
func (s *search) rebase(keys []string, low int) {
	for _, k := range keys {
		if o, ok := s.memo[k]; ok {
			o.low = low
			s.memo[k] = o
		}
	}
}

func (s *search) forget(keys []string) {
	for _, k := range keys {
		delete(s.memo, k)
	}
}

// subset reports whether all of a are in b; both are sorted.
func subset(a, b []lit) bool {
	if len(a) > len(b) {
		return false
	}
	i := 0
	for _, l := range a {
		for i < len(b) && b[i] < l {
			i++
		}
		if i == len(b) || b[i] != l {
			return false
		}
	}
	return true
}

// typeOrder lists the types, the ones with the plainest values first.
var typeOrder = [...]int{tNumber, tString, tBoolean, tNull, tArray, tObject}

// split tries the types that the goal allows.
func (s *search) split(goal []lit, place int32) outcome {
	mask := anyType
	for _, l := range goal {
		mask &= s.mask(l)
	}
	result := outcome{status: unsat}
	for _, t := range typeOrder {
		if mask&t == 0 {
			continue
		}
		st := &state{t: t, place: place}
		ok := true
		for _, l := range goal {
			if ok = s.assert(st, l); !ok {
				break
			}
		}
		if !ok {
			continue
		}
		o := s.decide(st)
		if o.status == sat {
			return o
		}
		if o.status == unknown {
			result = o
		}
	}
	return result
}

// mask returns the types that l allows, roughly: none is left out wrongly.
func (s *search) mask(l lit) int {
	n := &s.nodes[l.node()]
	switch n.kind {
	case kTrue:
		if l.negated() {
			return 0
		}
		return anyType
	case kType:
		return typeMask(n, l)
	case kAll, kOne, kEnum:
	default:
		if g := guard(n.kind); g != 0 && l.negated() {
			return g
		}
		return anyType
	}
	if m, ok := s.masks[l]; ok {
		return m
	}
	m := anyType
	switch {
	case n.kind == kEnum && !l.negated():
		m = 0
		for _, v := range n.values {
			m |= typeOf(v)
		}
	case n.kind == kEnum && len(n.values) == 2 && n.values[0] == false && n.values[1] == true:
		m = anyType &^ tBoolean
	case n.kind == kAll && !l.negated():
		for _, k := range n.kids {
			m &= s.mask(k)
		}
	case n.kind == kAll:
		m = 0
		for _, k := range n.kids {
			m |= s.mask(k.not())
		}
	case n.kind == kOne && !l.negated():
		m = 0
		for _, k := range n.kids {
			m |= s.mask(k)
		}
	}
	s.masks[l] = m
	return m
}

// at simplifies a literal for values of type t.
func (s *search) at(l lit, t int) lit {
	n := &s.nodes[l.node()]
	sign := l & 1
	switch n.kind {
	case kTrue, kUnknown:
		return l
	case kType:
		if n.n&t != 0 {
			return litTrue ^ sign
		}
		return litFalse ^ sign
	case kAll, kOne, kEnum:
	default:
		if guard(n.kind) != t {
			return litTrue ^ sign
		}
		return l
	}
	i := bits.TrailingZeros(uint(t))
	base := l &^ 1
	if r, ok := s.simple[i][base]; ok {
		return r ^ sign
	}
	r := base
	switch n.kind {
	case kEnum:
		r = s.enumAt(n, base, t)
	default:
		kids := make([]lit, len(n.kids))
		same := true
		for j, k := range n.kids {
			kids[j] = s.at(k, t)
			same = same && kids[j] == k
		}
		if !same {
			if s.nodes[base.node()].kind == kAll {
				r = s.all(kids...)
			} else {
				r = s.one(kids...)
			}
		}
	}
	if s.simple[i] == nil {
		s.simple[i] = map[lit]lit{}
	}
	s.simple[i][base] = r
	return r ^ sign
}

func (s *search) enumAt(n *node, l lit, t int) lit {
	var values []any
	for _, v := range n.values {
		if typeOf(v) == t {
			values = append(values, v)
		}
	}
	switch {
	case len(values) == len(n.values) && t != tBoolean:
		return l
	case len(values) == 0:
		return litFalse
	case t == tNull || t == tBoolean && len(values) == 2:
		return litTrue
	}
	return s.add(node{kind: kEnum, values: values})
}
