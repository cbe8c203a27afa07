package regular

import (
	"encoding/binary"
	"slices"
)

// duties interns sets of look-ahead states (table number in the upper half, state in the lower half), sorted. Set 0 is empty.
type duties struct {
	list  [][]uint64
	index map[string]uint32
	after map[[2]uint32]uint32 // set and class → 1 + the set after it, 0: some duty cannot be fulfilled any more
	key   []byte
	cost  int // of what was added to the maps and not yet charged to the budget
}

func (d *duties) init() {
	d.list = [][]uint64{nil}
	d.index = map[string]uint32{"": 0}
	d.after = map[[2]uint32]uint32{}
}

func (d *duties) intern(set []uint64) uint32 {
	d.key = d.key[:0]
	for _, s := range set {
		d.key = binary.BigEndian.AppendUint64(d.key, s)
	}
	n, ok := d.index[string(d.key)]
	if !ok {
		n = uint32(len(d.list))
		d.cost += 16 + 4*len(set)
		d.list = append(d.list, set)
		d.index[string(d.key)] = n
	}
	return n
}

func (d *duties) add(set uint32, duty uint64) uint32 {
	more := append(slices.Clone(d.list[set]), duty)
	slices.Sort(more)
	return d.intern(slices.Compact(more))
}

// takeCost returns the cost since the last call.
func (d *duties) takeCost() int {
	cost := d.cost
	d.cost = 0
	return cost
}

// fulfilled reports whether all duties are met when the string ends.
func (d *determinizer) fulfilled(set uint32) bool {
	if set == 0 {
		return true
	}
	for _, s := range d.duties.list[set] {
		if !d.tables[s>>32].accept[uint32(s)] {
			return false
		}
	}
	return true
}

// advance returns the duties after a character of class c; alive is false when one of them cannot be met any more.
func (d *determinizer) advance(set uint32, c int32) (after uint32, alive bool) {
	key := [2]uint32{set, uint32(c)}
	if n, ok := d.duties.after[key]; ok {
		return n - 1, n > 0
	}
	d.duties.cost += 8 + len(d.duties.list[set])
	var moved []uint64
	alive = true
	for _, s := range d.duties.list[set] {
		t := d.tables[s>>32]
		q := t.row(int32(uint32(s)))[c]
		if t.dead(q) {
			alive = false
		}
		if !t.universal(q) {
			moved = append(moved, s>>32<<32|uint64(q))
		}
	}
	if !alive {
		d.duties.after[key] = 0
		return 0, false
	}
	slices.Sort(moved)
	after = d.duties.intern(slices.Compact(moved))
	d.duties.after[key] = after + 1
	return after, true
}

// thin drops threads that have more duties than another thread at the same position. threads is sorted and reused.
// It reports false when the budget is used up.
func (d *duties) thin(threads []uint64, b *Budget) ([]uint64, bool) {
	out := threads[:0]
	for i := 0; i < len(threads); {
		j := i
		for j < len(threads) && threads[j]>>32 == threads[i]>>32 {
			j++
		}
		group := threads[i:j]
		i = j
		if uint32(group[0]) == 0 {
			out = append(out, group[0])
			continue
		}
		if !b.spend(len(group) * len(group)) {
			return nil, false
		}
		group = slices.Clone(group)
		for x, t := range group {
			if !slices.ContainsFunc(group, func(u uint64) bool { return u != t && d.implied(uint32(u), uint32(t)) }) {
				out = append(out, group[x])
			}
		}
	}
	return out, true
}

// implied reports that the duties of u are a proper part of those of t.
func (d *duties) implied(u, t uint32) bool {
	few, many := d.list[u], d.list[t]
	if len(few) >= len(many) {
		return false
	}
	for _, s := range many {
		if len(few) > 0 && few[0] == s {
			few = few[1:]
		}
	}
	return len(few) == 0
}
