package proxy

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fusionctl/fusionctl/awareness"
)

// An upstream is a server whose answers a test sets.
type upstream struct {
	*httptest.Server
	proxy *httptest.Server

	mu    sync.Mutex
	seen  []*http.Request
	bodys []string
}

// behind starts a server and the proxy in front of it. Requests for tools/list that the proxy makes itself are answered with
// the tools of version 2; everything else is up to the handler.
func behind(t testing.TB, h *awareness.Hook, o HTTPOptions, handler func(w http.ResponseWriter, body string)) *upstream {
	t.Helper()
	u := &upstream{}
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		u.mu.Lock()
		u.seen, u.bodys = append(u.seen, r), append(u.bodys, string(body))
		u.mu.Unlock()
		if strings.Contains(string(body), `"id":"fusionctl-`) {
			m, _ := readHead(body)
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, answerOf(string(m.id), toolsOf(searchV2, list)))
			return
		}
		handler(w, string(body))
	}))
	t.Cleanup(u.Server.Close)
	u.proxy = inFront(t, u.Server.URL+"/mcp?key=1", h, o)
	return u
}

func inFront(t testing.TB, address string, h *awareness.Hook, o HTTPOptions) *httptest.Server {
	t.Helper()
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	handler, err := NewHTTP(target, h, o)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(handler)
	t.Cleanup(proxy.Close)
	return proxy
}

func says(status int, kind, text string) func(http.ResponseWriter, string) {
	return func(w http.ResponseWriter, _ string) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		io.WriteString(w, text)
	}
}

func post(t testing.TB, address, body string, header ...string) (status int, answer string, headers http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("after %d bytes, status %d, %v: %v", len(data), response.StatusCode, response.Header, err)
	}
	return response.StatusCode, string(data), response.Header
}

const jsonType = "application/json; charset=utf-8"

func TestHTTPAnswers(t *testing.T) {
	t.Parallel()
	call := callOf("7", "search", stale)
	failure := faultOf("7", -32602, "Invalid arguments")
	progress := "event: message\nid: 1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{}}\n\n: ping\n\n"
	for _, c := range []struct {
		name            string
		status          int
		kind, answer    string
		wantStatus      int
		before, renamed string // what comes before the rewritten message; "" with renamed "": the answer is untouched
	}{
		{"success", 200, jsonType, answerOf("7", `{"content":[]}`) + "\n", 200, "", ""},
		{"tool error", 200, jsonType, answerOf("7", toolError(refusal)), 200, "", "json"},
		{"protocol error", 400, jsonType, failure, 200, "", "json"},
		{"protocol error with 200", 200, "APPLICATION/JSON", failure, 200, "", "json"},
		{"unauthorized", 401, jsonType, failure, 401, "", ""},
		{"session is gone", 404, jsonType, faultOf("7", -32001, "Session not found"), 404, "", ""},
		{"not JSON", 400, "text/plain", failure, 400, "", ""},
		{"broken JSON", 200, jsonType, failure[:40], 200, "", ""},
		{"event", 200, "text/event-stream", "event: message\ndata: " + failure + "\n\n", 200, "event: message\n", "event"},
		{"event after progress", 200, "text/event-stream; charset=utf-8", progress + "id: 2\r\ndata:" + failure + "\r\n\r\n", 200, progress + "id: 2\r\n", "event"},
		{"event with CR", 200, "text/event-stream", "id: 2\rdata: " + failure + "\r\r", 200, "id: 2\r", "event"},
		{"event on many lines", 200, "text/event-stream", "data: " + strings.ReplaceAll(failure, ",", ",\ndata: ") + "\n\n", 200, "", "event"},
		{"event on many lines with CR LF", 200, "text/event-stream", "data: " + strings.ReplaceAll(failure, ",", ",\r\ndata: ") + "\r\n\r\n", 200, "", "event"},
		{"event without an end", 200, "text/event-stream", "data: " + failure, 200, "", "event"},
		{"events of success", 200, "text/event-stream", progress + "data: " + answerOf("7", `{"content":[]}`) + "\n\nretry: 5\r\n\r\n", 200, "", ""},
		{"events of nothing", 200, "text/event-stream", "\n\n\r\n\r\r\n:\n", 200, "", ""},
	} {
		u := behind(t, hook(t), HTTPOptions{}, says(c.status, c.kind, c.answer))
		status, got, header := post(t, u.proxy.URL+"/mcp", call)
		if status != c.wantStatus || header.Get("Content-Type") != c.kind {
			t.Errorf("%s: status %d, type %q", c.name, status, header.Get("Content-Type"))
		}
		if c.renamed == "" {
			if got != c.answer {
				t.Errorf("%s: %q, want %q", c.name, got, c.answer)
			}
			continue
		}
		rest, ok := strings.CutPrefix(got, c.before)
		if c.renamed == "event" && ok {
			rest, ok = strings.CutPrefix(rest, "data: ")
		}
		if !ok {
			t.Errorf("%s: %q does not begin with %q", c.name, got, c.before)
			continue
		}
		if m := read(t, []byte(strings.TrimRight(rest, "\r\n"))); string(m.ID) != "7" || !renamed(m.texts[0]) {
			t.Errorf("%s: the answer is %s", c.name, got)
		}
	}
}

// Requests arrive as they were sent, and the proxy's own one looks like them.
func TestHTTPRequests(t *testing.T) {
	t.Parallel()
	u := behind(t, hook(t), HTTPOptions{}, says(200, jsonType, answerOf("7", toolError(refusal))))
	body := " " + callOf("7", "search", stale) + "\n"
	post(t, u.proxy.URL+"/?x=2", body, "Authorization", "Bearer t", "Mcp-Session-Id", "s", "Mcp-Method", "tools/call", "Mcp-Name", "search",
		"Mcp-Param-Topic", "x", "Mcp-Protocol-Version", "2026-07-28", "Accept-Encoding", "gzip", "Last-Event-Id", "4", "X-Api-Key", "k")
	if len(u.seen) != 2 || u.bodys[0] != body {
		t.Fatalf("the server got %q", u.bodys)
	}
	for i, r := range u.seen {
		if r.Host != strings.TrimPrefix(u.Server.URL, "http://") || r.URL.String() != "/mcp?key=1&x=2" || r.Header.Get("Accept-Encoding") != "" {
			t.Errorf("request %d: %s %s, Accept-Encoding %q", i, r.Host, r.URL, r.Header.Get("Accept-Encoding"))
		}
		for name, want := range map[string]string{
			"Authorization": "Bearer t", "Mcp-Session-Id": "s", "Mcp-Protocol-Version": "2026-07-28", "X-Api-Key": "k",
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("request %d: %s is %q, want %q", i, name, got, want)
			}
		}
	}
	for name, want := range map[string]string{"Mcp-Method": "tools/list", "Mcp-Name": "", "Mcp-Param-Topic": "", "Last-Event-Id": ""} {
		if got := u.seen[1].Header.Get(name); got != want {
			t.Errorf("own request: %s is %q, want %q", name, got, want)
		}
	}
	if got := u.seen[0].Header.Get("Mcp-Param-Topic") + u.seen[0].Header.Get("Last-Event-Id"); got != "x4" {
		t.Errorf("headers of the request were lost: %v", u.seen[0].Header)
	}
	post(t, u.proxy.URL+"/mcp", `{"id":1,"method":"ping"}`, "Accept-Encoding", "br")
	if got := u.seen[2].Header.Get("Accept-Encoding"); got != "br" {
		t.Errorf("a request whose answer is not read asks for %q", got)
	}
}

// Tools are remembered for each caller by itself, and for a caller not asked for again and again.
func TestHTTPCallers(t *testing.T) {
	t.Parallel()
	u := behind(t, hook(t), HTTPOptions{}, says(200, jsonType, answerOf("7", toolError(refusal))))
	for i, c := range []struct {
		header []string
		asked  int
	}{
		{nil, 1},
		{[]string{"Traceparent", "00-1"}, 1},
		{[]string{"Authorization", "Bearer a"}, 2},
		{[]string{"Authorization", "Bearer b"}, 3},
		{[]string{"Authorization", "Bearer b", "Mcp-Session-Id", "s"}, 4},
		{[]string{"X-Api-Key", "k"}, 5},
		{[]string{"Authorization", "Bearer a", "User-Agent", "x"}, 5},
	} {
		if _, answer, _ := post(t, u.proxy.URL+"/mcp", callOf("7", "search", stale), c.header...); !renamed(read(t, []byte(answer)).texts[0]) {
			t.Errorf("call %d: %s", i, answer)
		}
		if asked := len(u.seen) - i - 1; asked != c.asked {
			t.Errorf("call %d: asked %d times, want %d", i, asked, c.asked)
		}
	}
}

func TestHTTPOrigin(t *testing.T) {
	t.Parallel()
	u := behind(t, hook(t), HTTPOptions{AllowedOrigins: []string{"https://inspector.example"}}, says(200, jsonType, "{}"))
	here := strings.TrimPrefix(u.proxy.URL, "http://")
	port := here[strings.LastIndex(here, ":"):]
	for _, c := range []struct {
		origin, host string
		status       int
	}{
		{"", "", 200},
		{"http://" + here, "", 200},
		{"https://inspector.example", "", 200},
		{"https://inspector.example", "inspector.example", 200},
		{"", "localhost" + port, 200},
		{"http://localhost" + port, "localhost" + port, 200},
		{"http://[::1]" + port, "[::1]" + port, 200},
		{"https://evil.example", "", 403},
		{"null", "", 403},
		{"http://127.0.0.1:1", "", 403},
		{"http://evil.example" + port, "evil.example" + port, 403},
		{"", "evil.example" + port, 403},
		{"", "127.0.0.1.evil.example", 403},
	} {
		var header []string
		if c.origin != "" {
			header = append(header, "Origin", c.origin)
		}
		if c.host != "" {
			header = append(header, "Host", c.host)
		}
		if status, _, _ := post(t, u.proxy.URL, "{}", header...); status != c.status {
			t.Errorf("origin %q, host %q: %d, want %d", c.origin, c.host, status, c.status)
		}
	}
}

// Each event arrives when the server sends it, not when the stream ends.
func TestHTTPStreams(t *testing.T) {
	t.Parallel()
	next := make(chan struct{})
	first, last := "data: {\"method\":\"notifications/progress\"}\r\r\n", "data: "+answerOf("7", toolError(refusal))+"\n\n"
	u := behind(t, hook(t), HTTPOptions{}, func(w http.ResponseWriter, _ string) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, first)
		w.(http.Flusher).Flush()
		<-next
		io.WriteString(w, last)
	})
	response, err := http.Post(u.proxy.URL, "application/json", strings.NewReader(callOf("7", "search", stale)))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body := bufio.NewReader(response.Body)
	got := make([]byte, len(first)-1) // the LF after the CR may come with the next event
	if _, err := io.ReadFull(body, got); err != nil || string(got) != first[:len(got)] {
		t.Fatalf("%q, %v", got, err)
	}
	close(next)
	rest, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	if !renamed(read(t, bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(rest), []byte("data: ")))).texts[0]) {
		t.Errorf("the rest is %q", rest)
	}
}

// A client that leaves ends the request at the server.
func TestHTTPClientLeaves(t *testing.T) {
	t.Parallel()
	left := make(chan struct{})
	u := &upstream{}
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, ": begun\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(left)
	}))
	defer u.Server.Close()
	proxy := inFront(t, u.Server.URL, hook(t), HTTPOptions{})
	ctx, leave := context.WithCancel(t.Context())
	r, _ := http.NewRequestWithContext(ctx, http.MethodPost, proxy.URL, strings.NewReader(callOf("7", "search", stale)))
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	io.ReadFull(response.Body, make([]byte, 5))
	leave()
	select {
	case <-left:
	case <-time.After(20 * time.Second):
		t.Error("the server was not told")
	}
}

// The stream that a client listens to tells the proxy of a changed list, too.
func TestHTTPListChanged(t *testing.T) {
	t.Parallel()
	u := behind(t, hook(t), HTTPOptions{}, func(w http.ResponseWriter, body string) {
		if body == "" {
			says(200, "text/event-stream", "data: {\"method\":\"notifications/tools/list_changed\"}\n\n")(w, body)
			return
		}
		says(200, jsonType, answerOf("7", toolError(refusal)))(w, body)
	})
	call := callOf("7", "search", stale)
	post(t, u.proxy.URL, call)
	post(t, u.proxy.URL, call)
	if len(u.seen) != 3 {
		t.Fatalf("%d requests", len(u.seen))
	}
	response, err := http.Get(u.proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(response.Body)
	response.Body.Close()
	if string(text) != "data: {\"method\":\"notifications/tools/list_changed\"}\n\n" {
		t.Errorf("the stream is %q", text)
	}
	if post(t, u.proxy.URL, call); len(u.seen) != 6 {
		t.Errorf("%d requests: the list was not asked for again", len(u.seen))
	}
}

// What is longer than the bounds passes unseen, whole.
func TestHTTPLongBodies(t *testing.T) {
	t.Parallel()
	o := HTTPOptions{MaxRequest: 1000, MaxAnswer: 2000}
	long := strings.Repeat("x", 300_000)
	for name, c := range map[string]struct{ call, kind, answer string }{
		"request":            {callOf("7", "search", `{"topic":"`+long+`"}`), jsonType, answerOf("7", toolError(refusal))},
		"JSON":               {callOf("7", "search", stale), jsonType, answerOf("7", toolError(refusal+long))},
		"event":              {callOf("7", "search", stale), "text/event-stream", ": hello\n\ndata: " + answerOf("7", toolError(refusal+long)) + "\n\ndata: after\n\n"},
		"event without ends": {callOf("7", "search", stale), "text/event-stream", long},
	} {
		u := behind(t, hook(t), o, says(200, c.kind, c.answer))
		if _, got, _ := post(t, u.proxy.URL, c.call); got != c.answer {
			t.Errorf("%s: %d bytes, want %d", name, len(got), len(c.answer))
		}
		if u.bodys[0] != c.call {
			t.Errorf("%s: the server got %d bytes, want %d", name, len(u.bodys[0]), len(c.call))
		}
	}
}

func TestHTTPObserves(t *testing.T) {
	t.Parallel()
	h := hook(t, awareness.WithMode(awareness.Observe))
	answer := faultOf("7", -32602, "no")
	u := behind(t, h, HTTPOptions{}, says(400, jsonType, answer))
	if status, got, _ := post(t, u.proxy.URL, callOf("7", "search", stale)); status != 400 || got != answer {
		t.Errorf("%d %s", status, got)
	}
	for range 500 {
		if h.Counts().Stale == 1 {
			return
		}
		time.Sleep(10 * time.Millisecond) // the list comes after the answer
	}
	t.Errorf("counts %+v", h.Counts())
}

func TestHTTPUpstreamDown(t *testing.T) {
	t.Parallel()
	down := httptest.NewServer(http.NotFoundHandler())
	down.Close()
	proxy := inFront(t, down.URL+"/mcp?key=secret", hook(t), HTTPOptions{})
	status, text, _ := post(t, proxy.URL, callOf("7", "search", stale))
	if want := "fusionctl proxy: no answer from " + down.URL + ": connect"; status != 502 || !strings.HasPrefix(text, want) || strings.Contains(text, "secret") {
		t.Errorf("%d %q, want 502 %q", status, text, want)
	}
	broken := behind(t, hook(t), HTTPOptions{}, func(w http.ResponseWriter, _ string) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "{")
	})
	if status, text, _ := post(t, broken.proxy.URL, callOf("7", "search", stale)); status != 502 || !strings.Contains(text, "unexpected EOF") {
		t.Errorf("an answer that breaks off: %d %q", status, text)
	}
}

func TestHTTPTarget(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ upstream, in, want string }{
		{"http://h/mcp", "/", "http://h/mcp"},
		{"http://h/mcp", "/mcp", "http://h/mcp"},
		{"http://h/mcp?k=1", "/mcp?a=%2F", "http://h/mcp?k=1&a=%2F"},
		{"http://h/mcp?k=1", "/.well-known/oauth-protected-resource/mcp", "http://h/.well-known/oauth-protected-resource/mcp"},
		{"http://h", "/", "http://h"},
		{"http://h/sse", "/messages/a%2Fb?s=1", "http://h/messages/a%2Fb?s=1"},
	} {
		u, _ := url.Parse(c.upstream)
		in, _ := url.Parse(c.in)
		if got := (&httpProxy{upstream: u}).target(in).String(); got != c.want {
			t.Errorf("%s, %s: %s, want %s", c.upstream, c.in, got, c.want)
		}
	}
	for _, bad := range []string{"ftp://h/", "http:///x", "h:80", "/mcp"} {
		u, err := url.Parse(bad)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewHTTP(u, hook(t), HTTPOptions{}); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
	if _, err := NewHTTP(nil, hook(t), HTTPOptions{}); err == nil {
		t.Error("no URL: no error")
	}
}

func TestCallersAreBounded(t *testing.T) {
	t.Parallel()
	p := &httpProxy{catalogs: map[identity]*catalog{}, clients: map[identity]*awareness.Client{}}
	for i := range max(3*maxCatalogs, maxClients+10) {
		header := http.Header{"Authorization": {fmt.Sprint(i)}}
		p.caller(&url.URL{}, header)
		p.begun(&url.URL{}, header, fmt.Sprint(i), &awareness.Client{})
	}
	if len(p.catalogs) > maxCatalogs || len(p.clients) > maxClients {
		t.Errorf("%d catalogs, %d clients", len(p.catalogs), len(p.clients))
	}
}
