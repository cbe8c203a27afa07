package gosdk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/awareness/gosdk"
	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/hooktest"
)

// lenient adds a tool whose handler judges for itself.
func lenient(h *hotels) {
	h.AddTool(define(hooktest.BookV2), func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in struct{ City string }
		_ = json.Unmarshal(r.Params.Arguments, &in)
		switch in.City {
		case "error":
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "no such days"}}, IsError: true}, nil
		case "refusal":
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "Invalid arguments: nights"}}, IsError: true}, nil
		case "protocol":
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "bad arguments"}
		case "other":
			return nil, &jsonrpc.Error{Code: -32050, Message: "no quota"}
		case "envelope":
			return gosdk.ToResult(r, hooktest.NotFound)
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil
	})
}

func TestEnrich(t *testing.T) {
	t.Parallel()
	h := newHotels(nil)
	lenient(h)
	install(t, h, awareness.WithMode(awareness.Enrich))
	eachWire(t, h.Server, func(t *testing.T, c *client) {
		hooktest.CheckEnrich(t, c)
		_, err := c.CallTool(context.Background(), &mcp.CallToolParams{Name: "book", Arguments: args{"city": "other", "days": 1}})
		hooktest.CheckFault(t, "another protocol error", err, fault{Code: -32050})
	})
}

func TestObserveChangesNothing(t *testing.T) {
	t.Parallel()
	h, plain := newHotels(nil), newHotels(nil)
	lenient(h)
	lenient(plain)
	hook := install(t, h, awareness.WithMode(awareness.Observe))
	for _, w := range wires {
		c, d := connect(t, h.Server, w), connect(t, plain.Server, w)
		for _, p := range []*mcp.CallToolParams{
			{Name: "book", Arguments: args{"city": "Rome", "days": 1}},
			{Name: "book", Arguments: args{"city": "error", "days": 1}},
			{Name: "book", Arguments: args{"city": "refusal", "days": 1}},
			{Name: "book", Arguments: args{"city": "protocol", "days": 1}},
			{Name: "find"}, {Name: "never_was"},
		} {
			_, _ = c.CallTool(t.Context(), p)
			_, _ = d.CallTool(t.Context(), p)
		}
		if diff := cmp.Diff(d.Received(), c.Received()); diff != "" {
			t.Errorf("%s: the wire is not the same (-without +with):\n%s", w.Name, diff)
		}
	}
	if n := hook.Counts(); n.Observed != uint64(4*len(wires)) || n.Unknown != uint64(len(wires)) {
		t.Errorf("counts: %+v, want 4 observed and 1 unknown for each wire", n)
	}
}

// Good calls are the same, byte by byte, with the hook and without it.
func TestGoodCallIsIdentical(t *testing.T) {
	t.Parallel()
	h, plain := newHotels(nil), newHotels(nil)
	install(t, h)
	for _, w := range wires {
		c, d := connect(t, h.Server, w), connect(t, plain.Server, w)
		for i := range 3 {
			c.Call(t, "book", args{"city": "Rome", "nights": i + 1})
			d.Call(t, "book", args{"city": "Rome", "nights": i + 1})
		}
		if diff := cmp.Diff(d.Received(), c.Received()); diff != "" {
			t.Errorf("%s (-without +with):\n%s", w.Name, diff)
		}
	}
}

func TestUndeclaredArgument(t *testing.T) {
	t.Parallel()
	h := newHotels(nil)
	install(t, h, awareness.Undeclared(true))
	eachWire(t, h.Server, func(t *testing.T, c *client) {
		texts, res := c.Call(t, "search", args{"query": "x", "qurey": "y"})
		if res.IsError || len(texts) != 2 || texts[0] != "done" || !strings.Contains(texts[1], "qurey") {
			t.Errorf("isError %v, texts %q, want a warning beside the result", res.IsError, texts)
		}
		if e := hooktest.Parse(t, texts[1]); e.IsError() {
			t.Errorf("%s, want a warning", texts[1])
		}
		if texts, _ := c.Call(t, "search", args{"query": "x"}); len(texts) != 1 {
			t.Errorf("nothing to warn of: %q", texts)
		}
	})
}

func TestRepeatedCall(t *testing.T) {
	t.Parallel()
	h := newHotels(nil)
	install(t, h)
	c, other := connect(t, h.Server, wires[0]), connect(t, h.Server, wires[0])
	seen := map[string]bool{}
	for range 3 {
		texts, _ := c.Call(t, "book", args{"city": "Rome", "days": 2})
		seen[hooktest.Parse(t, texts[0]).Recovery()] = true
	}
	if len(seen) != 3 {
		t.Errorf("%d different advices in three turns, want 3: %v", len(seen), seen)
	}
	texts, _ := other.Call(t, "book", args{"city": "Rome", "days": 2})
	if got := hooktest.Parse(t, texts[0]).Recovery(); got != envelope.DefaultRecovery {
		t.Errorf("another caller's first mistake: %q", got)
	}
}

// What cannot be judged passes.
func TestFailsOpen(t *testing.T) {
	t.Parallel()
	h := newHotels(nil)
	h.addRaw(`{"name":"odd","inputSchema":{"type":"object","properties":{"a":{"$ref":"file:///etc/hostname"}}}}`)
	hook := install(t, h)
	for _, w := range wires {
		c := connect(t, h.Server, w)
		deep := json.RawMessage(`{"a":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`)
		for _, call := range []struct {
			tool      string
			arguments any
		}{{"odd", args{"a": 1}}, {"same", json.RawMessage(`{"n":1e1000001}`)}, {"same", deep}, {"same", json.RawMessage(`{"n":1,"m":` + strings.Repeat("9", 2000) + `}`)}} {
			before := h.reached.Load()
			texts, res, err := c.Try(call.tool, call.arguments)
			if err == nil && (res.IsError || h.reached.Load() != before+1) {
				t.Errorf("%s: %s did not pass: %q", w.Name, call.tool, texts)
			}
		}
	}
	if n := hook.Counts(); n.FailedOpen == 0 || n.Refused != 0 {
		t.Errorf("counts: %+v, want calls that failed open and none refused", n)
	}
}

func tryCall(c *client, name string, arguments any) (texts []string, res *mcp.CallToolResult, err error) {
	res, err = c.CallTool(context.Background(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err == nil {
		for _, block := range res.Content {
			texts = append(texts, block.(*mcp.TextContent).Text)
		}
	}
	return texts, res, err
}

func TestSameAnswerEachTime(t *testing.T) {
	t.Parallel()
	h := newHotels(nil)
	install(t, h, awareness.Repeats(false))
	c := connect(t, h.Server, wires[1])
	first, _ := c.Call(t, "book", args{"city": 1, "days": 2, "more": true})
	for range 200 {
		if again, _ := c.Call(t, "book", args{"city": 1, "days": 2, "more": true}); !bytes.Equal([]byte(again[0]), []byte(first[0])) {
			t.Fatalf("%s\nthen\n%s", first[0], again[0])
		}
	}
}

type rude struct{}

func (rude) MarshalJSON() ([]byte, error) { panic("no schema") }

// A list that panics, fails, or never ends is no reason to refuse a call.
func TestListThatFails(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func() (mcp.Result, error){
		"panics":  func() (mcp.Result, error) { panic("no list") },
		"fails":   func() (mcp.Result, error) { return nil, errors.New("no list") },
		"nil":     func() (mcp.Result, error) { return (*mcp.ListToolsResult)(nil), nil },
		"endless": func() (mcp.Result, error) { return &mcp.ListToolsResult{NextCursor: "again"}, nil },
		"rude": func() (mcp.Result, error) {
			return &mcp.ListToolsResult{Tools: []*mcp.Tool{{Name: "book", InputSchema: rude{}}}}, nil
		},
		"odd": func() (mcp.Result, error) {
			return &mcp.ListToolsResult{Tools: []*mcp.Tool{nil, {Name: ""}, {Name: "book", InputSchema: func() {}}}}, nil
		},
	} {
		h := newHotels(nil)
		h.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
			return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
				if method == "tools/list" {
					return answer()
				}
				return next(ctx, method, req)
			}
		})
		install(t, h)
		c := connect(t, h.Server, wires[0])
		if texts, res := c.Call(t, "book", args{"days": 2}); res.IsError || texts[0] != "done" {
			t.Errorf("%s: %q, want the call to pass", name, texts)
		}
		if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "find"}); err == nil && name != "odd" && name != "rude" {
			t.Errorf("%s: an unknown tool was answered without a list", name)
		}
	}
}

func TestInstallNeedsBaseline(t *testing.T) {
	t.Parallel()
	if _, err := gosdk.Install(newHotels(nil).Server, awareness.FromBytes([]byte("{"))); err == nil {
		t.Error("no error, want one at start")
	}
}

// Who still calls the old contract? Each event names the client and the cause, and nothing that lets one act as the client.
func TestEventsNameTheClient(t *testing.T) {
	t.Parallel()
	for _, mode := range []awareness.Mode{awareness.Enforce, awareness.Observe} {
		h, events := newHotels(nil), new(hooktest.Events)
		hook := install(t, h, awareness.WithMode(mode), awareness.OnEvent(events.Add))
		if mode == awareness.Observe {
			lenient(h)
		}
		eachWire(t, h.Server, func(t *testing.T, c *client) {
			before := len(events.All())
			_, _, _ = c.Try("book", args{"city": "error", "days": 1})
			_, _, _ = c.Try("find", args{"query": "x"})
			if got := len(events.All()) - before; got != 2 {
				t.Errorf("%v: %d events, want 2", mode, got)
			}
			if id := c.ID(); id != "" && strings.Contains(fmt.Sprintf("%+v", events.All()), id) {
				t.Errorf("an event tells the session id: %+v", events.All())
			}
		})
		events.CheckClient(t, 2*len(wires))
		if n := hook.Counts(); n.Stale != uint64(2*len(wires)) {
			t.Errorf("%v: counts %+v", mode, n)
		}
	}
}
