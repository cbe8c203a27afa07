package gosdk_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/awareness/gosdk"
	"github.com/fusionctl/fusionctl/internal/hooktest"
)

// onlyUsers is authorisation of the usual kind, outside the hook: it hides tools from the list, and refuses to call them.
func onlyUsers(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if r, ok := req.(*mcp.CallToolRequest); ok && strings.HasPrefix(r.Params.Name, "admin_") {
			return nil, errors.New("forbidden")
		}
		res, err := next(ctx, method, req)
		if list, ok := res.(*mcp.ListToolsResult); ok {
			shown := *list
			shown.Tools = nil
			for _, t := range list.Tools {
				if !strings.HasPrefix(t.Name, "admin_") {
					shown.Tools = append(shown.Tools, t)
				}
			}
			return &shown, err
		}
		return res, err
	}
}

// A removed tool is explained from what its caller is shown, whatever was added after the hook.
func TestNamesOnlyWhatTheCallerIsShown(t *testing.T) {
	t.Parallel()
	query := `"inputSchema":{"type":"object","properties":{"secretly":{"type":"string"}},"required":["secretly"],"additionalProperties":false}}`
	baseline := hooktest.Baseline(`{"name":"list_all",` + query)
	make := func() *hotels {
		h := newHotels(nil)
		h.addRaw(`{"name":"admin_list_all",` + query)
		h.addRaw(`{"name":"list_all_rooms","inputSchema":{"type":"object"}}`)
		return h
	}
	installed, bare, named := make(), make(), make()
	if _, err := gosdk.Install(installed.Server, baseline); err != nil {
		t.Fatal(err)
	}
	hook, err := awareness.New(baseline)
	if err != nil {
		t.Fatal(err)
	}
	bare.AddReceivingMiddleware(gosdk.Middleware(hook))
	named.AddReceivingMiddleware(gosdk.Middleware(hook, gosdk.ListOf(named.Server)))
	for name, h := range map[string]*hotels{"Install": installed, "Middleware": bare, "ListOf": named} {
		h.AddReceivingMiddleware(onlyUsers)
		eachWire(t, h.Server, func(t *testing.T, c *client) {
			texts, res := c.Call(t, "list_all", args{"secretly": "x"})
			if !res.IsError || !strings.Contains(texts[0], "UNKNOWN_ACTION") {
				t.Fatalf("%s: %q, want an explanation", name, texts)
			}
			if strings.Contains(texts[0], "admin_") || strings.Contains(texts[0], "secretly") {
				t.Errorf("%s: a hidden tool is named:\n%s", name, texts[0])
			}
			if got, want := strings.Contains(texts[0], "list_all_rooms"), h != bare; got != want {
				t.Errorf("%s: names what the caller is shown: %v, want %v:\n%s", name, got, want, texts[0])
			}
		})
	}
}

// What the server cannot list to the caller is not explained.
func TestListRefusedOutside(t *testing.T) {
	t.Parallel()
	h := newHotels(nil)
	install(t, h)
	h.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "tools/list" {
				return nil, errors.New("forbidden")
			}
			return next(ctx, method, req)
		}
	})
	c := connect(t, h.Server, wires[0])
	if res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "find", Arguments: args{"query": "x"}}); err == nil {
		t.Errorf("%v, want the SDK's own error", res)
	}
}
