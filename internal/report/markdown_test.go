package report

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fusionctl/fusionctl/diff"
)

// withoutSpans is a line of markdown without its code spans: a run of backticks up to the next run of equal length, see
// https://spec.commonmark.org/0.31.2/#code-spans.
func withoutSpans(line string) string {
	run := func(at int) int {
		n := 0
		for at+n < len(line) && line[at+n] == '`' {
			n++
		}
		return n
	}
	var b strings.Builder
	for i := 0; i < len(line); {
		n := run(i)
		if n == 0 {
			if line[i] == '\\' && i+1 < len(line) { // an escaped character is none of markup
				i++
			}
			b.WriteByte(line[i])
			i++
			continue
		}
		end := -1
		for j := i + n; j < len(line); {
			if m := run(j); m == n {
				end = j + m
				break
			} else if m > 0 {
				j += m
				continue
			}
			j++
		}
		if end < 0 {
			b.WriteString(strings.Repeat("`", n))
			i += n
			continue
		}
		i = end
	}
	return b.String()
}

// ours is the markup that the writer makes itself.
var ours = regexp.MustCompile(`^<!-- fusionctl -->$|^### |&nbsp;|<br>|^<details><summary>.*</summary>$|^</details>$|^ *- |\*\*[A-Z]+\*\*|^\| --- \|.*`)

// loose returns the signs of markup in a comment that stand outside of code spans and are not ours.
func loose(markdown string) string {
	for _, line := range strings.Split(markdown, "\n") {
		rest := ours.ReplaceAllString(withoutSpans(line), "")
		if strings.ContainsAny(rest, "`@#<>&*_[]~$\\") || strings.Contains(rest, "://") || strings.Contains(rest, "www.") {
			return rest + "\n   in " + line
		}
	}
	return ""
}

// TestMarkdownIsQuoted: whatever servers say, nothing of it is markup, a link or a mention.
func TestMarkdownIsQuoted(t *testing.T) {
	for name, r := range manyReports(t) {
		if rest := loose(write(t, "markdown", r, Options{})); rest != "" {
			t.Errorf("%s: %s", name, rest)
		}
	}
	for _, bad := range []string{"@team", "a `b", "``` `x` @a", "[x](y)", "see https://evil.test", "<b>"} {
		if loose(bad) == "" {
			t.Errorf("nothing is loose in %s", bad)
		}
	}
}

// TestMarkdownQuotesMessages: sentences that quote hostile texts and values in any mixture.
func TestMarkdownQuotesMessages(t *testing.T) {
	piece := rapid.SampledFrom([]string{"`", "``", "```", "@team", "a", " ", "\"", "\\", "[x](y)", "<img>", "|", "#1", "\n", "https://e.test", "*", "_", "{", "}", ",", ":"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "text"), "")
		other := strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "other"), "")
		message := fmt.Sprintf("the default of %q was %s and is %s; see (%q), $schema", text, value(map[string]any{text: other}, 100), value([]any{other, text}, 100), other)
		c := diff.Change{Rule: "input-default-changed", Severity: diff.Risky, Message: message, Hint: message, Before: text, After: other, Pointer: "/" + text,
			Witness: &diff.Witness{Value: other, Call: text + "(" + other + ")", Reason: message}}
		r := diff.Report{Diffs: []diff.ContractDiff{{Server: text, Kind: "tool", Name: other, Changes: []diff.Change{c}}}}
		r.Order()
		var b strings.Builder
		if err := writeMarkdown(&b, r, Options{}); err != nil {
			t.Fatal(err)
		}
		if rest := loose(b.String()); rest != "" {
			t.Fatal(rest)
		}
	})
}

func TestProse(t *testing.T) {
	for _, c := range [][2]string{
		{`the default of "a b" was "x" and is {"b":["@c d"]}, or so`, "the default of `\"a b\"` was `\"x\"` and is `{\"b\":[\"@c d\"]}`, or so"},
		{`$schema was added: "http://a.test"`, "`$schema` was added: `\"http://a.test\"`"},
		{`likely renamed to "b" (equal definition, score 100 of 100)`, "likely renamed to `\"b\"` (equal definition, score 100 of 100)"},
		{`"x": minimum 1 was added`, "`\"x\"`: minimum 1 was added"},
		{`cut in "the mid`, "cut in `\"the mid`"},
		{"plain (words), only.", "plain (words), only."},
	} {
		if got := prose(c[0]); got != c[1] {
			t.Errorf("prose(%s)\n got %s\nwant %s", c[0], got, c[1])
		}
	}
}

// TestCell: a bar never ends a cell, whatever stands before it.
func TestCell(t *testing.T) {
	for text, want := range map[string]string{`a|b`: `a\|b`, `a\|b`: `a\\\|b`, `a\\|b`: `a\\\|b`, `||`: `\|\|`, `\`: `\`} {
		if got := cell(text); got != want {
			t.Errorf("cell(%s) = %s, want %s", text, got, want)
		}
	}
}
