package gosdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/awareness/gosdk"
	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/hooktest"
)

// hotels is a server of the second version; reached counts the calls that handlers saw.
type hotels struct {
	*mcp.Server
	reached atomic.Int64
}

func newHotels(o *mcp.ServerOptions) *hotels {
	h := &hotels{Server: mcp.NewServer(&mcp.Implementation{Name: "hotels", Version: "2"}, o)}
	for _, d := range hooktest.V2() {
		h.addRaw(d)
	}
	return h
}

func define(definition string) *mcp.Tool {
	tool := new(mcp.Tool)
	if err := json.Unmarshal([]byte(definition), tool); err != nil {
		panic(err)
	}
	return tool
}

// addRaw adds a tool that the SDK does not validate.
func (h *hotels) addRaw(definition string) {
	h.AddTool(define(definition), func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		h.reached.Add(1)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil
	})
}

// addTyped adds a tool that the SDK validates.
func (h *hotels) addTyped(definition string) {
	mcp.AddTool(h.Server, define(definition), func(_ context.Context, _ *mcp.CallToolRequest, _ map[string]any) (*mcp.CallToolResult, any, error) {
		h.reached.Add(1)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil, nil
	})
}

func install(t testing.TB, h *hotels, opts ...awareness.Option) *awareness.Hook {
	t.Helper()
	hook, err := gosdk.Install(h.Server, hooktest.Baseline(hooktest.V1()...), opts...)
	if err != nil {
		t.Fatal(err)
	}
	return hook
}

func TestStaleCallIsHealed(t *testing.T) {
	t.Parallel()
	for _, add := range []func(*hotels, string){(*hotels).addRaw, (*hotels).addTyped} {
		h := newHotels(&mcp.ServerOptions{PageSize: 2})
		add(h, hooktest.BookV2)
		hook := install(t, h)
		eachWire(t, h.Server, func(t *testing.T, c *client) {
			before := h.reached.Load()
			texts, res := c.Call(t, "book", args{"city": "Rome", "days": 2})
			hooktest.CheckHealed(t, texts, res.IsError)
			if got := h.reached.Load(); got != before {
				t.Error("the handler was reached by arguments that do not fit")
			}
			if texts, res := c.Call(t, "book", args{"city": "Rome", "nights": 2}); res.IsError || texts[0] != "done" || len(texts) != 1 {
				t.Errorf("the right call: %q", texts)
			}
			if texts, res := c.Call(t, "same", nil); !res.IsError || hooktest.Parse(t, texts[0]).Awareness() != nil {
				t.Errorf("a plain mistake: %q", texts)
			}
		})
		if n := hook.Counts(); n.Stale == 0 || n.FailedOpen != 0 || n.Refused != uint64(2*len(wires)) {
			t.Errorf("counts: %+v", n)
		}
	}
}

func TestRemovedTool(t *testing.T) {
	t.Parallel()
	h := newHotels(nil)
	install(t, h)
	eachWire(t, h.Server, func(t *testing.T, c *client) {
		texts, res := c.Call(t, "find", args{"query": "x"})
		hooktest.CheckGone(t, texts, res.IsError)
		_, err := c.CallTool(context.Background(), &mcp.CallToolParams{Name: "never_was"})
		hooktest.CheckFault(t, "a tool that never was", err, fault{Code: -32602})
	})
}

// A call that a kept definition refuses and the present one takes must go through, and the other way round.
func TestToolReplacedWhileRunning(t *testing.T) {
	t.Parallel()
	for _, w := range wires {
		t.Run(w.Name, func(t *testing.T) {
			h := newHotels(nil)
			h.addTyped(hooktest.BookV2)
			install(t, h)
			c := connect(t, h.Server, w)
			old := args{"city": "Rome", "days": 2}
			texts, res := c.Call(t, "book", old)
			hooktest.CheckHealed(t, texts, res.IsError)
			h.addTyped(hooktest.BookWide)
			if texts, res := c.Call(t, "book", old); res.IsError {
				t.Errorf("refused after the tool was widened: %q", texts)
			}
			h.addTyped(hooktest.BookV2)
			texts, res = c.Call(t, "book", old) // refused by the SDK at the latest
			hooktest.CheckHealed(t, texts, res.IsError)
			h.RemoveTools("book")
			if texts, res := c.Call(t, "book", args{"city": "Rome", "nights": 1}); !res.IsError || hooktest.Parse(t, texts[0]).Code() != envelope.CodeUnknownAction {
				t.Errorf("after the tool was removed: %q", texts)
			}
			h.addTyped(hooktest.BookV2)
			if texts, res := c.Call(t, "book", args{"city": "Rome", "nights": 1}); res.IsError {
				t.Errorf("after the tool came back: %q", texts)
			}
		})
	}
}

// With ListEachCall not even a raw handler is reached after its tool was narrowed.
func TestListEachCall(t *testing.T) {
	t.Parallel()
	h := newHotels(nil)
	h.addRaw(hooktest.BookWide)
	hook, err := awareness.New(hooktest.Baseline(hooktest.BookV1))
	if err != nil {
		t.Fatal(err)
	}
	h.AddReceivingMiddleware(gosdk.Middleware(hook, gosdk.ListEachCall()))
	c := connect(t, h.Server, wires[1])
	old := args{"city": "Rome", "days": 2}
	if texts, res := c.Call(t, "book", old); res.IsError {
		t.Fatalf("wide: %q", texts)
	}
	h.addRaw(hooktest.BookV2)
	texts, res := c.Call(t, "book", old)
	hooktest.CheckHealed(t, texts, res.IsError)
	if n := h.reached.Load(); n != 1 {
		t.Errorf("handlers reached %d times, want once", n)
	}
}

// The server tells sessions of the former era that tools changed; from then on a kept list is not used.
func TestNotificationDropsKeptList(t *testing.T) {
	t.Parallel()
	h := newHotels(nil)
	h.addRaw(hooktest.BookWide)
	install(t, h)
	told := make(chan struct{}, 10)
	theirs, ours := mcp.NewInMemoryTransports()
	if _, err := h.Connect(t.Context(), theirs, nil); err != nil {
		t.Fatal(err)
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told <- struct{}{} }})
	session, err := c.Connect(t.Context(), ours, &mcp.ClientSessionOptions{ProtocolVersion: hooktest.Before})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	old := &mcp.CallToolParams{Name: "book", Arguments: args{"city": "Rome", "days": 2}}
	if res, err := session.CallTool(t.Context(), old); err != nil || res.IsError {
		t.Fatalf("wide: %v, %v", res, err)
	}
	h.addRaw(hooktest.BookV2)
	<-told
	res, err := session.CallTool(t.Context(), old)
	if err != nil || !res.IsError || h.reached.Load() != 1 {
		t.Errorf("narrow: %v, %v; handlers reached %d times, want once", res, err, h.reached.Load())
	}
}

// hideBook is a list that depends on the caller, made by middleware inside the hook; calls of what is hidden are refused.
func hideBook(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if r, ok := req.(*mcp.CallToolRequest); ok && r.Params.Name == "book" {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "you may not"}
		}
		res, err := next(ctx, method, req)
		if list, ok := res.(*mcp.ListToolsResult); ok {
			shown := *list
			shown.Tools = nil
			for _, t := range list.Tools {
				if t.Name != "book" {
					shown.Tools = append(shown.Tools, t)
				}
			}
			return &shown, err
		}
		return res, err
	}
}

func TestNothingToWhoIsRefused(t *testing.T) {
	t.Parallel()
	inside, outside := newHotels(nil), newHotels(nil)
	inside.AddReceivingMiddleware(hideBook)
	install(t, inside)
	hook := install(t, outside)
	outside.AddReceivingMiddleware(hideBook)
	for name, h := range map[string]*hotels{"inside": inside, "outside": outside} {
		eachWire(t, h.Server, func(t *testing.T, c *client) {
			_, err := c.CallTool(context.Background(), &mcp.CallToolParams{Name: "book", Arguments: args{"days": 2}})
			var fault *jsonrpc.Error
			if !errors.As(err, &fault) || fault.Message != "you may not" {
				t.Errorf("%s: %v, want the refusal alone", name, err)
			}
			if h.reached.Load() != 0 {
				t.Errorf("%s: the handler was reached", name)
			}
		})
	}
	if n := hook.Counts(); n != (awareness.Counts{}) {
		t.Errorf("the hook heard of refused calls: %+v", n)
	}
}
