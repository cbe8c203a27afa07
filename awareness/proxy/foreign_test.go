package proxy

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/internal/hooktest"
	"github.com/fusionctl/fusionctl/internal/hooktest/foreign"
)

// A way is one transport; it sends a request through the proxy to a server that gives an answer, and returns what arrives.
type way struct {
	name string
	open func(t *testing.T, h *awareness.Hook) (exchange func(request, answer string) string)
}

var ways = []way{
	{"stdio", func(t *testing.T, h *awareness.Hook) func(request, answer string) string {
		// This server says what the client says, so the test plays both.
		r := start(t, "echo", func(p *Stdio) { p.Hook = h })
		return func(request, answer string) string {
			r.send(t, request+"\n")
			if line := r.line(t); line != request+"\n" {
				t.Errorf("a request became %.300q", line)
			}
			r.send(t, answer+"\n")
			return strings.TrimSuffix(r.line(t), "\n")
		}
	}},
	{"HTTP with JSON", foreignOverHTTP(jsonType, "", "")},
	{"HTTP with events", foreignOverHTTP("text/event-stream", "event: message\ndata: ", "\n\n")},
}

func foreignOverHTTP(kind, before, after string) func(t *testing.T, h *awareness.Hook) func(request, answer string) string {
	return func(t *testing.T, h *awareness.Hook) func(request, answer string) string {
		said := ""
		u := behind(t, h, HTTPOptions{}, func(w http.ResponseWriter, _ string) {
			w.Header().Set("Content-Type", kind)
			io.WriteString(w, before+said+after)
		})
		return func(request, answer string) string {
			said = answer
			_, got, _ := post(t, u.proxy.URL+"/mcp", request)
			inner, ok := strings.CutPrefix(got, before)
			inner, ok2 := strings.CutSuffix(inner, after)
			if !ok || !ok2 {
				t.Errorf("the frame of an answer became %.300q", got)
			}
			return inner
		}
	}
}

// Text from elsewhere stays in its place (reports S02, S04, S06) behind the proxy: contracts, arguments and what servers say, as
// errors of tools and of the protocol.
func TestForeignText(t *testing.T) {
	t.Parallel()
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			for _, text := range foreign.Texts() {
				foreignText(t, way, text)
			}
		})
	}
}

func foreignText(t *testing.T, way way, text foreign.Text) {
	before, now := text.Before(), text.Now()
	if !text.Legal {
		before, now = foreign.Texts()[2].Before(), foreign.Texts()[2].Now()
	}
	events := new(hooktest.Events)
	exchange := way.open(t, hooktest.Hook(t, before, awareness.WithMode(awareness.Enrich), awareness.OnEvent(events.Add)))
	exchange(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":{"name":`+text.JSON+`,"version":`+text.JSON+`}}}`, answerOf("0", `{"serverInfo":{"name":`+text.JSON+`,"version":`+text.JSON+`}}`))
	exchange(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, answerOf("1", strings.ReplaceAll(toolsOf(now...), "\n", "")))
	shown := 0
	for _, c := range []struct{ what, answer, said string }{
		{"tool error", answerOf("7", `{"content":[{"type":"text","text":`+text.JSON+`}],"isError":true}`), text.String()},
		{"tool error in a known wording", answerOf("7", `{"content":[{"type":"text","text":`+text.After("Input validation error: ")+`}],"isError":true}`), ""},
		{"refused", `{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":` + text.After("unknown tool: ") + `,"data":` + text.JSON + `}}`, ""},
		{"failed", `{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":` + text.After("not found: ") + `}}`, "not found: " + text.String()},
	} {
		for _, d := range []string{now[0], before[1]} {
			for _, arguments := range text.Calls()[:4] {
				name, err := json.Marshal(nameOf(t, d))
				if err != nil {
					t.Fatal(err)
				}
				out := exchange(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":`+string(name)+`,"arguments":`+arguments+`}}`, c.answer)
				if out == c.answer {
					continue
				}
				shown += hooktest.CheckForeign(t, text.Name+", "+c.what, read(t, []byte(out)).texts, c.said)
			}
		}
	}
	if shown < 8 && !awareness.IsEnvelope(text.String()) {
		t.Errorf("%s: %d envelopes, want more: the test shows nothing", text.Name, shown)
	}
	for _, e := range events.All() {
		for _, s := range []string{e.Tool, e.Action, e.Client.String(), e.Reason} {
			foreign.Line(t, text.Name+", event", s, 400)
		}
	}
}

func nameOf(t *testing.T, definition string) string {
	t.Helper()
	var d struct{ Name string }
	if err := json.Unmarshal([]byte(definition), &d); err != nil {
		t.Fatal(err)
	}
	return d.Name
}
