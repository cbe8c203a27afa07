package capture

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A wire is the round tripper below the SDK: it adds the headers, for the right origin only, bounds what comes back and
// lets the tap see the messages.
type wire struct {
	origin  *url.URL
	headers map[string]string
	base    http.RoundTripper
	tap     *tap
	life    context.Context // no request outlives it
	closing atomic.Bool     // the farewell to the server has begun
	shaken  bool            // the handshake succeeded

	mu     sync.Mutex
	fault  *fault // what we refused; goes before everything else
	status int    // of the last refused request
	body   []byte // the start of its body
}

// Bounds of one exchange. A stream of events may carry many messages, a plain body carries one.
const (
	refusalBytes = 2048
	farewellTime = 2 * time.Second
)

func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	if !sameOrigin(req.URL, w.origin) { // an SSE server names the address for requests
		return nil, w.foreign(req.URL)
	}
	ctx, cancel := context.WithCancel(req.Context())
	stop := context.AfterFunc(w.life, cancel)
	release := func() { stop(); cancel() }
	if w.closing.Load() {
		timer := time.AfterFunc(farewellTime, cancel)
		release = func() { timer.Stop(); stop(); cancel() }
	}
	sent := req.Clone(ctx)
	for name, value := range w.headers {
		sent.Header.Set(name, value)
		if strings.EqualFold(name, "Host") {
			sent.Host = value
		}
	}
	method, err := w.look(sent)
	if err != nil {
		release()
		return nil, err
	}
	resp, err := w.base.RoundTrip(sent)
	if err != nil {
		release()
		return nil, err
	}
	resp.Body = &released{resp.Body, release}
	if resp.StatusCode >= 300 {
		return w.refused(resp, method), nil
	}
	events := mediaType(resp.Header) == "text/event-stream"
	limit := int64(maxMessage)
	if events {
		limit = maxBytes
	}
	resp.Body = &tapped{ReadCloser: resp.Body, w: w, events: events, left: limit}
	return resp, nil
}

// look shows the tap what is sent, and returns the method.
func (w *wire) look(req *http.Request) (string, error) {
	if req.Body == nil {
		return "", nil
	}
	data, err := io.ReadAll(req.Body)
	req.Body.Close()
	if err != nil {
		return "", err
	}
	req.Body = io.NopCloser(bytes.NewReader(data))
	w.tap.sent(data)
	return parseMessage(data).method, nil
}

// refused remembers a refusal, for the error message. That server/discover is refused is nothing special.
func (w *wire) refused(resp *http.Response, method string) *http.Response {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(body))
	if w.closing.Load() {
		return resp
	}
	w.note(func() {
		if method != methodDiscover || resp.StatusCode == http.StatusUnauthorized {
			w.status, w.body = resp.StatusCode, body[:min(len(body), refusalBytes)]
		}
	})
	if m := parseMessage(body); m.kind == response {
		_, _ = w.tap.received(body)
	}
	return resp
}

// maxRefusal bounds the body of an answer that is no success: it is read whole at once.
const maxRefusal = 1 << 20

// released ends the request's context when its body is closed.
type released struct {
	io.ReadCloser
	release func()
}

func (r *released) Close() error {
	defer r.release()
	return r.ReadCloser.Close()
}
