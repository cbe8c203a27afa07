package regular

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	for _, legal := range []string{"", "^a+$", `\p{L}`, `(?<=a)b`, `(a)\1`, `(?<x>a)\k<x>`, `[a-z]{2,}`, "a{", strings.Repeat("a", maxPattern+1)} {
		if err := Check(legal); err != nil {
			t.Errorf("%.20q: %v", legal, err)
		}
	}
	for _, illegal := range []string{"(", ")", "a{2,1}", "[z-a]", `a\`, "*", "[", "(?<x>a)(?<x>b)", "(?P<x>a)"} {
		if Check(illegal) == nil {
			t.Errorf("%q is taken for a pattern", illegal)
		}
	}
}
