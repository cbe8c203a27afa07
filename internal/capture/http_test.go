package capture

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sdkServer is a server made with the official SDK.
func sdkServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, &mcp.ServerOptions{PageSize: 2})
	for _, name := range []string{"c", "a", "b"} {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}, nil)
	}
	s.AddPrompt(&mcp.Prompt{Name: "p"}, nil)
	s.AddResource(&mcp.Resource{URI: "r:1", Name: "r"}, nil)
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "t:{x}", Name: "t"}, nil)
	return s
}

func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	t.Cleanup(s.CloseClientConnections) // runs first: a handler may hang
	return s.URL
}

func TestHTTPServers(t *testing.T) {
	get := func(*http.Request) *mcp.Server { return sdkServer() }
	one := sdkServer()
	same := func(*http.Request) *mcp.Server { return one }
	for _, tt := range []struct {
		name    string
		handler http.Handler
		version string
	}{
		{"stateless", mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true}), "2026-07-28"},
		{"stateless as JSON", mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}), "2026-07-28"},
		{"stateful", mcp.NewStreamableHTTPHandler(same, nil), "2025-11-25"},
		{"stateful as JSON", mcp.NewStreamableHTTPHandler(same, &mcp.StreamableHTTPOptions{JSONResponse: true}), "2025-11-25"},
		{"sse", mcp.NewSSEHandler(same, nil), "2025-11-25"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			goroutines(t)
			url := serve(t, tt.handler)
			var texts [2]string
			for i := range texts {
				r, err := Capture(t.Context(), Source{Name: "x", URL: url}, Options{Timeout: 10 * time.Second})
				if err != nil {
					t.Fatal(err)
				}
				texts[i] = string(FormatCapture(r.Server))
				if got := names(r.Server); got != "a,b,c|p|r:1|t:{x}" || r.Server.ProtocolVersion != tt.version || r.Server.Info["name"] != "sdk" {
					t.Errorf("got %s, version %s, server %v", got, r.Server.ProtocolVersion, r.Server.Info)
				}
			}
			if texts[0] != texts[1] {
				t.Errorf("two captures differ:\n%s%s", texts[0], texts[1])
			}
		})
	}
}

// rpcHandler answers as an old server does, in plain JSON.
func rpcHandler(answer func(w http.ResponseWriter, r *http.Request, m message) bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		m := parseMessage(data)
		if answer != nil && answer(w, r, m) {
			return
		}
		if m.kind != request {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		switch m.method {
		case methodInit:
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.id, initResult("2025-06-18", toolCaps))
		case methodTools:
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s]}}`, m.id, toolA)
		default:
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.id)
		}
	}
}

// zeros is a body that never ends.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestHTTPFaults(t *testing.T) {
	hang := func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	for _, tt := range []struct {
		name   string
		answer func(w http.ResponseWriter, r *http.Request, m message) bool
		want   string // of the error; "" when there is none
		is     error
	}{
		{"plain", nil, "", nil},
		{"unauthorized", func(w http.ResponseWriter, _ *http.Request, _ message) bool {
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}, "connecting: the server wants authorization (HTTP status 401)", ErrUnauthorized},
		{"forbidden", func(w http.ResponseWriter, _ *http.Request, _ message) bool {
			w.WriteHeader(http.StatusForbidden)
			return true
		}, "the server refuses the credentials (HTTP status 403)", ErrUnauthorized},
		{"not there", func(w http.ResponseWriter, _ *http.Request, _ message) bool {
			http.Error(w, "nothing\x1b[2J here", http.StatusNotFound)
			return true
		}, `the server answers with HTTP status 404: "nothing\x1b[2J here`, nil},
		{"broken", func(w http.ResponseWriter, _ *http.Request, _ message) bool {
			w.WriteHeader(http.StatusBadGateway)
			return true
		}, "the server answers with HTTP status 502 Bad Gateway", nil},
		{"a web page", func(w http.ResponseWriter, _ *http.Request, _ message) bool {
			fmt.Fprint(w, "<html>hello</html>")
			return true
		}, `unsupported content type "text/html"`, nil},
		{"hangs", func(w http.ResponseWriter, r *http.Request, _ message) bool {
			<-r.Context().Done()
			return true
		}, "the server did not answer within 1s", ErrTimeout},
		{"hangs after the headers", func(w http.ResponseWriter, r *http.Request, _ message) bool {
			w.Header().Set("Content-Type", "application/json")
			hang(w, r)
			return true
		}, "the server did not answer within 1s", ErrTimeout},
		{"hangs on what it does not know", func(w http.ResponseWriter, r *http.Request, m message) bool {
			if m.method != methodDiscover {
				return false
			}
			<-r.Context().Done()
			return true
		}, "", nil},
		{"slow drip", func(w http.ResponseWriter, r *http.Request, m message) bool {
			if m.method != methodTools {
				return false
			}
			w.Header().Set("Content-Type", "application/json")
			for r.Context().Err() == nil {
				fmt.Fprint(w, " ")
				hangFor(r.Context(), 20*time.Millisecond)
				w.(http.Flusher).Flush()
			}
			return true
		}, "listing tools: no answer within 1s", ErrTimeout},
		{"endless body", func(w http.ResponseWriter, r *http.Request, m message) bool {
			if m.method != methodTools {
				return false
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.Copy(w, io.LimitReader(zeros{}, maxMessage+1<<20))
			return true
		}, "the server sent more than 64 MiB", ErrTooLarge},
		{"bomb", func(w http.ResponseWriter, r *http.Request, m message) bool {
			if m.method != methodTools {
				return false
			}
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
			_, _ = io.Copy(z, io.LimitReader(zeros{}, maxMessage+1<<20))
			z.Close()
			return true
		}, "the server sent more than 64 MiB", ErrTooLarge},
		{"wants an older version", func(w http.ResponseWriter, r *http.Request, m message) bool {
			if v := r.Header.Get("Mcp-Protocol-Version"); m.method != methodInit || strings.Contains(string(m.params), "2025-03-26") || v == "2025-03-26" {
				return false
			}
			http.Error(w, "Unsupported protocol version (supported versions: 2025-03-26, 2024-11-05)", http.StatusBadRequest)
			return true
		}, "", nil},
		{"malformed answer", func(w http.ResponseWriter, r *http.Request, m message) bool {
			if m.method != methodTools {
				return false
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, "{nonsense")
			return true
		}, "listing tools: ", nil},
		{"tools that the SDK drops", func(w http.ResponseWriter, r *http.Request, m message) bool {
			if m.method != methodTools {
				return false
			}
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, ": hello\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\ndata: \"result\":{\"tools\":[%s,{\"name\":7}]}}\n\n", m.id, toolA)
			return true
		}, "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			goroutines(t)
			o := Options{}
			if tt.is == ErrTimeout || tt.name == "hangs on what it does not know" {
				o.Timeout = time.Second
			}
			url := serve(t, rpcHandler(tt.answer))
			r, err := Capture(t.Context(), Source{Name: "x", URL: url + "/mcp?key=SECRETKEY", Headers: map[string]string{"Authorization": "Bearer abc"}}, o)
			if tt.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				if names(r.Server) != "a" {
					t.Errorf("tools %s", names(r.Server))
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error %v, want one with %q", err, tt.want)
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("error %v is not %v", err, tt.is)
			}
			if strings.Contains(err.Error(), "SECRETKEY") {
				t.Errorf("the error shows the query: %v", err)
			}
		})
	}
}

func hangFor(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// Headers go to the origin of the URL and to no other place, whatever the server says.
func TestHeadersStayHome(t *testing.T) {
	var mu sync.Mutex
	var strange []string
	other := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		strange = append(strange, r.Header.Get("Authorization"))
		mu.Unlock()
	}))
	home := func(h http.HandlerFunc) string { return serve(t, h) }
	for name, url := range map[string]string{
		"redirect": home(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other, http.StatusTemporaryRedirect) }),
		"endpoint": home(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet {
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "event: endpoint\ndata: %s/messages\n\n", other)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}),
	} {
		_, err := Capture(t.Context(), Source{Name: "x", URL: url, Headers: map[string]string{"Authorization": "Bearer abcdef"}}, Options{Timeout: 5 * time.Second})
		if err == nil || !strings.Contains(err.Error(), "another origin") && name == "redirect" {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if len(strange) > 0 {
		t.Errorf("another origin was asked: %q", strange)
	}
	var got string
	url := home(rpcHandler(func(w http.ResponseWriter, r *http.Request, _ message) bool {
		if r.URL.Path == "/old" {
			http.Redirect(w, r, "/new", http.StatusPermanentRedirect)
			return true
		}
		got = r.Header.Get("X-Key")
		return false
	}))
	if _, err := Capture(t.Context(), Source{Name: "x", URL: url + "/old", Headers: map[string]string{"X-Key": "k"}}, Options{}); err != nil || got != "k" {
		t.Errorf("redirect within the origin: error %v, header %q", err, got)
	}
}

func TestHTTPCancel(t *testing.T) {
	goroutines(t)
	url := serve(t, rpcHandler(func(w http.ResponseWriter, r *http.Request, m message) bool {
		if m.method == methodTools {
			<-r.Context().Done()
		}
		return m.method == methodTools
	}))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := Options{Progress: func(e Event) {
		if e.Stage == Listing {
			time.AfterFunc(50*time.Millisecond, cancel)
		}
	}}
	if _, err := Capture(ctx, Source{Name: "x", URL: url}, o); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
