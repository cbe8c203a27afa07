package mcpgo_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/awareness/mcpgo"
	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// Two versions of a contract: days became nights, and find was renamed.
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
	*server.MCPServer
	reached atomic.Int64
}

func newHotels(o ...server.ServerOption) *hotels {
	h := &hotels{MCPServer: server.NewMCPServer("hotels", "2", o...)}
	for _, d := range []string{bookV2, findV2, sameV1} {
		h.add(d)
	}
	return h
}

func define(definition string) mcp.Tool {
	var tool struct {
		Name, Description string
		InputSchema       json.RawMessage
	}
	if err := json.Unmarshal([]byte(definition), &tool); err != nil {
		panic(err)
	}
	return mcp.NewToolWithRawSchema(tool.Name, tool.Description, tool.InputSchema)
}

// structured is the other form in which the SDK holds a schema.
func structured(definition string) mcp.Tool {
	var tool mcp.Tool
	if err := json.Unmarshal([]byte(definition), &tool); err != nil {
		panic(err)
	}
	return tool
}

func (h *hotels) done(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	h.reached.Add(1)
	return mcp.NewToolResultText("done"), nil
}

func (h *hotels) add(definition string) { h.AddTool(define(definition), h.done) }

func install(t testing.TB, h *hotels, opts ...awareness.Option) *awareness.Hook {
	t.Helper()
	hook, err := mcpgo.Install(h.MCPServer, mustBaseline(bookV1, findV1, sameV1), opts...)
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

func checkHealed(t *testing.T, texts []string, res *sdk.CallToolResult) {
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

// With and without the SDK's own validation, which comes before middleware, and with both forms of schema.
func TestStaleCallIsHealed(t *testing.T) {
	for name, h := range map[string]*hotels{"plain": newHotels(), "validating": newHotels(server.WithInputSchemaValidation()), "structured": newHotels()} {
		if name == "structured" {
			h.AddTool(structured(bookV2), h.done)
		}
		hook := install(t, h)
		t.Run(name, func(t *testing.T) {
			eachWire(t, h.MCPServer, func(t *testing.T, c *client) {
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
		})
		if n := hook.Counts(); n.Stale == 0 || n.FailedOpen != 0 || n.Refused != uint64(2*len(wires)) {
			t.Errorf("%s: counts: %+v", name, n)
		}
	}
}

func TestServerOptions(t *testing.T) {
	hook, err := awareness.New(mustBaseline(bookV1, findV1))
	if err != nil {
		t.Fatal(err)
	}
	called := 0
	own := &server.Hooks{}
	own.AddBeforeCallTool(func(context.Context, any, *mcp.CallToolRequest) { called++ })
	h := newHotels(mcpgo.ServerOptions(hook, own)...)
	c := connect(t, h.MCPServer, wires[0])
	texts, res := c.call(t, "book", args{"city": "Rome", "days": 2})
	checkHealed(t, texts, res)
	if texts, _ := c.call(t, "find", nil); parse(t, texts[0]).Code() != envelope.CodeUnknownAction {
		t.Errorf("a removed tool: %q", texts)
	}
	if called != 2 {
		t.Errorf("the server's own hook was called %d times, want 2", called)
	}
	if len(mcpgo.ServerOptions(hook, nil)) != 2 {
		t.Error("no options without hooks")
	}
}

func TestRemovedTool(t *testing.T) {
	h := newHotels(server.WithPaginationLimit(2))
	install(t, h)
	eachWire(t, h.MCPServer, func(t *testing.T, c *client) {
		texts, res := c.call(t, "find", args{"query": "x"})
		if len(texts) != 1 || !res.IsError {
			t.Fatalf("texts %q, want one error", texts)
		}
		e := parse(t, texts[0]).(*envelope.ToolError)
		if actions := e.AvailableActions(); e.Code() != envelope.CodeUnknownAction || len(actions) == 0 || actions[0] != "search" {
			t.Errorf("%s, want UNKNOWN_ACTION and search", texts[0])
		}
		_, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: "never_was"})
		checkFault(t, "a tool that never was", err, -32602, "tool 'never_was' not found: tool not found", "")
	})
}

func TestToolReplacedWhileRunning(t *testing.T) {
	h := newHotels()
	install(t, h)
	eachWire(t, h.MCPServer, func(t *testing.T, c *client) {
		h.add(bookV2)
		old := args{"city": "Rome", "days": 2}
		texts, res := c.call(t, "book", old)
		checkHealed(t, texts, res)
		h.add(bookWide)
		if texts, res := c.call(t, "book", old); res.IsError {
			t.Errorf("refused after the tool was widened: %q", texts)
		}
		h.AddTool(structured(bookV2), h.done)
		before := h.reached.Load()
		texts, res = c.call(t, "book", old)
		checkHealed(t, texts, res)
		if h.reached.Load() != before {
			t.Error("the handler was reached after the tool was narrowed")
		}
		h.DeleteTools("book")
		if texts, res := c.call(t, "book", old); !res.IsError || parse(t, texts[0]).Code() != envelope.CodeUnknownAction {
			t.Errorf("after the tool was removed: %q", texts)
		}
	})
}

// A filter hides a tool from a caller: neither its contract nor its name is told.
func TestHiddenTool(t *testing.T) {
	h := newHotels(server.WithToolFilter(func(_ context.Context, tools []mcp.Tool) []mcp.Tool {
		return slices.DeleteFunc(slices.Clone(tools), func(t mcp.Tool) bool { return t.Name == "book" || t.Name == "search" })
	}))
	hook := install(t, h)
	eachWire(t, h.MCPServer, func(t *testing.T, c *client) {
		_, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: "book", Arguments: args{"days": 2}})
		checkFault(t, "hidden", err, -32602, "tool 'book' not found: tool not found", "")
		texts, _ := c.call(t, "find", nil)
		if strings.Contains(texts[0], "search") || strings.Contains(texts[0], "book") {
			t.Errorf("%s tells of a hidden tool", texts[0])
		}
	})
	if n := hook.Counts(); n.Refused != n.Unknown {
		t.Errorf("counts: %+v, want removed tools only", n)
	}
}

// Middleware that refuses a caller was added before the hook, so it is outside.
func TestNothingToWhoIsRefused(t *testing.T) {
	h := newHotels(server.WithToolHandlerMiddleware(func(server.ToolHandlerFunc) server.ToolHandlerFunc {
		return func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return nil, errors.New("you may not")
		}
	}))
	hook := install(t, h)
	c := connect(t, h.MCPServer, wires[0])
	_, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: "book", Arguments: args{"days": 2}})
	checkFault(t, "refused", err, -32603, "you may not", "")
	if n := hook.Counts(); n != (awareness.Counts{}) {
		t.Errorf("the hook heard of a refused call: %+v", n)
	}
}

// A session's own tool is judged by its own definition.
func TestSessionTool(t *testing.T) {
	h := newHotels()
	install(t, h)
	h.add(bookWide)
	session := &session{tools: map[string]server.ServerTool{"book": {Tool: define(bookV2), Handler: h.done}}}
	call := json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"book","arguments":{"city":"Rome","days":2}}}`)
	for _, mine := range []bool{true, false} {
		ctx := context.Background()
		if mine {
			ctx = h.WithContext(ctx, session)
		}
		data, _ := json.Marshal(mcpgo.HandleMessage(ctx, h.MCPServer, call))
		if refused := strings.Contains(string(data), "validation_error"); refused != mine {
			t.Errorf("own tool %v: %s", mine, data)
		}
	}
}

type session struct {
	server.ClientSession
	tools map[string]server.ServerTool
}

func (s *session) SessionID() string                              { return "mine" }
func (s *session) Initialized() bool                              { return true }
func (s *session) GetSessionTools() map[string]server.ServerTool  { return s.tools }
func (s *session) SetSessionTools(t map[string]server.ServerTool) { s.tools = t }

// lenient adds a tool whose handler judges for itself.
func lenient(h *hotels) {
	h.AddTool(define(bookV2), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		switch r.GetString("city", "") {
		case "error":
			return mcp.NewToolResultError("no such days"), nil
		case "refusal":
			return mcp.NewToolResultError(`required argument "nights" not found`), nil
		case "protocol":
			return nil, &envelope.ProtocolError{Code: -32602, Message: "bad arguments"}
		case "other":
			return nil, errors.New("disk full")
		case "envelope":
			return mcpgo.ToResult(notFound)
		}
		return mcp.NewToolResultText("done"), nil
	})
}

func TestEnrich(t *testing.T) {
	h := newHotels()
	lenient(h)
	install(t, h, awareness.WithMode(awareness.Enrich))
	eachWire(t, h.MCPServer, func(t *testing.T, c *client) {
		if texts, res := c.call(t, "book", args{"city": "Rome", "days": 1}); res.IsError || len(texts) != 1 || texts[0] != "done" {
			t.Errorf("a success with arguments that do not fit was touched: %q", texts)
		}
		texts, res := c.call(t, "book", args{"city": "error", "days": 1})
		if len(texts) != 2 || texts[0] != "no such days" {
			t.Fatalf("the server's own error: %q, want it and an envelope", texts)
		}
		checkHealed(t, texts[1:], res)
		texts, res = c.call(t, "book", args{"city": "refusal", "days": 1})
		checkHealed(t, texts, res)
		texts, res = c.call(t, "book", args{"city": "protocol", "days": 1})
		checkHealed(t, texts, res)
		if texts, _ := c.call(t, "book", args{"city": "error", "nights": 1}); len(texts) != 1 {
			t.Errorf("an error of arguments that fit: %q", texts)
		}
		if texts, _ := c.call(t, "book", args{"city": "envelope", "days": 1}); len(texts) != 1 || texts[0] != notFound.Format() {
			t.Errorf("an envelope was touched: %q", texts)
		}
		_, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: "book", Arguments: args{"city": "other", "days": 1}})
		checkFault(t, "another error", err, -32603, "disk full", "")
	})
}

// Observing, and calls that are right, leave every byte as it is.
func TestUntouched(t *testing.T) {
	for _, mode := range []awareness.Mode{awareness.Observe, awareness.Enforce} {
		h, plain := newHotels(), newHotels()
		lenient(h)
		lenient(plain)
		hook := install(t, h, awareness.WithMode(mode))
		calls := []*sdk.CallToolParams{{Name: "never_was"}, {Name: "book", Arguments: args{"city": "Rome", "nights": 1}}}
		if mode == awareness.Observe {
			calls = append(calls, &sdk.CallToolParams{Name: "find"})
			for _, city := range []string{"Rome", "error", "refusal", "protocol", "other"} {
				calls = append(calls, &sdk.CallToolParams{Name: "book", Arguments: args{"city": city, "days": 1}})
			}
		}
		// One after the other: the SDK has one stdio session in a process.
		received := func(s *server.MCPServer) (lines [][]string) {
			eachWire(t, s, func(t *testing.T, c *client) {
				for _, p := range calls {
					own := *p // the client writes into it
					_, _ = c.CallTool(t.Context(), &own)
				}
				lines = append(lines, c.received())
			})
			return lines
		}
		if diff := cmp.Diff(received(plain.MCPServer), received(h.MCPServer)); diff != "" {
			t.Errorf("%v: the wire is not the same (-without +with):\n%s", mode, diff)
		}
		if n := hook.Counts(); mode == awareness.Observe && (n.Observed != uint64(4*len(wires)) || n.Unknown != uint64(len(wires))) {
			t.Errorf("counts: %+v, want 4 observed and 1 unknown for each wire", n)
		}
	}
}

func TestUndeclaredArgument(t *testing.T) {
	h := newHotels()
	install(t, h, awareness.Undeclared(true))
	eachWire(t, h.MCPServer, func(t *testing.T, c *client) {
		texts, res := c.call(t, "search", args{"query": "x", "qurey": "y"})
		if res.IsError || len(texts) != 2 || texts[0] != "done" || parse(t, texts[1]).IsError() || !strings.Contains(texts[1], "qurey") {
			t.Errorf("isError %v, texts %q, want a warning beside the result", res.IsError, texts)
		}
		if texts, _ := c.call(t, "search", args{"query": "x"}); len(texts) != 1 {
			t.Errorf("nothing to warn of: %q", texts)
		}
	})
}

// The hook and the error contract together, in the order that Install asks for.
func TestInstallWithErrors(t *testing.T) {
	h := newHotels()
	lenient(h)
	install(t, h)
	mcpgo.InstallErrors(h.MCPServer)
	eachWire(t, h.MCPServer, func(t *testing.T, c *client) {
		texts, res := c.call(t, "book", args{"city": "Rome", "days": 1})
		checkHealed(t, texts, res)
		texts, _ = c.call(t, "book", args{"city": "other", "nights": 1})
		if parse(t, texts[0]).Code() != envelope.CodeInternalError {
			t.Errorf("%q, want INTERNAL_ERROR", texts)
		}
	})
}

// What cannot be judged passes.
func TestFailsOpen(t *testing.T) {
	h := newHotels()
	h.add(`{"name":"odd","inputSchema":{"type":"object","properties":{"a":{"$ref":"file:///etc/hostname"}}}}`)
	h.AddTool(mcp.Tool{Name: "broken", RawInputSchema: json.RawMessage(`{"type"`)}, h.done)
	hook := install(t, h)
	for _, call := range []string{
		`{"name":"odd","arguments":{"a":1}}`,
		`{"name":"same","arguments":{"n":1,"m":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}}`,
		`{"name":"same","arguments":{"n":1,"m":"` + strings.Repeat("9", 2000) + `"}}`,
		`{"name":"broken","arguments":{"a":1}}`,
	} {
		before := h.reached.Load()
		answer := mcpgo.HandleMessage(context.Background(), h.MCPServer, json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+call+`}`))
		if data, _ := json.Marshal(answer); h.reached.Load() != before+1 {
			t.Errorf("%.60s did not pass: %s", call, data)
		}
	}
	if n := hook.Counts(); n.FailedOpen == 0 || n.Refused != 0 {
		t.Errorf("counts: %+v, want calls that failed open and none refused", n)
	}
}

// Tools come, go and change while calls run. This is a test for the race detector above all.
func TestToolsReplacedDuringCalls(t *testing.T) {
	h := newHotels()
	install(t, h)
	stop := make(chan struct{})
	var background, callers sync.WaitGroup
	background.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			h.add([]string{bookV2, bookWide, bookV1}[i%3])
			if i%5 == 0 {
				h.DeleteTools("search")
			} else if i%5 == 1 {
				h.add(findV2)
			}
			h.add(sameV1)
		}
	})
	for range 4 {
		callers.Go(func() {
			ask := func(call string) string {
				answer := mcpgo.HandleMessage(context.Background(), h.MCPServer, json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+call+`}`))
				data, _ := json.Marshal(answer)
				return string(data)
			}
			for range 200 {
				if got := ask(`{"name":"same","arguments":{"n":1}}`); !strings.Contains(got, `"done"`) {
					t.Errorf("a good call: %s", got)
				}
				if got := ask(`{"name":"book","arguments":{"city":"Rome","days":1}}`); !strings.Contains(got, `"done"`) && !strings.Contains(got, "validation_error") {
					t.Errorf("a stale call: %s", got)
				}
				if got := ask(`{"name":"search","arguments":{"query":"x"}}`); !strings.Contains(got, `"done"`) && !strings.Contains(got, "not found") {
					t.Errorf("a tool that comes and goes: %s", got)
				}
			}
		})
	}
	callers.Wait()
	close(stop)
	background.Wait()
}

func TestGoodCallAllocates(t *testing.T) {
	good := mcp.CallToolRequest{}
	good.Params.Name = "book"
	good.Params.RawArguments = json.RawMessage(`{"city":"Rome","nights":2}`)
	result := mcp.NewToolResultText("done")
	measure := func(mode awareness.Mode) float64 {
		hook, err := awareness.New(mustBaseline(bookV1), awareness.WithMode(mode))
		if err != nil {
			t.Fatal(err)
		}
		h := newHotels()
		allocs := -1.0
		// The SDK puts the server into the context; a tool that measures gets that context.
		h.AddTool(mcp.NewTool("measure"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			next := mcpgo.Middleware(hook)(func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return result, nil })
			allocs = testing.AllocsPerRun(200, func() {
				if res, err := next(ctx, good); err != nil || res != result {
					t.Errorf("a good call was touched: %v, %v", res, err)
				}
			})
			return result, nil
		})
		h.HandleMessage(context.Background(), json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"measure"}}`))
		return allocs
	}
	for _, mode := range []awareness.Mode{awareness.Enrich, awareness.Observe} {
		if n := measure(mode); n != 0 {
			t.Errorf("%v: %v allocations for a good call, want none", mode, n)
		}
	}
	hook, err := awareness.New(mustBaseline(bookV1))
	if err != nil {
		t.Fatal(err)
	}
	tool, err := hook.Learn([]byte(bookV2))
	if err != nil {
		t.Fatal(err)
	}
	validation := testing.AllocsPerRun(200, func() { hook.Check(awareness.Call{Tool: tool, Arguments: good.Params.RawArguments}) })
	// The SDK copies the definition that it hands out: one allocation.
	if n := measure(awareness.Enforce); n > validation+1 {
		t.Errorf("enforce: %v allocations, want the validation's %v and one", n, validation)
	}
}
