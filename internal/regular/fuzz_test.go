package regular

import (
	"errors"
	"testing"
	"unicode/utf8"
)

// FuzzCompile: no panic, the budget kept, only the three kinds of errors, and agreement with the backtracking engine.
func FuzzCompile(f *testing.F) {
	for _, p := range keptPatterns {
		f.Add(p, "abc")
	}
	for _, p := range []string{`(a)\1`, `\k<a>(?<a>x)`, `(?i:ſ)`, `[\d-z]`, `\u{110000}`, `(?-i:a)`, `a{99999999999}`, `[\]`, `(?<𝒜>a)`, `\1(a)`} {
		f.Add(p, "")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		const limit = 50_000
		b := NewBudget(limit)
		l, err := Compile(pattern, b)
		if b.Used() > limit {
			t.Fatalf("used %d steps of %d", b.Used(), limit)
		}
		if err != nil {
			if !errors.Is(err, ErrSyntax) && !errors.Is(err, ErrNotRegular) && !errors.Is(err, ErrTooLarge) {
				t.Fatalf("unknown error %v", err)
			}
			return
		}
		s, ok := l.Shortest()
		if ok && !l.Match(s) {
			t.Fatalf("Shortest = %q does not match", s)
		}
		o, err := CompileOpaque(pattern)
		if err != nil || !utf8.ValidString(text) || !utf8.ValidString(pattern) {
			return
		}
		for _, s := range []string{text, s, text + s} {
			if got, err := o.Match(s); err == nil && got != l.Match(s) {
				t.Fatalf("Compile(%q).Match(%q) = %v, the backtracking engine says %v", pattern, s, !got, got)
			}
		}
	})
}
