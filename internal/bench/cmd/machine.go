package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// machine says what the figures were taken on, as far as the system tells.
func machine() string {
	s := fmt.Sprintf("%s/%s, %d processors", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	if model := valueOf("/proc/cpuinfo", "model name"); model != "" {
		s += " (" + model + ")"
	}
	if memory := valueOf("/proc/meminfo", "MemTotal"); memory != "" {
		s += ", " + memory + " of memory"
	}
	s += ", " + runtime.Version()
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		if fields := strings.Fields(string(load)); len(fields) > 0 {
			s += ". Before the run, its load was " + fields[0]
		}
	}
	return s
}

// valueOf is what a file of "name : value" says about a name, "" when it does not.
func valueOf(file, name string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if n, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(n) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
