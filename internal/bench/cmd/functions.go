package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/internal/bench"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/capture"
	"github.com/fusionctl/fusionctl/internal/subschema"
	"github.com/fusionctl/fusionctl/lockfile"
)

// functions measures within this process.
func (p *page) functions() {
	for _, shape := range bench.Shapes() {
		for _, n := range sizes(p.most) {
			fmt.Fprintln(os.Stderr, "measuring", shape, n)
			p.contracts(shape, n)
		}
		p.decisions(shape)
		p.hook(shape)
	}
}

func sizes(most int) []int {
	var all []int
	for n := 10; n <= most; n *= 10 {
		all = append(all, n)
	}
	return all
}

func (p *page) contracts(shape bench.Shape, n int) {
	manifest := bench.Manifest(shape, n, 0)
	base := format(bench.Contract(shape, n, 0))
	at := key{shape, n}
	p.add("lock", at, p.ratio(func() {
		f, _, err := capture.Read(manifest, bench.ServerName)
		must(err)
		format(f)
	}, manifest))
	p.add("check", at, p.ratio(func() { parse(base) }, base))
	for _, percent := range percents {
		changed := n * percent / 100
		if percent > 0 && changed == 0 || changed > 100 {
			continue // no change is 0 %, and more changes than these cost as much each
		}
		rev := format(bench.Contract(shape, n, changed))
		p.add(fmt.Sprintf("diff %d %%", percent), at, p.ratio(func() {
			r := diff.Compare(parse(base), parse(rev), diff.Options{})
			if n := len(r.Diffs); n != changed && n != changed+1 { // one more tells that the version was not raised
				panic(fmt.Sprintf("%d items changed, want %d", len(r.Diffs), changed))
			}
		}, base, rev))
	}
}

func (p *page) decisions(shape bench.Shape) {
	base, rev := bench.Schemas(shape)
	one, two := canonjson.Append(nil, base), canonjson.Append(nil, rev)
	decide := func(a, b any, want subschema.Verdict) func() {
		return func() {
			x, err := subschema.Compile(a, "")
			must(err)
			y, err := subschema.Compile(b, "")
			must(err)
			if got := subschema.Decide(x, y, subschema.Options{}).Verdict; got != want {
				panic(fmt.Sprintf("%s, want %s", got, want))
			}
		}
	}
	p.add("decide, equal", key{shape: shape}, p.ratio(decide(base, base, subschema.Compatible), one, one))
	p.add("decide, broken", key{shape: shape}, p.ratio(decide(base, rev, subschema.Incompatible), one, two))
}

func (p *page) hook(shape bench.Shape) {
	good, stale := bench.Calls(shape)
	live := bench.Contract(shape, 1, 1).Servers[bench.ServerName].Tools
	for _, on := range []bool{false, true} {
		hook, err := awareness.New(awareness.FromLockfile(bench.Contract(shape, 1, 0)), awareness.SelfHealing(on), awareness.Repeats(false))
		must(err)
		for name, entry := range live {
			tool := hook.LearnEntry(name, entry)
			check := func(arguments []byte, want awareness.Status) func() {
				return func() {
					if v := hook.Check(awareness.Call{Tool: tool, Arguments: arguments}); v.Status != want {
						panic(fmt.Sprintf("%+v", v))
					}
				}
			}
			state := map[bool]string{false: "off", true: "on"}[on]
			p.add("hook "+state+", right call", key{shape: shape}, p.ratio(check(good, awareness.Valid), good))
			p.add("hook "+state+", stale call", key{shape: shape}, p.ratio(check(stale, awareness.Invalid), stale))
		}
	}
}

// A measure is the median of the ratios of one pair, and the median time of ours, which is told only by its growth.
type measure struct {
	ratio float64
	ours  time.Duration
}

// ratio runs work and the decoding of data in turns. Short work is repeated until a turn can be measured.
func (p *page) ratio(work func(), data ...[]byte) measure {
	decode := func() {
		for _, d := range data {
			var v any
			must(json.Unmarshal(d, &v))
		}
	}
	times := func(f func()) int {
		start := time.Now()
		f()
		return int(min(2000, max(1, 20*time.Millisecond/max(1, time.Since(start)))))
	}
	work() // what is worked out once
	a, b := times(work), times(decode)
	ratios, ours := make([]float64, p.rounds), make([]float64, p.rounds)
	for i := range p.rounds {
		ours[i] = timed(a, work)
		ratios[i] = ours[i] / timed(b, decode)
	}
	return measure{median(ratios), time.Duration(median(ours))}
}

// timed is the time of one of n runs, in nanoseconds.
func timed(n int, f func()) float64 {
	start := time.Now()
	for range n {
		f()
	}
	return float64(time.Since(start)) / float64(n)
}

func median(values []float64) float64 {
	values = slices.Clone(values)
	slices.Sort(values)
	return values[len(values)/2]
}

// growth is the exponent e of n^e between two sizes.
func growth(small, large time.Duration, n, m int) float64 {
	return math.Log(float64(large)/float64(small)) / math.Log(float64(m)/float64(n))
}

func format(f *lockfile.File) []byte {
	data, err := lockfile.Format(f)
	must(err)
	return data
}

func parse(data []byte) *lockfile.File {
	f, err := lockfile.Parse(data)
	must(err)
	return f
}

// must ends the program: its inputs are its own.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
