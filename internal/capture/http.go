package capture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/fusionctl/fusionctl/lockfile"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// runURL tries Streamable HTTP and then, when the server refuses that, the SSE transport that came before it.
func (c *capture) runURL(ctx context.Context) (*lockfile.Server, error) {
	origin, err := url.Parse(c.src.URL)
	if err != nil {
		return nil, err
	}
	if c.src.Transport == "sse" {
		server, _, err := c.exchange(ctx, origin, true, legacyVersion, c.o.Timeout)
		return server, err
	}
	// A server that hangs on what it does not know is asked again in the old way, so the first try gets half the time.
	server, w, err := c.exchange(ctx, origin, false, "", c.o.Timeout/2)
	if err != nil && !w.shaken && errors.Is(err, ErrTimeout) && ctx.Err() == nil {
		server, w, err = c.exchange(ctx, origin, false, legacyVersion, c.o.Timeout)
	}
	if err != nil && !w.shaken && ctx.Err() == nil {
		if v := otherVersion(w.refusal()); v != "" {
			server, w, err = c.exchange(ctx, origin, false, v, c.o.Timeout)
		}
	}
	if err == nil || w.shaken || c.src.Transport == "http" || ctx.Err() != nil || !w.mayBeSSE() {
		return server, err
	}
	older, w, sseErr := c.exchange(ctx, origin, true, legacyVersion, c.o.Timeout)
	if sseErr == nil || w.shaken {
		return older, sseErr
	}
	return nil, err
}

// exchange does one capture over one transport. The wire tells what happened below the SDK.
func (c *capture) exchange(ctx context.Context, origin *url.URL, sse bool, version string, limit time.Duration) (*lockfile.Server, *wire, error) {
	c.doing, c.problems = "connecting", nil
	c.event(Event{Stage: Starting})
	base := http.DefaultTransport.(*http.Transport).Clone()
	defer base.CloseIdleConnections()
	w := &wire{origin: origin, headers: c.src.Headers, base: base, tap: newTap()}
	client := &http.Client{Transport: w, CheckRedirect: w.redirect}
	var t mcp.Transport = &mcp.StreamableClientTransport{Endpoint: c.src.URL, HTTPClient: client, MaxRetries: -1,
		DisableStandaloneSSE: true, MaxEventSize: maxMessage}
	if sse {
		t = &mcp.SSEClientTransport{Endpoint: c.src.URL, HTTPClient: client, MaxEventSize: maxMessage}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.life = ctx
	s, err := c.connect(ctx, t, w.tap, version, limit)
	var server *lockfile.Server
	if err == nil {
		w.shaken = true
		server, err = s.contract()
		w.closing.Store(true)
		s.close()
	}
	return server, w, w.better(err)
}

// redirect follows only within the origin: what comes from another one is another server, and it must not get the
// headers.
func (w *wire) redirect(req *http.Request, via []*http.Request) error {
	if !sameOrigin(req.URL, w.origin) {
		return w.foreign(req.URL)
	}
	if len(via) >= 5 {
		return w.refuse(faultf(nil, "", "more than 5 redirects"))
	}
	return nil
}

func (w *wire) foreign(u *url.URL) error {
	return w.refuse(faultf(nil, "if that is the server you mean, give its URL", "the server sends the client to another origin: %s", quote(u.Scheme+"://"+u.Host)))
}

// refuse remembers what we did not take part in: it says more than what the SDK and net/http make of it.
func (w *wire) refuse(f *fault) error {
	w.note(func() { w.fault = f })
	return f
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && a.Hostname() == b.Hostname() && port(a) == port(b)
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}

// better prefers what the wire saw to what the SDK made of it.
func (w *wire) better(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case err == nil:
		return nil
	case w.fault != nil:
		return w.fault
	case w.status == http.StatusUnauthorized:
		return faultf(ErrUnauthorized, `give the credentials by the name of a variable: --header "Authorization=env:TOKEN"`,
			"the server wants authorization (HTTP status 401)")
	case w.status == http.StatusForbidden:
		return faultf(ErrUnauthorized, "check that the credentials may list tools", "the server refuses the credentials (HTTP status 403)")
	case w.status >= 300 && len(w.body) > 0:
		return faultf(nil, "", "the server answers with HTTP status %d: %s", w.status, quote(string(w.body)))
	case w.status >= 300:
		return faultf(nil, "", "the server answers with HTTP status %d %s", w.status, http.StatusText(w.status))
	}
	var u *url.Error
	if errors.As(err, &u) { // its text repeats the URL, which can hold a secret
		return fmt.Errorf("%s: %w", quote(w.origin.Host), u.Err)
	}
	return err
}

// refusal is the text in which a server may name the versions that it speaks.
func (w *wire) refusal() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.body)
}

// mayBeSSE: the protocol tells clients to try SSE after a refusal of this kind.
func (w *wire) mayBeSSE() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.status >= 400 && w.status < 500 && w.status != http.StatusUnauthorized && w.status != http.StatusForbidden && w.status != http.StatusTooManyRequests
}

// mediaType is the type of a body without its parameters.
func mediaType(h http.Header) string {
	t, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return t
}

// note runs f under the lock.
func (w *wire) note(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
}

// A tapped body shows the tap each message before the SDK gets its last byte.
type tapped struct {
	io.ReadCloser
	w      *wire
	events bool
	buf    bytes.Buffer // of JSON: the body; of events: the unfinished line
	data   bytes.Buffer // of events: the data lines of the unfinished event
	left   int64
	once   sync.Once
}

func (t *tapped) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	if t.left -= int64(n); t.left < 0 {
		return 0, t.fail(faultf(ErrTooLarge, "", "the server sent more than %d MiB", maxMessage>>20))
	}
	if t.events {
		for _, b := range bytes.SplitAfter(p[:n], []byte("\n")) {
			if tapErr := t.line(b); tapErr != nil {
				return 0, t.fail(tapErr)
			}
		}
		return n, err
	}
	t.buf.Write(p[:n])
	if err == io.EOF {
		t.once.Do(func() { _, tapErr := t.w.tap.received(t.buf.Bytes()); err = orEOF(t, tapErr) })
	}
	return n, err
}

func orEOF(t *tapped, err error) error {
	if err == nil {
		return io.EOF
	}
	return t.fail(err)
}

func (t *tapped) fail(err error) error {
	var f *fault
	if errors.As(err, &f) {
		t.w.note(func() { t.w.fault = f })
	}
	return err
}

// line takes a part of an event stream that ends at a line end, or with the bytes that have come so far.
func (t *tapped) line(part []byte) error {
	t.buf.Write(part)
	if t.buf.Len() > maxMessage+1024 || t.data.Len() > maxMessage {
		return faultf(ErrTooLarge, "", "the server sent an event of more than %d MiB", maxMessage>>20)
	}
	if len(part) == 0 || part[len(part)-1] != '\n' {
		return nil
	}
	line := bytes.TrimRight(t.buf.Bytes(), "\r\n")
	defer t.buf.Reset()
	if rest, ok := bytes.CutPrefix(line, []byte("data:")); ok {
		if t.data.Len() > 0 {
			t.data.WriteByte('\n')
		}
		t.data.Write(bytes.TrimPrefix(rest, []byte(" ")))
	}
	if len(line) > 0 || t.data.Len() == 0 {
		return nil
	}
	_, err := t.w.tap.received(bytes.Clone(t.data.Bytes()))
	t.data.Reset()
	return err
}
