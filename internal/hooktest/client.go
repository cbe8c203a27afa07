package hooktest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The protocol eras, each by one revision.
const (
	Before = "2025-11-25" // the last revision of the former era
	Since  = "2026-07-28"
)

// A Wire is one way for a client to reach a server: protocol era and transport.
type Wire struct {
	Name, Version string
	HTTP          bool
}

// Wires are all ways.
var Wires = []Wire{
	{"streams, former era", Before, false},
	{"streams, new era", Since, false},
	{"http, former era", Before, true},
	{"http, new era", Since, true},
}

// A Client is a session that keeps what was on the wire.
type Client struct {
	*mcp.ClientSession
	Modern bool // speaks the new era
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

// Connect connects a client of the official Go SDK that speaks one revision. It is named "test", version 1.
func Connect(t testing.TB, transport mcp.Transport, version string) *Client {
	t.Helper()
	log := new(lockedBuffer)
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := c.Connect(t.Context(), &mcp.LoggingTransport{Transport: transport, Writer: log}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	if got := session.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("negotiated %s, want %s", got, version)
	}
	return &Client{session, version == Since, log}
}

// OverHTTP is the client's side of Streamable HTTP.
func OverHTTP(address string) mcp.Transport {
	return &mcp.StreamableClientTransport{Endpoint: address, DisableStandaloneSSE: true, MaxRetries: -1}
}

// Pipes has a server serve lines on pipes until the test ends.
func Pipes(t testing.TB, serve func(ctx context.Context, in io.Reader, out io.Writer) error) mcp.Transport {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() {
		err := serve(ctx, fromClient, toClient)
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

// Received is all that the server sent.
func (c *Client) Received() []string {
	var lines []string
	for line := range strings.Lines(c.log.String()) {
		if strings.HasPrefix(line, "read: ") {
			lines = append(lines, line)
		}
	}
	return lines
}

// LastResult is the result of the last answer on the wire; nil when that is an error.
func (c *Client) LastResult(t testing.TB) map[string]any {
	t.Helper()
	lines := c.Received()
	for i := len(lines) - 1; i >= 0; i-- {
		var m struct{ Result, Error map[string]any }
		if err := json.Unmarshal([]byte(strings.TrimPrefix(lines[i], "read: ")), &m); err != nil {
			t.Fatal(err)
		}
		if m.Result != nil || m.Error != nil {
			return m.Result
		}
	}
	t.Fatal("no answer on the wire")
	return nil
}

// Call calls a tool and returns the texts of the result, after checking that the wire form is complete.
func (c *Client) Call(t testing.TB, name string, arguments any) (texts []string, res *mcp.CallToolResult) {
	t.Helper()
	texts, res, err := c.Try(name, arguments)
	if err != nil {
		t.Fatalf("calling %s: %v", name, err)
	}
	onWire := c.LastResult(t)
	resultType, there := onWire["resultType"]
	if there != c.Modern || there && resultType != "complete" {
		t.Errorf("%s: resultType on the wire is %v, want it (complete) exactly in the new era: %v", name, resultType, c.Modern)
	}
	if _, ok := onWire["content"].([]any); !ok {
		t.Errorf("%s: content on the wire is %v, want an array", name, onWire["content"])
	}
	return texts, res
}

// Try is Call without checks.
func (c *Client) Try(name string, arguments any) (texts []string, res *mcp.CallToolResult, err error) {
	res, err = c.CallTool(context.Background(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		return nil, nil, err
	}
	for _, block := range res.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return texts, res, nil
}

// A Fault is a JSON-RPC error as it is wanted. An empty message stands for any.
type Fault struct {
	Code          int64
	Message, Data string
}

// CheckFault checks that an error is the wanted JSON-RPC error.
func CheckFault(t testing.TB, what string, err error, want Fault) {
	t.Helper()
	var fault *jsonrpc.Error
	if !errors.As(err, &fault) {
		t.Errorf("%s: %v, want a JSON-RPC error", what, err)
		return
	}
	if fault.Code != want.Code || string(fault.Data) != want.Data || want.Message != "" && fault.Message != want.Message {
		t.Errorf("%s: code %d, message %q, data %s, want %+v", what, fault.Code, fault.Message, fault.Data, want)
	}
}

// CheckEnrich checks a hook in mode Enrich. The tool book of the server judges for itself: of the cities "error", "refusal",
// "protocol" and "envelope" it answers with an error of its own ("no such days"), a refusal in known words, a JSON-RPC error
// for bad arguments, and the envelope NotFound.
func CheckEnrich(t *testing.T, c *Client) {
	t.Helper()
	if texts, res := c.Call(t, "book", Args{"city": "Rome", "days": 1}); res.IsError || len(texts) != 1 || texts[0] != "done" {
		t.Errorf("a success with arguments that do not fit was touched: %q", texts)
	}
	texts, res := c.Call(t, "book", Args{"city": "error", "days": 1})
	if len(texts) != 2 || texts[0] != "no such days" {
		t.Fatalf("the server's own error: %q, want it and an envelope", texts)
	}
	CheckHealed(t, texts[1:], res.IsError)
	for _, city := range []string{"refusal", "protocol"} {
		texts, res = c.Call(t, "book", Args{"city": city, "days": 1})
		CheckHealed(t, texts, res.IsError)
	}
	if texts, _ := c.Call(t, "book", Args{"city": "error", "nights": 1}); len(texts) != 1 {
		t.Errorf("an error of arguments that fit: %q", texts)
	}
	if texts, _ := c.Call(t, "book", Args{"city": "envelope", "days": 1}); len(texts) != 1 || texts[0] != NotFound.Format() {
		t.Errorf("an envelope was touched: %q", texts)
	}
}
