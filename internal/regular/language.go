package regular

import (
	"slices"
	"unicode/utf8"
)

// A Language is an immutable set of strings; the zero value and nil are not usable. It is safe for concurrent use.
//
// It is either a finite list of words or a list of pieces, which divide the strings by their length.
type Language struct {
	words  []string // sorted, when pieces is nil
	pieces []piece  // ascending; the first starts at 0
}

// A piece decides the strings of at least from code points, up to where the next piece starts.
type piece struct {
	from int
	d    *dfa
}

var (
	all  = &Language{pieces: []piece{{0, dfaAll}}}
	none = &Language{pieces: []piece{{0, dfaNone}}}
)

// All returns the language of all strings.
func All() *Language { return all }

// None returns the empty language.
func None() *Language { return none }

// Words returns the language of exactly these strings.
func Words(words ...string) *Language {
	if len(words) == 0 {
		return none
	}
	sorted := slices.Clone(words)
	slices.Sort(sorted)
	return &Language{words: slices.Compact(sorted)}
}

// Length returns the strings of min to max code points; max < 0 means no upper bound.
func Length(min, max int) *Language {
	return window(dfaAll, min, max)
}

func window(d *dfa, least, most int) *Language {
	if most >= 0 && most < least {
		return none
	}
	pieces := []piece{{0, dfaNone}, {max(least, 0), d}}
	if least <= 0 {
		pieces = pieces[1:]
	}
	if most >= 0 && most < maxInt {
		pieces = append(pieces, piece{most + 1, dfaNone})
	}
	return fromPieces(pieces)
}

const maxInt = int(^uint(0) >> 1)

// fromPieces merges neighbours that are equal.
func fromPieces(pieces []piece) *Language {
	out := pieces[:1:1]
	for _, p := range pieces[1:] {
		if !p.d.equal(out[len(out)-1].d) {
			out = append(out, p)
		}
	}
	if len(out) == 1 {
		switch out[0].d {
		case dfaAll:
			return all
		case dfaNone:
			return none
		}
	}
	return &Language{pieces: out}
}

// end returns the greatest length that piece i decides.
func (l *Language) end(i int) int {
	if i+1 < len(l.pieces) {
		return l.pieces[i+1].from - 1
	}
	return maxInt
}

// Match reports whether s is in the language.
func (l *Language) Match(s string) bool {
	if l.pieces == nil {
		_, found := slices.BinarySearch(l.words, s)
		return found
	}
	if len(l.pieces) == 1 {
		return l.pieces[0].d.match(s)
	}
	return l.at(utf8.RuneCountInString(s)).match(s)
}

// at returns the automaton for strings of n code points.
func (l *Language) at(n int) *dfa {
	i, found := slices.BinarySearchFunc(l.pieces, n, func(p piece, n int) int { return p.from - n })
	if !found {
		i--
	}
	return l.pieces[i].d
}

// IsEmpty reports that no string is in the language. Where that cannot be found out within a large internal bound (length
// windows of millions over automata of thousands of states) it returns false; EmptyWithin tells these cases apart.
func (l *Language) IsEmpty() bool {
	empty, err := EmptyWithin(l, 0, -1, nil)
	return err == nil && empty
}

// Shortest returns a member of least length, the most readable of those; false when there is none of up to MaxMember
// code points.
func (l *Language) Shortest() (string, bool) {
	f := newFinder(nil, 1)
	f.search(l, 0, MaxMember, tierAny, 1)
	if len(f.found) == 0 {
		return "", false
	}
	least := utf8.RuneCountInString(f.found[0])
	g := newFinder(nil, 1)
	for tier := range tierAny {
		g.search(l, least, least, tier, 1)
	}
	if len(g.found) > 0 {
		return g.found[0], true
	}
	return f.found[0], true
}

// Count returns the number of members when it is at most limit (finite is true then). Otherwise there are more, or they
// could not be counted because they are longer than MaxMember; n is limit then.
func (l *Language) Count(limit int) (n int, finite bool) {
	if l.pieces == nil {
		return min(len(l.words), limit), len(l.words) <= limit
	}
	for i, p := range l.pieces {
		more, ok := p.d.count(p.from, l.end(i), limit-n)
		if !ok {
			return limit, false
		}
		n += more
	}
	return n, true
}
