package mcpgo_test

import (
	"context"
	"errors"
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
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() {
		ctx, out := mcpgo.Stdio(ctx, toClient)
		err := server.NewStdioServer(s).Listen(ctx, fromClient, out)
		fromClient.Close() // a client that still waits gets an error
		toClient.Close()
		served <- err
	}()
	t.Cleanup(func() {
		cancel()
		toServer.Close()
		fromServer.Close()
		if err := <-served; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("serving: %v", err)
		}
	})
	return &mcp.IOTransport{Reader: fromServer, Writer: toServer}
}
