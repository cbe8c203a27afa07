package mcpgo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/awareness/mcpgo"
	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/hooktest"
)

// lenient adds a tool whose handler judges for itself.
func lenient(h *hotels) {
	h.AddTool(define(hooktest.BookV2), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
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
			return mcpgo.ToResult(hooktest.NotFound)
		}
		return mcp.NewToolResultText("done"), nil
	})
}

func TestEnrich(t *testing.T) {
	h := newHotels()
	lenient(h)
	install(t, h, awareness.WithMode(awareness.Enrich))
	eachWire(t, h.MCPServer, func(t *testing.T, c *client) {
		hooktest.CheckEnrich(t, c)
		_, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: "book", Arguments: args{"city": "other", "days": 1}})
		hooktest.CheckFault(t, "another error", err, fault{Code: -32603, Message: "disk full"})
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
				lines = append(lines, c.Received())
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
		texts, res := c.Call(t, "search", args{"query": "x", "qurey": "y"})
		if res.IsError || len(texts) != 2 || texts[0] != "done" || hooktest.Parse(t, texts[1]).IsError() || !strings.Contains(texts[1], "qurey") {
			t.Errorf("isError %v, texts %q, want a warning beside the result", res.IsError, texts)
		}
		if texts, _ := c.Call(t, "search", args{"query": "x"}); len(texts) != 1 {
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
		texts, res := c.Call(t, "book", args{"city": "Rome", "days": 1})
		hooktest.CheckHealed(t, texts, res.IsError)
		texts, _ = c.Call(t, "book", args{"city": "other", "nights": 1})
		if hooktest.Parse(t, texts[0]).Code() != envelope.CodeInternalError {
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
	background.Go(func() { hooktest.Churn(stop, h.add, func(name string) { h.DeleteTools(name) }) })
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
		hook, err := awareness.New(hooktest.Baseline(hooktest.BookV1), awareness.WithMode(mode))
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
	hook, err := awareness.New(hooktest.Baseline(hooktest.BookV1))
	if err != nil {
		t.Fatal(err)
	}
	tool, err := hook.Learn([]byte(hooktest.BookV2))
	if err != nil {
		t.Fatal(err)
	}
	validation := testing.AllocsPerRun(200, func() { hook.Check(awareness.Call{Tool: tool, Arguments: good.Params.RawArguments}) })
	// The SDK copies the definition that it hands out: one allocation.
	if n := measure(awareness.Enforce); n > validation+1 {
		t.Errorf("enforce: %v allocations, want the validation's %v and one", n, validation)
	}
}

// Who still calls the old contract? Each event names the client and the cause, and nothing that lets one act as the client.
func TestEventsNameTheClient(t *testing.T) {
	for _, mode := range []awareness.Mode{awareness.Enforce, awareness.Observe} {
		h, events := newHotels(), new(hooktest.Events)
		hook := install(t, h, awareness.WithMode(mode), awareness.OnEvent(events.Add))
		if mode == awareness.Observe {
			lenient(h)
		}
		eachWire(t, h.MCPServer, func(t *testing.T, c *client) {
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
