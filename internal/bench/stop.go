package bench

import (
	"fmt"
	"os"
	"testing"
)

// Stop stands in for a test where a command uses something that is made for tests: what would skip or end a test ends the
// program.
type Stop struct{ testing.TB }

// Helper does nothing.
func (Stop) Helper() {}

// Skip ends the program.
func (Stop) Skip(args ...any) { Stop{}.Fatal(args...) }

// Fatal ends the program with exit code 2.
func (Stop) Fatal(args ...any) {
	fmt.Fprintln(os.Stderr, append([]any{"error:"}, args...)...)
	os.Exit(2)
}

// Fatalf ends the program with exit code 2.
func (Stop) Fatalf(format string, args ...any) { Stop{}.Fatal(fmt.Sprintf(format, args...)) }
