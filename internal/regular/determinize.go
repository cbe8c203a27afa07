package regular

import (
	"encoding/binary"
	"slices"
)

// What stands before a position.
const (
	atStart uint8 = iota
	afterWord
	afterOther
)

// What stands behind a position.
const (
	beforeEnd uint8 = iota
	beforeWord
	beforeOther
)

// A determinizer turns the programs of one pattern into tables over one alphabet.
type determinizer struct {
	*program
	alpha    *alphabet
	in       [][]bool // whether a set holds a class
	word     []bool   // whether a class is of word characters; nil when nobody asks
	budget   *Budget
	contexts contexts
	aheads   map[[2]int32]int32 // look number and context → index of its table
	tables   []*table           // of look-aheads
	duties   duties
	endsOnly bool // a match counts only where it ends, as a look-behind needs it
}

func newDeterminizer(p *program, b *Budget) (*determinizer, error) {
	d := &determinizer{program: p, alpha: newAlphabet(p.sets), budget: b}
	if !b.spend(len(p.sets) * d.alpha.n) {
		return nil, ErrTooLarge
	}
	for _, s := range p.sets {
		d.in = append(d.in, d.alpha.members(s))
	}
	if p.usesWord {
		d.word = d.alpha.members(wordSet)
	}
	if p.hasAhead {
		d.aheads = map[[2]int32]int32{}
		d.duties.init()
	}
	return d, d.initContexts()
}

// A subset is a state under construction: a context and the threads alive, sorted. A thread is a program position (upper
// half) with a set of duties (lower half): the look-ahead states that must accept in the end.
type subset struct {
	context int32
	threads []uint64
}

// A run determinises one program.
type run struct {
	*determinizer
	t       *table
	states  []subset
	index   map[string]int32
	key     []byte
	seen    []uint32 // by program position, for threads without duties: the round of the last visit
	round   uint32
	seenAny map[uint64]bool // threads with duties
	stack   []uint64
	live    []uint64 // the threads that wait for a character
	full    bool     // the pattern is found, whatever follows
	target  []uint64
	anyOf   int32 // number of the universal state, or -1
}

// table determinises the program at entry, started in the given context.
func (d *determinizer) table(entry, context int32) (*table, error) {
	r := &run{determinizer: d, t: &table{k: d.alpha.n}, index: map[string]int32{}, seen: make([]uint32, len(d.insts)), anyOf: -1}
	if d.hasAhead {
		r.seenAny = map[uint64]bool{}
	}
	r.state(subset{context, []uint64{uint64(entry) << 32}})
	for i := 0; i < len(r.states); i++ {
		if err := r.expand(int32(i)); err != nil {
			return nil, err
		}
	}
	return r.t, nil
}

// state returns the number of s, which it may keep only a copy of.
func (r *run) state(s subset) int32 {
	r.key = binary.AppendUvarint(r.key[:0], uint64(s.context))
	for _, t := range s.threads {
		r.key = binary.AppendUvarint(r.key, t>>32)
		if r.hasAhead {
			r.key = binary.AppendUvarint(r.key, t&0xFFFFFFFF)
		}
	}
	n, ok := r.index[string(r.key)]
	if !ok {
		n = r.add(subset{s.context, slices.Clone(s.threads)})
		r.index[string(r.key)] = n
	}
	return n
}

func (r *run) add(s subset) int32 {
	r.states = append(r.states, s)
	r.t.accept = append(r.t.accept, false)
	for range r.t.k {
		r.t.next = append(r.t.next, 0)
	}
	return int32(len(r.states) - 1)
}

func (r *run) universal() int32 {
	if r.anyOf < 0 {
		r.anyOf = r.add(subset{context: -1})
		r.t.accept[r.anyOf] = true
		for c := range r.t.row(r.anyOf) {
			r.t.row(r.anyOf)[c] = r.anyOf
		}
	}
	return r.anyOf
}

// expand fills in the row of state q.
func (r *run) expand(q int32) error {
	if q == r.anyOf {
		return nil
	}
	if err := r.closure(q, beforeEnd); err != nil {
		return err
	}
	r.t.accept[q] = r.full || r.accepting()
	kinds := []uint8{beforeOther}
	if r.word != nil {
		kinds = []uint8{beforeOther, beforeWord}
	}
	for _, behind := range kinds {
		if err := r.closure(q, behind); err != nil {
			return err
		}
		for c := range int32(r.t.k) {
			if r.word != nil && r.word[c] != (behind == beforeWord) {
				continue
			}
			to, err := r.step(q, c)
			if err != nil {
				return err
			}
			r.t.next[int(q)*r.t.k+int(c)] = to
		}
	}
	return nil
}

// accepting reports whether a thread at the match has all its duties fulfilled at the end of the string.
func (r *run) accepting() bool {
	for _, t := range r.live {
		if int32(t>>32) == r.match && r.fulfilled(uint32(t)) {
			return true
		}
	}
	return false
}

// step returns the state after a character of class c, from the closure of q.
func (r *run) step(q, c int32) (int32, error) {
	if !r.budget.spend(1 + len(r.live) + r.duties.takeCost()) {
		return 0, ErrTooLarge
	}
	if r.full && !r.endsOnly {
		return r.universal(), nil
	}
	r.target = r.target[:0]
	for _, t := range r.live {
		in := &r.insts[t>>32]
		to := int32(t >> 32) // the match waits for its duties
		switch {
		case in.op == opSet && r.in[in.set][c]:
			to = in.out
		case in.op == opSet || r.endsOnly:
			continue
		}
		duty := uint32(t)
		if duty != 0 {
			var alive bool
			if duty, alive = r.advance(duty, c); !alive {
				continue
			}
		}
		r.target = append(r.target, uint64(to)<<32|uint64(duty))
	}
	slices.Sort(r.target)
	r.target = slices.Compact(r.target)
	if r.hasAhead {
		var ok bool
		if r.target, ok = r.duties.thin(r.target, r.budget); !ok {
			return 0, ErrTooLarge
		}
	}
	context, err := r.nextContext(r.states[q].context, c)
	if err != nil {
		return 0, err
	}
	return r.state(subset{context, r.target}), nil
}

// closure finds all threads that the threads of q reach without a character, given what stands behind.
func (r *run) closure(q int32, behind uint8) error {
	s := r.states[q]
	context := &r.contexts.list[s.context]
	r.round++
	clear(r.seenAny)
	r.live, r.full = r.live[:0], false
	r.stack = append(r.stack[:0], s.threads...)
	for len(r.stack) > 0 {
		t := r.stack[len(r.stack)-1]
		r.stack = r.stack[:len(r.stack)-1]
		if r.visited(t) {
			continue
		}
		if !r.budget.spend(1) {
			return ErrTooLarge
		}
		pc, duty := int32(t>>32), t&0xFFFFFFFF
		in := &r.insts[pc]
		pass := true
		switch in.op {
		case opSet:
			r.live = append(r.live, t)
			continue
		case opMatch:
			if duty == 0 {
				r.full = true
			}
			r.live = append(r.live, t)
			continue
		case opSplit:
			r.stack = append(r.stack, uint64(in.alt)<<32|duty)
		case opBegin:
			pass = context.prev == atStart
		case opEnd:
			pass = behind == beforeEnd
		case opWord, opNotWord:
			pass = (context.prev == afterWord) != (behind == beforeWord) == (in.op == opWord)
		case opBehind:
			pass = r.contexts.tables[in.set].accept[context.behind[in.set]] != in.neg
		case opAhead:
			more, alive, err := r.lookAhead(in.set, s.context, uint32(duty))
			if err != nil {
				return err
			}
			pass, duty = alive, uint64(more)
			context = &r.contexts.list[s.context]
		}
		if pass {
			r.stack = append(r.stack, uint64(in.out)<<32|duty)
		}
	}
	return nil
}

func (r *run) visited(t uint64) bool {
	if uint32(t) != 0 {
		if r.seenAny[t] {
			return true
		}
		r.seenAny[t] = true
		return false
	}
	if r.seen[t>>32] == r.round {
		return true
	}
	r.seen[t>>32] = r.round
	return false
}
