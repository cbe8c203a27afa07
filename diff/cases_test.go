package diff

import (
	"bufio"
	"os"
	"strconv"
	"strings"
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

// TestReportedCasesInDetail checks what the cases ask for beside the severity.
func TestReportedCasesInDetail(t *testing.T) {
	want := map[string]string{ // the first change of the report: how many there are, its place, and a part of what it says
		"M07":   `1 /inputSchema "type":"object"`,
		"M08":   `1 /inputSchema the descriptions of 2 places were removed: "depth", "url"`,
		"M10":   `2 /inputSchema/properties/limit leave the key out`,
		"M15":   `1 /inputSchema /properties/mode/$ref`,
		"M32":   `1 /inputSchema/additionalProperties declared are "id"`,
		"M42":   `1 /inputSchema/properties/topic likely renamed to "subject"`,
		"D09":   `2 /inputSchema/properties/x/anyOf/2 a boolean`,
		"D12":   `1 /inputSchema/properties/qty default 1`,
		"D25":   `1 /inputSchema/properties/group/enum no longer accepts 2`,
		"D38":   `1 /inputSchema/properties/taxPercent optional`,
		"D46-a": `1 /inputSchema/properties/n/type a fraction`,
		"D57":   `1 /inputSchema/properties/alpha optional`,
		"D65":   `2 /inputSchema/properties/status/enum "new" may be the new name of "three"`,
		"D67":   `1 /inputSchema/properties/p/allOf/0/properties/authId/type was a string and is an integer`,
		"L17":   `1 /inputSchema 2 places`,
		"S02-a": `1 /description U+E0020`,
		"S08":   `1 /inputSchema/properties/creds http://metadata.invalid`,
	}
	for _, c := range readCases(t) {
		w, ok := want[c.id]
		if !ok {
			continue
		}
		r := Compare(c.file(t, c.base), c.file(t, c.rev), Options{})
		first, n := r.Diffs[0].Changes[0], 0
		for _, d := range r.Diffs {
			n += len(d.Changes)
		}
		count, rest, _ := strings.Cut(w, " ")
		place, part, _ := strings.Cut(rest, " ")
		if strconv.Itoa(n) != count || first.Pointer != place || !strings.Contains(first.Message+" "+first.Hint, part) {
			t.Errorf("%s: want %s, got\n%s", c.id, w, dump(r))
		}
		delete(want, c.id)
	}
	for id := range want {
		t.Errorf("case %s does not exist", id)
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
