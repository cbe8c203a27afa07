package mcpgo_test

import (
	"context"
	"io"
	"net/http/httptest"
	"testing"

	"github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/awareness/mcpgo"
	"github.com/fusionctl/fusionctl/internal/hooktest"
)

type (
	args   = hooktest.Args
	client = hooktest.Client
	fault  = hooktest.Fault
)

var wires = hooktest.Wires

// eachWire runs a test over both eras and both transports. The client is that of the other SDK, which keeps all of an error.
func eachWire(t *testing.T, s *server.MCPServer, f func(t *testing.T, c *client)) {
	t.Helper()
	for _, w := range wires {
		t.Run(w.Name, func(t *testing.T) { f(t, connect(t, s, w)) })
	}
}

func connect(t testing.TB, s *server.MCPServer, w hooktest.Wire) *client {
	t.Helper()
	if w.HTTP {
		web := httptest.NewServer(mcpgo.Handler(server.NewStreamableHTTPServer(s)))
		t.Cleanup(web.Close)
		return hooktest.Connect(t, hooktest.OverHTTP(web.URL), w.Version)
	}
	return hooktest.Connect(t, overPipes(t, s), w.Version)
}

// overPipes serves the stdio transport on pipes until the test ends.
func overPipes(t testing.TB, s *server.MCPServer) mcp.Transport {
	return hooktest.Pipes(t, func(ctx context.Context, in io.Reader, out io.Writer) error {
		ctx, out = mcpgo.Stdio(ctx, out)
		return server.NewStdioServer(s).Listen(ctx, in, out)
	})
}
