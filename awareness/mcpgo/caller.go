package mcpgo

import (
	"context"
	"encoding/json"
	"strconv"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/fusionctl/fusionctl/awareness"
)

// call is a call as the hook sees it; tool is nil for one that is gone.
func (c *catalog) call(ctx context.Context, tool *awareness.Tool, req *mcp.CallToolRequest, serverText string) awareness.Call {
	return awareness.Call{Tool: tool, Arguments: argumentsOf(req), Caller: caller(ctx), Client: clientOf(ctx, req), ServerText: serverText}
}

// fits reports whether a call may go on. One that cannot be judged may not: Check tells the events why, and lets it pass.
func fits(h *awareness.Hook, tool *awareness.Tool, req *mcp.CallToolRequest) bool {
	if tool == nil {
		return true
	}
	ok, err := h.Fits(tool, argumentsOf(req))
	return ok && err == nil
}

// argumentsOf are the arguments as sent, or as they were set by code that made the request.
func argumentsOf(req *mcp.CallToolRequest) []byte {
	if len(req.Params.RawArguments) > 0 || req.Params.Arguments == nil {
		return req.Params.RawArguments
	}
	data, err := json.Marshal(req.Params.Arguments)
	if err != nil {
		return nil
	}
	return data
}

// clientOf is the program that calls, as it names itself: with the request, or when it initialized.
func clientOf(ctx context.Context, req *mcp.CallToolRequest) awareness.Client {
	if req.Params.Meta != nil {
		if info := req.Params.Meta.ClientInfo(); info != nil {
			return awareness.Client{Name: info.Name, Version: info.Version}
		}
	}
	if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		info := session.GetClientInfo()
		return awareness.Client{Name: info.Name, Version: info.Version}
	}
	return awareness.Client{}
}

// nameless numbers the calls of sessions without an id.
var nameless atomic.Uint64

// caller tells callers apart. Only over stateless HTTP a session has no id, and is one for each request: then nobody is known to
// repeat anything.
func caller(ctx context.Context) string {
	session := server.ClientSessionFromContext(ctx)
	if session == nil {
		return ""
	}
	if id := session.SessionID(); id != "" {
		return "session " + id
	}
	return strconv.FormatUint(nameless.Add(1), 10)
}
