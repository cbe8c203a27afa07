package bench

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/capture"
	"github.com/fusionctl/fusionctl/internal/subschema"
	"github.com/fusionctl/fusionctl/lockfile"
)

// perShape runs a benchmark for each shape and size.
func perShape(b *testing.B, run func(b *testing.B, shape Shape, n int)) {
	for _, shape := range Shapes() {
		for _, n := range []int{10, 100, 1000, 10000} {
			if testing.Short() && n > 1000 {
				continue
			}
			b.Run(fmt.Sprintf("%s/%d", shape, n), func(b *testing.B) { run(b, shape, n) })
		}
	}
}

// beside measures work and the decoding of data by encoding/json in turns, so that whatever else the machine does weighs on
// both, and reports the quotient. Read that, not the times.
func beside(b *testing.B, work func(), data ...[]byte) {
	b.Helper()
	b.ReportAllocs()
	var ours, theirs time.Duration
	for b.Loop() {
		start := time.Now()
		work()
		middle := time.Now()
		decodeAll(b, data...)
		ours += middle.Sub(start)
		theirs += time.Since(middle)
	}
	b.ReportMetric(float64(ours)/float64(theirs), "×decoding")
}

func decodeAll(t testing.TB, data ...[]byte) {
	for _, d := range data {
		var v any
		if err := json.Unmarshal(d, &v); err != nil {
			t.Fatal(err)
		}
	}
}

func format(t testing.TB, f *lockfile.File) []byte {
	t.Helper()
	data, err := lockfile.Format(f)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func parse(t testing.TB, data []byte) *lockfile.File {
	f, err := lockfile.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// BenchmarkLock reads a list of tools and lays out the lockfile.
func BenchmarkLock(b *testing.B) {
	perShape(b, func(b *testing.B, shape Shape, n int) {
		data := Manifest(shape, n, 0)
		beside(b, func() {
			f, _, err := capture.Read(data, ServerName)
			if err != nil {
				b.Fatal(err)
			}
			format(b, f)
		}, data)
	})
}

// BenchmarkCheck reads a lockfile and checks every digest.
func BenchmarkCheck(b *testing.B) {
	perShape(b, func(b *testing.B, shape Shape, n int) {
		data := format(b, Contract(shape, n, 0))
		beside(b, func() { parse(b, data) }, data)
	})
}

// BenchmarkDiff reads two lockfiles and compares them.
func BenchmarkDiff(b *testing.B) {
	for _, percent := range []int{0, 1, 10, 100} {
		b.Run(fmt.Sprintf("%d%%", percent), func(b *testing.B) {
			perShape(b, func(b *testing.B, shape Shape, n int) {
				changed := n * percent / 100
				base, rev := format(b, Contract(shape, n, 0)), format(b, Contract(shape, n, changed))
				beside(b, func() {
					r := diff.Compare(parse(b, base), parse(b, rev), diff.Options{})
					if n := len(r.Diffs); n != changed && n != changed+1 { // one more tells that the version was not raised
						b.Fatalf("%d items changed, want %d", len(r.Diffs), changed)
					}
				}, base, rev)
			})
		})
	}
}

// BenchmarkDecide compiles and decides one pair of schemas, one that breaks and one that does not.
func BenchmarkDecide(b *testing.B) {
	for _, shape := range Shapes() {
		base, rev := Schemas(shape)
		one, two := canonjson.Append(nil, base), canonjson.Append(nil, rev)
		for verdict, pair := range map[subschema.Verdict][2]any{
			subschema.Incompatible: {base, rev},
			subschema.Compatible:   {base, base},
		} {
			b.Run(fmt.Sprintf("%s/%s", shape, verdict), func(b *testing.B) {
				beside(b, func() {
					if got := decide(b, pair[0], pair[1]); got != verdict {
						b.Fatalf("%s, want %s", got, verdict)
					}
				}, one, two)
			})
		}
	}
}

func decide(t testing.TB, producer, consumer any) subschema.Verdict {
	p, err := subschema.Compile(producer, "")
	if err != nil {
		t.Fatal(err)
	}
	c, err := subschema.Compile(consumer, "")
	if err != nil {
		t.Fatal(err)
	}
	return subschema.Decide(p, c, subschema.Options{}).Verdict
}

// BenchmarkHook judges one call of a tool that changed: a call that fits, and one that follows the old contract. Off is
// without the section about changes.
func BenchmarkHook(b *testing.B) {
	for _, shape := range Shapes() {
		good, stale := Calls(shape)
		for name, on := range map[string]bool{"on": true, "off": false} {
			hook, tool := hooked(b, shape, on)
			b.Run(fmt.Sprintf("%s/good/%s", shape, name), func(b *testing.B) {
				beside(b, func() {
					if v := hook.Check(awareness.Call{Tool: tool, Arguments: good}); v.Status != awareness.Valid {
						b.Fatalf("%+v", v)
					}
				}, good)
			})
			b.Run(fmt.Sprintf("%s/stale/%s", shape, name), func(b *testing.B) {
				beside(b, func() {
					if v := hook.Check(awareness.Call{Tool: tool, Arguments: stale}); v.Status != awareness.Invalid {
						b.Fatalf("%+v", v)
					}
				}, stale)
			})
		}
	}
}

func hooked(t testing.TB, shape Shape, on bool) (*awareness.Hook, *awareness.Tool) {
	hook, err := awareness.New(awareness.FromLockfile(Contract(shape, 1, 0)), awareness.SelfHealing(on), awareness.Repeats(false))
	if err != nil {
		t.Fatal(err)
	}
	return hook, hook.LearnEntry(name(0), Contract(shape, 1, 1).Servers[ServerName].Tools[name(0)])
}
