package proxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fusionctl/fusionctl/awareness"
)

// HTTPOptions change how the HTTP proxy works. A zero field means the default.
type HTTPOptions struct {
	MaxRequest     int           // longer requests pass unseen; default 4 MiB
	MaxAnswer      int           // longer answers pass unseen; default 16 MiB
	ListTimeout    time.Duration // for the proxy's own tools/list; default 3 s
	AllowedOrigins []string      // besides no Origin and this host; their hosts may stand in Host, too
	Transport      http.RoundTripper
}

type httpProxy struct {
	hook     *awareness.Hook
	upstream *url.URL
	options  HTTPOptions
	reverse  *httputil.ReverseProxy

	mu       sync.Mutex
	catalogs map[identity]*catalog          // by what may change the list of tools
	clients  map[identity]*awareness.Client // as they named themselves when they initialized
}

// NewHTTP returns a handler that passes requests to an MCP server over Streamable HTTP. The path "/" stands for the path of
// upstream; every other path is the same at the upstream host. Serve it on a loopback address: it checks Origin and Host
// against pages in browsers, and nothing else.
func NewHTTP(upstream *url.URL, h *awareness.Hook, o HTTPOptions) (http.Handler, error) {
	if upstream == nil || upstream.Scheme != "http" && upstream.Scheme != "https" || upstream.Host == "" {
		return nil, errors.New("want an http or https URL with a host")
	}
	o.MaxRequest = or(o.MaxRequest, 4<<20)
	o.MaxAnswer = or(o.MaxAnswer, 16<<20)
	o.ListTimeout = or(o.ListTimeout, defaultListTimeout)
	if o.Transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.DisableCompression = true // it would decode what it asked for itself, and the answer would not be the server's
		o.Transport = t
	}
	p := &httpProxy{hook: h, upstream: upstream, options: o, catalogs: map[identity]*catalog{}, clients: map[identity]*awareness.Client{}}
	p.reverse = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL = p.target(r.In.URL)
			r.Out.Host = upstream.Host // servers on a loopback address refuse a foreign one
		},
		FlushInterval:  -1,
		Transport:      o.Transport,
		ModifyResponse: modify,
		ErrorHandler:   p.unreachable,
		ErrorLog:       log.New(io.Discard, "", 0), // what matters went to the client
	}
	return p, nil
}

func modify(r *http.Response) error {
	if s, ok := r.Request.Context().Value(exchangeKey{}).(*exchange); ok {
		return s.answer(r)
	}
	return nil
}

// unreachable answers for a server that does not.
func (p *httpProxy) unreachable(w http.ResponseWriter, r *http.Request, err error) {
	var failed *net.OpError
	if errors.As(err, &failed) {
		err = failed.Err
	}
	http.Error(w, fmt.Sprintf("fusionctl proxy: no answer from %s://%s: %v", p.upstream.Scheme, p.upstream.Host, err), http.StatusBadGateway)
}

// target is where a request goes. The query of upstream, which may hold a key, comes before that of the request.
func (p *httpProxy) target(in *url.URL) *url.URL {
	out := *p.upstream
	if in.Path != "/" && in.Path != "" && in.Path != p.upstream.Path {
		out.Path, out.RawPath, out.RawQuery = in.Path, in.RawPath, ""
	}
	switch {
	case out.RawQuery == "":
		out.RawQuery = in.RawQuery
	case in.RawQuery != "":
		out.RawQuery += "&" + in.RawQuery
	}
	return &out
}

// An exchange is one request and its answer.
type exchange struct {
	proxy    *httpProxy
	rewriter *Rewriter
	url      *url.URL    // of the request at upstream, for the own listing
	header   http.Header // likewise

	initializes *awareness.Client // who begins a session with this request; nil for other requests
}

type exchangeKey struct{}

func (p *httpProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !p.hostAllowed(r) || !p.originAllowed(r) {
		http.Error(w, "fusionctl proxy: origin not allowed", http.StatusForbidden)
		return
	}
	s := &exchange{proxy: p, url: p.target(r.URL), rewriter: &Rewriter{hook: p.hook, aside: p.hook.Mode() != awareness.Observe}}
	if r.Method == http.MethodPost && !s.look(w, r) {
		return
	}
	if s.initializes = s.rewriter.client.Load(); s.initializes != nil || !s.rewriter.calls.empty() || r.Method == http.MethodGet {
		s.header = r.Header.Clone()
		if s.initializes == nil {
			s.rewriter.catalog, s.rewriter.caller = p.caller(s.url, s.header)
			s.rewriter.client.Store(p.client(s.url, s.header))
			r.Header.Del("Accept-Encoding") // the answer is read
		}
		r = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, s))
	}
	p.reverse.ServeHTTP(w, r)
}

// look reads the message of a request and puts it back. It is false when the request cannot be read, and is answered.
func (s *exchange) look(w http.ResponseWriter, r *http.Request) bool {
	body, whole, err := readUpTo(r.Body, s.proxy.options.MaxRequest)
	if err != nil {
		http.Error(w, "fusionctl proxy: reading the request: "+err.Error(), http.StatusBadRequest)
		return false
	}
	if !whole {
		r.Body = again(body, r.Body)
		return true
	}
	// Not the body itself any more: it is closed as soon as the answer begins, and the connection to the server breaks when
	// its writer still looks for the end.
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.rewriter.ClientMessage(body)
	return true
}

// again is a body of which the beginning was read.
func again(begun []byte, rest io.ReadCloser) io.ReadCloser {
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(begun), rest), rest}
}

// originAllowed guards against a page in a browser that talks to a server on this machine.
func (p *httpProxy) originAllowed(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || slices.Contains(p.options.AllowedOrigins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host == r.Host && isLoopback(u.Host)
}

// hostAllowed guards against a page whose host name was made to lead to this machine. The server behind cannot: it gets
// its own name.
func (p *httpProxy) hostAllowed(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok || !isLoopback(local.String()) || isLoopback(r.Host) {
		return true // who listens elsewhere wants to be reached by other names
	}
	return slices.ContainsFunc(p.options.AllowedOrigins, func(origin string) bool {
		u, err := url.Parse(origin)
		return err == nil && u.Host == r.Host
	})
}

// isLoopback reports whether a host, with or without port, is this machine.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// readUpTo reads a body; whole is false when it is longer, and then what was read is only its beginning.
func readUpTo(r io.Reader, most int) (body []byte, whole bool, err error) {
	body, err = io.ReadAll(io.LimitReader(r, int64(most)+1))
	return body, len(body) <= most, err
}

// rewritable are the status codes whose answers may become a result: those with which servers send JSON-RPC errors. Others,
// such as 401, mean something to the client by themselves.
func rewritable(status int) bool {
	switch status {
	case http.StatusOK, http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusInternalServerError:
		return true
	}
	return false
}

// answer rewrites the body of a response.
func (s *exchange) answer(r *http.Response) error {
	if s.initializes != nil {
		s.proxy.begun(s.url, s.header, r.Header.Get(sessionHeader), s.initializes)
		return nil
	}
	if r.Header.Get("Content-Encoding") != "" || !rewritable(r.StatusCode) {
		return nil
	}
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	switch strings.ToLower(strings.TrimSpace(kind)) {
	case "application/json":
		return s.answerJSON(r)
	case "text/event-stream":
		if !s.rewriter.calls.empty() {
			r.Header.Del("Content-Length")
			r.ContentLength = -1
		}
		ctx := r.Request.Context()
		r.Body = &rewritingBody{
			Closer: r.Body, events: newEventReader(r.Body), most: s.proxy.options.MaxAnswer,
			rewrite: func(data []byte) []byte { return s.rewrite(ctx, data) },
		}
	}
	return nil
}

func (s *exchange) answerJSON(r *http.Response) error {
	body, whole, err := readUpTo(r.Body, s.proxy.options.MaxAnswer)
	if err != nil {
		return err
	}
	var out []byte
	if whole {
		out = s.rewrite(r.Request.Context(), body)
	}
	if out == nil {
		r.Body = again(body, r.Body)
		return nil
	}
	r.Body.Close()
	r.Body = io.NopCloser(bytes.NewReader(out))
	r.Header.Set("Content-Length", strconv.Itoa(len(out)))
	r.ContentLength = int64(len(out))
	r.StatusCode, r.Status = http.StatusOK, "200 OK" // what was a protocol error is a result now
	return nil
}

// rewrite gives a message to the rewriter, and lists the tools when it asks for that. Nil: unchanged.
func (s *exchange) rewrite(ctx context.Context, message []byte) []byte {
	out, wait := s.rewriter.ServerMessage(message)
	if wait == nil {
		return out
	}
	resolve := func(ctx context.Context) []byte {
		ctx, cancel := context.WithTimeout(ctx, s.proxy.options.ListTimeout)
		defer cancel()
		return s.rewriter.Resolve(ctx, wait, s.ask)
	}
	if s.proxy.hook.Mode() == awareness.Observe {
		go resolve(context.WithoutCancel(ctx)) // nothing will change, so nothing waits
		return nil
	}
	return resolve(ctx)
}

// notCopied are the headers of a request that belong to that request alone, or to its connection.
var notCopied = map[string]bool{
	"Accept-Encoding": true, "Connection": true, "Content-Encoding": true, "Content-Length": true, "Expect": true, "Keep-Alive": true,
	"Last-Event-Id": true, "Mcp-Name": true, "Proxy-Authenticate": true, "Proxy-Authorization": true, "Proxy-Connection": true,
	"Te": true, "Trailer": true, "Transfer-Encoding": true, "Upgrade": true,
}

// ask is an Ask on behalf of the caller.
func (s *exchange) ask(ctx context.Context, id string, body []byte) []byte {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url.String(), bytes.NewReader(body))
	if err != nil {
		return nil
	}
	for name, values := range s.header {
		if !notCopied[name] && !strings.HasPrefix(name, "Mcp-Param-") {
			request.Header[name] = values
		}
	}
	request.Header.Set("Content-Type", "application/json")
	if request.Header.Get("Mcp-Method") != "" {
		request.Header.Set("Mcp-Method", "tools/list")
	}
	response, err := s.proxy.options.Transport.RoundTrip(request)
	if err != nil {
		return nil
	}
	defer response.Body.Close()
	most := s.proxy.options.MaxAnswer
	if strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		return answerIn(response.Body, id, most)
	}
	answer, whole, err := readUpTo(response.Body, most)
	if err != nil || !whole {
		return nil
	}
	return answer
}
