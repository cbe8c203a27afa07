package main

import (
	"encoding/json"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/fusionctl/fusionctl/internal/bench"
	"github.com/fusionctl/fusionctl/lockfile"
)

// A measure is the median of the ratios of one pair, and the median time of ours, which is told only by its growth.
type measure struct {
	ratio  float64
	ours   time.Duration
	allocs float64 // allocations, those of the decoding = 1
	bytes  float64 // bytes allocated in all, the size of the data = 1
}

// ratio runs work and the decoding of data in turns. Short work is repeated until a turn can be measured, long work runs three
// times only.
func (p *page) ratio(work func(), data ...[]byte) measure {
	size := 0
	for _, d := range data {
		size += len(d)
	}
	decode := func() {
		for _, d := range data {
			var v any
			must(json.Unmarshal(d, &v))
		}
	}
	rounds := p.rounds
	count, bytes, took := cost(work)
	if took > 2*time.Second {
		rounds = min(rounds, 3)
	} else {
		count, bytes, took = cost(work) // without what is worked out once
	}
	theirs, _, theirTime := cost(decode)
	a, b := turns(took), turns(theirTime)
	ratios, ours := make([]float64, rounds), make([]float64, rounds)
	for i := range rounds {
		ours[i] = timed(a, work)
		ratios[i] = ours[i] / timed(b, decode)
	}
	return measure{median(ratios), time.Duration(median(ours)), count / max(1, theirs), bytes / float64(max(1, size))}
}

// turns is how often work has to be repeated until its time can be measured.
func turns(took time.Duration) int {
	return int(min(5000, max(1, 40*time.Millisecond/max(1, took))))
}

// cost is what one run allocates, and its time.
func cost(f func()) (count, bytes float64, took time.Duration) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	f()
	took = time.Since(start)
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs - before.Mallocs), float64(after.TotalAlloc - before.TotalAlloc), took
}

// timed is the processor time of one of n runs, in nanoseconds, of all threads: what runs in parallel gets no discount.
func timed(n int, f func()) float64 {
	start := bench.CPUTime()
	for range n {
		f()
	}
	return float64(max(1, bench.CPUTime()-start)) / float64(n)
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
