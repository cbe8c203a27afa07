//go:build unix

package main

import (
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// limited is the command in a process that may write no file beyond a size, as on a disk that fills up in the middle of it:
// limited BYTES ARG…
func limited() {
	signal.Ignore(syscall.SIGXFSZ)
	most, err := strconv.ParseUint(os.Args[1], 10, 32)
	if err == nil {
		err = unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: most, Max: most})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(99)
	}
	os.Args = append([]string{"fusionctl"}, os.Args[2:]...)
	runAsOf()
}
