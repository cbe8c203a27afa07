package proxy

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fusionctl/fusionctl/awareness"
)

// HTTPOptions change how the HTTP proxy works. A zero field means the default.
type HTTPOptions struct {
	MaxRequest     int64         // longer requests pass unseen; default 4 MiB
	MaxAnswer      int64         // longer answers pass unseen; default 16 MiB
	ListTimeout    time.Duration // for the proxy's own tools/list; default 3 s
	AllowedOrigins []string      // besides no Origin and the same host
	Transport      http.RoundTripper
}

type httpProxy struct {
	hook     *awareness.Hook
	upstream *url.URL
	options  HTTPOptions
	reverse  *httputil.ReverseProxy

	mu       sync.Mutex
	catalogs map[[sha256.Size]byte]*catalog // by what may change the list of tools: credentials and session
}

// maxCatalogs bounds the callers whose tools are remembered; beyond it all are forgotten, and learned anew.
const maxCatalogs = 1000

// NewHTTP returns a handler that passes requests to an MCP server over Streamable HTTP. Every path of the handler is the
// upstream's own path. Serve it on a loopback address: it checks Origin, and nothing else.
func NewHTTP(upstream *url.URL, h *awareness.Hook, o HTTPOptions) (http.Handler, error) {
	if upstream == nil || upstream.Scheme != "http" && upstream.Scheme != "https" || upstream.Host == "" {
		return nil, errors.New("upstream: want an http or https URL with a host")
	}
	if o.MaxRequest <= 0 {
		o.MaxRequest = 4 << 20
	}
	if o.MaxAnswer <= 0 {
		o.MaxAnswer = 16 << 20
	}
	if o.ListTimeout <= 0 {
		o.ListTimeout = 3 * time.Second
	}
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	p := &httpProxy{hook: h, upstream: upstream, options: o, catalogs: map[[sha256.Size]byte]*catalog{}}
	p.reverse = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			out := *upstream
			out.RawQuery = r.In.URL.RawQuery
			r.Out.URL = &out
			r.Out.Host = upstream.Host // servers on a loopback address refuse a foreign one
		},
		FlushInterval: -1,
		Transport:     o.Transport,
		ModifyResponse: func(r *http.Response) error {
			if s, ok := r.Request.Context().Value(exchangeKey{}).(*exchange); ok {
				return s.answer(r)
			}
			return nil
		},
	}
	return p, nil
}

// An exchange is one request and its answer.
type exchange struct {
	proxy    *httpProxy
	rewriter *Rewriter
	header   http.Header // of the request, for the own listing
}

type exchangeKey struct{}

func (p *httpProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !p.originAllowed(r) {
		http.Error(w, "origin not allowed", http.StatusForbidden)
		return
	}
	s := &exchange{proxy: p, header: r.Header.Clone(), rewriter: &Rewriter{hook: p.hook, catalog: p.catalog(r.Header), pending: map[string]pending{}}}
	if r.Method == http.MethodPost {
		body, whole, err := readUpTo(r.Body, p.options.MaxRequest)
		if err != nil {
			http.Error(w, "reading request", http.StatusBadRequest)
			return
		}
		if whole {
			s.rewriter.ClientMessage(bytes.TrimSpace(body))
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		} else {
			r.Body = struct {
				io.Reader
				io.Closer
			}{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
		}
	}
	if len(s.rewriter.pending) > 0 || r.Method == http.MethodGet {
		r.Header.Del("Accept-Encoding") // the answer is read
		r = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, s))
	}
	p.reverse.ServeHTTP(w, r)
}

// originAllowed guards against a page in a browser that talks to a server on this machine.
func (p *httpProxy) originAllowed(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	for _, allowed := range p.options.AllowedOrigins {
		if origin == allowed {
			return true
		}
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host == r.Host && isLoopback(u.Hostname())
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// readUpTo reads a body; whole is false when it is longer, and then what was read is only its beginning.
func readUpTo(r io.Reader, most int64) (body []byte, whole bool, err error) {
	body, err = io.ReadAll(io.LimitReader(r, most+1))
	return body, int64(len(body)) <= most, err
}

func (p *httpProxy) catalog(h http.Header) *catalog {
	key := sha256.Sum256([]byte(h.Get("Authorization") + "\x00" + h.Get("Mcp-Session-Id")))
	p.mu.Lock()
	defer p.mu.Unlock()
	c, ok := p.catalogs[key]
	if !ok {
		if len(p.catalogs) >= maxCatalogs {
			clear(p.catalogs)
		}
		c = &catalog{}
		p.catalogs[key] = c
	}
	return c
}

// answer rewrites the body of a response.
func (s *exchange) answer(r *http.Response) error {
	if r.Header.Get("Content-Encoding") != "" {
		return nil // it was not asked for; it passes
	}
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	switch strings.TrimSpace(kind) {
	case "application/json":
		return s.answerJSON(r)
	case "text/event-stream":
		r.Header.Del("Content-Length")
		r.ContentLength = -1
		r.Body = s.events(r.Request.Context(), r.Body)
	}
	return nil
}

func (s *exchange) answerJSON(r *http.Response) error {
	body, whole, err := readUpTo(r.Body, s.proxy.options.MaxAnswer)
	if err != nil {
		return err
	}
	if !whole {
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
		return nil
	}
	r.Body.Close()
	out, changed := s.rewrite(r.Request.Context(), body)
	if changed {
		r.Header.Set("Content-Length", strconv.Itoa(len(out)))
		r.ContentLength = int64(len(out))
		if r.StatusCode == http.StatusBadRequest { // what was a protocol error is a result now
			r.StatusCode, r.Status = http.StatusOK, "200 OK"
		}
	}
	r.Body = io.NopCloser(bytes.NewReader(out))
	return nil
}

// rewrite gives a message to the rewriter, and lists the tools when it asks for that.
func (s *exchange) rewrite(ctx context.Context, body []byte) (out []byte, changed bool) {
	trimmed := bytes.TrimSpace(body)
	out, need := s.rewriter.ServerMessage(trimmed)
	if need != nil {
		out = s.list(ctx, need)
	}
	if bytes.Equal(out, trimmed) {
		return body, false
	}
	return out, true
}

// list asks the server for its tools on behalf of the caller.
func (s *exchange) list(ctx context.Context, need *ListRequest) []byte {
	ctx, cancel := context.WithTimeout(ctx, s.proxy.options.ListTimeout)
	defer cancel()
	for {
		out, more := s.rewriter.Learn(need, s.ask(ctx, need))
		if more == nil {
			return out
		}
		need = more
	}
}

func (s *exchange) ask(ctx context.Context, need *ListRequest) []byte {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.proxy.upstream.String(), bytes.NewReader(need.Body))
	if err != nil {
		return nil
	}
	for name, values := range s.header {
		switch {
		case name == "Mcp-Name", strings.HasPrefix(name, "Mcp-Param-"), name == "Content-Length", name == "Accept-Encoding", name == "Connection", name == "Last-Event-Id":
		default:
			request.Header[name] = values
		}
	}
	if request.Header.Get("Mcp-Method") != "" {
		request.Header.Set("Mcp-Method", "tools/list")
	}
	response, err := s.proxy.options.Transport.RoundTrip(request)
	if err != nil {
		return nil
	}
	defer response.Body.Close()
	body := io.LimitReader(response.Body, s.proxy.options.MaxAnswer)
	if strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		return answerIn(body, need.ID())
	}
	answer, err := io.ReadAll(body)
	if err != nil {
		return nil
	}
	return answer
}
