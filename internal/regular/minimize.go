package regular

// minimal returns the minimal automaton of t, whose states must all be reachable, numbered breadth first.
func minimal(t *table) *table {
	block, n := refine(t)
	// Number the blocks in the order in which a breadth-first walk meets them.
	number := make([]int32, n)
	for i := range number {
		number[i] = -1
	}
	number[block[0]] = 0
	queue := make([]int32, 1, n) // one state of each block
	m := &table{k: t.k, next: make([]int32, 0, n*t.k), accept: make([]bool, 0, n)}
	for i := 0; i < len(queue); i++ {
		q := queue[i]
		m.accept = append(m.accept, t.accept[q])
		for _, r := range t.row(q) {
			b := block[r]
			if number[b] < 0 {
				number[b] = int32(len(queue))
				queue = append(queue, r)
			}
			m.next = append(m.next, number[b])
		}
	}
	return m
}

// A partition of states into blocks that can be split; elems holds the states block by block.
type partition struct {
	elems, loc, block  []int32 // loc is the place of a state in elems
	first, end, marked []int32 // per block; the marked states stand first
}

// refine groups equivalent states by Hopcroft's algorithm, O(n·k·log n).
func refine(t *table) (block []int32, blocks int) {
	n := len(t.accept)
	p := &partition{elems: make([]int32, 0, n), loc: make([]int32, n), block: make([]int32, n)}
	for _, want := range []bool{true, false} {
		start := len(p.elems)
		for q, a := range t.accept {
			if a == want {
				p.loc[q] = int32(len(p.elems))
				p.block[q] = int32(len(p.first))
				p.elems = append(p.elems, int32(q))
			}
		}
		if len(p.elems) > start {
			p.add(int32(start), int32(len(p.elems)))
		}
	}
	if len(p.first) == 1 {
		return p.block, 1
	}
	in := invert(t)
	smaller := int32(0)
	if p.size(1) < p.size(0) {
		smaller = 1
	}
	waiting := make([]bool, 2*t.k, max(n, 2)*t.k) // by block*k + class
	var work []int32
	for c := range t.k {
		waiting[int(smaller)*t.k+c] = true
		work = append(work, smaller*int32(t.k)+int32(c))
	}
	var touched, splitters []int32
	for len(work) > 0 {
		w := work[len(work)-1]
		work = work[:len(work)-1]
		waiting[w] = false
		b, c := w/int32(t.k), int(w)%t.k
		splitters = append(splitters[:0], p.elems[p.first[b]:p.end[b]]...)
		touched = touched[:0]
		for _, q := range splitters {
			for _, r := range in.of(c, q) {
				if p.mark(r) {
					touched = append(touched, p.block[r])
				}
			}
		}
		for _, b := range touched {
			fresh, split := p.split(b)
			if !split {
				continue
			}
			for c := range t.k {
				old, add := int(b)*t.k+c, fresh
				if !waiting[old] && p.size(b) < p.size(fresh) {
					add = b
				}
				for len(waiting) < len(p.first)*t.k {
					waiting = append(waiting, false)
				}
				if i := int(add)*t.k + c; !waiting[i] {
					waiting[i] = true
					work = append(work, int32(i))
				}
			}
		}
	}
	return p.block, len(p.first)
}

func (p *partition) add(first, end int32) {
	p.first, p.end, p.marked = append(p.first, first), append(p.end, end), append(p.marked, 0)
}

func (p *partition) size(b int32) int32 { return p.end[b] - p.first[b] }

// mark moves q to the marked part of its block and reports whether it is the first one there.
func (p *partition) mark(q int32) bool {
	b, i := p.block[q], p.loc[q]
	j := p.first[b] + p.marked[b]
	if i < j {
		return false
	}
	other := p.elems[j]
	p.elems[i], p.elems[j] = other, q
	p.loc[other], p.loc[q] = i, j
	p.marked[b]++
	return p.marked[b] == 1
}

// split makes the marked part of b a block of its own, unless that is all of it.
func (p *partition) split(b int32) (fresh int32, ok bool) {
	m := p.marked[b]
	p.marked[b] = 0
	if m == p.size(b) {
		return 0, false
	}
	fresh = int32(len(p.first))
	first := p.first[b]
	p.add(first, first+m)
	p.first[b] = first + m
	for _, q := range p.elems[first : first+m] {
		p.block[q] = fresh
	}
	return fresh, true
}

// An inverse lists the predecessors of each state by class.
type inverse struct {
	n     int
	start []int32 // by class*n + state
	list  []int32
}

func invert(t *table) *inverse {
	n := len(t.accept)
	in := &inverse{n: n, start: make([]int32, n*t.k+1), list: make([]int32, n*t.k)}
	for i, r := range t.next {
		in.start[(i%t.k)*n+int(r)+1]++
	}
	for i := 1; i < len(in.start); i++ {
		in.start[i] += in.start[i-1]
	}
	fill := make([]int32, n*t.k)
	copy(fill, in.start)
	for i, r := range t.next {
		at := (i%t.k)*n + int(r)
		in.list[fill[at]] = int32(i / t.k)
		fill[at]++
	}
	return in
}

func (in *inverse) of(class int, q int32) []int32 {
	at := class*in.n + int(q)
	return in.list[in.start[at]:in.start[at+1]]
}
