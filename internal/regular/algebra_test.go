package regular

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func compile(t testing.TB, pattern string) *Language {
	t.Helper()
	l, err := Compile(pattern, nil)
	if err != nil {
		t.Fatalf("Compile(%q): %v", pattern, err)
	}
	return l
}

// drawLanguage draws a language of any form: a pattern, words, a length window, or a combination.
func drawLanguage(t *rapid.T) *Language {
	switch rapid.IntRange(0, 4).Draw(t, "form") {
	case 0:
		return Words(rapid.SliceOfN(rapid.StringOfN(rapid.SampledFrom([]rune("ab")), 0, 4, -1), 0, 4).Draw(t, "words")...)
	case 1:
		return Length(rapid.IntRange(0, 4).Draw(t, "min"), rapid.IntRange(-1, 5).Draw(t, "max"))
	}
	l, err := Compile(drawPattern(t, 2, true), NewBudget(100_000))
	if err != nil {
		t.SkipNow() // exponential, or a look-around in a look-behind
	}
	return l
}

// TestAlgebra checks each operation string by string, and the laws that tie them together.
func TestAlgebra(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawLanguage(t), drawLanguage(t)
		do := func(l *Language, err error) *Language {
			if err != nil {
				t.Fatal(err)
			}
			return l
		}
		and, or, minus := do(Intersect(a, b, nil)), do(Union(a, b, nil)), do(Minus(a, b, nil))
		notA, notB := do(Complement(a, nil)), do(Complement(b, nil))
		for _, s := range append(enumerate("ab", 4), drawText(t), drawText(t), drawText(t)) {
			inA, inB := a.Match(s), b.Match(s)
			if and.Match(s) != (inA && inB) || or.Match(s) != (inA || inB) || minus.Match(s) != (inA && !inB) || notA.Match(s) == inA {
				t.Fatalf("an operation is wrong on %q", s)
			}
		}
		equal := func(name string, x, y *Language) {
			if ok, err := Equal(x, y, nil); !ok || err != nil {
				t.Fatalf("%s: not equal (%v)", name, err)
			}
		}
		equal("de Morgan", do(Complement(and, nil)), do(Union(notA, notB, nil)))
		equal("a-b = a∩¬b", minus, do(Intersect(a, notB, nil)))
		equal("¬¬a = a", do(Complement(notA, nil)), a)
		equal("a = (a∩b)∪(a-b)", a, do(Union(and, minus, nil)))
		subset, err := Subset(a, b, nil)
		if err != nil || subset != minus.IsEmpty() {
			t.Fatalf("Subset = %v, %v, but the difference is empty: %v", subset, err, minus.IsEmpty())
		}
		if ok, err := Subset(and, a, nil); !ok || err != nil {
			t.Fatalf("a∩b ⊆ a: %v, %v", ok, err)
		}
		checkMembers(t, and)
		checkMembers(t, minus)
	})
}

// checkMembers compares Shortest, Find and Count with each other and with all strings over ab.
func checkMembers(t *rapid.T, l *Language) {
	s, ok := l.Shortest()
	if ok == l.IsEmpty() || ok && !l.Match(s) {
		t.Fatalf("Shortest = %q, %v, IsEmpty = %v", s, ok, l.IsEmpty())
	}
	for _, u := range enumerate("ab", 4) {
		if l.Match(u) && len(u) < utf8.RuneCountInString(s) {
			t.Fatalf("Shortest = %q, but %q is a member", s, u)
		}
	}
	found := Find(l, 0, -1, nil, 40)
	for i, f := range found {
		if !l.Match(f) || slices.Contains(found[:i], f) {
			t.Fatalf("Find gave %q: not a member, or twice", found)
		}
	}
	if n, finite := l.Count(39); finite && n != len(found) || !finite && len(found) != 40 {
		t.Fatalf("Count = %d, %v, but Find gave %d", n, finite, len(found))
	}
	if again := Find(l, 0, -1, nil, 40); !slices.Equal(found, again) {
		t.Fatalf("Find gave %q, then %q", found, again)
	}
}

// enumerate lists all strings over letters of at most n characters.
func enumerate(letters string, n int) []string {
	out, last := []string{""}, []string{""}
	for range n {
		var next []string
		for _, s := range last {
			for _, c := range letters {
				next = append(next, s+string(c))
			}
		}
		out, last = append(out, next...), next
	}
	return out
}

func TestEmptyWithin(t *testing.T) {
	t.Parallel()
	tests := []struct {
		pattern  string
		min, max int
		want     bool
	}{
		{`^a*$`, 1_000_000_000, -1, false},
		{`^(aa)*$`, 1_000_001, 1_000_001, true},
		{`^(aa)*$`, 1_000_000, 1_000_000, false},
		{`^(aa)*$`, 1_999_999_999, 2_000_000_000, false},
		{`^(a{7}|a{11})*$`, 59, 59, true}, // the Frobenius number of 7 and 11
		{`^(a{7}|a{11})*$`, 60, 60, false},
		{`^(?:(a{7})*|(a{11})*|(a{13})*)$`, 1_000_000_007, 1_000_000_007, true},
		{`^(?:(a{7})*|(a{11})*|(a{13})*)$`, 7 * 11 * 13 * 1_000_000, 7 * 11 * 13 * 1_000_000, false},
		{`^.{5,1000000000}$`, 6, 1000, false},
		{`^.{5,1000000000}$`, 1_000_000_001, -1, true},
		{`^.{5,1000000000}$`, 0, 4, true},
		{`^ab?$`, 3, -1, true},
		{`^ab?$`, 2, 2, false},
		{`a`, 0, 0, true},
		{`[]`, 0, -1, true},
	}
	for _, tt := range tests {
		got, err := EmptyWithin(compile(t, tt.pattern), tt.min, tt.max, nil)
		if got != tt.want || err != nil {
			t.Errorf("EmptyWithin(%q, %d, %d) = %v, %v, want %v", tt.pattern, tt.min, tt.max, got, err, tt.want)
		}
	}
}

// TestLengths: windows stand beside the automaton, so huge numbers cost nothing.
func TestLengths(t *testing.T) {
	t.Parallel()
	b := NewBudget(2000)
	long := Length(1_000_000_000, -1)
	even := compile(t, `^(?:aa)*$`)
	l, err := Intersect(long, even, b)
	if err != nil || l.IsEmpty() {
		t.Fatalf("even strings of at least 10^9: empty %v, %v", l.IsEmpty(), err)
	}
	odd, err := Intersect(l, Length(1_000_000_001, 1_000_000_001), b)
	if err != nil || !odd.IsEmpty() {
		t.Fatalf("even strings of 10^9+1: empty %v, %v", odd.IsEmpty(), err)
	}
	if _, ok := l.Shortest(); ok {
		t.Error("a member of 10^9 code points was spelled out")
	}
	if got := Find(Length(100_000, -1), 0, -1, nil, 1); len(got) != 1 || got[0] != strings.Repeat("a", 100_000) {
		t.Error("Find did not give 100000 times a")
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	tests := []struct {
		pattern  string
		min, max int
		n        int
		want     []string
	}{
		{`^[a-z]+$`, 0, -1, 3, []string{"a", "b", "c"}},
		{`^[a-z]+$`, 3, 3, 2, []string{"aaa", "aab"}},
		{`^(?:\x00|abc)$`, 0, -1, 2, []string{"abc", "\x00"}},
		{`^[^a-z]$`, 0, -1, 2, []string{"0", "1"}},
		{`^[^ -~]$`, 0, -1, 2, []string{"¡", "¢"}},
		{`^[\x00-\x1f]$`, 0, -1, 1, []string{"\x00"}},
		{`^(?:ab|c)?$`, 0, -1, 9, []string{"", "c", "ab"}},
		{`^a|b$`, 1, 2, 3, []string{"a", "b", "aa"}},
		{`^[😀é]{2}$`, 0, -1, 9, []string{"éé", "é😀", "😀é", "😀😀"}},
	}
	for _, tt := range tests {
		if got := Find(compile(t, tt.pattern), tt.min, tt.max, nil, tt.n); !slices.Equal(got, tt.want) {
			t.Errorf("Find(%q, %d, %d, %d) = %q, want %q", tt.pattern, tt.min, tt.max, tt.n, got, tt.want)
		}
	}
	odd := func(s string) bool { return s == "a" || s == "c" }
	if got := Find(compile(t, `^[a-d]$`), 0, -1, odd, 9); !slices.Equal(got, []string{"b", "d"}) {
		t.Errorf("Find with an exclusion = %q, want b, d", got)
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	tests := []struct {
		l      *Language
		limit  int
		n      int
		finite bool
	}{
		{None(), 5, 0, true},
		{All(), 5, 5, false},
		{Words("a", "b", "a"), 5, 2, true},
		{Words("a", "b"), 1, 1, false},
		{Length(0, 0), 5, 1, true},
		{Length(1, 1), 2_000_000, 0x110000 - 0x800, true},
		{compile(t, `^[a-c]{2}$`), 100, 9, true},
		{compile(t, `^(?:a|b|ab)(?:c|bc)$`), 100, 5, true},
		{compile(t, `^a*$`), 100, 100, false},
	}
	for i, tt := range tests {
		if n, finite := tt.l.Count(tt.limit); n != tt.n || finite != tt.finite {
			t.Errorf("case %d: Count(%d) = %d, %v, want %d, %v", i, tt.limit, n, finite, tt.n, tt.finite)
		}
	}
}

// TestErrors gives the kind of refusal per pattern.
func TestErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		pattern string
		want    error
	}{
		{`(`, ErrSyntax}, {`)`, ErrSyntax}, {`[`, ErrSyntax}, {`a**`, ErrSyntax}, {`*`, ErrSyntax}, {`a{2,1}`, ErrSyntax}, {`{1}`, ErrSyntax},
		{`\`, ErrSyntax}, {`[z-a]`, ErrSyntax}, {`(?<a>x)(?<a>y)`, ErrSyntax}, {`\k<a>(?<b>x)`, ErrSyntax}, {`(?P<a>x)`, ErrSyntax}, {`(?<=a)*`, ErrSyntax},
		{`(a)\1`, ErrNotRegular}, {`(?<a>x)\k<a>`, ErrNotRegular}, {`(?<=a$)`, ErrNotRegular}, {`\p{Script_Extensions=Greek}`, ErrNotRegular},
		{`\p{Case_Ignorable}`, ErrNotRegular}, {`\A`, ErrNotRegular}, {`\-\p{L}`, ErrNotRegular}, {`(?m:^a)`, ErrNotRegular}, {`\8`, ErrNotRegular},
		{strings.Repeat("(", 1000), ErrTooLarge}, {`(?:a{1000}){1000}b{1000000}`, ErrTooLarge}, {`(?:a|b)*a(?:a|b){30}$`, ErrTooLarge},
		{`(((a{0,999}){0,999}){0,999})`, ErrTooLarge},
	}
	for _, tt := range tests {
		if _, err := Compile(tt.pattern, NewBudget(100_000)); !errors.Is(err, tt.want) {
			t.Errorf("Compile(%.40q): %v, want %v", tt.pattern, err, tt.want)
		}
	}
}

// TestLenient holds patterns that are legal only without the u flag.
func TestLenient(t *testing.T) {
	t.Parallel()
	tests := []struct{ pattern, yes, no string }{
		{`^\-$`, "-", "a"}, {`^a{$`, "a{", "a"}, {`^a{,2}$`, "a{,2}", "aa"}, {`^]$`, "]", "["}, {`^\_x$`, "_x", "x"}, {`^[\w-\.]$`, "-", " "},
		{`^\101$`, "A", "1"}, {`^(?=a)*b$`, "b", "a"}, {`^\@$`, "@", "a"}, {`^[\_\@]$`, "@", "a"}, {`^}$`, "}", "{"},
	}
	for _, tt := range tests {
		l := compile(t, tt.pattern)
		if !l.Match(tt.yes) || l.Match(tt.no) {
			t.Errorf("Compile(%q): Match(%q) = %v, Match(%q) = %v, want true, false", tt.pattern, tt.yes, l.Match(tt.yes), tt.no, l.Match(tt.no))
		}
	}
}

// TestBudget: the same input takes the same number of steps, and never more than the budget.
func TestBudget(t *testing.T) {
	t.Parallel()
	for _, pattern := range keptPatterns {
		one, two := NewBudget(1_000_000), NewBudget(1_000_000)
		if _, err := Compile(pattern, one); err != nil {
			t.Fatal(err)
		}
		if _, err := Compile(pattern, two); err != nil || one.Used() != two.Used() {
			t.Errorf("Compile(%q) took %d steps, then %d", pattern, one.Used(), two.Used())
		}
		if _, err := Compile(pattern, NewBudget(one.Used()-1)); !errors.Is(err, ErrTooLarge) {
			t.Errorf("Compile(%q) with one step less than it needs: %v", pattern, err)
		}
	}
}

func TestOpaque(t *testing.T) {
	t.Parallel()
	o, err := CompileOpaque(`^(a|b)\1$`)
	if err != nil {
		t.Fatal(err)
	}
	for s, want := range map[string]bool{"aa": true, "bb": true, "ab": false} {
		if got, err := o.Match(s); got != want || err != nil {
			t.Errorf("Match(%q) = %v, %v, want %v", s, got, err, want)
		}
	}
	lazy, err := CompileOpaque(`(a(\b)*?){2}`)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := lazy.Match("a"); got || err != nil {
		t.Errorf("two a found in one: %v, %v", got, err)
	}
	slow, err := CompileOpaque(`^(\w+)+\1$`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := slow.Match(strings.Repeat("a", 5000) + "!"); err == nil {
		t.Error("a match without end was not cut off")
	}
}
