package capture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"regexp"
	"time"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// legacyVersion is the newest protocol version that is agreed on by initialize.
const legacyVersion = "2025-11-25"

// probeTime is how long a program may leave server/discover unanswered before it is taken for an old one.
const probeTime = 10 * time.Second

// A capture is the state of one run of Capture.
type capture struct {
	src      Source
	o        Options
	doing    string // for the error
	stderr   []string
	problems []Problem
}

func (s Source) check() error {
	switch {
	case s.Err != nil:
		return s.Err
	case len(s.Command) > 0 && s.URL != "":
		return errors.New("both a command and a URL are given")
	case len(s.Command) > 0 && s.Command[0] == "", len(s.Command) == 0 && s.URL == "":
		return errors.New("neither a command nor a URL is given")
	case len(s.Command) > 0 && s.Transport != "" && s.Transport != "stdio":
		return fmt.Errorf("transport %s does not go with a command", quote(s.Transport))
	case len(s.Command) > 0:
		return nil
	}
	switch s.Transport {
	case "", "http", "sse":
	default:
		return fmt.Errorf("transport %s does not go with a URL: want http or sse", quote(s.Transport))
	}
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("the URL is not one of http or https with a host") // not shown: it can hold a secret
	}
	return nil
}

func (c *capture) notice(format string, args ...any) {
	c.problems = append(c.problems, Problem{Kind: lockfile.KindServer, Text: fmt.Sprintf(format, args...), Notice: true})
}

func (c *capture) event(e Event) {
	e.Name = c.src.Name
	c.o.Progress(e)
}

func (c *capture) run(ctx context.Context) (*lockfile.Server, error) {
	if len(c.src.Command) > 0 {
		return c.runProgram(ctx)
	}
	return c.runURL(ctx)
}

// client makes the client of the SDK. What it announces is written in the package comment.
func (c *capture) client() *mcp.Client {
	refuse := errors.New("fusionctl only reads the contract of a server")
	return mcp.NewClient(&mcp.Implementation{Name: "fusionctl", Version: c.o.Version}, &mcp.ClientOptions{
		Logger:       slog.New(slog.NewTextHandler(io.Discard, nil)),
		Capabilities: &mcp.ClientCapabilities{RootsV2: &mcp.RootCapabilities{}},
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return nil, refuse
		},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "decline"}, nil
		},
	})
}

// A session is a connection on which the handshake has succeeded.
type session struct {
	*capture
	tap  *tap
	mcp  *mcp.ClientSession
	call context.Context // ends with the session
	quit context.CancelFunc
}

// connect does the handshake within limit. The context given to the SDK lives on until close, because the stream of an
// SSE server hangs on it.
func (c *capture) connect(ctx context.Context, t mcp.Transport, tap *tap, version string, limit time.Duration) (*session, error) {
	c.doing = "connecting"
	call, cancel := context.WithCancelCause(ctx)
	quit := func() { cancel(context.Canceled) }
	late := faultf(ErrTimeout, "a first start can take long: raise --timeout, or start the server once by hand",
		"the server did not answer within %s", limit)
	timer := time.AfterFunc(limit, func() { cancel(late) })
	s, err := c.client().Connect(call, t, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if !timer.Stop() && err == nil {
		s.Close()
		err = late
	}
	if err != nil {
		if errors.Is(context.Cause(call), ErrTimeout) {
			err = late
			if n := tap.orphaned(); n > 0 {
				err = faultf(ErrTimeout, "", "%s; answers with an id that was never sent: %d", late.text, n)
			}
		}
		quit()
		return nil, err
	}
	c.event(Event{Stage: Connected})
	return &session{capture: c, tap: tap, mcp: s, call: call, quit: quit}, nil
}

func (s *session) close() {
	s.mcp.Close()
	s.quit()
}

// An outcome is how one start of a program went.
type outcome struct {
	server *lockfile.Server
	err    error
	shaken bool // the handshake succeeded
	known  bool // server/discover was answered, by an error or a result
	late   bool // … but only after initialize had been sent
}

func (c *capture) runProgram(ctx context.Context) (*lockfile.Server, error) {
	probe := min(probeTime, c.o.Timeout/4)
	r := c.attempt(ctx, "", probe, c.o.Timeout)
	switch {
	case r.err == nil, r.shaken, ctx.Err() != nil, errors.Is(r.err, ErrNotFound), errors.Is(r.err, ErrTooLarge):
	case r.late:
		r = c.attempt(ctx, "", 0, c.o.Timeout)
	case !r.known:
		// Silent, or died of a method that it does not know. If it cannot start at all, that shows again.
		r = c.attempt(ctx, legacyVersion, 0, c.o.Timeout)
	}
	return r.server, r.err
}

// attempt starts the program, captures and stops it.
func (c *capture) attempt(ctx context.Context, version string, probe, limit time.Duration) (r outcome) {
	c.doing, c.problems = "starting", nil
	c.event(Event{Stage: Starting})
	p, err := start(c.src)
	if err != nil {
		r.err = err
		return r
	}
	tap := newTap()
	conn := newStdioConn(p, tap, probe)
	unwatch := context.AfterFunc(ctx, func() { conn.Close() })
	s, err := c.connect(ctx, conn, tap, version, limit)
	if err == nil {
		r.shaken = true
		r.server, err = s.contract()
		s.close()
	}
	unwatch()
	conn.Close()
	r.known, r.late = !conn.refused.Load() && !tap.waits(methodDiscover), conn.late.Load()
	var own error
	if err != nil && conn.ended() {
		own = p.ownEnd()
	}
	p.stop()
	<-conn.done
	r.err = programError(ctx, own, conn, err)
	c.stderr = p.tail.lines()
	if n, first := conn.skipped.read(); n > 0 {
		c.notice("standard output holds lines that are no messages of the protocol: %d skipped, the first %s", n, quote(first))
	}
	return r
}

// programError prefers what happened to the program to what the SDK made of it. It is called when conn has ended.
func programError(ctx context.Context, own error, conn *stdioConn, err error) error {
	if err == nil || ctx.Err() != nil || own == nil || errors.Is(err, ErrTimeout) {
		return err
	}
	var f *fault
	switch {
	case errors.As(err, &f):
		return err
	case errors.As(conn.failure, &f):
		return f
	}
	return own
}

// contract reads everything that the server announces. While it does, the server may say that a list has changed; then
// that list is read again, so that a capture does not depend on who was faster.
func (s *session) contract() (*lockfile.Server, error) {
	server, announced, err := s.head()
	if err != nil {
		return nil, err
	}
	for _, l := range lists {
		if !announced[l.capability] {
			continue
		}
		if err := s.settled(server, l); err != nil {
			return nil, err
		}
	}
	s.noteFolder(server)
	return server, nil
}

// head reads what the handshake told: the raw answer to server/discover or to initialize.
func (s *session) head() (*lockfile.Server, map[string]bool, error) {
	version := s.mcp.InitializeResult().ProtocolVersion
	raw, ok := s.tap.take(methodInit)
	discovered := false
	if !ok || version > legacyVersion {
		raw, discovered = s.tap.take(methodDiscover)
	}
	if !ok && !discovered {
		return nil, nil, errors.New("the answer to the handshake was not seen")
	}
	v, err := canonjson.Decode(raw)
	if err != nil {
		return nil, nil, fmt.Errorf("the answer to the handshake: %w", err)
	}
	m, _ := v.(map[string]any)
	if discovered {
		meta, _ := m["_meta"].(map[string]any)
		m = map[string]any{"serverInfo": meta[mcp.MetaKeyServerInfo], "capabilities": m["capabilities"], "instructions": m["instructions"]}
	}
	m["protocolVersion"] = version
	server := &lockfile.Server{}
	problems := readHead(server, m)
	s.problems = append(s.problems, problems...)
	announced := map[string]bool{}
	for name, v := range server.Capabilities {
		announced[name] = v != nil && v != false
	}
	return server, announced, nil
}

// knownVersions are those that the SDK speaks by initialize, newest first.
var knownVersions = []string{legacyVersion, "2025-06-18", "2025-03-26", "2024-11-05"}

var versionPattern = regexp.MustCompile(`\b20\d\d-\d\d-\d\d\b`)

// otherVersion finds the newest version that a refusal names and that was not tried.
func otherVersion(refusal string) string {
	named := map[string]bool{}
	for _, v := range versionPattern.FindAllString(refusal, 100) {
		named[v] = true
	}
	for _, v := range knownVersions[1:] {
		if named[v] {
			return v
		}
	}
	return ""
}
