package envelope

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// anyText draws what hurts: arbitrary Unicode, invalid UTF-8, markup, invisible characters.
func anyText() *rapid.Generator[string] {
	nasty := rapid.SampledFrom([]string{"]]>", "</message>", "<tool_error code=\"X\">", "&lt;", "&#0;", "&amp;amp;", "\x00", "\xff", "\u202e", "\u200b", "\u200d", "é\u200d", "❤\ufe0f\u200d", "\U000E0041",
		"\ufffe", "\r\n", "\n\n  ", "\u2028", "  ", "\t", "'", `"`, "<![CDATA[", "<!--", "…", "[U+202E]", "\ufdd0", "\U0001FFFF", "\u00a0"})
	part := rapid.OneOf(nasty, rapid.String(), rapid.StringN(0, 40, -1), rapid.Custom(func(t *rapid.T) string {
		return string(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "bytes"))
	}))
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(part, 0, 6).Draw(t, "parts"), "") })
}

func anyAwareness() *rapid.Generator[*ContractAwareness] {
	return rapid.Custom(func(t *rapid.T) *ContractAwareness {
		if rapid.Bool().Draw(t, "none") {
			return nil
		}
		s := func() string { return cut(strings.ToValidUTF8(anyText().Draw(t, "s"), "?"), 30) }
		a := &ContractAwareness{Note: s(), Instructions: s(), MaxSeverity: s(), ChangeCount: rapid.IntRange(-2, 9).Draw(t, "count"), NotShown: rapid.IntRange(-2, 9).Draw(t, "more")}
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			a.Changes = append(a.Changes, ContractChange{s(), s(), s(), s(), s()})
		}
		return a
	})
}

func anyToolError() *rapid.Generator[*ToolError] {
	return rapid.Custom(func(t *rapid.T) *ToolError {
		e := New(Code(anyText().Draw(t, "code")), anyText().Draw(t, "message")).Suggest(anyText().Draw(t, "recovery")).
			Severity(Severity(rapid.IntRange(0, 4).Draw(t, "severity"))).
			Actions(rapid.SliceOfN(anyText(), 0, 4).Draw(t, "actions")...).
			RetryAfter(time.Duration(rapid.Int64().Draw(t, "retry"))).
			WithAwareness(anyAwareness().Draw(t, "awareness")).Limit(Limits{Bytes: 1 << 20, Lines: 1000})
		for range rapid.IntRange(0, 4).Draw(t, "details") {
			e = e.Detail(anyText().Draw(t, "key"), anyText().Draw(t, "value"))
		}
		return e
	})
}

func anyValidation() *rapid.Generator[*ValidationError] {
	keywords := rapid.SampledFrom([]string{"required", "type", "enum", "const", "minimum", "minLength", "pattern", "format", "additionalProperties", "propertyNames", "oneOf", "anyOf", "not", "uniqueItems", "", "contains"})
	var value func(t *rapid.T, depth int) any
	value = func(t *rapid.T, depth int) any {
		switch rapid.IntRange(0, 6-2*min(depth, 1)).Draw(t, "kind") {
		case 0:
			return nil
		case 1:
			return rapid.Bool().Draw(t, "bool")
		case 2:
			return rapid.Float64().Draw(t, "number")
		case 5:
			return []any{value(t, depth+1), value(t, depth+1)}
		case 6:
			return map[string]any{anyText().Draw(t, "name"): value(t, depth+1)}
		}
		return anyText().Draw(t, "text")
	}
	var issue func(t *rapid.T, depth int) Issue
	issue = func(t *rapid.T, depth int) Issue {
		is := Issue{Path: "/" + anyText().Draw(t, "path"), Keyword: keywords.Draw(t, "keyword"), Expected: value(t, 0), Received: value(t, 0),
			Sent: rapid.Bool().Draw(t, "sent"), Property: anyText().Draw(t, "property"), Known: rapid.SliceOfN(anyText(), 0, 3).Draw(t, "known")}
		if rapid.Bool().Draw(t, "schema") {
			is.Schema = map[string]any{is.Keyword: is.Expected, "examples": []any{value(t, 0)}, "type": value(t, 0), "pattern": value(t, 0)}
		}
		if depth < 2 {
			for range rapid.IntRange(0, 2).Draw(t, "branches") {
				is.Branches = append(is.Branches, []Issue{issue(t, depth+1)})
			}
		}
		return is
	}
	return rapid.Custom(func(t *rapid.T) *ValidationError {
		var issues []Issue
		for range rapid.IntRange(0, 5).Draw(t, "issues") {
			issues = append(issues, issue(t, 0))
		}
		return Limits{Bytes: 1 << 20, Lines: 1000}.Validation(anyText().Draw(t, "action"), issues...).
			Suggest(anyText().Draw(t, "recovery")).WithAwareness(anyAwareness().Draw(t, "awareness"))
	})
}

func roundTrip(t *rapid.T, e Envelope) {
	text := e.Format()
	wellFormed(t, text)
	if !utf8.ValidString(text) {
		t.Fatalf("not UTF-8: %q", text)
	}
	for _, r := range text {
		if r != '\n' && r < ' ' || invisible(r) && r != 0x200C && r != 0x200D && r != 0xFE0E && r != 0xFE0F {
			t.Fatalf("%U stands in %q", r, text)
		}
	}
	back, err := Parse("text before <b>" + text + " and after")
	if err != nil {
		t.Fatalf("Parse: %v in %s", err, text)
	}
	if d := cmp.Diff(e, back, same); d != "" {
		t.Fatalf("Parse(Format(x)) (-want +got):\n%s\n%s", d, text)
	}
}

func TestToolErrorRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { roundTrip(t, anyToolError().Draw(t, "e")) })
}

func TestValidationRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { roundTrip(t, anyValidation().Draw(t, "e")) })
}

// TestLimits: whatever is put in, the text keeps its bounds, is well-formed and parses.
func TestLimits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := Limits{Bytes: rapid.IntRange(0, 5000).Draw(t, "bytes"), Lines: rapid.IntRange(0, 70).Draw(t, "lines")}
		big := func() string {
			return strings.Repeat(anyText().Draw(t, "text")+"&<'", rapid.IntRange(1, 400).Draw(t, "n"))
		}
		a := &ContractAwareness{Note: big(), Instructions: big(), MaxSeverity: big()}
		for range rapid.IntRange(0, 25).Draw(t, "changes") {
			a.Changes = append(a.Changes, ContractChange{big(), big(), big(), big(), big()})
		}
		e := New(Code(big()), big()).Suggest(big()).WithAwareness(a).Limit(l).RetryAfter(1 << 62)
		var fields []Field
		for range rapid.IntRange(0, 25).Draw(t, "more") {
			e = e.Detail(big(), big()).Actions(big())
			fields = append(fields, Field{big(), big()})
		}
		want := l.orDefault()
		for _, text := range []string{e.Format(), Fields(big(), fields...).Suggest(big()).WithAwareness(a).Limit(l).Format()} {
			wellFormed(t, text)
			if len(text) > want.Bytes || strings.Count(text, "\n") >= want.Lines {
				t.Fatalf("%d bytes, %d lines, want at most %+v", len(text), strings.Count(text, "\n")+1, want)
			}
			if _, err := Parse(text); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestCleanIsIdempotent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, n := anyText().Draw(t, "s"), rapid.IntRange(1, 60).Draw(t, "limit")
		once := clean(s, n)
		if twice := clean(once, n); twice != once {
			t.Fatalf("clean(%q) = %q, then %q", s, once, twice)
		}
		if c := utf8.RuneCountInString(once); c > n {
			t.Fatalf("clean(%q, %d) has %d runes", s, n, c)
		}
	})
}

func TestClean(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a\nb": "a b", "a \r\n\t b": "a b", "\n a \n": "a", "a  b": "a  b", "x\x00y": "x[U+0000]y", "\x1b[2J": "[U+001B][2J",
		"a\u202eb": "a[U+202E]b", "\U000E0041": "[U+E0041]", "a\u200bb": "a[U+200B]b", "\xff": "\uFFFD", "क\u200dष": "क\u200dष", "a\u200db": "a[U+200D]b",
		"❤\ufe0f\u200d🔥": "❤\ufe0f\u200d🔥", "é": "é", "日本": "日本", "a\u2028b": "a b", "\ufeffa": "[U+FEFF]a", "a\u00adb": "a[U+00AD]b",
	} {
		if got := clean(in, 100); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
	if got := clean("日本語テキスト", 4); got != "日本語…" {
		t.Errorf("cut on runes: %q", got)
	}
}
