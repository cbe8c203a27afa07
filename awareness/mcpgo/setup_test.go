package mcpgo_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/awareness/mcpgo"
)

const (
	before = "2025-11-25" // the last revision of the former era
	since  = "2026-07-28"
)

// A wire is one way for a client to reach a server: protocol era and transport.
type wire struct {
	name, version string
	http          bool
}

var wires = []wire{
	{"stdio, former era", before, false},
	{"stdio, new era", since, false},
	{"http, former era", before, true},
	{"http, new era", since, true},
}

// eachWire runs a test over both eras and both transports. The client is that of the other SDK, which keeps all of an error.
func eachWire(t *testing.T, s *server.MCPServer, f func(t *testing.T, c *client)) {
	t.Helper()
	for _, w := range wires {
		t.Run(w.name, func(t *testing.T) { f(t, connect(t, s, w)) })
	}
}

// client is a session that keeps what was on the wire.
type client struct {
	*mcp.ClientSession
	modern bool
	log    *lockedBuffer
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func connect(t testing.TB, s *server.MCPServer, w wire) *client {
	t.Helper()
	var transport mcp.Transport
	if w.http {
		web := httptest.NewServer(mcpgo.Handler(server.NewStreamableHTTPServer(s)))
		t.Cleanup(web.Close)
		transport = &mcp.StreamableClientTransport{Endpoint: web.URL, DisableStandaloneSSE: true, MaxRetries: -1}
	} else {
		transport = overPipes(t, s)
	}
	log := new(lockedBuffer)
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := c.Connect(t.Context(), &mcp.LoggingTransport{Transport: transport, Writer: log}, &mcp.ClientSessionOptions{ProtocolVersion: w.version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	if got := session.InitializeResult().ProtocolVersion; got != w.version {
		t.Fatalf("negotiated %s, want %s", got, w.version)
	}
	return &client{session, w.version == since, log}
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

// received is all that the server sent.
func (c *client) received() []string {
	var lines []string
	for line := range strings.Lines(c.log.String()) {
		if strings.HasPrefix(line, "read: ") {
			lines = append(lines, line)
		}
	}
	return lines
}

// lastResult is the result of the last answer on the wire.
func (c *client) lastResult(t *testing.T) map[string]any {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(c.log.String()), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		text, ok := strings.CutPrefix(lines[i], "read: ")
		if !ok {
			continue
		}
		var m struct{ Result map[string]any }
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			t.Fatal(err)
		}
		if m.Result != nil {
			return m.Result
		}
	}
	t.Fatal("no answer on the wire")
	return nil
}

// call calls a tool and returns the texts of the result, after checking that the wire form is complete.
func (c *client) call(t *testing.T, name string, arguments any) (texts []string, res *mcp.CallToolResult) {
	t.Helper()
	res, err := c.CallTool(context.Background(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("calling %s: %v", name, err)
	}
	onWire := c.lastResult(t)
	resultType, there := onWire["resultType"]
	if there != c.modern || there && resultType != "complete" {
		t.Errorf("%s: resultType on the wire is %v, want it (complete) exactly in the new era: %v", name, resultType, c.modern)
	}
	if _, ok := onWire["content"].([]any); !ok {
		t.Errorf("%s: content on the wire is %v, want an array", name, onWire["content"])
	}
	for _, block := range res.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return texts, res
}

func checkFault(t *testing.T, what string, err error, code int64, message, data string) {
	t.Helper()
	var fault *jsonrpc.Error
	if !errors.As(err, &fault) {
		t.Errorf("%s: %v, want a JSON-RPC error", what, err)
		return
	}
	if fault.Code != code || string(fault.Data) != data || fault.Message != message {
		t.Errorf("%s: code %d, message %q, data %s, want %d, %q and %s", what, fault.Code, fault.Message, fault.Data, code, message, data)
	}
}
