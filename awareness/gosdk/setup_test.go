package gosdk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
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
	{"memory, former era", before, false},
	{"memory, new era", since, false},
	{"http, former era", before, true},
	{"http, new era", since, true},
}

// eachWire runs a test over both eras and both transports.
func eachWire(t *testing.T, s *mcp.Server, f func(t *testing.T, c *client)) {
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

func connect(t testing.TB, s *mcp.Server, w wire) *client {
	t.Helper()
	ctx := t.Context()
	var transport mcp.Transport
	if w.http {
		h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: w.version == since})
		web := httptest.NewServer(h)
		t.Cleanup(web.Close)
		transport = &mcp.StreamableClientTransport{Endpoint: web.URL, DisableStandaloneSSE: true, MaxRetries: -1}
	} else {
		var theirs mcp.Transport
		theirs, transport = mcp.NewInMemoryTransports()
		session, err := s.Connect(ctx, theirs, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { session.Close() })
	}
	log := new(lockedBuffer)
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := c.Connect(ctx, &mcp.LoggingTransport{Transport: transport, Writer: log}, &mcp.ClientSessionOptions{ProtocolVersion: w.version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	if got := session.InitializeResult().ProtocolVersion; got != w.version {
		t.Fatalf("negotiated %s, want %s", got, w.version)
	}
	return &client{session, w.version == since, log}
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

// lastResult is the result, or the error, of the last answer on the wire.
func (c *client) lastResult(t *testing.T) (result, fault map[string]any) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(c.log.String()), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		text, ok := strings.CutPrefix(lines[i], "read: ")
		if !ok {
			continue
		}
		var m struct{ Result, Error map[string]any }
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			t.Fatal(err)
		}
		if m.Result != nil || m.Error != nil {
			return m.Result, m.Error
		}
	}
	t.Fatal("no answer on the wire")
	return nil, nil
}

// call calls a tool and returns the texts of the result, after checking that the wire form is complete.
func (c *client) call(t *testing.T, name string, arguments any) (texts []string, res *mcp.CallToolResult) {
	t.Helper()
	res, err := c.CallTool(context.Background(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("calling %s: %v", name, err)
	}
	onWire, _ := c.lastResult(t)
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
