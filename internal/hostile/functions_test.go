package hostile

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/capture"
	"github.com/fusionctl/fusionctl/internal/hooktest/foreign"
	"github.com/fusionctl/fusionctl/internal/report"
	"github.com/fusionctl/fusionctl/internal/subschema"
	"github.com/fusionctl/fusionctl/lockfile"
)

// bounded runs f and fails when it panics, or hangs. A hang ends the test at once, since f cannot be stopped.
func bounded(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan any, 1)
	start := time.Now()
	go func() {
		defer func() { done <- recover() }()
		f()
	}()
	select {
	case p := <-done:
		if p != nil {
			t.Errorf("%s: panic: %.500v", what, p)
		}
		if took := time.Since(start); took > patience/12 {
			t.Logf("%s took %v", what, took.Round(100*time.Millisecond))
		}
	case <-time.After(patience):
		stacks := make([]byte, 1<<16)
		t.Fatalf("%s: no answer within %v\n%s", what, patience, stacks[:runtime.Stack(stacks, true)])
	}
}

func manifest(tools ...string) []byte { return []byte(`{"tools":[` + strings.Join(tools, ",") + `]}`) }

func tool(name, schema string) string {
	return fmt.Sprintf(`{"name":%q,"description":"a tool","inputSchema":%s}`, name, schema)
}

func TestMalformedTextsAreRefused(t *testing.T) {
	t.Parallel()
	for name, text := range malformed {
		t.Run(name, func(t *testing.T) {
			bounded(t, "capture.Read", func() {
				_, _, err := capture.Read([]byte(text), "s")
				refused(t, "capture.Read", err)
			})
			bounded(t, "lockfile.Parse", func() {
				_, err := lockfile.Parse([]byte(text))
				refused(t, "lockfile.Parse", err)
				var parse *lockfile.ParseError
				if err != nil && !errors.As(err, &parse) {
					t.Errorf("%v is not a ParseError", err)
				}
			})
			bounded(t, "awareness.New", func() {
				_, err := awareness.New(awareness.FromBytes([]byte(text)))
				refused(t, "awareness.New", err)
			})
		})
	}
}

// refused wants an error that can be printed.
func refused(t *testing.T, what string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s takes it", what)
		return
	}
	foreign.Harmless(t, what, err.Error())
	if len(err.Error()) > 2000 {
		t.Errorf("%s: an error of %d bytes", what, len(err.Error()))
	}
}

func TestBrokenToolsAreLeftOutAndTold(t *testing.T) {
	t.Parallel()
	for name, text := range broken {
		t.Run(name, func(t *testing.T) {
			bounded(t, "capture.Read", func() {
				f, problems, err := capture.Read(manifest(tool("good", `{"type":"object"}`), text), "s")
				if err != nil { // the whole text is refused where its parts cannot be told apart
					refused(t, "capture.Read", err)
					return
				}
				if len(problems) == 0 || len(f.Servers["s"].Tools) != 1 || f.Servers["s"].Tools["good"] == nil {
					t.Errorf("%d tools, problems %v; want the good one alone and the other told", len(f.Servers["s"].Tools), problems)
				}
				for _, p := range problems {
					foreign.Harmless(t, "problem", p.Text)
				}
			})
		})
	}
}

// TestSchemas sends each schema through everything that takes one.
func TestSchemas(t *testing.T) {
	t.Parallel()
	for name, text := range schemas {
		t.Run(name, func(t *testing.T) { everything(t, text) })
	}
	if n := subschema.Faults(); n != 0 {
		t.Errorf("%d witnesses failed their check", n)
	}
}

const plain = `{"type":"object","properties":{"x":{"type":"string"}}}`

func everything(t *testing.T, text string) {
	t.Helper()
	v, err := canonjson.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	bounded(t, "subschema", func() { decideAll(t, v) })
	f := locked(t, text)
	if f == nil {
		return
	}
	other := locked(t, plain)
	for name, pair := range map[string][2]*lockfile.File{"comes": {other, f}, "goes": {f, other}, "stays": {f, f}, "added": {nil, f}} {
		var r diff.Report
		bounded(t, "diff, "+name, func() { r = diff.Compare(pair[0], pair[1], diff.Options{}) })
		if name == "stays" && len(r.Diffs) != 0 {
			t.Errorf("compared with itself: %d items changed", len(r.Diffs))
		}
		bounded(t, "report, "+name, func() { writeAll(t, r) })
	}
	bounded(t, "hook, comes", func() { callAll(t, other, f) })
	bounded(t, "hook, goes", func() { callAll(t, f, other) })
}

// decideAll decides both ways between a schema and a plain one, and twice against itself.
func decideAll(t *testing.T, v any) {
	s, err := subschema.Compile(v, "")
	if err != nil {
		refused(t, "subschema.Compile", err)
		return
	}
	tree, _ := canonjson.Decode([]byte(plain))
	p, err := subschema.Compile(tree, "")
	if err != nil {
		t.Error(err)
		return
	}
	if got := subschema.Decide(s, s, subschema.Options{}); got.Verdict == subschema.Incompatible {
		t.Errorf("incompatible with itself: %.200s", canonjson.Append(nil, got.Witness))
	}
	for _, o := range []subschema.Options{{}, {Strict: true}, {AssertFormat: true}} {
		for _, r := range []subschema.Result{subschema.Decide(s, p, o), subschema.Decide(p, s, o)} {
			if r.Verdict == subschema.Undecided && r.Reason == "" {
				t.Error("undecided without a reason")
			}
			foreign.Harmless(t, "reason", r.Reason)
		}
	}
	if _, found, reason := subschema.Sample(s, subschema.Options{}); !found && reason == "" {
		t.Error("no sample and no reason")
	}
}

// locked reads a tool with this schema and sends it through a lockfile. Nil: the capture left it out, and said so.
func locked(t *testing.T, schema string) (f *lockfile.File) {
	t.Helper()
	bounded(t, "lock", func() {
		read, problems, err := capture.Read(manifest(tool("t", schema)), "s")
		if err != nil {
			refused(t, "capture.Read", err)
			return
		}
		if len(read.Servers["s"].Tools) == 0 {
			if len(problems) == 0 {
				t.Error("left out without a word")
			}
			return
		}
		data, err := lockfile.Format(read)
		if err != nil {
			t.Errorf("formatting: %v", err)
			return
		}
		if f, err = lockfile.Parse(data); err != nil {
			t.Errorf("reading back: %v", err)
		}
	})
	return f
}

func writeAll(t *testing.T, r diff.Report) {
	for _, format := range report.Formats() {
		var b bytes.Buffer
		if err := report.Write(&b, format, r, report.Options{Verbose: true}); err != nil {
			t.Errorf("%s: %v", format, err)
		}
		out := b.String()
		foreign.Harmless(t, format, out)
		if format != "github" {
			workflow(t, format, out)
		}
		switch format {
		case "json", "sarif", "gitlab":
			if !json.Valid(b.Bytes()) {
				t.Errorf("%s: not JSON", format)
			}
		case "junit":
			wellFormed(t, format, out)
		}
	}
}

func wellFormed(t *testing.T, what, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
	}
}

// calls are arguments as a broken or malicious client would send them.
var calls = []string{
	"", "null", "{}", `{"x":"a"}`, `{"x":1}`, `[]`, `{"x":`, `{"x":1,"x":2}`, "{\"x\":\"\xff\"}", `{"x":"\ud800"}`,
	`{"x":1e999999999}`, `{"x":` + strings.Repeat("9", 4000) + `}`,
	`{"x":"` + strings.Repeat("a", 50_000) + `!"}`,
	`{"x":` + nested("[", "", "]", 400) + `}`, `{"x":` + nested("[", "", "]", 100_000) + `}`,
	nested(`{"x":`, `{}`, `}`, 300),
	`{` + list(2000, func(i int) string { return fmt.Sprintf(`"k%d":%d`, i, i) }) + `}`,
	`{` + quoted(evil) + `:` + quoted(evil) + `,"x":` + quoted(evil) + `,"action":` + quoted(evil) + `}`,
}

func callAll(t *testing.T, base, live *lockfile.File) {
	hook, err := awareness.New(awareness.FromLockfile(base))
	if err != nil {
		t.Error(err)
		return
	}
	var tools []*awareness.Tool
	for _, s := range live.Servers {
		for name, e := range s.Tools {
			tools = append(tools, hook.LearnEntry(name, e))
		}
	}
	for _, arguments := range calls {
		for _, tool := range tools {
			c := awareness.Call{Tool: tool, Arguments: []byte(arguments), Caller: "c", ServerText: "Invalid arguments: " + evil}
			answered(t, hook.Check(c))
			answered(t, hook.Explain(c))
		}
		answered(t, hook.Unknown("t", awareness.Call{Arguments: []byte(arguments), Caller: "c"}, tools))
		answered(t, hook.Unknown(evil, awareness.Call{Arguments: []byte(arguments), Caller: "c"}, tools))
	}
}

// answered checks the text for the model: bounded, XML, and without anything that is obeyed.
func answered(t *testing.T, v awareness.Verdict) {
	t.Helper()
	if v.Err != nil {
		refused(t, "the hook's error", v.Err)
	}
	if v.Envelope == nil {
		return
	}
	text := v.Envelope.Format()
	foreign.Harmless(t, "envelope", text)
	wellFormed(t, "envelope", text)
	if len(text) > 16<<10 {
		t.Errorf("an envelope of %d bytes", len(text))
	}
	if _, err := envelope.Parse(text); err != nil {
		t.Errorf("an envelope that does not parse: %v", err)
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	one, two := evilCaptures()
	read := func(text string) (f *lockfile.File) {
		bounded(t, "capture.Read", func() {
			var problems []capture.Problem
			var err error
			if f, problems, err = capture.Read([]byte(text), ""); err != nil || len(problems) != 0 {
				t.Errorf("%v, %v", problems, err)
			}
		})
		return f
	}
	base, rev := read(one), read(two)
	if t.Failed() {
		t.FailNow()
	}
	for _, pair := range [][2]*lockfile.File{{base, rev}, {rev, base}, {nil, base}, {base, nil}} {
		var r diff.Report
		bounded(t, "diff", func() { r = diff.Compare(pair[0], pair[1], diff.Options{TokenLimit: 1}) })
		if len(r.Diffs) == 0 {
			t.Error("nothing is told")
		}
		bounded(t, "report", func() { writeAll(t, r) })
	}
	bounded(t, "hook", func() { callAll(t, base, rev) })
	data, err := lockfile.Format(base)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range data {
		if c < 0x20 && c != '\n' {
			t.Fatalf("byte %#x at %d of the lockfile", c, i)
		}
	}
}

func TestEnvelopes(t *testing.T) {
	t.Parallel()
	deep := nested("<a>", "x", "</a>", 100_000)
	for name, text := range map[string]string{
		"nothing": "", "evil": evil, "deep": deep, "inside": "<tool_error code=\"X\"><message>" + deep + "</message></tool_error>",
		"entities": `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><tool_error code="X"><message>&b;</message></tool_error>`,
		"file":     `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]><tool_error code="X"><message>&a;</message></tool_error>`,
		"open":     strings.Repeat(`<tool_error code="X"><message>`, 50_000), "1 MB": `<tool_error code="X"><message>` + strings.Repeat("a", 1<<20) + `</message></tool_error>`,
	} {
		bounded(t, name, func() {
			if e, err := envelope.Parse(text); err == nil {
				foreign.Harmless(t, name, e.Format())
			} else {
				refused(t, name, err)
			}
		})
	}
	issue := envelope.Issue{Path: "/" + evil, Keyword: evil, Expected: evil, Received: evil, Sent: true, Property: evil, Known: []string{evil}}
	for _, keyword := range []string{evil, "required", "type", "enum", "additionalProperties", "pattern", "format", "oneOf", "const", "minimum"} {
		issue.Keyword = keyword
		bounded(t, "Validation", func() {
			text := envelope.Validation(evil, issue, issue).Format()
			foreign.Harmless(t, "Validation of "+keyword, text)
			wellFormed(t, "Validation", text)
		})
	}
	for _, e := range []*envelope.ToolError{envelope.New(evil, evil), envelope.UnknownAction(evil, evil), envelope.MissingDiscriminator(evil, evil), envelope.NotFound(evil)} {
		foreign.Harmless(t, "tool error", e.Format())
		wellFormed(t, "tool error", e.Format())
	}
}
