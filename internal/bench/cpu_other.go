//go:build !unix

package bench

import "time"

var began = time.Now()

// CPUTime is the time of the clock where that of the processor cannot be asked.
func CPUTime() time.Duration { return time.Since(began) }
