package bench

import (
	"runtime"
	"testing"

	"github.com/fusionctl/fusionctl/diff"
)

// The goals: how many times the decoding of the same bytes a check, a diff with 1 % changed and one with 10 % changed may cost.
const (
	checkGoal = 3.0
	diffGoal  = 5.0
	tenthGoal = 6.0
)

// best is the lowest of some ratios of work to decoding, each taken in turns, in processor time of all threads: what else the
// machine does can only add.
func best(t *testing.T, work func(), data ...[]byte) float64 {
	lowest := 0.0
	for i := range 5 {
		start := CPUTime()
		work()
		middle := CPUTime()
		decodeAll(t, data...)
		if ratio := float64(middle-start) / float64(max(1, CPUTime()-middle)); i == 0 || ratio < lowest {
			lowest = ratio
		}
	}
	return lowest
}

func TestGoals(t *testing.T) {
	const n = 1000
	for _, shape := range Shapes() {
		base := format(t, Contract(shape, n, 0))
		if got := best(t, func() { parse(t, base) }, base); got > checkGoal {
			t.Errorf("%s: a check costs %.1f times the decoding, want at most %.0f", shape, got, checkGoal)
		}
		for changed, goal := range map[int]float64{n / 100: diffGoal, n / 10: tenthGoal} {
			rev := format(t, Contract(shape, n, changed))
			compare := func() { diff.Compare(parse(t, base), parse(t, rev), diff.Options{}) }
			got := best(t, compare, base, rev)
			t.Logf("%s: %d of %d changed: %.2f times the decoding", shape, changed, n, got)
			if got > goal {
				t.Errorf("%s: a diff with %d of %d changed costs %.1f times the decoding, want at most %.0f", shape, changed, n, got, goal)
			}
		}
	}
}

// TestGrowth: ten times the tools take about ten times the memory, whatever the machine is busy with. It measures what is
// allocated, since a step that grows faster than its input shows there too.
func TestGrowth(t *testing.T) {
	for _, shape := range Shapes() {
		for name, work := range map[string]func(base, rev []byte){
			"check": func(base, _ []byte) { parse(t, base) },
			"diff":  func(base, rev []byte) { diff.Compare(parse(t, base), parse(t, rev), diff.Options{Workers: 1}) },
		} {
			small, large := allocated(t, shape, 100, work), allocated(t, shape, 1000, work)
			if large > 13*small { // n log n gives 10 × 11/7.6, of the part that sorts
				t.Errorf("%s, %s: 100 tools allocate %d bytes, 1000 tools %d", shape, name, small, large)
			}
		}
	}
}

func allocated(t *testing.T, shape Shape, n int, work func(base, rev []byte)) uint64 {
	base, rev := format(t, Contract(shape, n, 0)), format(t, Contract(shape, n, n/50))
	work(base, rev) // what is worked out once
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work(base, rev)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestCalls: the calls are what their names say, so that benchmarks measure what they claim.
func TestCalls(t *testing.T) {
	for _, shape := range Shapes() {
		if one, two := format(t, Contract(shape, 3, 1)), format(t, Contract(shape, 3, 1)); string(one) != string(two) {
			t.Errorf("%s: two contracts differ", shape)
		}
		r := diff.Compare(Contract(shape, 20, 0), Contract(shape, 20, 5), diff.Options{})
		changed := 0
		for _, d := range r.Diffs {
			if d.MaxSeverity() == diff.Breaking {
				changed++
			}
		}
		if changed != 5 {
			t.Errorf("%s: %d tools broke, want 5", shape, changed)
		}
	}
}
