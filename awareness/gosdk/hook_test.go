package gosdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/awareness/gosdk"
	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// Two versions of a contract: days became nights, search was renamed, and report took more than before.
const (
	bookV1 = `{"name":"book","inputSchema":{"type":"object","additionalProperties":false,"required":["city","days"],
		"properties":{"city":{"type":"string"},"days":{"type":"integer","minimum":1}}}}`
	bookV2 = `{"name":"book","inputSchema":{"type":"object","additionalProperties":false,"required":["city","nights"],
		"properties":{"city":{"type":"string"},"nights":{"type":"integer","minimum":1}}}}`
	bookWide = `{"name":"book","inputSchema":{"type":"object","properties":{"city":{"type":"string"}}}}`
	findV1   = `{"name":"find","description":"Find hotels by their name","inputSchema":{"type":"object","required":["query"],"properties":{"query":{"type":"string"}}}}`
	findV2   = `{"name":"search","description":"Find hotels by their name","inputSchema":{"type":"object","required":["query"],"properties":{"query":{"type":"string"}}}}`
	sameV1   = `{"name":"same","inputSchema":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}}`
)

func mustBaseline(definitions ...string) awareness.Source {
	s := &lockfile.Server{Tools: map[string]*lockfile.Entry{}}
	for _, d := range definitions {
		tree, err := canonjson.Decode([]byte(d))
		if err != nil {
			panic(err)
		}
		name, e, err := lockfile.NewEntry(lockfile.KindTool, tree.(map[string]any))
		if err != nil {
			panic(err)
		}
		s.Tools[name] = e
	}
	return awareness.FromLockfile(&lockfile.File{Servers: map[string]*lockfile.Server{"hotels": s}})
}

// hotels is a server of the second version; reached counts the calls that handlers saw.
type hotels struct {
	*mcp.Server
	reached atomic.Int64
}

func newHotels(o *mcp.ServerOptions) *hotels {
	h := &hotels{Server: mcp.NewServer(&mcp.Implementation{Name: "hotels", Version: "2"}, o)}
	for _, d := range []string{bookV2, findV2, sameV1} {
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
	hook, err := gosdk.Install(h.Server, mustBaseline(bookV1, findV1, sameV1), opts...)
	if err != nil {
		t.Fatal(err)
	}
	return hook
}

type args map[string]any

// parse is what a model makes of a text.
func parse(t *testing.T, text string) envelope.Envelope {
	t.Helper()
	e, err := envelope.Parse(text)
	if err != nil {
		t.Fatalf("no envelope in %q: %v", text, err)
	}
	return e
}

func checkHealed(t *testing.T, texts []string, res *mcp.CallToolResult) {
	t.Helper()
	if len(texts) != 1 || !res.IsError {
		t.Fatalf("isError %v, texts %q, want one error", res.IsError, texts)
	}
	e, ok := parse(t, texts[0]).(*envelope.ValidationError)
	if !ok || e.Action() != "book" {
		t.Fatalf("%s, want a validation error of book", texts[0])
	}
	a := e.Awareness()
	if a == nil || a.MaxSeverity != "BREAKING" || len(a.Changes) == 0 || !strings.Contains(texts[0], "nights") {
		t.Fatalf("%s, want a section that tells of nights", texts[0])
	}
}

func TestStaleCallIsHealed(t *testing.T) {
	t.Parallel()
	for _, add := range []func(*hotels, string){(*hotels).addRaw, (*hotels).addTyped} {
		h := newHotels(&mcp.ServerOptions{PageSize: 2})
		add(h, bookV2)
		hook := install(t, h)
		eachWire(t, h.Server, func(t *testing.T, c *client) {
			before := h.reached.Load()
			texts, res := c.call(t, "book", args{"city": "Rome", "days": 2})
			checkHealed(t, texts, res)
			if got := h.reached.Load(); got != before {
				t.Error("the handler was reached by arguments that do not fit")
			}
			if texts, res := c.call(t, "book", args{"city": "Rome", "nights": 2}); res.IsError || texts[0] != "done" || len(texts) != 1 {
				t.Errorf("the right call: %q", texts)
			}
			if texts, res := c.call(t, "same", nil); !res.IsError || parse(t, texts[0]).Awareness() != nil {
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
		texts, res := c.call(t, "find", args{"query": "x"})
		if len(texts) != 1 || !res.IsError {
			t.Fatalf("texts %q, want one error", texts)
		}
		e := parse(t, texts[0]).(*envelope.ToolError)
		if actions := e.AvailableActions(); e.Code() != envelope.CodeUnknownAction || len(actions) == 0 || actions[0] != "search" {
			t.Errorf("%s, want UNKNOWN_ACTION and search", texts[0])
		}
		_, err := c.CallTool(context.Background(), &mcp.CallToolParams{Name: "never_was"})
		checkFault(t, "a tool that never was", err, -32602, "")
	})
}

// A call that a kept definition refuses and the present one takes must go through, and the other way round.
func TestToolReplacedWhileRunning(t *testing.T) {
	t.Parallel()
	for _, w := range wires {
		t.Run(w.name, func(t *testing.T) {
			h := newHotels(nil)
			h.addTyped(bookV2)
			install(t, h)
			c := connect(t, h.Server, w)
			old := args{"city": "Rome", "days": 2}
			texts, res := c.call(t, "book", old)
			checkHealed(t, texts, res)
			h.addTyped(bookWide)
			if texts, res := c.call(t, "book", old); res.IsError {
				t.Errorf("refused after the tool was widened: %q", texts)
			}
			h.addTyped(bookV2)
			texts, res = c.call(t, "book", old) // refused by the SDK at the latest
			checkHealed(t, texts, res)
			h.RemoveTools("book")
			if texts, res := c.call(t, "book", args{"city": "Rome", "nights": 1}); !res.IsError || parse(t, texts[0]).Code() != envelope.CodeUnknownAction {
				t.Errorf("after the tool was removed: %q", texts)
			}
			h.addTyped(bookV2)
			if texts, res := c.call(t, "book", args{"city": "Rome", "nights": 1}); res.IsError {
				t.Errorf("after the tool came back: %q", texts)
			}
		})
	}
}

// With ListEachCall not even a raw handler is reached after its tool was narrowed.
func TestListEachCall(t *testing.T) {
	t.Parallel()
	h := newHotels(nil)
	h.addRaw(bookWide)
	hook, err := awareness.New(mustBaseline(bookV1))
	if err != nil {
		t.Fatal(err)
	}
	h.AddReceivingMiddleware(gosdk.Middleware(hook, gosdk.ListEachCall()))
	c := connect(t, h.Server, wires[1])
	old := args{"city": "Rome", "days": 2}
	if texts, res := c.call(t, "book", old); res.IsError {
		t.Fatalf("wide: %q", texts)
	}
	h.addRaw(bookV2)
	texts, res := c.call(t, "book", old)
	checkHealed(t, texts, res)
	if n := h.reached.Load(); n != 1 {
		t.Errorf("handlers reached %d times, want once", n)
	}
}

// The server tells sessions of the former era that tools changed; from then on a kept list is not used.
func TestNotificationDropsKeptList(t *testing.T) {
	t.Parallel()
	h := newHotels(nil)
	h.addRaw(bookWide)
	install(t, h)
	told := make(chan struct{}, 10)
	theirs, ours := mcp.NewInMemoryTransports()
	if _, err := h.Connect(t.Context(), theirs, nil); err != nil {
		t.Fatal(err)
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told <- struct{}{} }})
	session, err := c.Connect(t.Context(), ours, &mcp.ClientSessionOptions{ProtocolVersion: before})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	old := &mcp.CallToolParams{Name: "book", Arguments: args{"city": "Rome", "days": 2}}
	if res, err := session.CallTool(t.Context(), old); err != nil || res.IsError {
		t.Fatalf("wide: %v, %v", res, err)
	}
	h.addRaw(bookV2)
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
