package gosdk

import (
	"runtime"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Sessions without an id keep their numbers as long as they live, no number is used twice, and the memory for them ends with
// them.
func TestCallersAreNumbered(t *testing.T) {
	t.Parallel()
	c := &callers{}
	call := func(s *mcp.ServerSession) string { return c.of(&mcp.CallToolRequest{Session: s}) }
	kept := &mcp.ServerSession{}
	first := call(kept)
	seen := map[string]bool{}
	for range 1000 {
		s := &mcp.ServerSession{}
		name := call(s)
		if seen[name] || name == first || name != call(s) {
			t.Fatalf("number %s is not that of one session", name)
		}
		seen[name] = true
	}
	for range 100 {
		runtime.GC()
		c.mu.Lock()
		n := len(c.numbers)
		c.mu.Unlock()
		if n <= 2 { // the last one of the loop may live on the stack
			break
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.numbers); n > 2 {
		t.Errorf("%d sessions are remembered, want the one that lives", n)
	}
	if got := c.numbers; len(got) == 0 {
		t.Error("the session that lives was forgotten")
	}
	runtime.KeepAlive(kept)
}
