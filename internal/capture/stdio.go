package capture

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// writeGrace is how long a failed write waits for the reader to find the end of the output.
const writeGrace = 300 * time.Millisecond

// errLateAnswer ends a session in which server/discover was answered after initialize had been sent.
var errLateAnswer = errors.New("server/discover was answered late")

// stdioConn speaks JSON-RPC with a program: one message a line. It is more patient than the connection of the SDK: lines
// that are no messages are skipped, and notifications and answers to nothing end here.
type stdioConn struct {
	p     *process
	tap   *tap
	probe time.Duration // how long server/discover may be silent; 0 is for ever

	lines    chan []byte
	failure  error         // what ended the lines, when that was not Close; valid after done
	done     chan struct{} // readLines has ended
	closed   chan struct{} // Close was called
	once     sync.Once
	write    sync.Mutex
	requests int

	probing  chan jsonrpc.ID // the id of server/discover when it was silent for too long
	discover atomic.Pointer[time.Timer]
	refused  atomic.Bool // server/discover was answered by us
	late     atomic.Bool // … and then by the server

	skipped noiseNote
}

// noiseNote remembers what was skipped: how many lines and the start of the first.
type noiseNote struct {
	mu    sync.Mutex
	count int
	first string
}

func (n *noiseNote) add(line []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.count++; n.count == 1 {
		n.first = string(line[:min(len(line), 200)])
	}
}

func (n *noiseNote) read() (int, string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.count, n.first
}

func newStdioConn(p *process, t *tap, probe time.Duration) *stdioConn {
	c := &stdioConn{p: p, tap: t, probe: probe, lines: make(chan []byte), closed: make(chan struct{}), done: make(chan struct{}), probing: make(chan jsonrpc.ID, 1)}
	go c.readLines()
	return c
}

// ended reports whether the program closed its output before we closed the session.
func (c *stdioConn) ended() bool {
	select {
	case <-c.done:
		return c.failure != nil
	default:
		return false
	}
}

// Connect makes a stdioConn a transport of the SDK for the one connection that it is.
func (c *stdioConn) Connect(context.Context) (mcp.Connection, error) { return c, nil }

func (c *stdioConn) SessionID() string { return "" }

// Close ends the session but not the program: its owner stops it, and closing twice must be cheap.
func (c *stdioConn) Close() error {
	c.once.Do(func() {
		close(c.closed)
		c.p.closeInput() // also frees a Write that waits
		if t := c.discover.Load(); t != nil {
			t.Stop()
		}
	})
	return nil
}

// readLines ends when the program closes its output or p.stop closes our end.
func (c *stdioConn) readLines() {
	defer close(c.done)
	defer close(c.lines)
	r := bufio.NewReaderSize(c.p.stdout, 64<<10)
	first := true
	for {
		line, err := readLine(r, maxMessage)
		if first {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
			first = false
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			select {
			case c.lines <- line:
			case <-c.closed:
				return
			}
		}
		if err != nil {
			select {
			case <-c.closed:
			default:
				c.failure = err // the program's doing, not ours
			}
			return
		}
	}
}

// readLine returns the next line without a limit but the given one. The last line may lack its end.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > limit:
			return nil, faultf(ErrTooLarge, "", "the server sent a line of more than %d MiB", limit>>20)
		case err == bufio.ErrBufferFull:
			continue
		}
		return line, err
	}
}

func (c *stdioConn) Write(_ context.Context, m jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	c.tap.sent(data)
	if r, ok := m.(*jsonrpc.Request); ok && r.Method == methodDiscover && c.probe > 0 {
		c.discover.Store(time.AfterFunc(c.probe, func() { c.probing <- r.ID }))
	}
	c.write.Lock()
	defer c.write.Unlock()
	if _, err = c.p.stdin.Write(append(data, '\n')); err != nil {
		// A program that ended shows at both ends; let the reader see it before the SDK closes the session.
		select {
		case <-c.done:
		case <-time.After(writeGrace):
		}
	}
	return err
}

func (c *stdioConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		case id := <-c.probing:
			if !c.tap.answered(methodDiscover) {
				c.refused.Store(true)
				return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "no answer"}}, nil
			}
		case line, ok := <-c.lines:
			if !ok {
				return nil, io.EOF
			}
			m, err := c.accept(line)
			if m != nil || err != nil {
				return m, err
			}
		}
	}
}

// accept turns a line into what the SDK has to see, nil when that is nothing.
func (c *stdioConn) accept(line []byte) (jsonrpc.Message, error) {
	m, err := c.tap.received(line)
	if err != nil {
		return nil, err
	}
	switch m.kind {
	case request:
		if c.requests++; c.requests > maxFromServer {
			return nil, nil
		}
		return &jsonrpc.Request{ID: sdkID(m.id), Method: m.method, Params: m.params}, nil
	case response:
		if t := c.discover.Load(); m.method == methodDiscover && t != nil {
			t.Stop()
		}
		if m.method == methodDiscover && c.refused.Load() {
			if m.result == nil {
				return nil, nil
			}
			c.late.Store(true)
			return nil, errLateAnswer
		}
		if m.err != nil {
			return &jsonrpc.Response{ID: sdkID(m.id), Error: rpcError(m.err)}, nil
		}
		return &jsonrpc.Response{ID: sdkID(m.id), Result: forSDK(m)}, nil
	case noise:
		c.skipped.add(line)
	}
	return nil, nil
}

func sdkID(raw json.RawMessage) jsonrpc.ID {
	var v any
	_ = json.Unmarshal(raw, &v)
	id, _ := jsonrpc.MakeID(v)
	return id
}

// rpcError reads an error object as far as it is one.
func rpcError(raw json.RawMessage) *jsonrpc.Error {
	e := &jsonrpc.Error{Code: jsonrpc.CodeInternalError}
	if json.Unmarshal(raw, e) != nil {
		e.Message = string(raw)
	}
	return e
}

// forSDK gives the SDK what it needs of a result. The lists are read from the tap, and the SDK would refuse a whole page
// for one malformed tool, so it gets an empty page; a server that misspells its capabilities is not refused either.
func forSDK(m message) json.RawMessage {
	switch m.method {
	case methodTools, methodPrompts, methodResources, methodTemplates:
		return json.RawMessage(`{"resultType":"complete","tools":[],"prompts":[],"resources":[],"resourceTemplates":[]}`)
	case methodInit:
		if json.Unmarshal(m.result, new(mcp.InitializeResult)) == nil {
			return m.result
		}
		var kept struct {
			ProtocolVersion string         `json:"protocolVersion"`
			Capabilities    map[string]any `json:"capabilities"`
			ServerInfo      map[string]any `json:"serverInfo"`
		}
		var version struct {
			ProtocolVersion string `json:"protocolVersion"`
		}
		if json.Unmarshal(m.result, &version) != nil {
			return m.result
		}
		kept.ProtocolVersion, kept.Capabilities, kept.ServerInfo = version.ProtocolVersion, map[string]any{}, map[string]any{"name": "", "version": ""}
		data, err := json.Marshal(kept)
		if err != nil {
			return m.result
		}
		return data
	}
	return m.result
}
