package mcpgo

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/envelope"
)

// Install makes a hook and adds it to a server:
//
//	hook, err := mcpgo.Install(s, awareness.FromFile("fusion.lock"))
//
// Call it before the server serves, after middleware that authorises calls or limits their rate has been added, and before
// [InstallErrors]: what is added later is nearer to the handler.
//
// A call of a removed tool is answered with its successor only when the server is served with [ServeStdio] or, over HTTP, through
// [Handler], in place of the SDK's server.ServeStdio: the SDK answers such a call by itself, as an unknown tool.
func Install(s *server.MCPServer, baseline awareness.Source, opts ...awareness.Option) (*awareness.Hook, error) {
	h, err := awareness.New(baseline, opts...)
	if err != nil {
		return nil, err
	}
	server.WithToolHandlerMiddleware(Middleware(h))(s)
	addHooks(hooksOf(s), h)
	return h, nil
}

// ServerOptions are the options that add a hook when a server is made. The server's own hooks, if it has any, must be given here,
// because the SDK keeps only one set.
func ServerOptions(h *awareness.Hook, hooks *server.Hooks) []server.ServerOption {
	if hooks == nil {
		hooks = &server.Hooks{}
	}
	addHooks(hooks, h)
	return []server.ServerOption{server.WithToolHandlerMiddleware(Middleware(h)), server.WithHooks(hooks)}
}

func addHooks(hooks *server.Hooks, h *awareness.Hook) {
	hooks.AddAfterCallTool(AfterCallTool(h))
	hooks.AddOnError(unknownTool(h))
}

// Middleware is for server.WithToolHandlerMiddleware or (*server.MCPServer).Use; see [Install] for the order.
//
//   - Enforce: arguments that do not fit the tool's input schema are answered before the handler sees them.
//   - Enrich: only an answer that is an error already is changed. The good path costs nothing.
//   - Observe: no answer is changed; failed calls become events.
//
// In mode Enforce, arguments that are tolerated but not declared are reported beside the result, if the hook has the option
// awareness.Undeclared. Each call is judged by the definition that is in force, the session's own first.
func Middleware(h *awareness.Hook) server.ToolHandlerMiddleware {
	c := &catalog{hook: h}
	return func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
		return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if h.Mode() != awareness.Enforce {
				res, err := next(ctx, req)
				if err == nil && (res == nil || !res.IsError) {
					return res, nil
				}
				return c.explain(ctx, req, c.tool(ctx, req.Params.Name), res, err)
			}
			tool := c.tool(ctx, req.Params.Name)
			if !fits(h, tool, &req) {
				if v := h.Check(c.call(ctx, tool, &req, "")); v.Envelope != nil {
					return envelopeResult(v.Envelope), nil
				}
			}
			res, err := next(ctx, req)
			if err != nil || res == nil || res.IsError {
				return c.explain(ctx, req, tool, res, err)
			}
			if res.NeedsInput() || !h.Warns() {
				return res, nil
			}
			if w := h.Warning(c.call(ctx, tool, &req, "")); w != nil {
				return withText(res, w.Format()), nil
			}
			return res, nil
		}
	}
}

// explain adds to an answer that is an error what the hook knows. In mode Enforce the arguments fitted, so that only a refusal in
// known words is a case for it. Of errors for the host only those are, and -32602.
func (c *catalog) explain(ctx context.Context, req mcp.CallToolRequest, tool *awareness.Tool, res *mcp.CallToolResult, err error) (*mcp.CallToolResult, error) {
	text := ""
	switch {
	case err != nil:
		text = err.Error()
		var protocol *envelope.ProtocolError
		if invalid := errors.As(err, &protocol) && protocol.Code == envelope.RPCInvalidParams; !invalid && !awareness.IsRefusal(text) {
			return res, err
		}
	case res == nil:
		return nil, nil
	default:
		text = textOf(res)
		if c.hook.Mode() == awareness.Enforce && !awareness.IsRefusal(text) {
			return res, nil
		}
	}
	v := c.hook.Explain(c.call(ctx, tool, &req, text))
	switch {
	case v.Envelope == nil:
		return res, err
	case err != nil || v.Replace:
		return envelopeResult(v.Envelope), nil
	}
	return withText(res, v.Envelope.Format()), nil
}

// refusalPrefix begins the text with which the SDK refuses arguments when server.WithInputSchemaValidation is on. It does so
// before middleware.
const refusalPrefix = "input schema validation failed: "

// AfterCallTool explains refusals of servers that have the SDK validate (server.WithInputSchemaValidation). It is for
// (*server.Hooks).AddAfterCallTool.
func AfterCallTool(h *awareness.Hook) server.OnAfterCallToolFunc {
	c := &catalog{hook: h}
	return func(ctx context.Context, _ any, req *mcp.CallToolRequest, result any) {
		res, ok := result.(*mcp.CallToolResult)
		if !ok || res == nil || !res.IsError || req == nil {
			return
		}
		text := textOf(res)
		if !strings.HasPrefix(text, refusalPrefix) {
			return
		}
		v := h.Explain(c.call(ctx, c.tool(ctx, req.Params.Name), req, text))
		if v.Envelope != nil {
			res.Content = []mcp.Content{mcp.NewTextContent(v.Envelope.Format())} // the SDK made this result for this call alone
		}
	}
}

// unknownTool answers calls of tools that a baseline has and the server has not. The list that it is explained from is the
// caller's own, so that nothing is named that a filter hides.
func unknownTool(h *awareness.Hook) server.OnErrorHookFunc {
	c := &catalog{hook: h}
	return func(ctx context.Context, id any, _ mcp.MCPMethod, message any, err error) {
		req, ok := message.(*mcp.CallToolRequest)
		l, corrects := ctx.Value(ledgerKey{}).(*ledger)
		s := server.ServerFromContext(ctx)
		if !ok || !corrects || s == nil || !errors.Is(err, server.ErrToolNotFound) || definitionOf(ctx, req.Params.Name) != nil {
			return // a tool that exists and is not found is hidden from this caller
		}
		if !h.Knows(req.Params.Name) {
			return // a name that never was must not cost a list
		}
		live, ok := listTools(ctx, s, h)
		if !ok {
			return
		}
		v := h.Unknown(req.Params.Name, c.call(ctx, nil, req, ""), live)
		if v.Envelope == nil {
			return
		}
		res := envelopeResult(v.Envelope)
		if mcp.IsModernProtocol(server.RequestProtocolVersion(ctx)) {
			res.ResultType = mcp.ResultTypeComplete
		}
		l.put(id, &correction{result: res})
	}
}

// maxPages bounds a list whose cursor does not end.
const maxPages = 1_000

// listTools asks the server for the caller's list. It is what goes over the wire, so it is read as such.
func listTools(ctx context.Context, s *server.MCPServer, h *awareness.Hook) (tools []*awareness.Tool, ok bool) {
	defer func() {
		if recover() != nil { // a filter of the server's; its answer stays as it is
			tools, ok = nil, false
		}
	}()
	cursor := ""
	for range maxPages {
		request, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": "fusionctl", "method": "tools/list", "params": map[string]any{"cursor": cursor}})
		if err != nil {
			return nil, false
		}
		data, err := json.Marshal(s.HandleMessage(ctx, request))
		if err != nil {
			return nil, false
		}
		var answer struct {
			Result *struct {
				Tools      []json.RawMessage
				NextCursor string
			}
		}
		if json.Unmarshal(data, &answer) != nil || answer.Result == nil {
			return nil, false
		}
		for _, definition := range answer.Result.Tools {
			if tool, err := h.Learn(definition); err == nil {
				tools = append(tools, tool)
			}
		}
		if cursor = answer.Result.NextCursor; cursor == "" {
			return tools, true
		}
	}
	return nil, false
}

func textOf(res *mcp.CallToolResult) string {
	var texts []string
	for _, block := range res.Content {
		switch text := block.(type) {
		case mcp.TextContent:
			texts = append(texts, text.Text)
		case *mcp.TextContent:
			if text != nil {
				texts = append(texts, text.Text)
			}
		}
	}
	return strings.Join(texts, "\n")
}
