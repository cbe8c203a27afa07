package realservers

import (
	"slices"
	"testing"
	"time"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/subschema"
	"github.com/fusionctl/fusionctl/lockfile"
)

// A question is one decision about two versions of a real tool's schema.
type question struct {
	name               string
	producer, consumer *subschema.Schema
}

// questions asks about every tool that two successive versions have in common, its input and its output, in both
// directions.
func questions(t testing.TB) []question {
	t.Helper()
	var all []question
	for _, pair := range Pairs(t) {
		base, rev := pair[0].Server, pair[1].Server
		for _, name := range canonjson.SortedKeys(base.Tools) {
			if rev.Tools[name] == nil {
				continue
			}
			for _, schema := range []func(*lockfile.Entry) any{(*lockfile.Entry).InputSchema, (*lockfile.Entry).OutputSchema} {
				old, now := schema(base.Tools[name]), schema(rev.Tools[name])
				if old == nil || now == nil {
					continue
				}
				a, errA := subschema.Compile(old, "")
				b, errB := subschema.Compile(now, "")
				if errA != nil || errB != nil {
					t.Errorf("%s %s: %v, %v", pair[0].Package, name, errA, errB)
					continue
				}
				all = append(all, question{pair[0].Package + " " + name, a, b}, question{pair[0].Package + " " + name + " (back)", b, a})
			}
		}
	}
	return all
}

// TestDecide decides every question within the default budget: none may stay open.
func TestDecide(t *testing.T) {
	var took []time.Duration
	for _, q := range questions(t) {
		start := time.Now()
		r := subschema.Decide(q.producer, q.consumer, subschema.Options{})
		took = append(took, time.Since(start))
		if r.Verdict == subschema.Undecided {
			t.Errorf("%s: undecided: %s", q.name, r.Reason)
		}
	}
	slices.Sort(took)
	t.Logf("%d decisions: median %v, 99th percentile %v, most %v", len(took), took[len(took)/2], took[len(took)*99/100], took[len(took)-1])
}

// BenchmarkDecide is one decision after the other, over all questions about schemas that are not equal.
func BenchmarkDecide(b *testing.B) {
	var unequal []question
	for _, q := range questions(b) {
		if r := subschema.Decide(q.producer, q.consumer, subschema.Options{}); r.Steps > 0 {
			unequal = append(unequal, q)
		}
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		q := unequal[i%len(unequal)]
		subschema.Decide(q.producer, q.consumer, subschema.Options{})
	}
}
