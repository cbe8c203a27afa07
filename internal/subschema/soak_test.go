package subschema

import (
	"flag"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var soak = flag.Duration("soak", 0, "how long TestSoak runs; -v shows its progress")
var soakSeed = flag.Int64("soak.seed", 0, "first seed of TestSoak; 0 is taken from the clock")

// TestSoak runs new seeds for as long as -soak says, and reads the memory in use at every tenth of that time, at least every
// five minutes: it must not grow.
func TestSoak(t *testing.T) {
	first := *soakSeed
	if first == 0 {
		first = time.Now().UnixNano()
	}
	var stats pairStats
	var next, bad atomic.Int64
	next.Store(first)
	begin := time.Now()
	end := begin.Add(*soak)
	var wg sync.WaitGroup
	var between sync.RWMutex // held for reading during a pair, so that a reading of the memory sees none
	for range 2 {
		wg.Go(func() {
			for time.Now().Before(end) && bad.Load() < 20 {
				between.RLock()
				problem := checkSeed(next.Add(1), &stats)
				between.RUnlock()
				if problem != "" {
					bad.Add(1)
					t.Error(problem)
				}
			}
		})
	}
	var readings []uint64
	for every := min(*soak/10, 5*time.Minute); every > 0 && time.Now().Before(end) && bad.Load() < 20; {
		time.Sleep(min(every, time.Until(end)))
		between.Lock()
		readings = append(readings, heapInUse())
		between.Unlock()
		took := time.Since(begin)
		t.Logf("after %v: %d pairs, %.0f a second, %.1f MB in use", took.Round(time.Second), stats.pairs.Load(),
			float64(stats.pairs.Load())/took.Seconds(), float64(readings[len(readings)-1])/(1<<20))
	}
	wg.Wait()
	if n := len(readings); n > 0 && readings[n-1] > 2*readings[0]+16<<20 {
		t.Errorf("growth: %d bytes in use at first, %d at last", readings[0], readings[n-1])
	}
	report(t, &stats)
}

// heapInUse returns the bytes that are still referred to.
func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
