package regular

import (
	"encoding/binary"
	"slices"
)

// A context is what a program may know about the text before a position: the kind of the last character and, for
// look-behinds, the state of their automata.
type context struct {
	prev   uint8
	behind []int32
	next   []int32 // by class: 1 + the context after it, 0 when not yet known
}

type contexts struct {
	list   []context
	index  map[string]int32
	tables []*table // by look number; nil for look-aheads
}

// initContexts determinises the look-behinds and makes context 0, the start of the string.
func (d *determinizer) initContexts() error {
	d.contexts.index = map[string]int32{}
	d.contexts.tables = make([]*table, len(d.looks))
	first := context{prev: atStart}
	if !d.usesBegin && !d.usesWord {
		first.prev = afterOther // nobody asks
	}
	if d.hasBehind {
		for _, in := range d.insts {
			if in.op == opBehind {
				if err := d.buildBehind(in.set); err != nil {
					return err
				}
			}
		}
		first.behind = make([]int32, len(d.looks))
	}
	d.internContext(first)
	return nil
}

// buildBehind makes the table that accepts the texts that end with a match of the look-behind.
func (d *determinizer) buildBehind(number int32) error {
	ends := *d.program // the same program, but a match does not last
	ends.hasAhead, ends.hasBehind = false, false
	e := &determinizer{program: &ends, alpha: d.alpha, in: d.in, word: d.word, budget: d.budget}
	if err := e.initContexts(); err != nil {
		return err
	}
	t, err := e.endTable(d.looks[number].entry)
	if err != nil {
		return err
	}
	d.contexts.tables[number] = minimal(t)
	return nil
}

func (d *determinizer) internContext(c context) int32 {
	key := []byte{c.prev}
	for _, q := range c.behind {
		key = binary.AppendUvarint(key, uint64(q))
	}
	if n, ok := d.contexts.index[string(key)]; ok {
		return n
	}
	n := int32(len(d.contexts.list))
	c.next = make([]int32, d.alpha.n)
	d.contexts.list = append(d.contexts.list, c)
	d.contexts.index[string(key)] = n
	return n
}

// nextContext returns the context after a character of class c.
func (d *determinizer) nextContext(from, c int32) (int32, error) {
	now := &d.contexts.list[from]
	if n := now.next[c]; n > 0 {
		return n - 1, nil
	}
	if !d.budget.spend(d.alpha.n) {
		return 0, ErrTooLarge
	}
	after := context{prev: afterOther, behind: slices.Clone(now.behind)}
	if d.word != nil && d.word[c] {
		after.prev = afterWord
	}
	for i, t := range d.contexts.tables {
		if t != nil {
			after.behind[i] = t.row(now.behind[i])[c]
		}
	}
	n := d.internContext(after)
	d.contexts.list[from].next[c] = n + 1
	return n, nil
}

// endTable determinises like table, except that a match counts only where it ends.
func (d *determinizer) endTable(entry int32) (*table, error) {
	d.endsOnly = true
	return d.table(entry, 0)
}

// lookAhead adds the duty of look-ahead number in the given context to a set of duties.
func (d *determinizer) lookAhead(number, context int32, duty uint32) (more uint32, alive bool, err error) {
	key := [2]int32{number, context}
	i, ok := d.aheads[key]
	if !ok {
		t, err := d.table(d.looks[number].entry, context)
		if err != nil {
			return 0, false, err
		}
		t = minimal(t)
		if d.looks[number].neg {
			t = t.complement()
		}
		i = int32(len(d.tables))
		d.tables = append(d.tables, t)
		d.aheads[key] = i
	}
	t := d.tables[i]
	switch {
	case t.universal(0):
		return duty, true, nil
	case t.dead(0):
		return 0, false, nil
	}
	return d.duties.add(duty, uint64(i)<<32), true, nil
}
