package regular

// A speller lists the members of one automaton in the order of compareMembers.
type speller struct {
	d       *dfa
	tier    int
	usable  []bool   // classes with a character in the tier
	reached []bool   // states that the tier reaches from the start
	exact   []bitset // by k: the states from which a member ends in exactly k usable steps
	words   int
	work    int
}

func newSpeller(d *dfa, tier int) *speller {
	s := &speller{d: d, tier: tier, words: (d.states() + 63) / 64}
	s.usable = make([]bool, d.k)
	for c := range s.usable {
		_, s.usable[c] = s.nextIn(int32(c), cursor{})
	}
	s.reached = make([]bool, d.states())
	s.reached[0] = true
	queue := []int32{0}
	for len(queue) > 0 {
		q := queue[0]
		queue = queue[1:]
		for c, r := range d.row(q) {
			if s.usable[c] && !s.reached[r] {
				s.reached[r] = true
				queue = append(queue, r)
			}
		}
	}
	last := make(bitset, s.words)
	for q, a := range d.accept {
		if a && s.reached[q] {
			last.add(int32(q))
		}
	}
	s.exact = []bitset{last}
	return s
}

// extend computes exact[len(exact)] and reports false when it is empty or the work is used up.
func (s *speller) extend() bool {
	if s.work += s.words + len(s.d.next)/16 + 1; s.work > findWork {
		return false
	}
	last := s.exact[len(s.exact)-1]
	set := make(bitset, s.words)
	for q := range s.reached {
		if !s.reached[q] {
			continue
		}
		for c, r := range s.d.row(int32(q)) {
			if s.usable[c] && last.has(r) {
				set.add(int32(q))
				break
			}
		}
	}
	s.exact = append(s.exact, set)
	return !set.zero()
}

// spell offers the members of lo to hi code points to f, shortest first.
func (s *speller) spell(f *finder, lo, hi int) {
	for n := 0; n <= hi; n++ {
		if n >= lo && s.exact[n].has(0) && s.ofLength(f, n) {
			return
		}
		if !s.extend() {
			return
		}
	}
}

// A cursor walks over the characters of a tier in the order of rank: first those of preferred, then ranges.
type cursor struct {
	i    int  // next place in preferred
	next rune // next code point beyond ASCII or, in tierAny, from 0
	tier int
}

// ofLength offers all members of n code points and reports whether f has enough.
func (s *speller) ofLength(f *finder, n int) bool {
	text := make([]rune, n)
	states := make([]int32, n+1)
	cursors := make([]cursor, n+1)
	depth := 0
	for depth >= 0 {
		if depth == n {
			if f.offer(string(text)) {
				return true
			}
			depth--
			continue
		}
		r, ok := s.next(states[depth], &cursors[depth], s.exact[n-depth-1])
		if !ok {
			depth--
			continue
		}
		text[depth] = r
		to := s.d.row(states[depth])[s.d.alpha.of(r)]
		depth++
		states[depth] = to
		cursors[depth] = cursor{}
	}
	return false
}

// next returns the next character in state q that leads into want.
func (s *speller) next(q int32, c *cursor, want bitset) (rune, bool) {
	row := s.d.row(q)
	return s.advance(c, func(class int32) bool { return want.has(row[class]) })
}

// nextIn returns the first character of a class.
func (s *speller) nextIn(class int32, c cursor) (rune, bool) {
	return s.advance(&c, func(d int32) bool { return d == class })
}

// advance moves the cursor to the next character whose class is good.
func (s *speller) advance(c *cursor, good func(class int32) bool) (rune, bool) {
	for c.i < len(preferred) {
		r := rune(preferred[c.i])
		c.i++
		if good(s.d.alpha.ascii[r]) {
			return r, true
		}
	}
	for c.tier <= s.tier {
		if c.tier == tierASCII {
			c.tier++
			c.next = 0
			continue
		}
		if r, ok := s.scan(c, good); ok {
			return r, true
		}
		c.tier++
		c.next = 0
	}
	return 0, false
}

// scan looks for the next code point of the cursor's tier from its place on.
func (s *speller) scan(c *cursor, good func(class int32) bool) (rune, bool) {
	a := s.d.alpha
	for i := a.rangeOf(c.next); i < len(a.starts); i++ {
		if !good(a.class[i]) {
			continue
		}
		if r, ok := tierSets()[c.tier].from(max(a.starts[i], c.next)); ok && r <= a.end(i) {
			c.next = r + 1
			return r, true
		}
	}
	c.next = maxRune + 1
	return 0, false
}
