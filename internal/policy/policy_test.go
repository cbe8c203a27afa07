package policy

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/lockfile"
)

const whole = `# What this repository decided.
lockfile: contracts/fusion.lock
servers:
  billing:
    command: npx
    args: [-y, billing-server, 8]
    env:
      TOKEN: ${TOKEN}
fail-on: risky
audience: consumer
token-limit: 800
severity:
  - rule: tool-description-changed
    severity: safe
  - rule: tool-description-changed
    tool: get_*
    severity: breaking
ignore:
  - pointer: /_meta
    server: billing
accept:
  # agreed with the app team
  - fingerprint: 0123456789abcdef
    rule: tool-removed
    server: billing
    tool: void_invoice
    reason: nobody called it
    author: Ada
    expires: 2026-12-31
`

func TestParse(t *testing.T) {
	p, err := Parse([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	if p.Lockfile != "contracts/fusion.lock" || p.TokenLimit != 800 || p.FailOn != FailRisky || p.Audience != diff.Consumer {
		t.Errorf("scalars: %+v", p)
	}
	if len(p.Severities) != 2 || p.Severities[1].Tool != "get_*" || p.Severities[1].Severity != diff.Breaking {
		t.Errorf("severities: %+v", p.Severities)
	}
	if len(p.Ignore) != 1 || p.Ignore[0].Pointer != "/_meta" || p.Ignore[0].Server != "billing" {
		t.Errorf("ignore: %+v", p.Ignore)
	}
	if len(p.Accept) != 1 || p.Accept[0].Expires.Format(time.DateOnly) != "2026-12-31" || p.Accept[0].Line != 23 {
		t.Errorf("accept: %+v", p.Accept)
	}
	billing, _ := p.Servers["billing"].(map[string]any)
	args, _ := billing["args"].([]any)
	if billing["command"] != "npx" || len(args) != 3 {
		t.Errorf("servers: %v", p.Servers)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"fail-on: braking", `line 1: fail-on "braking": want breaking, risky, safe, any or none`},
		{"audience: me", `line 1: audience "me": want author or consumer`},
		{"a: 1", `line 1: unknown key "a" in the policy`},
		{"severity:\n  - rul: x", `line 2: unknown key "rul" in severity`},
		{"severity:\n  - rule: no-such\n    severity: safe", `line 2: unknown rule "no-such"`},
		{"severity:\n  - rule: tool-removed\n    severity: none", `line 2: severity "none": want breaking, risky, safe or cosmetic`},
		{"severity: high", `line 1: severity: want a list, found "high"`},
		{"fail-on: any\nfail-on: none", `line 2: duplicate key "fail-on" in the policy, first in line 1`},
		{"ignore:\n  - pointer: title", `line 2: ignore: pointer "title": want a JSON pointer such as "/annotations/title"`},
		{"accept:\n  - fingerprint: 12", `line 2: accept: fingerprint "12": want 16 hex digits`},
		{"accept:\n  - fingerprint: 0123456789abcdef\n    reason: x\n    author: y", `line 2: accept: missing "expires"`},
		{"accept:\n  - fingerprint: 0123456789abcdef\n    reason: ' '\n    author: y\n    expires: 2026-01-01", `line 2: accept: missing "reason"`},
		{"accept:\n  - fingerprint: 0123456789abcdef\n    reason: x\n    author: y\n    expires: 2026-02-30", `line 2: accept: expires "2026-02-30": want a date such as 2026-12-31`},
		{"- a", `line 1: the policy: want keys and values, found a list`},
		{"token-limit: many", `line 1: token-limit: want a whole number above 0, found "many"`},
		{"servers: 5", `line 1: servers: want a server by each name, found "5"`},
		{"servers: &a {b: *a}", `line 1: anchors and aliases are not supported`},
		{"lockfile: [a]", `line 1: lockfile: want a text, found a list`},
		{"a: b\n---\nc: d", `more than one document`},
		{"a: [", `not YAML`},
	} {
		_, err := Parse([]byte(c.text))
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Parse(%q) = %v, want %s", c.text, err, c.want)
		}
	}
}

func TestParseEmpty(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "---\n", "accept:\nignore:\n", "servers:\n"} {
		if _, err := Parse([]byte(text)); err != nil {
			t.Errorf("Parse(%q) = %v", text, err)
		}
	}
}

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), DefaultName)
	if _, err := Load(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Load of a missing file = %v", err)
	}
	if err := os.WriteFile(path, []byte("nope: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.HasPrefix(err.Error(), "reading policy ") {
		t.Errorf("Load = %v", err)
	}
}

func TestThresholdFails(t *testing.T) {
	all := []diff.Severity{diff.None, diff.Cosmetic, diff.Safe, diff.Risky, diff.Breaking}
	for name, from := range map[string]int{"breaking": 4, "risky": 3, "safe": 2, "any": 1, "none": 5} {
		threshold, err := ParseThreshold(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range all {
			if got := threshold.Fails(s); got != (i >= from) {
				t.Errorf("%s.Fails(%v) = %v", name, s, got)
			}
		}
	}
	if !Threshold("").Fails(diff.Breaking) || Threshold("").Fails(diff.Risky) {
		t.Error("the zero threshold is not breaking")
	}
}

func TestMatchName(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"", "anything", true}, {"*", "", true}, {"a", "a", true}, {"a", "A", false}, {"a*", "abc", true}, {"*c", "abc", true},
		{"a*c", "abcd", false}, {"a?c", "aüc", true}, {"?", "", false}, {"*a*b*", "xxaxxbxx", true}, {"a/*", "a/b/c", true}, {"[a]", "a", false},
	} {
		if got := matchName(c.pattern, c.name); got != c.want {
			t.Errorf("matchName(%q, %q) = %v", c.pattern, c.name, got)
		}
	}
}

// sampleReport has three changes: a removed tool, a changed text, a changed title.
func sampleReport() diff.Report {
	r := diff.Report{Diffs: []diff.ContractDiff{
		{Server: "billing", Kind: lockfile.KindTool, Name: "void_invoice", Changes: []diff.Change{
			{Rule: "tool-removed", Severity: diff.Breaking, Side: diff.Whole, Tool: "void_invoice", Before: "a"},
		}},
		{Server: "billing", Kind: lockfile.KindTool, Name: "get_invoice", Changes: []diff.Change{
			{Rule: "tool-description-changed", Severity: diff.Risky, Side: diff.Whole, Tool: "get_invoice", Pointer: "/description", Before: "a", After: "b"},
			{Rule: "tool-title-changed", Severity: diff.Cosmetic, Side: diff.Whole, Tool: "get_invoice", Pointer: "/title", Before: "a", After: "b"},
		}},
	}}
	for i, d := range r.Diffs {
		for j, c := range d.Changes {
			r.Diffs[i].Changes[j].Fingerprint = diff.Fingerprint(d, c)
		}
	}
	r.Order()
	return r
}

func TestApply(t *testing.T) {
	report := sampleReport()
	removed := report.Diffs[0].Changes[0].Fingerprint
	day := func(s string) time.Time { d, _ := ParseDay(s); return d }
	accept := Acceptance{Fingerprint: removed, Rule: "tool-removed", Server: "billing", Tool: "void_invoice", Expires: day("2026-12-31")}
	lastSecond := day("2026-12-31").Add(24*time.Hour - time.Second)

	p := &Policy{Accept: []Acceptance{accept}}
	got := p.Apply(report, lastSecond)
	if len(got.Report.Accepted) != 1 || got.Report.MaxSeverity != diff.Risky || len(got.Notes) != 0 {
		t.Errorf("on the last day: %+v", got)
	}
	got = p.Apply(report, lastSecond.Add(time.Second))
	if len(got.Report.Accepted) != 0 || got.Report.MaxSeverity != diff.Breaking || len(got.Notes) != 1 || got.Notes[0].Kind != Expired {
		t.Errorf("a day later: %+v", got)
	}

	other := accept
	other.Fingerprint = "ffffffffffffffff"
	got = (&Policy{Accept: []Acceptance{other}}).Apply(report, lastSecond)
	if got.Report.MaxSeverity != diff.Breaking || len(got.Notes) != 1 || got.Notes[0].Kind != Altered {
		t.Errorf("another change at its place: %+v", got.Notes)
	}
	other.Tool = "gone"
	got = (&Policy{Accept: []Acceptance{other}}).Apply(report, lastSecond)
	if len(got.Notes) != 1 || got.Notes[0].Kind != Unused {
		t.Errorf("no such change: %+v", got.Notes)
	}
	misnamed := accept
	misnamed.Tool = "get_invoice"
	got = (&Policy{Accept: []Acceptance{misnamed}}).Apply(report, lastSecond)
	if len(got.Report.Accepted) != 0 || got.Report.MaxSeverity != diff.Breaking {
		t.Errorf("an acceptance under a wrong name holds: %+v", got)
	}
}

func TestApplySeveritiesAndIgnored(t *testing.T) {
	report := sampleReport()
	want := sampleReport()
	p := &Policy{
		Severities: []SeverityRule{
			{Rule: "tool-description-changed", Severity: diff.Safe},
			{Rule: "tool-description-changed", Severity: diff.Breaking, Scope: Scope{Tool: "get_*"}},
			{Rule: "tool-removed", Severity: diff.Risky, Scope: Scope{Server: "other"}},
		},
		Ignore: []Ignored{{Pointer: "/title"}},
	}
	got := p.Apply(report, time.Time{})
	if got.Ignored != 1 || got.Report.Counts[diff.Breaking] != 2 || got.Report.Counts[diff.Cosmetic] != 0 {
		t.Errorf("Apply: ignored %d, counts %v", got.Ignored, got.Report.Counts)
	}
	if d := cmp.Diff(want, report); d != "" {
		t.Errorf("Apply changed its argument (-want +got):\n%s", d)
	}
}

func TestAddAcceptance(t *testing.T) {
	day, _ := ParseDay("2027-03-01")
	a := Acceptance{Fingerprint: "00000000000000aa", Rule: "tool-removed", Server: "billing", Tool: `odd "tool": #1`, Reason: "two\nlines: \u2028", Author: "Ada", Expires: day}
	const item = `- fingerprint: "00000000000000aa"
    rule: tool-removed
    server: "billing"
    tool: "odd \"tool\": #1"
    reason: "two\u000alines: \u2028"
    author: "Ada"
    expires: 2027-03-01
`
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "accept:\n  " + item},
		{"no newline at the end", "fail-on: any", "fail-on: any\naccept:\n  " + item},
		{"bare key", "accept:\nfail-on: any\n", "accept:\n  " + item + "fail-on: any\n"},
		{"empty list", "accept: []\n", "accept:\n  " + item},
		{"before others", whole, strings.Replace(whole, "accept:\n", "accept:\n  "+item, 1)},
	} {
		got, err := AddAcceptance([]byte(c.text), a)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if d := cmp.Diff(c.want, string(got)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
		if _, err := AddAcceptance(got, a); !errors.Is(err, ErrAccepted) {
			t.Errorf("%s: the second time: %v", c.name, err)
		}
	}
	flow := "accept: [{fingerprint: 0123456789abcdef, reason: r, author: a, expires: 2026-01-01}]\n"
	if _, err := AddAcceptance([]byte(flow), a); err == nil {
		t.Error("a list in one line was edited")
	}
}

func TestAddAcceptanceKeepsAnyText(t *testing.T) {
	day, _ := ParseDay("2027-03-01")
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.StringOf(rapid.Rune()).Filter(func(s string) bool { return strings.TrimSpace(s) != "" })
		a := Acceptance{Fingerprint: "00000000000000aa", Tool: words.Draw(t, "tool"), Reason: words.Draw(t, "reason"), Author: words.Draw(t, "author"), Expires: day}
		text, err := AddAcceptance([]byte(whole), a)
		if err != nil {
			t.Fatalf("AddAcceptance(%+v) = %v", a, err)
		}
		p, err := Parse(text)
		if err != nil || p.Accept[0].Reason != a.Reason || p.Accept[0].Tool != a.Tool {
			t.Fatalf("read back: %v, %+v", err, p)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte("servers: &a {b: *a}"))
	f.Add([]byte("accept:\n- fingerprint: 0123456789abcdef"))
	day, _ := ParseDay("2027-03-01")
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse(data)
		if err != nil {
			return
		}
		p.Apply(sampleReport(), day)
		AddAcceptance(data, Acceptance{Fingerprint: "00000000000000aa", Reason: "r", Author: "a", Expires: day})
	})
}

// TestErrorsAreShort: a wrong --policy may name any file, which must not be printed whole.
func TestErrorsAreShort(t *testing.T) {
	for _, text := range []string{strings.Repeat("a", 1<<20), strings.Repeat("a", 100_000) + ": 1", "fail-on: " + strings.Repeat("ü", 100_000)} {
		if _, err := Parse([]byte(text)); err == nil || len(err.Error()) > 1000 {
			t.Errorf("%.20q: %d bytes", text, len(err.Error()))
		}
	}
	if _, err := Load(t.TempDir()); err == nil || strings.Count(err.Error(), "reading") != 1 || strings.Contains(err.Error(), "read /") {
		t.Errorf("a folder: %v", err)
	}
}
