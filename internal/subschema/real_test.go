package subschema

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

var realDir = flag.String("real", "", "a folder of captured tool lists, NAME@VERSION.json, for TestReal and BenchmarkReal; else the reported cases are used")

type realPair struct {
	name string
	p, c *Schema
}

// realPairs pairs the schemas of each tool with those of the next version of its server, in both directions.
func realPairs(t testing.TB) []realPair {
	t.Helper()
	if *realDir == "" {
		return reportPairs(t)
	}
	files, err := filepath.Glob(filepath.Join(*realDir, "*@*.json"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	var pairs []realPair
	previous, server := map[string]*Schema{}, ""
	for _, f := range files {
		name, _, _ := strings.Cut(filepath.Base(f), "@")
		if name != server {
			previous, server = map[string]*Schema{}, name
		}
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		now := map[string]*Schema{}
		for tool, v := range toolSchemas(mustDecode(t, string(data))) {
			s, err := Compile(v, "")
			if err != nil {
				t.Logf("%s %s: %v", f, tool, err)
				continue
			}
			now[tool] = s
			if old := previous[tool]; old != nil {
				pairs = append(pairs, realPair{server + " " + tool, old, s}, realPair{server + " " + tool + " back", s, old})
			}
		}
		previous = now
	}
	slices.SortFunc(pairs, func(a, b realPair) int { return strings.Compare(a.name, b.name) })
	return pairs
}

// reportPairs are the pairs of public reports, which stand in where no captured lists are at hand.
func reportPairs(t testing.TB) []realPair {
	var pairs []realPair
	for _, c := range reportCases(t) {
		p, errP := Compile(c["old"], "")
		q, errQ := Compile(c["new"], "")
		if errP == nil && errQ == nil {
			id := c["id"].(string)
			pairs = append(pairs, realPair{id, p, q}, realPair{id + " back", q, p})
		}
	}
	return pairs
}

// toolSchemas finds the tools of any captured form.
func toolSchemas(v any) map[string]any {
	out := map[string]any{}
	var walk func(v any, key string)
	walk = func(v any, key string) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e, "")
			}
		case map[string]any:
			name := key
			if s, ok := v["name"].(string); ok {
				name = s
			}
			_, in := v["inputSchema"]
			if in {
				out[name] = v["inputSchema"]
				if o, ok := v["outputSchema"]; ok {
					out[name+" output"] = o
				}
				return
			}
			for _, k := range canonjson.SortedKeys(v) {
				walk(v[k], k)
			}
		}
	}
	walk(v, "")
	return out
}

func TestReal(t *testing.T) {
	pairs := realPairs(t)
	count := map[Verdict]int{}
	var times, unequal []time.Duration
	for _, pair := range pairs {
		for _, strict := range []bool{false, true} {
			r := Decide(pair.p, pair.c, Options{Strict: strict}) // the first one compiles patterns and validators
			start := time.Now()
			Decide(pair.p, pair.c, Options{Strict: strict})
			times = append(times, time.Since(start))
			if r.Steps > 0 {
				unequal = append(unequal, times[len(times)-1])
			}
			if d := times[len(times)-1]; d > 2*time.Millisecond {
				t.Logf("%s: %v, %d steps", pair.name, d, r.Steps)
			}
			count[r.Verdict]++
			if r.Verdict == Undecided {
				t.Errorf("%s: %s", pair.name, r.Reason)
			}
			if r.Verdict == Incompatible {
				t.Logf("%s: strict %v: %s (%d steps)", pair.name, strict, canonjson.Append(nil, r.Witness), r.Steps)
			}
		}
		// Against another tool nothing is alike.
		for _, other := range pairs[:min(4, len(pairs))] {
			if r := Decide(pair.p, other.c, Options{}); r.Verdict == Undecided {
				t.Errorf("%s against %s: %s", pair.name, other.name, r.Reason)
			}
		}
	}
	slices.Sort(times)
	if len(times) < 100 {
		t.Fatalf("only %d pairs", len(pairs))
	}
	slices.Sort(unequal)
	t.Logf("%d answers to unequal schemas: median %v, 99th percentile %v", len(unequal), unequal[len(unequal)/2], unequal[len(unequal)*99/100])
	t.Logf("%v; median %v, 99th percentile %v, worst %v", count, times[len(times)/2], times[len(times)*99/100], times[len(times)-1])
}

func BenchmarkReal(b *testing.B) {
	pairs := realPairs(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		pair := pairs[i%len(pairs)]
		Decide(pair.p, pair.c, Options{})
	}
}
