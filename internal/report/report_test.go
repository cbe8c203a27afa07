package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/validate"
	"github.com/fusionctl/fusionctl/lockfile"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// endings are the golden files of one case, by format.
var endings = map[string]string{
	"text": ".txt", "json": ".json", "markdown": ".md", "sarif": ".sarif", "junit": ".xml", "github": ".github", "gitlab": ".gitlab.json",
}

// cases are the reports that are written in every format. Each pair is the tools of one server before and after.
var cases = map[string]struct{ base, rev string }{
	// What most reports are like: a break with a call, a text, a rename, harmless changes.
	"mixed": {
		base: `{"server":{"name":"billing","version":"1.4.0"},"tools":{
			"get_invoice":{"description":"Get one invoice.","annotations":{"readOnlyHint":true},
				"inputSchema":{"type":"object","properties":{"id":{"type":"string"},"format":{"enum":["json","pdf"]}},"required":["id"]},
				"outputSchema":{"type":"object","properties":{"total":{"type":"number"}},"required":["total"]}},
			"store_note":{"inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}},
			"list":{"inputSchema":{"type":"object"}}}}`,
		rev: `{"server":{"name":"billing","version":"1.4.0"},"tools":{
			"get_invoice":{"description":"Get one invoice, always with its lines.","title":"Invoice",
				"inputSchema":{"type":"object","properties":{"id":{"type":"string"},"format":{"enum":["json"]},"lang":{"type":"string"}},"required":["id","lang"]},
				"outputSchema":{"type":"object","properties":{"total":{"type":["number","null"]}},"required":["total"]}},
			"save_note":{"inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}},
			"list":{"title":"List","inputSchema":{"type":"object","properties":{"limit":{"type":"integer"}}}}}}`,
	},
	// Everything that comes from outside tries to break out: of the terminal, of markup, of a workflow command, of XML.
	"hostile": {
		base: `{"tools":{"a\u001b[2J|b` + "`" + `<img src=x>@team":{"description":"ok","inputSchema":{"type":"object","properties":{"x\n::error::y":{"type":"string"}}}},
			"gone":{"description":"see https://evil.test and #12","inputSchema":{"type":"object"}}}}`,
		rev: `{"tools":{"a\u001b[2J|b` + "`" + `<img src=x>@team":{"description":"ok\u001b]0;x\u0007 \u202eevil\u200b </details><script>alert(1)</script>\n::error file=x::owned","title":"]]>\u0000","inputSchema":{"type":"object",
			"properties":{"x\n::error::y":{"type":"integer","description":"](javascript:alert(1)) ` + "``" + ` @team"}}}}}}`,
	},
	"none": {base: `{"tools":{"a":{"inputSchema":{"type":"object"}}}}`, rev: `{"tools":{"a":{"inputSchema":{"type":"object"}}}}`},
	// The same harmless change in many items is told once.
	"many": {
		base: `{"tools":{"a":{"inputSchema":{"type":"object"}},"b":{"inputSchema":{"type":"object"}},"c":{"inputSchema":{"type":"object"}},"d":{"inputSchema":{"type":"object"}}}}`,
		rev: `{"tools":{"a":{"title":"A","inputSchema":{"type":"object"}},"b":{"title":"B","inputSchema":{"type":"object"}},
			"c":{"title":"C","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}},"d":{"title":"D","inputSchema":{"type":"object"}}}}`,
	},
}

func server(t testing.TB, text string) *lockfile.File {
	t.Helper()
	v, err := canonjson.Decode([]byte(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	m := v.(map[string]any)
	s := &lockfile.Server{Tools: map[string]*lockfile.Entry{}}
	s.Info, _ = m["server"].(map[string]any)
	tools, _ := m["tools"].(map[string]any)
	for name, fields := range tools {
		s.Tools[name] = lockfile.EntryOf(fields.(map[string]any))
	}
	return &lockfile.File{Servers: map[string]*lockfile.Server{"billing": s}}
}

func compared(t testing.TB, name string) diff.Report {
	t.Helper()
	c := cases[name]
	return diff.Compare(server(t, c.base), server(t, c.rev), diff.Options{})
}

func write(t testing.TB, format string, r diff.Report, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, format, r, o); err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	return b.String()
}

// TestGolden compares each format with its file. A report is read back from its JSON before it is written in the others:
// all that they show is in the JSON.
func TestGolden(t *testing.T) {
	o := Options{Version: "1.2.3", Locate: func(server string, _ lockfile.Kind, name, pointer string) (int, int) {
		return 10 + len(pointer), 5
	}}
	for name := range cases {
		r := compared(t, name)
		var back diff.Report
		d := json.NewDecoder(strings.NewReader(write(t, "json", r, o)))
		d.UseNumber()
		if err := d.Decode(&back); err != nil {
			t.Fatal(err)
		}
		for _, format := range Formats() {
			got := write(t, format, back, o)
			path := filepath.Join("testdata", name+endings[format])
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				continue
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s: got\n%s\nwant\n%s", path, got, want)
			}
		}
	}
}

// TestHarmless: no format lets a character through that a person would not see, or that a terminal obeys.
func TestFormatsAreHarmless(t *testing.T) {
	r := compared(t, "hostile")
	for _, format := range Formats() {
		got := write(t, format, r, Options{})
		if !utf8.ValidString(got) {
			t.Errorf("%s: not UTF-8", format)
		}
		for _, c := range got {
			if c != '\n' && unprintable(c) {
				t.Errorf("%s: %U gets through", format, c)
			}
		}
		for _, line := range strings.Split(got, "\n") {
			if format == "github" && strings.Contains(line[min(len(line), 1):], "\n::") || format != "github" && strings.HasPrefix(line, "::") {
				t.Errorf("%s: the line %q is a command", format, line)
			}
		}
	}
	for _, line := range strings.Split(strings.TrimSpace(write(t, "github", r, Options{})), "\n") {
		if !strings.HasPrefix(line, "::error file=fusion.lock,") && !strings.HasPrefix(line, "::warning file=fusion.lock,") && !strings.HasPrefix(line, "::notice file=fusion.lock,") {
			t.Errorf("github: line %q", line)
		}
	}
}

func TestHarmless(t *testing.T) {
	for _, c := range [][2]string{
		{"plain – äöü 日本 👍", "plain – äöü 日本 👍"},
		{"ok\x1b[2J\x1b]0;x\a", `ok\u001b[2J\u001b]0;x\u0007`},
		{"a\nb\tc\r", `a\nb\tc\r`},
		{"\u202eabc\u200b\u2066", `\u202eabc\u200b\u2066`},
		{"\U000e0072", `\U000e0072`},
		{"\xff", `\xff`},
		{"\u009b31m", `\u009b31m`},
	} {
		if got := Harmless(c[0]); got != c[1] {
			t.Errorf("Harmless(%q) = %s, want %s", c[0], got, c[1])
		}
	}
}

func validator(t *testing.T, schema []byte) *validate.Schema {
	t.Helper()
	v, err := canonjson.Decode(schema)
	if err != nil {
		t.Fatal(err)
	}
	s, err := validate.Compile(v, validate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func checkAgainst(t *testing.T, s *validate.Schema, text string) {
	t.Helper()
	v, err := canonjson.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	issues, err := s.Validate(v)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range issues {
		t.Errorf("at %s: %s %v", i.Path, i.Keyword, i.Expected)
	}
}

// TestJSONSchema: each report is valid against the published schema, and the schema is strict enough to notice a slip.
func TestJSONSchema(t *testing.T) {
	s := validator(t, Schema)
	for name := range cases {
		checkAgainst(t, s, write(t, "json", compared(t, name), Options{}))
	}
	for _, bad := range []string{
		`{}`,
		`{"formatVersion":2,"maxSeverity":"NONE","counts":{"BREAKING":0,"RISKY":0,"SAFE":0,"COSMETIC":0},"diffs":[],"advice":[]}`,
		`{"formatVersion":1,"maxSeverity":"NONE","counts":{"BREAKING":0,"RISKY":0,"SAFE":0,"COSMETIC":0},"diffs":null,"advice":[]}`,
	} {
		v, _ := canonjson.Decode([]byte(bad))
		if ok, err := s.Valid(v); ok || err != nil {
			t.Errorf("the schema accepts %s (%v)", bad, err)
		}
	}
}

// TestSARIF checks what code scanning asks of a SARIF file, in the words of a schema of our own: see testdata/sarif.schema.json.
func TestSARIF(t *testing.T) {
	schema, err := os.ReadFile("testdata/sarif.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	s := validator(t, schema)
	for name := range cases {
		checkAgainst(t, s, write(t, "sarif", compared(t, name), Options{Version: "1.2.3"}))
	}
	var log sarifLog
	if err := json.Unmarshal([]byte(write(t, "sarif", compared(t, "mixed"), Options{})), &log); err != nil {
		t.Fatal(err)
	}
	rules := log.Runs[0].Tool.Driver.Rules
	for _, r := range log.Runs[0].Results {
		if rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("rule index %d is %s, want %s", r.RuleIndex, rules[r.RuleIndex].ID, r.RuleID)
		}
	}
}

// TestJUnit checks the counts that viewers trust, and that the failures are those from fail-on up.
func TestJUnit(t *testing.T) {
	for _, c := range []struct {
		name     string
		failOn   diff.Severity
		failures int
	}{{"mixed", diff.None, 5}, {"mixed", diff.Risky, 7}, {"mixed", diff.Cosmetic, 11}, {"none", diff.None, 0}} {
		text := write(t, "junit", compared(t, c.name), Options{FailOn: c.failOn})
		var all junitSuites
		if err := xml.Unmarshal([]byte(text), &all); err != nil {
			t.Fatal(err)
		}
		tests, failures := 0, 0
		for _, s := range all.Suites {
			if s.Tests != len(s.Cases) {
				t.Errorf("suite %s says %d tests, has %d", s.Name, s.Tests, len(s.Cases))
			}
			tests += s.Tests
			failures += s.Failures
			own := 0
			for _, one := range s.Cases {
				if one.Failure != nil {
					own++
				}
			}
			if own != s.Failures {
				t.Errorf("suite %s says %d failures, has %d", s.Name, s.Failures, own)
			}
		}
		if all.Tests != tests || all.Failures != failures || failures != c.failures || tests == 0 {
			t.Errorf("%s: %d tests, %d failures (want %d)", c.name, tests, failures, c.failures)
		}
	}
}

// TestMarkdownSize: a comment never passes the limit of a pull request comment, uses the room that it has, and says what it
// left out: of many items, of many changes in one, of many servers.
func TestMarkdownSize(t *testing.T) {
	items := compared(t, "mixed")
	for range 500 {
		items.Diffs = append(items.Diffs, items.Diffs[0])
	}
	changes := compared(t, "mixed")
	one := &changes.Diffs[0]
	for i := range 5000 {
		c := one.Changes[0]
		c.Pointer = fmt.Sprintf("/inputSchema/properties/p%d", i)
		one.Changes = append(one.Changes, c)
	}
	servers := diff.Report{}
	for i := range 600 {
		name := fmt.Sprintf("server-%d", i)
		servers.Diffs = append(servers.Diffs, diff.ContractDiff{Server: name, Kind: "tool", Name: "t", Changes: []diff.Change{
			{Rule: "tool-removed", Severity: diff.Breaking, Message: "the tool was removed", Fingerprint: name}}})
		servers.Advice = append(servers.Advice, diff.ServerAdvice{Server: name, Baseline: "1.0.0", Revision: "1.0.0", Raise: "major", Next: "2.0.0"})
	}
	for name, r := range map[string]diff.Report{"items": items, "changes": changes, "servers": servers} {
		r.Order()
		got := write(t, "markdown", r, Options{})
		if len(got) >= 65_536 || name != "servers" && len(got) < 50_000 {
			t.Errorf("%s: %d bytes, want fewer than 65536 and the room used", name, len(got))
		}
		told := "more changes are not shown here"
		if name == "servers" {
			told = "more servers"
		}
		if !strings.Contains(got, told) || strings.Count(got, "<details>") != strings.Count(got, "</details>") {
			t.Errorf("%s: the cut is not told, or leaves a fold open", name)
		}
	}
}

// TestManyResources: hundreds of resources that went are one line, at the top.
func TestManyResources(t *testing.T) {
	base := &lockfile.Server{Resources: map[string]*lockfile.Entry{}}
	for i := range 9 {
		base.Resources[fmt.Sprintf("file:///%d", i)] = &lockfile.Entry{}
	}
	file := func(s *lockfile.Server) *lockfile.File {
		return &lockfile.File{Servers: map[string]*lockfile.Server{"s": s}}
	}
	got := write(t, "text", diff.Compare(file(base), file(&lockfile.Server{}), diff.Options{}), Options{})
	want := `BREAKING: 9 breaking changes in 9 resources

in several items
  BREAKING  a resource was removed: 9 items  [resource-removed]
            in        resource "file:///0", resource "file:///1", resource "file:///2", resource "file:///3", resource "file:///4", resource "file:///5" and 3 more
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestColor(t *testing.T) {
	r := compared(t, "mixed")
	if got := write(t, "text", r, Options{Color: true}); !strings.Contains(got, "\x1b[31;1mBREAKING") {
		t.Errorf("no color in\n%s", got)
	}
	if got := write(t, "text", r, Options{}); strings.Contains(got, "\x1b") {
		t.Errorf("color in\n%s", got)
	}
}

func TestFormats(t *testing.T) {
	want := "text json markdown sarif junit github gitlab"
	if got := strings.Join(Formats(), " "); got != want {
		t.Errorf("Formats() = %s, want %s", got, want)
	}
	err := Write(io.Discard, "yaml", diff.Report{}, Options{})
	if err == nil || err.Error() != `format "yaml": want text, json, markdown, sarif, junit, github or gitlab` {
		t.Errorf("error %v", err)
	}
}

type failingWriter struct{ left int }

var errFull = errors.New("full")

func (w *failingWriter) Write(p []byte) (int, error) {
	if len(p) > w.left {
		return 0, errFull
	}
	w.left -= len(p)
	return len(p), nil
}

// TestWriteErrors: the first error of the writer below is returned, wherever it happens.
func TestWriteErrors(t *testing.T) {
	r := compared(t, "mixed")
	for _, format := range Formats() {
		for _, room := range []int{0, 60, 400} {
			if err := Write(&failingWriter{room}, format, r, Options{}); !errors.Is(err, errFull) {
				t.Errorf("%s with room for %d bytes: error %v, want %v", format, room, err, errFull)
			}
		}
	}
}
