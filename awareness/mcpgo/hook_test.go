package mcpgo_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/awareness/mcpgo"
	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/hooktest"
)

// hotels is a server of the second version; reached counts the calls that handlers saw.
type hotels struct {
	*server.MCPServer
	reached atomic.Int64
}

func newHotels(o ...server.ServerOption) *hotels {
	h := &hotels{MCPServer: server.NewMCPServer("hotels", "2", o...)}
	for _, d := range hooktest.V2() {
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
	hook, err := mcpgo.Install(h.MCPServer, hooktest.Baseline(hooktest.V1()...), opts...)
	if err != nil {
		t.Fatal(err)
	}
	return hook
}

// With and without the SDK's own validation, which comes before middleware, and with both forms of schema.
func TestStaleCallIsHealed(t *testing.T) {
	for name, h := range map[string]*hotels{"plain": newHotels(), "validating": newHotels(server.WithInputSchemaValidation()), "structured": newHotels()} {
		if name == "structured" {
			h.AddTool(structured(hooktest.BookV2), h.done)
		}
		hook := install(t, h)
		t.Run(name, func(t *testing.T) {
			eachWire(t, h.MCPServer, func(t *testing.T, c *client) {
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
		})
		if n := hook.Counts(); n.Stale == 0 || n.FailedOpen != 0 || n.Refused != uint64(2*len(wires)) {
			t.Errorf("%s: counts: %+v", name, n)
		}
	}
}

func TestServerOptions(t *testing.T) {
	hook, err := awareness.New(hooktest.Baseline(hooktest.BookV1, hooktest.FindV1))
	if err != nil {
		t.Fatal(err)
	}
	called := 0
	own := &server.Hooks{}
	own.AddBeforeCallTool(func(context.Context, any, *mcp.CallToolRequest) { called++ })
	h := newHotels(mcpgo.ServerOptions(hook, own)...)
	c := connect(t, h.MCPServer, wires[0])
	texts, res := c.Call(t, "book", args{"city": "Rome", "days": 2})
	hooktest.CheckHealed(t, texts, res.IsError)
	if texts, _ := c.Call(t, "find", nil); hooktest.Parse(t, texts[0]).Code() != envelope.CodeUnknownAction {
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
		texts, res := c.Call(t, "find", args{"query": "x"})
		hooktest.CheckGone(t, texts, res.IsError)
		_, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: "never_was"})
		hooktest.CheckFault(t, "a tool that never was", err, fault{Code: -32602, Message: "tool 'never_was' not found: tool not found"})
	})
}

func TestToolReplacedWhileRunning(t *testing.T) {
	h := newHotels()
	install(t, h)
	eachWire(t, h.MCPServer, func(t *testing.T, c *client) {
		h.add(hooktest.BookV2)
		old := args{"city": "Rome", "days": 2}
		texts, res := c.Call(t, "book", old)
		hooktest.CheckHealed(t, texts, res.IsError)
		h.add(hooktest.BookWide)
		if texts, res := c.Call(t, "book", old); res.IsError {
			t.Errorf("refused after the tool was widened: %q", texts)
		}
		h.AddTool(structured(hooktest.BookV2), h.done)
		before := h.reached.Load()
		texts, res = c.Call(t, "book", old)
		hooktest.CheckHealed(t, texts, res.IsError)
		if h.reached.Load() != before {
			t.Error("the handler was reached after the tool was narrowed")
		}
		h.DeleteTools("book")
		if texts, res := c.Call(t, "book", old); !res.IsError || hooktest.Parse(t, texts[0]).Code() != envelope.CodeUnknownAction {
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
		hooktest.CheckFault(t, "hidden", err, fault{Code: -32602, Message: "tool 'book' not found: tool not found"})
		texts, _ := c.Call(t, "find", nil)
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
	hooktest.CheckFault(t, "refused", err, fault{Code: -32603, Message: "you may not"})
	if n := hook.Counts(); n != (awareness.Counts{}) {
		t.Errorf("the hook heard of a refused call: %+v", n)
	}
}

// A session's own tool is judged by its own definition.
func TestSessionTool(t *testing.T) {
	h := newHotels()
	install(t, h)
	h.add(hooktest.BookWide)
	session := &session{tools: map[string]server.ServerTool{"book": {Tool: define(hooktest.BookV2), Handler: h.done}}}
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
