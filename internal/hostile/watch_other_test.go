//go:build !linux

package hostile

import "testing"

// watched knows nothing here: what the file holds is looked for in the output instead.
func watched(*testing.T, string) (opened func() int) { return func() int { return 0 } }
