package gosdk

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/envelope"
)

const (
	methodCallTool     = "tools/call"
	methodListTools    = "tools/list"
	methodReadResource = "resources/read"
	methodGetPrompt    = "prompts/get"
	methodComplete     = "completion/complete"
)

// refusalPrefix begins the text with which the SDK refuses arguments of typed tools.
const refusalPrefix = `validating "arguments": `

// Errors applies [envelope.From] to all tools of a server, whether their handlers return an error or panic. Errors of resource,
// prompt and completion handlers become JSON-RPC errors that keep an envelope's text in data; NOT_FOUND from a resource handler
// becomes -32602 with the URI. Errors that are the SDK's own (*jsonrpc.Error) pass as they are.
//
// It is for (*mcp.Server).AddReceivingMiddleware. Add it before authentication and rate limits: what is added later wraps what
// was added earlier, and their errors are not the tools'.
func Errors(opts ...envelope.Option) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			switch method {
			case methodCallTool:
				res, err := guard(ctx, next, method, req, opts)
				return toolAnswer(req, res, err, opts)
			case methodReadResource, methodGetPrompt, methodComplete:
				res, err := guard(ctx, next, method, req, opts)
				if err == nil {
					return res, nil
				}
				return nil, protocolError(err, resourceURI(req), opts)
			}
			return next(ctx, method, req)
		}
	}
}

// guard calls next and returns what it panics with as an error.
func guard(ctx context.Context, next mcp.MethodHandler, method string, req mcp.Request, opts []envelope.Option) (mcp.Result, error) {
	res, err, panicked := recovered(ctx, next, method, req, opts)
	if panicked != nil {
		return nil, panicked
	}
	return res, err
}

func recovered(ctx context.Context, next mcp.MethodHandler, method string, req mcp.Request, opts []envelope.Option) (res mcp.Result, err, panicked error) {
	defer envelope.Recover(&panicked, opts...)
	res, err = next(ctx, method, req)
	return res, err, nil
}

func toolAnswer(req mcp.Request, res mcp.Result, err error, opts []envelope.Option) (mcp.Result, error) {
	result, _ := res.(*mcp.CallToolResult)
	if err == nil {
		if result == nil || result.GetError() == nil || strings.HasPrefix(result.GetError().Error(), refusalPrefix) {
			return res, nil
		}
		// A typed handler returned an error, which the SDK made a result of.
		err, result = result.GetError(), nil
	} else if _, ok := err.(*jsonrpc.Error); ok { // wrapped ones are a handler's, as for the SDK
		return nil, err
	}
	if w := warningOf(err, opts); w != nil && result != nil {
		return rebuilt(req, result, &mcp.TextContent{Text: w.Format()}), nil
	}
	answer, err := ToResult(req, err, opts...)
	if answer == nil {
		// Never a nil pointer inside the interface. Neither answer nor error: err was a nil pointer in an error, as good as none.
		if err == nil {
			return rebuilt(req, result), nil
		}
		return nil, err
	}
	return answer, nil
}

// warningOf returns the envelope of an error that is a warning.
func warningOf(err error, opts []envelope.Option) envelope.Envelope {
	if e, ok := envelope.From(err, opts...).(envelope.Envelope); ok && !e.IsError() {
		return e
	}
	return nil
}

func resourceURI(req mcp.Request) string {
	if r, ok := req.(*mcp.ReadResourceRequest); ok && r.Params != nil {
		return r.Params.URI
	}
	return ""
}

// Tool wraps a typed handler so that its errors and panics become what [envelope.From] makes of them, with or without the
// middleware [Errors]. A warning rides on the output that the handler returned beside it.
func Tool[In, Out any](h mcp.ToolHandlerFor[In, Out], opts ...envelope.Option) mcp.ToolHandlerFor[In, Out] {
	return func(ctx context.Context, req *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		type answer struct {
			res  *mcp.CallToolResult
			out  Out
			wire error // the SDK's own kind of error, which is not ours to judge
		}
		a, err := envelope.Call(func() (answer, error) {
			res, out, err := h(ctx, req, in)
			if wire, ok := err.(*jsonrpc.Error); ok {
				return answer{wire: wire}, nil
			}
			return answer{res: res, out: out}, err
		}, opts...)
		switch own := err.(type) {
		case nil:
			return a.res, a.out, a.wire
		case *envelope.ProtocolError:
			return nil, a.out, wireError(own)
		case envelope.Envelope:
			if !own.IsError() {
				return warned(a.res, a.out, own.Format()), a.out, nil
			}
			return nil, a.out, toolText{own}
		default:
			return nil, a.out, err
		}
	}
}

// toolText is an error whose text is the envelope, because that is what the SDK shows of an error.
type toolText struct{ envelope.Envelope }

func (t toolText) Error() string { return t.Format() }
func (t toolText) Unwrap() error { return t.Envelope }

// warned puts a warning after the content. The SDK adds the JSON of the output only where there is no content yet, so this does
// it first, for clients that do not read structured content; of outputs that are not objects the SDK always adds it.
func warned(res *mcp.CallToolResult, out any, text string) *mcp.CallToolResult {
	next := new(mcp.CallToolResult)
	if res != nil {
		*next = *res
		next.Content = append([]mcp.Content(nil), res.Content...)
	}
	if len(next.Content) == 0 && out != nil {
		if data, err := json.Marshal(out); err == nil && len(data) > 0 && data[0] == '{' {
			next.Content = append(next.Content, &mcp.TextContent{Text: string(data)})
		}
	}
	next.Content = append(next.Content, &mcp.TextContent{Text: text})
	return next
}
