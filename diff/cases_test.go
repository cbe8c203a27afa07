package diff

import (
	"bufio"
	"os"
	"testing"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// A reportCase is one case of testdata/cases/reports.jsonl: a change that people reported in public, with the severity
// that a report on it must have.
type reportCase struct {
	id, kind, expect string
	alsoOK           []string
	base, rev        any
	witness          any
}

func readCases(t testing.TB) []reportCase {
	t.Helper()
	f, err := os.Open("../testdata/cases/reports.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []reportCase
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		m := decode(t, lines.Text()).(map[string]any)
		cases = append(cases, reportCase{
			id: textOf(m["id"]), kind: textOf(m["kind"]), expect: textOf(m["expect"]),
			alsoOK: stringsOf(m["also_ok"]), base: m["old"], rev: m["new"], witness: m["witness"],
		})
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return cases
}

// file makes a lockfile of what a case holds.
func (c reportCase) file(t testing.TB, v any) *lockfile.File {
	t.Helper()
	object := map[string]any{"type": "object"}
	s := &lockfile.Server{Tools: map[string]*lockfile.Entry{}, Prompts: map[string]*lockfile.Entry{}}
	put := func(kind lockfile.Kind, definition map[string]any) {
		key, e, err := lockfile.NewEntry(kind, definition)
		if err != nil {
			t.Fatal(err)
		}
		s.Entries(kind)[key] = e
	}
	switch c.kind {
	case "tool":
		for _, d := range v.([]any) {
			put(lockfile.KindTool, d.(map[string]any))
		}
	case "input":
		put(lockfile.KindTool, map[string]any{"name": "t", "inputSchema": v})
	case "output":
		put(lockfile.KindTool, map[string]any{"name": "t", "inputSchema": object, "outputSchema": v})
	case "annotation":
		put(lockfile.KindTool, map[string]any{"name": "t", "inputSchema": object, "annotations": v})
	case "prompt":
		put(lockfile.KindPrompt, v.(map[string]any))
	default:
		t.Fatalf("case %s: kind %q is not known", c.id, c.kind)
	}
	return &lockfile.File{Servers: map[string]*lockfile.Server{"s": s}}
}

func TestReportedCases(t *testing.T) {
	cases := readCases(t)
	if len(cases) < 87 {
		t.Fatalf("%d cases, want 87", len(cases))
	}
	for _, c := range cases {
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			r := Compare(c.file(t, c.base), c.file(t, c.rev), Options{})
			got := r.MaxSeverity.String()
			ok := got == c.expect
			for _, s := range c.alsoOK {
				ok = ok || got == s
			}
			if !ok {
				t.Errorf("severity %s, want %s %v\n%s", got, c.expect, c.alsoOK, dump(r))
			}
		})
	}
}

func dump(r Report) string {
	s := ""
	for _, d := range r.Diffs {
		for _, c := range d.Changes {
			s += d.Name + " " + c.Severity.String() + " " + c.Rule + " " + c.Pointer + ": " + c.Message
			if c.Witness != nil {
				s += " | " + show(c.Witness.Value) + " " + c.Witness.Reason
			}
			if c.Hint != "" {
				s += " | hint: " + c.Hint
			}
			s += "\n"
		}
	}
	return s
}

func decode(t testing.TB, text string) any {
	t.Helper()
	v, err := canonjson.Decode([]byte(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}
