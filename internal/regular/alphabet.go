package regular

import "slices"

// An alphabet divides the code points into classes that an automaton does not tell apart. Ranges have an own class number
// each only when they must; classes are numbered by their first code point. Surrogates belong to the class before them.
type alphabet struct {
	starts []rune  // the first code point of each range, ascending from 0
	class  []int32 // the class of each range
	n      int     // number of classes
	ascii  [128]int32
}

// newAlphabet returns the coarsest alphabet on which each set is a union of classes.
func newAlphabet(sets []charset) *alphabet {
	starts := []rune{0}
	for _, s := range sets {
		for _, r := range s {
			starts = append(starts, r.lo)
			if r.hi < maxRune {
				starts = append(starts, r.hi+1)
			}
		}
	}
	slices.Sort(starts)
	starts = slices.Compact(starts)
	class := make([]int32, len(starts))
	n := int32(1)
	for _, s := range sets {
		n = splitClasses(starts, class, n, s)
	}
	return finishAlphabet(starts, class, int(n))
}

// splitClasses gives the ranges inside of s classes apart from those outside and returns the new bound of class numbers.
func splitClasses(starts []rune, class []int32, n int32, s charset) int32 {
	moved := make([]int32, n)
	i := 0
	for _, r := range s {
		for starts[i] < r.lo {
			i++
		}
		for ; i < len(starts) && starts[i] <= r.hi; i++ {
			old := class[i]
			if moved[old] == 0 {
				moved[old] = n
				n++
			}
			class[i] = moved[old]
		}
	}
	return n
}

// finishAlphabet merges ranges and renumbers classes; bound is above every class number. It changes its arguments.
func finishAlphabet(starts []rune, class []int32, bound int) *alphabet {
	a := &alphabet{}
	number := make([]int32, bound) // 1 + the new number
	for i, start := range starts {
		c := class[i]
		if start == surrogateLow {
			continue // the gap joins the range before it
		}
		if number[c] == 0 {
			a.n++
			number[c] = int32(a.n)
		}
		c = number[c] - 1
		if k := len(a.class); k > 0 && a.class[k-1] == c {
			continue
		}
		a.starts = append(a.starts, start)
		a.class = append(a.class, c)
	}
	for i := range a.starts {
		for r := a.starts[i]; r < 128 && r <= a.end(i); r++ {
			a.ascii[r] = a.class[i]
		}
	}
	return a
}

// end returns the last code point of range i.
func (a *alphabet) end(i int) rune {
	if i+1 < len(a.starts) {
		return a.starts[i+1] - 1
	}
	return maxRune
}

func (a *alphabet) of(r rune) int32 {
	if r < 128 {
		return a.ascii[r]
	}
	i, found := slices.BinarySearch(a.starts, r)
	if !found {
		i--
	}
	return a.class[i]
}

func (a *alphabet) equal(b *alphabet) bool {
	return a == b || a.n == b.n && slices.Equal(a.starts, b.starts) && slices.Equal(a.class, b.class)
}

// members marks the classes that lie inside of s.
func (a *alphabet) members(s charset) []bool {
	in := make([]bool, a.n)
	for _, r := range s {
		i, found := slices.BinarySearch(a.starts, r.lo)
		if !found {
			i--
		}
		for ; i < len(a.starts) && a.starts[i] <= r.hi; i++ {
			in[a.class[i]] = true
		}
	}
	return in
}

// merged returns an alphabet with the classes renamed by to, whose values are below bound, and for each new class an old one.
func (a *alphabet) merged(to []int32, bound int) (*alphabet, []int32) {
	class := make([]int32, len(a.class))
	for i, c := range a.class {
		class[i] = to[c]
	}
	m := finishAlphabet(a.starts, class, bound)
	old := make([]int32, m.n)
	for i := len(m.starts) - 1; i >= 0; i-- {
		old[m.class[i]] = a.of(m.starts[i])
	}
	return m, old
}

// joinAlphabets returns the coarsest common refinement and, for each of its classes, the classes in a and b.
func joinAlphabets(a, b *alphabet) (joint *alphabet, ofA, ofB []int32) {
	if a.equal(b) {
		same := make([]int32, a.n)
		for i := range same {
			same[i] = int32(i)
		}
		return a, same, same
	}
	var starts []rune
	var class []int32
	number := map[[2]int32]int32{}
	for i, j := 0, 0; i < len(a.starts) && j < len(b.starts); {
		starts = append(starts, max(a.starts[i], b.starts[j]))
		pair := [2]int32{a.class[i], b.class[j]}
		c, ok := number[pair]
		if !ok {
			c = int32(len(ofA))
			number[pair] = c
			ofA, ofB = append(ofA, pair[0]), append(ofB, pair[1])
		}
		class = append(class, c)
		endA, endB := a.end(i), b.end(j)
		if endA <= endB {
			i++
		}
		if endB <= endA {
			j++
		}
	}
	return finishAlphabet(starts, class, len(ofA)), ofA, ofB
}

// rangeOf returns the index of the range that holds r, or the number of ranges when r is beyond all code points.
func (a *alphabet) rangeOf(r rune) int {
	if r > maxRune {
		return len(a.starts)
	}
	i, found := slices.BinarySearch(a.starts, r)
	if !found {
		i--
	}
	return i
}
