//go:build !unix

package main

import "time"

var began = time.Now()

// cpuTime is the time of the clock where that of the processor cannot be asked.
func cpuTime() time.Duration { return time.Since(began) }
