package regular

import "math/bits"

func trailing(word uint64) int { return bits.TrailingZeros64(word) }

// countWork bounds the steps of one count.
const countWork = 1 << 24

// count returns the number of strings of lo to hi code points if it is at most limit.
func (d *dfa) count(lo, hi, limit int) (n int, ok bool) {
	if d == dfaNone || lo > hi {
		return 0, true
	}
	w := newWalk(&d.table, NewBudget(countWork))
	if empty, err := w.empty(lo, hi); err == nil && empty {
		return 0, true
	}
	size := make([]int, d.k) // characters per class
	for i, start := range d.alpha.starts {
		end := d.alpha.end(i)
		size[d.alpha.class[i]] += int(end-start) + 1
		if start < surrogateLow && end > surrogateHigh {
			size[d.alpha.class[i]] -= surrogateHigh - surrogateLow + 1
		}
	}
	useful := make([]bool, d.states())
	for q := range useful {
		useful[q] = w.succ[q] != nil || d.accept[q]
	}
	ways := make([]int, d.states()) // number of strings that lead to a state, capped
	ways[0] = 1
	for length, work := 0, 0; length <= hi; length++ {
		alive := false
		next := make([]int, len(ways))
		for q, m := range ways {
			if m == 0 || !useful[q] {
				continue
			}
			alive = true
			if length >= lo && d.accept[q] {
				if n += m; n > limit {
					return 0, false
				}
			}
			for c, r := range d.row(int32(q)) {
				if useful[r] {
					next[r] = min(next[r]+m*size[c], limit+1)
				}
			}
		}
		if !alive {
			break
		}
		if work += len(d.next); work > countWork {
			return 0, false
		}
		ways = next
	}
	return n, true
}
