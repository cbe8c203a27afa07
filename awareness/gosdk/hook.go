package gosdk

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/awareness"
)

// Install makes a hook and adds it to a server:
//
//	hook, err := gosdk.Install(server, awareness.FromFile("fusion.lock"))
//
// Besides the receiving middleware of [Middleware] it adds a sending one, which sees the notifications by which the SDK tells
// that tools changed. Call it before middleware that authorises calls or limits their rate is added: what is added later wraps
// what was added earlier, and nobody who is refused there hears about contracts. An answer to a call of a removed tool names only
// tools of the list that its caller gets through all middleware; for that the server is asked for a list as by the caller.
func Install(s *mcp.Server, baseline awareness.Source, opts ...awareness.Option) (*awareness.Hook, error) {
	h, err := awareness.New(baseline, opts...)
	if err != nil {
		return nil, err
	}
	c := newCatalog(h)
	c.server = s
	s.AddReceivingMiddleware(c.receive)
	s.AddSendingMiddleware(c.send)
	return h, nil
}

// An Option changes how the middleware works.
type Option func(*catalog)

// ListEachCall has each call judged by a list of the tools that was made for it. Without it a list is kept and made anew when it
// refuses a call, which is enough for tools added with mcp.AddTool: the SDK checks their arguments itself. It is for servers
// that replace tools added with (*mcp.Server).AddTool by stricter ones while they run and have no client that would be notified,
// and for lists in which one name has different schemas for different callers.
func ListEachCall() Option { return func(c *catalog) { c.eachCall = true } }

// ListOf names the server of the middleware, so that answers to calls of removed tools can name others: those that the caller is
// shown through all its middleware. Without it nobody knows what is hidden from whom outside, and no other tool is named.
func ListOf(s *mcp.Server) Option { return func(c *catalog) { c.server = s } }

// Middleware is for (*mcp.Server).AddReceivingMiddleware; see [Install] for the order.
//
//   - Enforce: arguments that do not fit the tool's input schema are answered before the SDK and the handler see them.
//   - Enrich: only an answer that is an error already is changed. The good path costs nothing.
//   - Observe: no answer is changed; failed calls become events.
//
// In mode Enforce, arguments that are tolerated but not declared are reported beside the result, if the hook has the option
// awareness.Undeclared.
//
// What the SDK takes is never refused: where the schema alone would not do, as with arguments that are complete only with its
// defaults, the SDK is asked.
//
// Definitions are listed through the inner middleware and with the caller's own session, so a list that depends on the caller is
// explained from that caller's list. A tool that this list lacks and a baseline has is answered with UNKNOWN_ACTION once the
// server itself has said that it does not know it; see [ListOf].
func Middleware(h *awareness.Hook, opts ...Option) mcp.Middleware {
	c := newCatalog(h)
	for _, opt := range opts {
		opt(c)
	}
	return c.receive
}

func (c *catalog) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method != methodCallTool {
			return next(ctx, method, req)
		}
		r, ok := req.(*mcp.CallToolRequest)
		if !ok || r.Params == nil {
			return next(ctx, method, req)
		}
		if c.hook.Mode() == awareness.Enforce {
			return c.enforce(ctx, next, r)
		}
		res, err := next(ctx, method, req)
		if failed(res, err) {
			return c.explain(ctx, next, r, nil, res, err)
		}
		return res, err
	}
}

// send drops the kept list when the server tells clients that tools changed.
func (c *catalog) send(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method == "notifications/tools/list_changed" {
			c.generation.Add(1)
		}
		return next(ctx, method, req)
	}
}

func (c *catalog) enforce(ctx context.Context, next mcp.MethodHandler, r *mcp.CallToolRequest) (mcp.Result, error) {
	e, list := c.kept(r.Params.Name), (*listing)(nil)
	if e == nil {
		list = c.list(ctx, next, r)
		e = list.find(r.Params.Name)
	}
	refused := e != nil && !c.fits(e, r.Params.Arguments)
	if refused && list == nil {
		// Never refuse on a kept definition: the tool may have been replaced by one that takes these arguments.
		list = c.list(ctx, next, r)
		e = list.find(r.Params.Name)
		refused = e != nil && !c.fits(e, r.Params.Arguments)
	}
	if refused {
		if v := c.hook.Check(c.call(e, r, "")); v.Envelope != nil {
			return envelopeResult(r, v.Envelope), nil
		}
	}
	res, err := next(ctx, methodCallTool, r)
	if failed(res, err) {
		return c.explain(ctx, next, r, list, res, err)
	}
	if e != nil {
		return c.warn(e, r, res), nil
	}
	return res, err
}

// failed reports whether an answer is an error, of the tool or of the protocol.
func failed(res mcp.Result, err error) bool {
	if err != nil {
		return true
	}
	result, ok := res.(*mcp.CallToolResult)
	return ok && result != nil && result.IsError
}

// explain adds to an answer that is an error what the hook knows. In mode Enforce the arguments fitted, so that only a refusal
// by the SDK, which may judge otherwise, is a case for it.
func (c *catalog) explain(ctx context.Context, next mcp.MethodHandler, r *mcp.CallToolRequest, list *listing, res mcp.Result, err error) (mcp.Result, error) {
	text := ""
	result, _ := res.(*mcp.CallToolResult)
	if err != nil {
		wire, ok := err.(*jsonrpc.Error)
		if !ok || wire.Code != jsonrpc.CodeInvalidParams {
			return res, err
		}
		text = wire.Message
	} else {
		text = textOf(result)
		if c.hook.Mode() == awareness.Enforce && !awareness.IsRefusal(text) {
			return res, nil
		}
	}
	unknown := err != nil && strings.HasPrefix(text, "unknown tool ")
	if unknown && !c.hook.Knows(r.Params.Name) {
		return res, err // a name that never was must not cost a list
	}
	if list == nil {
		list = c.list(ctx, next, r)
	}
	e := list.find(r.Params.Name)
	if e == nil {
		if !unknown || list == nil {
			return res, err
		}
		shown, ok := c.shown(ctx, r)
		if !ok {
			return res, err
		}
		if v := c.hook.Unknown(r.Params.Name, c.call(nil, r, ""), shown); v.Envelope != nil {
			return envelopeResult(r, v.Envelope), nil
		}
		return res, err
	}
	if !awareness.IsRefusal(text) && c.onlySDK(e, r.Params.Arguments) {
		return res, err
	}
	v := c.hook.Explain(c.call(e, r, text))
	switch {
	case v.Envelope == nil:
		return res, err
	case err != nil || v.Replace:
		return envelopeResult(r, v.Envelope), nil
	}
	return rebuilt(r, result, &mcp.TextContent{Text: v.Envelope.Format()}), nil
}

// warn lets a warning ride on a success.
func (c *catalog) warn(e *entry, r *mcp.CallToolRequest, res mcp.Result) mcp.Result {
	result, ok := res.(*mcp.CallToolResult)
	if !ok || result == nil || result.InputRequests != nil || !c.hook.Warns() {
		return res
	}
	if w := c.hook.Warning(c.call(e, r, "")); w != nil {
		return rebuilt(r, result, &mcp.TextContent{Text: w.Format()})
	}
	return res
}

func textOf(result *mcp.CallToolResult) string {
	var texts []string
	for _, block := range result.Content {
		if text, ok := block.(*mcp.TextContent); ok && text != nil {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n")
}
