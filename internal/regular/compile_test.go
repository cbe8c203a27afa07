package regular

import "testing"

func TestCompile(t *testing.T) {
	t.Parallel()
	tests := []struct {
		pattern, yes, no string
	}{
		{`^[a-z]+$`, "abc", "ab1"},
		{`b`, "abc", "ac"},
		{`\bfoo\b`, "a foo b", "afoo"},
		{`^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$`, "a.b@c.de", "a..b@c.de"},
		{`^(?!x$).*$`, "xy", "x"},
		{`^(?:(?!foo).)*$`, "fo bar", "a foo"},
		{`(?<=a)b`, "ab", "cb"},
		{`^.{3,1000000}$`, "abc", "ab"},
		{`^\uD83D\uDE00$`, "😀", "x"},
		{`a\-b`, "a-b", "ab"},
		{`^\p{Lu}$`, "É", "é"},
	}
	for _, tt := range tests {
		l, err := Compile(tt.pattern, nil)
		if err != nil {
			t.Errorf("Compile(%q): %v", tt.pattern, err)
			continue
		}
		if !l.Match(tt.yes) || l.Match(tt.no) {
			t.Errorf("Compile(%q): Match(%q) = %v, Match(%q) = %v, want true, false", tt.pattern, tt.yes, l.Match(tt.yes), tt.no, l.Match(tt.no))
		}
	}
}
