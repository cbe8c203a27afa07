package mcpgo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/fusionctl/fusionctl/envelope"
)

// A ledger holds corrections of answers that are not written yet, by request id. The SDK calls its error hook before it writes
// the answer, so an answer that finds nothing here has nothing to correct.
type ledger struct {
	waiting atomic.Int32 // spares the lock on the path of answers without errors
	mu      sync.Mutex
	byID    map[string]*correction
}

// A correction takes the place of an error: another error, or the result of a tool.
type correction struct {
	protocol *envelope.ProtocolError
	result   *mcp.CallToolResult
}

// maxWaiting bounds the errors whose answers were never written, as when a connection breaks.
const maxWaiting = 1000

type ledgerKey struct{}

func withLedger(ctx context.Context) (context.Context, *ledger) {
	l := &ledger{byID: map[string]*correction{}}
	return context.WithValue(ctx, ledgerKey{}, l), l
}

// reportError is the hook for the SDK's errors. A resource that nobody registered is reported by the SDK in its own words.
func reportError(ctx context.Context, id any, _ mcp.MCPMethod, message any, err error) {
	l, ok := ctx.Value(ledgerKey{}).(*ledger)
	if !ok {
		return
	}
	var protocol *envelope.ProtocolError
	if !errors.As(err, &protocol) || protocol == nil {
		read, ok := message.(*mcp.ReadResourceRequest)
		if !ok || !errors.Is(err, server.ErrResourceNotFound) {
			return
		}
		protocol = envelope.ResourceNotFound(read.Params.URI, "")
	}
	l.put(id, &correction{protocol: protocol})
}

func (l *ledger) put(id any, c *correction) {
	key, err := json.Marshal(mcp.NewRequestId(id))
	if err != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.byID) >= maxWaiting {
		clear(l.byID)
	}
	l.byID[string(key)] = c
	l.waiting.Store(int32(len(l.byID)))
}

func (l *ledger) take(id string) *correction {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.byID[id]
	delete(l.byID, id)
	l.waiting.Store(int32(len(l.byID)))
	return c
}

// correct returns the message with what belongs into it, and the correction; or the message itself and nil.
func (l *ledger) correct(message []byte) ([]byte, *correction) {
	if l.waiting.Load() == 0 {
		return message, nil
	}
	var answer struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result,omitempty"`
		Error   json.RawMessage `json:"error,omitempty"`
	}
	if json.Unmarshal(message, &answer) != nil || answer.Error == nil {
		return message, nil
	}
	c := l.take(string(answer.ID))
	if c == nil {
		return message, nil
	}
	var err error
	if c.result != nil {
		answer.Error = nil
		answer.Result, err = json.Marshal(c.result)
	} else if answer.Error, err = json.Marshal(c.protocol); err != nil { // data that is not JSON
		answer.Error, err = json.Marshal(envelope.ProtocolError{Code: c.protocol.Code, Message: c.protocol.Message})
	}
	if err != nil {
		return message, nil
	}
	out, err := json.Marshal(answer)
	if err != nil {
		return message, nil
	}
	return out, c
}

// HandleMessage is s.HandleMessage with corrected answers. It is for transports of one's own.
func HandleMessage(ctx context.Context, s *server.MCPServer, message json.RawMessage) mcp.JSONRPCMessage {
	ctx, l := withLedger(ctx)
	answer := s.HandleMessage(ctx, message)
	e, ok := answer.(mcp.JSONRPCError)
	if !ok {
		return answer
	}
	id, err := json.Marshal(e.ID)
	if err != nil {
		return answer
	}
	switch c := l.take(string(id)); {
	case c == nil:
		return answer
	case c.result != nil:
		return mcp.NewJSONRPCResultResponse(e.ID, c.result)
	default:
		e.Error = mcp.NewJSONRPCErrorDetails(c.protocol.Code, c.protocol.Message, c.protocol.Data)
		return e
	}
}

// Stdio returns the context and the output for (*server.StdioServer).Listen that let corrected answers through:
//
//	ctx, out := mcpgo.Stdio(ctx, os.Stdout)
//	err := server.NewStdioServer(s).Listen(ctx, os.Stdin, out)
func Stdio(ctx context.Context, out io.Writer) (context.Context, io.Writer) {
	ctx, l := withLedger(ctx)
	return ctx, &lineWriter{out: out, ledger: l}
}

// ServeStdio serves on standard input and output until the input ends or SIGINT or SIGTERM arrives.
func ServeStdio(s *server.MCPServer, opts ...server.StdioOption) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, out := Stdio(ctx, os.Stdout)
	stdio := server.NewStdioServer(s)
	for _, opt := range opts {
		opt(stdio)
	}
	return stdio.Listen(ctx, os.Stdin, out)
}

// lineWriter corrects lines. The SDK writes each message with one call, under its own lock; what is not a whole line passes.
type lineWriter struct {
	out    io.Writer
	ledger *ledger
}

func (w *lineWriter) Write(p []byte) (int, error) {
	line, whole := bytes.CutSuffix(p, []byte("\n"))
	if !whole {
		return w.out.Write(p)
	}
	corrected, c := w.ledger.correct(line)
	if c == nil {
		return w.out.Write(p)
	}
	if _, err := w.out.Write(append(corrected, '\n')); err != nil {
		return 0, err
	}
	return len(p), nil
}
