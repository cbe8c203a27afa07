package proxy

import (
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/internal/hooktest"
)

// Who still calls the old contract? Each event names the client, over HTTP in sessions and without, and the cause.
func TestHTTPEventsNameTheClient(t *testing.T) {
	t.Parallel()
	handlers := map[string]*httptest.Server{}
	for name, handler := range hotels {
		handlers[name] = httptest.NewServer(handler())
		defer handlers[name].Close()
	}
	for name, web := range handlers {
		for _, w := range hooktest.Wires {
			if !w.HTTP {
				continue
			}
			events := new(hooktest.Events)
			h := hooktest.Hook(t, hooktest.V1(), awareness.WithMode(awareness.Observe), awareness.OnEvent(events.Add))
			c := hooktest.Connect(t, hooktest.OverHTTP(inFront(t, web.URL, h, HTTPOptions{}).URL), w.Version)
			checkClient(t, c, events)
			if id := c.ID(); id != "" && strings.Contains(fmt.Sprintf("%+v", events.All()), id) {
				t.Errorf("%s: an event tells the session id", name)
			}
		}
	}
}

func TestStdioEventsNameTheClient(t *testing.T) {
	t.Parallel()
	for name := range hotels {
		for _, w := range hooktest.Wires {
			if w.HTTP {
				continue
			}
			events := new(hooktest.Events)
			r := start(t, "", func(p *Stdio) {
				p.Command, p.Env = []string{os.Args[0], name}, append(os.Environ(), fakeEnv+"="+byArguments)
				p.Hook = hooktest.Hook(t, hooktest.V1(), awareness.WithMode(awareness.Observe), awareness.OnEvent(events.Add))
			})
			checkClient(t, hooktest.Connect(t, &mcp.IOTransport{Reader: readCloser{r.out}, Writer: r.in}, w.Version), events)
		}
	}
}

type readCloser struct{ io.Reader }

func (readCloser) Close() error { return nil }

func checkClient(t *testing.T, c *hooktest.Client, events *hooktest.Events) {
	t.Helper()
	_, _, _ = c.Try("book", hooktest.Args{"city": "Rome", "days": 1})
	_, _, _ = c.Try("find", hooktest.Args{"query": "x"})
	for range 500 {
		if len(events.All()) == 2 {
			break
		}
		time.Sleep(10 * time.Millisecond) // the list comes after the answers
	}
	events.CheckClient(t, 2)
}

// A client that began before the proxy did, or with another one, is known by its User-Agent.
func TestHTTPClientWithoutSession(t *testing.T) {
	t.Parallel()
	events := new(hooktest.Events)
	u := behind(t, hook(t, awareness.OnEvent(events.Add)), HTTPOptions{}, says(200, jsonType, answerOf("7", toolError(refusal))))
	post(t, u.proxy.URL, callOf("7", "search", stale), "User-Agent", "agent/2.1 (some system)")
	post(t, u.proxy.URL, callOf("7", "search", stale), "User-Agent", "")
	want := []awareness.Client{{Name: "agent", Version: "2.1"}, {}}
	for i, event := range events.All() {
		if event.Client != want[i] {
			t.Errorf("call %d: client %+v, want %+v", i, event.Client, want[i])
		}
	}
	if n := len(events.All()); n != 2 {
		t.Errorf("%d events", n)
	}
}

// Names that clients give themselves are cut and made harmless before they are told to anybody.
func TestClientNamesAreHarmless(t *testing.T) {
	t.Parallel()
	events := new(hooktest.Events)
	r := knowing(t, hook(t, awareness.OnEvent(events.Add)), searchV2, list)
	for _, name := range []string{`"evil\u001b[2J\n\u202ename"`, `"` + strings.Repeat("x", 1000) + `"`, `5`, `{"a":1}`, `"Bearer abcdef0123456789abcdef0123456789"`} {
		r.ClientMessage([]byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":{"name":` + name + `,"version":"1"}}}`))
		exchanged(t, r, callOf("7", "search", stale), answerOf("7", toolError(refusal)))
	}
	want := []string{"evil[U+001B][2J [U+202E]name 1", "1", "1", "1", "Bearer [hidden] 1"}
	for i, event := range events.All() {
		if got := event.Client.String(); got != want[i] {
			t.Errorf("client %d is %q, want %q", i, got, want[i])
		}
	}
}
