package gosdk_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/internal/hooktest"
)

type (
	args   = hooktest.Args
	client = hooktest.Client
	fault  = hooktest.Fault
)

var wires = hooktest.Wires

// eachWire runs a test over both eras and both transports.
func eachWire(t *testing.T, s *mcp.Server, f func(t *testing.T, c *client)) {
	t.Helper()
	for _, w := range wires {
		t.Run(w.Name, func(t *testing.T) { f(t, connect(t, s, w)) })
	}
}

func connect(t testing.TB, s *mcp.Server, w hooktest.Wire) *client {
	t.Helper()
	if w.HTTP {
		h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: w.Version == hooktest.Since})
		web := httptest.NewServer(h)
		t.Cleanup(web.Close)
		return hooktest.Connect(t, hooktest.OverHTTP(web.URL), w.Version)
	}
	theirs, ours := mcp.NewInMemoryTransports()
	session, err := s.Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return hooktest.Connect(t, ours, w.Version)
}
