package regular

import (
	"slices"
	"sync"
	"unicode"
)

const (
	maxRune       = unicode.MaxRune
	surrogateLow  = 0xD800
	surrogateHigh = 0xDFFF
)

// A span is a range of code points, both ends included.
type span struct{ lo, hi rune }

// A charset is sorted, disjoint, without adjacent spans and without surrogates, so equal sets are equal slices.
type charset []span

var (
	anySet       = charset{{0, surrogateLow - 1}, {surrogateHigh + 1, maxRune}}
	digitSet     = charset{{'0', '9'}}
	wordSet      = charset{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}
	spaceSet     = newCharset([]span{{'\t', '\r'}, {' ', ' '}, {0xA0, 0xA0}, {0x1680, 0x1680}, {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}})
	lineSet      = charset{{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}
	dotSet       = lineSet.negate()
	surrogateGap = span{surrogateLow, surrogateHigh}
)

// newCharset sorts and merges spans and cuts the surrogates out. It takes over the slice.
func newCharset(spans []span) charset {
	if len(spans) == 1 && (spans[0].hi < surrogateLow || spans[0].lo > surrogateHigh) {
		return spans
	}
	slices.SortFunc(spans, func(a, b span) int { return int(a.lo) - int(b.lo) })
	var merged []span
	for _, s := range spans {
		if n := len(merged); n > 0 && s.lo <= merged[n-1].hi+1 {
			merged[n-1].hi = max(merged[n-1].hi, s.hi)
			continue
		}
		merged = append(merged, s)
	}
	return cutSurrogates(merged)
}

func cutSurrogates(spans []span) charset {
	touches := func(s span) bool { return s.lo <= surrogateGap.hi && s.hi >= surrogateGap.lo }
	if !slices.ContainsFunc(spans, touches) {
		return spans
	}
	var out charset
	for _, s := range spans {
		if !touches(s) {
			out = append(out, s)
			continue
		}
		if s.lo < surrogateGap.lo {
			out = append(out, span{s.lo, surrogateGap.lo - 1})
		}
		if s.hi > surrogateGap.hi {
			out = append(out, span{surrogateGap.hi + 1, s.hi})
		}
	}
	return out
}

func (c charset) negate() charset {
	var out []span
	next := rune(0)
	for _, s := range c {
		if s.lo > next {
			out = append(out, span{next, s.lo - 1})
		}
		next = s.hi + 1
	}
	if next <= maxRune {
		out = append(out, span{next, maxRune})
	}
	return cutSurrogates(out)
}

func (c charset) union(d charset) charset { return newCharset(slices.Concat(c, d)) }

func (c charset) minus(d charset) charset {
	return c.negate().union(d).negate()
}

func (c charset) equal(d charset) bool { return slices.Equal(c, d) }

func (c charset) has(r rune) bool {
	_, found := slices.BinarySearchFunc(c, r, func(s span, r rune) int {
		switch {
		case s.hi < r:
			return -1
		case s.lo > r:
			return 1
		}
		return 0
	})
	return found
}

// from returns the first member that is not less than r.
func (c charset) from(r rune) (rune, bool) {
	i, _ := slices.BinarySearchFunc(c, r, func(s span, r rune) int { return int(s.hi) - int(r) })
	if i == len(c) {
		return 0, false
	}
	return max(r, c[i].lo), true
}

// fold adds all code points that simple case folding makes equal to a member.
func (c charset) fold() charset {
	out := slices.Clone(c)
	for _, r := range cased() {
		if c.has(r) {
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				out = append(out, span{f, f})
			}
		}
	}
	return newCharset(out)
}

// cased lists the code points that folding makes equal to another one.
var cased = sync.OnceValue(func() (list []rune) {
	for r := rune(0); r <= maxRune; r++ {
		if unicode.SimpleFold(r) != r {
			list = append(list, r)
		}
	}
	return list
})

// fromTables joins tables of the unicode package.
func fromTables(tables ...*unicode.RangeTable) charset {
	var spans []span
	for _, t := range tables {
		for _, r := range t.R16 {
			spans = appendRange(spans, rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			spans = appendRange(spans, rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return newCharset(spans)
}

func appendRange(spans []span, lo, hi, stride rune) []span {
	if stride == 1 {
		return append(spans, span{lo, hi})
	}
	for r := lo; r <= hi; r += stride {
		spans = append(spans, span{r, r})
	}
	return spans
}
