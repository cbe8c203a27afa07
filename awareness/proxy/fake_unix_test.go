//go:build unix

package proxy

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func killSelf() { syscall.Kill(os.Getpid(), syscall.SIGKILL) }

func ignoreSignals() { signal.Ignore(syscall.SIGTERM, os.Interrupt) }

// alive reports whether a process runs; one that has ended and waits to be collected does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !bytes.Contains(status, []byte(") Z "))
}
