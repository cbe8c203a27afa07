package regular

import (
	"encoding/json"
	"errors"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// atoms are the leaves of random patterns; all of them are legal with the u flag.
var atoms = []string{"a", "b", "c", "ab", ".", `\d`, `\w`, `\W`, `\s`, "[ab]", "[^a]", "[a-c-]", `\b`, `\B`, "^", "$", "é", `\u{1F600}`, "[^]", "[]", `[\-]`, "0", " "}

func drawPattern(t *rapid.T, depth int, looks bool) string {
	sub := func() string { return drawPattern(t, depth-1, looks) }
	top := 8
	if looks {
		top = 11
	}
	if depth == 0 {
		return rapid.SampledFrom(atoms).Draw(t, "atom")
	}
	switch rapid.IntRange(0, top).Draw(t, "kind") {
	case 0, 1:
		return sub() + sub()
	case 2:
		return sub() + sub() + sub()
	case 3:
		return "(?:" + sub() + "|" + sub() + ")"
	case 4:
		return "(" + sub() + ")" + rapid.SampledFrom([]string{"*", "+", "?", "*?", "{2}", "{1,3}", "{0,2}?", "{2,}", "{9}", "{3,12}"}).Draw(t, "count")
	case 5:
		return "^" + sub() + "$"
	case 6:
		return sub() + "|" + sub()
	case 9:
		return "(?=" + sub() + ")" + sub()
	case 10:
		return "(?!" + sub() + ")" + sub()
	case 11:
		return sub() + "(?" + rapid.SampledFrom([]string{"=", "!", "<=", "<!"}).Draw(t, "look") + rapid.SampledFrom([]string{"a", "ab|c", "[^a]b*", ".", "a+"}).Draw(t, "inner") + ")"
	}
	return rapid.SampledFrom(atoms).Draw(t, "atom")
}

func drawText(t *rapid.T) string {
	return rapid.StringOfN(rapid.SampledFrom([]rune("aaabbbc0 -é😀\n_")), 0, 8, -1).Draw(t, "text")
}

// TestAgreesWithGo compares with the regexp package on patterns that it can express.
func TestAgreesWithGo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pattern := drawPattern(t, 3, false)
		text, ok := GoSyntax(pattern)
		if !ok {
			t.SkipNow()
		}
		re := regexp.MustCompile(text)
		l, err := Compile(pattern, NewBudget(300_000))
		if errors.Is(err, ErrTooLarge) { // a.{12}b has to remember 12 characters
			t.SkipNow()
		}
		if err != nil {
			t.Fatalf("Compile(%q): %v", pattern, err)
		}
		for range 20 {
			s := drawText(t)
			if got, want := l.Match(s), re.MatchString(s); got != want {
				t.Fatalf("Compile(%q).Match(%q) = %v, want %v", pattern, s, got, want)
			}
		}
		for _, s := range Find(l, 0, 12, nil, 3) {
			if !re.MatchString(s) || !l.Match(s) {
				t.Fatalf("Find(%q) gave %q, which does not match", pattern, s)
			}
		}
	})
}

// TestAgreesWithOpaque compares with the backtracking engine, look-around included.
func TestAgreesWithOpaque(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pattern := drawPattern(t, 3, true)
		l, err := Compile(pattern, NewBudget(300_000))
		if errors.Is(err, ErrTooLarge) {
			t.SkipNow()
		}
		if errors.Is(err, ErrNotRegular) && strings.Contains(pattern, "(?<") {
			t.SkipNow() // a look-around got into a look-behind
		}
		if err != nil {
			t.Fatalf("Compile(%q): %v", pattern, err)
		}
		o, err := CompileOpaque(pattern)
		if err != nil {
			t.Fatalf("CompileOpaque(%q): %v", pattern, err)
		}
		for range 20 {
			s := drawText(t)
			want, err := o.Match(s)
			if err != nil {
				continue
			}
			if got := l.Match(s); got != want {
				t.Fatalf("Compile(%q).Match(%q) = %v, want %v", pattern, s, got, want)
			}
		}
	})
}

// keptPatterns are compared with a real ECMAScript engine. All are legal with the u flag.
var keptPatterns = []string{
	`^[a-z]+$`, `^\d+$`, `^(([a-z])+.)+[A-Z]([a-z])+$`, `a|^b|c$`, `(^a|b$)+`, `^(?:^a)*b`, `\bfoo\b`, `\Boo`, `^\w+(?:-\w+)*$`,
	`^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$`,
	`^(?!x$).*$`, `^(?=.{2,4}$)[a-z.]+$`, `^(?=.*[A-Z])(?=.*\d).{3,}$`, `^(?:(?!foo).)*$`, `(?:(?=a)a|(?!a)b)+$`, `a(?=b)`, `a(?!b)`, `(?=a(?=b))..$`,
	`(?<=a)b`, `(?<!a)b`, `(?<=^a|b)c`, `x*(?<=xx)$`, `(?!(?!a))b|ab`, `^(?=\b)a|\Bb(?=\b)`,
	`^.$`, `^[^]$`, `^..$`, `^\uD83D\uDE00$`, `^[\uD83D\uDE00-\u{1F64F}]$`, `^\u{1F600}{2}$`, `[\uD800-\uDBFF][\uDC00-\uDFFF]`, `^[^\u{1F600}]$`,
	`^\p{Lu}\p{Ll}*$`, `^\P{L}+$`, `^\p{Script=Greek}+$`, `^\p{sc=Cyrl}$`, `^\p{Alphabetic}$`, `^(\p{Extended_Pictographic}|\p{Emoji_Component})+$`, `^[\p{ASCII}]*$`,
	`^\s*$`, `^\S*$`, `^\cJ$`, `^\x41$`, `^\0$`, `^[\b]$`, `^[\w-]+$`, `^[a\-z]+$`, `^$`, ``, `^[]$`, `(?:)*`, `(?:a|)*$`, `(a*)*$`, `(a*)+b`, `^(?:a{2}){2,3}$`, `^a{10,20}$`,
	`^(?<year>\d{4})-(?<m>\d\d)$`, `^[A-Z]{2}(?:-[A-Z]{2})?$`, `a.c`, `^a.c$`, `[.\-/]`, `^\/$`, `^\*\?$`, `(?:$^|a)b?$`, `^(a|ab)(c|bcd)$`, `$a`, `a^`, `(?:\b|a)-`,
}

var keptTexts = []string{
	"", "a", "b", "ab", "ba", "abc", "foo", "a foo", "foobar", "xfoo", "A", "Abc", "aB", "12", "a1", "A1b", "x", "xx", "xy", "cb", "ac", "bc", "aaa", "aaaa", "aaaaaa", "aaaaaaaaaaaa",
	"a.b@c.de", "a..b@c.de", ".a@b.cd", "a@b", "a.", "ab.cd", "é", "É", "éa", "😀", "😀😀", "a😀", "👨‍👩‍👧", "λογος", "ж", "\n", "a\nc", "\t \u00a0\u2028", "\ufeff", "\x00", "\b", "a-b", "-", "a z",
	"2024-05", "EN-GB", "EN", "a/c", ".", "/", "*?", "abcd", "b-", "\u2028", "K", "ſ", "_", "A\n", "aab", "bb", "\U0010FFFF",
}

// TestAgreesWithNode compares all kept patterns with all kept texts.
func TestAgreesWithNode(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("skipped: no node")
	}
	input, err := json.Marshal(map[string]any{"patterns": keptPatterns, "texts": keptTexts})
	if err != nil {
		t.Fatal(err)
	}
	const script = `const i = JSON.parse(require("fs").readFileSync(0, "utf8"));
		console.log(JSON.stringify(i.patterns.map(p => { const r = new RegExp(p, "u"); return i.texts.map(s => r.test(s)); })));`
	cmd := exec.Command(node, "-e", script)
	cmd.Stdin = strings.NewReader(string(input))
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("running node: %v", err)
	}
	var want [][]bool
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	for i, pattern := range keptPatterns {
		l, err := Compile(pattern, nil)
		if err != nil {
			t.Errorf("Compile(%q): %v", pattern, err)
			continue
		}
		o, err := CompileOpaque(pattern)
		if err != nil {
			t.Errorf("CompileOpaque(%q): %v", pattern, err)
			continue
		}
		var re *regexp.Regexp
		if text, ok := GoSyntax(pattern); ok {
			re = regexp.MustCompile(text)
		}
		for j, s := range keptTexts {
			if got := l.Match(s); got != want[i][j] {
				t.Errorf("Compile(%q).Match(%q) = %v, want %v", pattern, s, got, want[i][j])
			}
			if got, err := o.Match(s); err != nil || got != want[i][j] {
				t.Errorf("CompileOpaque(%q).Match(%q) = %v, %v, want %v", pattern, s, got, err, want[i][j])
			}
			if re != nil && re.MatchString(s) != want[i][j] {
				t.Errorf("GoSyntax(%q): %q matches %q: %v, want %v", pattern, re, s, !want[i][j], want[i][j])
			}
		}
	}
}
