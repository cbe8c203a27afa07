package hostile

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A site is a server over HTTP that means harm. Other is the address of a stranger to whom it sends its visitors.
type site struct {
	mode  string
	other string
	hops  atomic.Int64
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch s.mode {
	case "redirect to a stranger":
		http.Redirect(w, r, s.other+"/mcp", http.StatusTemporaryRedirect)
		return
	case "redirect to another port by name":
		http.Redirect(w, r, strings.Replace(s.other, "127.0.0.1", "localhost", 1)+"/mcp", http.StatusPermanentRedirect)
		return
	case "redirects without end":
		http.Redirect(w, r, fmt.Sprintf("/mcp/%d", s.hops.Add(1)), http.StatusTemporaryRedirect)
		return
	case "headers without end":
		for i := range 20_000 {
			w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", 1000))
		}
	case "a page":
		w.WriteHeader(http.StatusTeapot)
		io.WriteString(w, strings.Repeat(evil, 10_000))
		return
	}
	body, _ := io.ReadAll(r.Body)
	var q request
	if json.Unmarshal(body, &q) != nil || q.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	var text strings.Builder
	switch q.Method {
	case "initialize":
		fmt.Fprintf(&text, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"s","version":"1"},"capabilities":{"tools":{}}}}`, q.ID)
	case "tools/list":
		s.list(w, r, q)
		return
	default:
		fmt.Fprintf(&text, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, q.ID)
	}
	io.WriteString(w, text.String())
}

func (s *site) list(w http.ResponseWriter, r *http.Request, q request) {
	tools := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s]}}`, q.ID, tool("t", plain))
	switch s.mode {
	case "a bomb": // 1 GiB of spaces in 1 MB
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		for range 1024 {
			if _, err := io.WriteString(z, strings.Repeat(" ", 1<<20)); err != nil {
				return
			}
		}
		z.Close()
	case "twice packed":
		w.Header().Set("Content-Encoding", "gzip, gzip")
		z := gzip.NewWriter(w)
		z2 := gzip.NewWriter(z)
		io.WriteString(z2, tools)
		z2.Close()
		z.Close()
	case "a body without end":
		for r.Context().Err() == nil {
			io.WriteString(w, strings.Repeat(" ", 1<<20))
		}
	case "events without end":
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil {
			io.WriteString(w, strings.Repeat("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n", 1000))
		}
	case "an event without end":
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil {
			io.WriteString(w, strings.Repeat("data: {\n", 100_000))
		}
	case "drips":
		for r.Context().Err() == nil {
			io.WriteString(w, " ")
			w.(http.Flusher).Flush()
			time.Sleep(20 * time.Millisecond)
		}
	case "longer than it says":
		w.Header().Set("Content-Length", "10")
		io.WriteString(w, tools)
	case "shorter than it says":
		w.Header().Set("Content-Length", "1000000000")
		io.WriteString(w, tools)
	default:
		io.WriteString(w, tools)
	}
}

// TestCommandOnSites: besides what holds for each run, no stranger is visited, and none gets the credentials.
func TestCommandOnSites(t *testing.T) {
	t.Parallel()
	const secret = "Bearer secret-4242"
	var visits atomic.Int64
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visits.Add(1) }))
	defer stranger.Close()
	t.Run("all", func(t *testing.T) {
		for mode, want := range map[string]string{ // of the error; "" when the contract is read
			"good":                             "",
			"redirect to a stranger":           "to another origin",
			"redirect to another port by name": "to another origin",
			"redirects without end":            "more than 5 redirects",
			"headers without end":              "server response headers exceeded",
			"a page":                           "HTTP status 418",
			"a bomb":                           "more than 64 MiB",
			"twice packed":                     "listing tools",
			"a body without end":               "more than 64 MiB",
			"events without end":               "more than 200000 messages or 256 MiB",
			"an event without end":             "exceeded 67108864 bytes",
			"drips":                            "no answer within 3s",
			"longer than it says":              "listing tools",
			"shorter than it says":             "listing tools",
		} {
			t.Run(mode, func(t *testing.T) {
				t.Parallel()
				web := httptest.NewServer(&site{mode: mode, other: stranger.URL})
				defer web.Close()
				defer web.CloseClientConnections()
				p := place{dir: t.TempDir(), env: []string{"TOKEN=" + secret}}
				timeout := "60s"
				if mode == "drips" {
					timeout = "3s"
				}
				code, out, errs := p.runAll(t, "lock", "--url", web.URL+"/mcp", "--header", "Authorization=env:TOKEN", "--timeout", timeout)
				_, missing := os.Stat(filepath.Join(p.dir, "fusion.lock"))
				if want == "" && (code != 0 || missing != nil) || want != "" && (code != 2 || missing == nil || !strings.Contains(errs, want)) {
					t.Errorf("exit code %d, lockfile %v, %.500s; want an error with %q", code, missing, errs, want)
				}
				if strings.Contains(out+errs, "secret-4242") {
					t.Errorf("the credentials are told: %s", errs)
				}
			})
		}
	})
	if n := visits.Load(); n != 0 {
		t.Errorf("a stranger was visited %d times", n)
	}
}
