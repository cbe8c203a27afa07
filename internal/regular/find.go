package regular

import (
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"
)

// MaxMember is the length in code points of the longest member that Find and Shortest spell out.
const MaxMember = 1 << 20

// Tiers of readability: a member belongs to the first tier that holds all its characters.
const (
	tierASCII   = iota // printable ASCII
	tierVisible        // letters, digits and punctuation of all scripts
	tierAny
)

const (
	// slack is how much longer than the shortest member a more readable one may be.
	slack = 24
	// findWork bounds the table of one search in words of 64 bits; findTries the members offered to exclude.
	findWork  = 1 << 22
	findTries = 1 << 14
)

// preferred lists printable ASCII, the most readable first.
const preferred = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_./:@,+=#!%&*()[]{}<>;?'\"`~^$|\\ "

// Find returns up to n members of minLen to maxLen code points (maxLen < 0: no upper bound) for which exclude, unless nil,
// is false. Shorter ones come first, except that printable ASCII wins over other text, and that over control
// characters, as long as it is at most a few characters longer. The result is the same each time. Members longer than
// MaxMember are not spelled out, and the search ends after some ten thousand excluded ones.
func Find(l *Language, minLen, maxLen int, exclude func(string) bool, n int) []string {
	if maxLen < 0 || maxLen > MaxMember {
		maxLen = MaxMember
	}
	minLen = max(minLen, 0)
	if n <= 0 || minLen > maxLen {
		return nil
	}
	first := newFinder(nil, 1)
	first.search(l, minLen, maxLen, tierAny, 1)
	if len(first.found) == 0 {
		return nil
	}
	near := min(maxLen, utf8.RuneCountInString(first.found[0])+slack)
	f := newFinder(exclude, n)
	f.search(l, minLen, near, tierASCII, n)
	f.search(l, minLen, near, tierVisible, n)
	f.search(l, minLen, near, tierAny, n)
	for tier := range tierAny + 1 {
		f.search(l, near+1, maxLen, tier, n)
	}
	return f.found
}

// A finder collects members.
type finder struct {
	exclude func(string) bool
	found   []string
	seen    map[string]bool
	want    int
	tries   int
}

func newFinder(exclude func(string) bool, n int) *finder {
	return &finder{exclude: exclude, want: n, seen: map[string]bool{}}
}

// offer takes a member and reports whether the search is over.
func (f *finder) offer(s string) bool {
	f.tries++
	if !f.seen[s] && (f.exclude == nil || !f.exclude(s)) {
		f.seen[s] = true
		f.found = append(f.found, s)
	}
	return f.done()
}

func (f *finder) done() bool { return len(f.found) >= f.want || f.tries > findTries+2*f.want }

// search looks for members of lo to hi code points whose characters are in the tier.
func (f *finder) search(l *Language, lo, hi, tier, n int) {
	f.tries = 0
	if l.pieces == nil {
		f.searchWords(l.words, lo, hi, tier)
		return
	}
	for i, p := range l.pieces {
		if f.done() {
			return
		}
		from, to := max(lo, p.from), min(hi, l.end(i))
		if from <= to && p.d != dfaNone {
			newSpeller(p.d, tier).spell(f, from, to)
		}
	}
}

func (f *finder) searchWords(words []string, lo, hi, tier int) {
	var fit []string
	for _, w := range words {
		if n := utf8.RuneCountInString(w); n >= lo && n <= hi && tierOf(w) <= tier {
			fit = append(fit, w)
		}
	}
	slices.SortFunc(fit, compareMembers)
	for _, w := range fit {
		if f.offer(w) {
			return
		}
	}
}

func tierOf(s string) int {
	tier := tierASCII
	for _, r := range s {
		tier = max(tier, runeTier(r))
	}
	return tier
}

// tierSets holds the characters of each tier.
var tierSets = sync.OnceValue(func() (sets [tierAny + 1]charset) {
	sets[tierASCII] = charset{{' ', '~'}}
	sets[tierVisible] = fromTables(unicode.L, unicode.N, unicode.P, unicode.S).minus(charset{{0, 0x7F}})
	sets[tierAny] = sets[tierASCII].union(sets[tierVisible]).negate()
	return sets
})

func runeTier(r rune) int {
	switch {
	case r >= ' ' && r <= '~':
		return tierASCII
	case r >= 0x80 && tierSets()[tierVisible].has(r):
		return tierVisible
	}
	return tierAny
}

// rank orders characters by readability.
func rank(r rune) int {
	if r < utf8.RuneSelf && r >= ' ' && r <= '~' {
		return int(asciiRank[r])
	}
	return (1+runeTier(r))<<24 | int(r)
}

var asciiRank = func() (rank [128]uint8) {
	for i := range len(preferred) {
		rank[preferred[i]] = uint8(i)
	}
	return rank
}()

// compareMembers orders by length, then character by character.
func compareMembers(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) != len(y) {
		return len(x) - len(y)
	}
	return slices.CompareFunc(x, y, func(p, q rune) int { return rank(p) - rank(q) })
}
