package gosdk

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A verdict says whether the SDK would take arguments of a tool.
type verdict func(arguments json.RawMessage) bool

// verdictOf returns the SDK's own judgement. Before it validates it applies the defaults of the schema, and it compares numbers
// as float64; only the SDK itself can say exactly what it takes, so a server with one tool that does nothing is asked. Where the
// SDK cannot use the schema it judges no calls, and the verdict takes none.
func verdictOf(definition *mcp.Tool) (v verdict) {
	defer func() {
		if recover() != nil {
			v = takesNone
		}
	}()
	schema, err := json.Marshal(definition.InputSchema) // a copy of our own, so that nothing is shared with the real server
	if err != nil {
		return takesNone
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "verdict", Version: "1"}, nil)
	const name = "judged"
	mcp.AddTool(s, &mcp.Tool{Name: name, InputSchema: json.RawMessage(schema)}, func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, any, error) {
		return nil, nil, nil
	})
	transport, _ := mcp.NewInMemoryTransports()
	session, err := s.Connect(context.Background(), transport, nil) // only a session knows its server; nobody talks over it
	if err != nil {
		return takesNone
	}
	session.Close()
	handle := handlerOf(s)
	return func(arguments json.RawMessage) (taken bool) {
		defer func() {
			if recover() != nil {
				taken = false
			}
		}()
		r := &mcp.CallToolRequest{Session: session, Params: &mcp.CallToolParamsRaw{Name: name, Arguments: arguments}}
		res, err := handle(context.Background(), methodCallTool, r)
		return !failed(res, err)
	}
}

func takesNone(json.RawMessage) bool { return false }

// handlerOf returns the handler of a server with all its middleware as it is now. The middleware added here is the handler itself,
// so it adds nothing.
func handlerOf(s *mcp.Server) (handler mcp.MethodHandler) {
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		handler = next
		return next
	})
	return handler
}
