package main

import (
	"errors"
	"io"
	"runtime"
	"sync"
	"syscall"
)

// A checkedOutput remembers that a write failed: a command whose result is lost has not succeeded, even where nobody looked
// at that one write.
type checkedOutput struct {
	w       io.Writer
	mu      sync.Mutex // the proxy writes from several goroutines
	failure error
}

func (c *checkedOutput) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	if err != nil && !leftEarly(err) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.failure == nil {
			c.failure = err
		}
	}
	return n, err
}

// failed is the first failure of a write.
func (c *checkedOutput) failed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failure
}

// leftEarly reports whether the reader of a pipe closed it: it has seen enough.
func leftEarly(err error) bool {
	const brokenPipe, noData = syscall.Errno(109), syscall.Errno(232) // Windows says it in two ways
	return errors.Is(err, syscall.EPIPE) || runtime.GOOS == "windows" && (errors.Is(err, brokenPipe) || errors.Is(err, noData))
}
