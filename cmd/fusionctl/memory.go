package main

import (
	"runtime"
	"runtime/metrics"
)

// tidy gives back the memory that reading a large input took: its text, and what was made of it on the way. Left to itself,
// the collector would wait until the next input has been read beside all that. Texts hold no pointers, so it takes no time.
func tidy() {
	const large = 16 << 20
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	if metrics.Read(heap); heap[0].Value.Uint64() > large {
		runtime.GC()
	}
}
