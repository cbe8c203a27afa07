//go:build unix

package bench

import (
	"syscall"
	"time"
)

// CPUTime is the processor time that this process used, in user and system mode.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
