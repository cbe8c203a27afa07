package mcpgo

import (
	"context"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/fusionctl/fusionctl/envelope"
)

// InstallErrors applies [ToolErrors], [ResourceErrors] and [PromptErrors] to a server and has it report protocol errors to
// [ServeStdio], [Stdio], [Handler] and [HandleMessage]. Call it once, before the server serves and after middleware that
// authorises calls has been added: what is added later is nearer to the handler.
func InstallErrors(s *server.MCPServer, opts ...envelope.Option) {
	server.WithToolHandlerMiddleware(ToolErrors(opts...))(s)
	server.WithResourceHandlerMiddleware(ResourceErrors(opts...))(s)
	server.WithPromptHandlerMiddleware(PromptErrors(opts...))(s)
	hooksOf(s).AddOnError(reportError)
}

func hooksOf(s *server.MCPServer) *server.Hooks {
	hooks := s.GetHooks()
	if hooks == nil {
		hooks = &server.Hooks{}
		server.WithHooks(hooks)(s)
	}
	return hooks
}

// ToolErrors applies [envelope.From] to all tools of a server, whether their handlers return an error or panic. A warning rides
// on the result that the handler returned beside it. It is for server.WithToolHandlerMiddleware or (*server.MCPServer).Use.
func ToolErrors(opts ...envelope.Option) server.ToolHandlerMiddleware {
	return func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
		return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			res, err, panicked := recovered(ctx, next, req, opts)
			if panicked != nil {
				return ToResult(panicked, opts...)
			}
			if err == nil || isSDKError(err) {
				return res, err
			}
			if res != nil {
				switch own := envelope.From(err, opts...).(type) {
				case nil:
					return res, nil
				case envelope.Envelope:
					if !own.IsError() {
						return withText(res, own.Format()), nil
					}
				}
			}
			answer, err := ToResult(err, opts...)
			if answer == nil && err == nil {
				// A nil pointer in an error, as good as none, and no result either.
				return &mcp.CallToolResult{Content: []mcp.Content{}}, nil
			}
			return answer, err
		}
	}
}

// ResourceErrors turns errors and panics of resource handlers, direct or of a template, into errors for the host. NOT_FOUND
// becomes -32602 with the URI in data, other envelopes keep their text in data. It is for server.WithResourceHandlerMiddleware.
func ResourceErrors(opts ...envelope.Option) server.ResourceHandlerMiddleware {
	return func(next server.ResourceHandlerFunc) server.ResourceHandlerFunc {
		return func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			contents, err, panicked := recovered(ctx, next, req, opts)
			if panicked != nil {
				err = panicked
			}
			return contents, protocolError(err, req.Params.URI, opts)
		}
	}
}

// PromptErrors turns errors and panics of prompt handlers into errors for the host. It is for
// server.WithPromptHandlerMiddleware.
func PromptErrors(opts ...envelope.Option) server.PromptHandlerMiddleware {
	return func(next server.PromptHandlerFunc) server.PromptHandlerFunc {
		return func(ctx context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			res, err, panicked := recovered(ctx, next, req, opts)
			if panicked != nil {
				err = panicked
			}
			return res, protocolError(err, "", opts)
		}
	}
}

func recovered[Req, Res any](ctx context.Context, next func(context.Context, Req) (Res, error), req Req, opts []envelope.Option) (res Res, err, panicked error) {
	defer envelope.Recover(&panicked, opts...)
	res, err = next(ctx, req)
	return res, err, nil
}

// isSDKError knows the one error of a handler to which the SDK gives a code and data of its own.
func isSDKError(err error) bool {
	var value mcp.URLElicitationRequiredError
	var pointer *mcp.URLElicitationRequiredError
	return errors.As(err, &value) || errors.As(err, &pointer) && pointer != nil
}
