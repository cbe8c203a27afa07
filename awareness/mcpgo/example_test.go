package mcpgo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/fusionctl/fusionctl/awareness/mcpgo"
	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/hooktest"
)

// lock stands for the fusion.lock of the last release, in which nights were still called days.
var lock = hooktest.Baseline(`{"name":"book","inputSchema":{"type":"object","additionalProperties":false,"required":["days"],"properties":{"days":{"type":"integer"}}}}`)

// ask sends a message to a server and returns the result, or prints the error.
func ask(s *server.MCPServer, method, params string) *mcp.CallToolResult {
	message := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
	switch answer := mcpgo.HandleMessage(context.Background(), s, json.RawMessage(message)).(type) {
	case mcp.JSONRPCResponse:
		res, _ := answer.Result.(*mcp.CallToolResult)
		return res
	case mcp.JSONRPCError:
		fmt.Println(answer.Error.Code, answer.Error.Message, answer.Error.Data)
	}
	return nil
}

// A caller that follows the contract of the last release is told what changed, in the turn in which its call fails.
func ExampleInstall() {
	s := server.NewMCPServer("hotels", "2")
	tool := mcp.NewTool("book", mcp.WithNumber("nights", mcp.Required()), mcp.WithSchemaAdditionalProperties(false))
	s.AddTool(tool, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("booked"), nil
	})

	// In a server: mcpgo.Install(s, awareness.FromFile("fusion.lock"))
	hook, err := mcpgo.Install(s, lock)
	if err != nil {
		panic(err)
	}

	right := ask(s, "tools/call", `{"name":"book","arguments":{"nights":2}}`)
	fmt.Println(right.Content[0].(mcp.TextContent).Text)
	stale := ask(s, "tools/call", `{"name":"book","arguments":{"days":2}}`)
	e, err := envelope.Parse(stale.Content[0].(mcp.TextContent).Text)
	if err != nil {
		panic(err)
	}
	fmt.Println(e.Code(), e.Awareness().MaxSeverity)
	fmt.Println("stale calls:", hook.Counts().Stale)
	// Output:
	// booked
	// VALIDATION_ERROR BREAKING
	// stale calls: 1
}

// Errors of handlers arrive as messages to the model, errors for the host with code and data.
func ExampleInstallErrors() {
	s := server.NewMCPServer("billing", "1")
	mcpgo.InstallErrors(s)
	s.AddTool(mcp.NewTool("get_invoice"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, envelope.NotFound("No invoice with that ID").Suggest("List invoices first, then retry with a real ID")
	})
	s.AddResource(mcp.NewResource("file:///a", "a"), func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return nil, envelope.ResourceNotFound(r.Params.URI, "")
	})
	fmt.Println(ask(s, "tools/call", `{"name":"get_invoice"}`).Content[0].(mcp.TextContent).Text)
	ask(s, "resources/read", `{"uri":"file:///a"}`)
	// Output:
	// <tool_error code="NOT_FOUND" severity="error">
	//   <message>No invoice with that ID</message>
	//   <recovery>List invoices first, then retry with a real ID</recovery>
	// </tool_error>
	// -32602 Resource not found map[uri:file:///a]
}

func ExampleToResult() {
	res, err := mcpgo.ToResult(envelope.RateLimited(30 * time.Second))
	fmt.Println(res.IsError, err)
	res, err = mcpgo.ToResult(envelope.ResourceNotFound("file:///a", ""))
	fmt.Println(res == nil, err)
	// Output:
	// true <nil>
	// true Resource not found
}

// Over HTTP the handler of the SDK is wrapped, so that corrected answers get through.
func ExampleHandler() {
	s := server.NewMCPServer("billing", "1")
	mcpgo.InstallErrors(s)
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcpgo.Handler(server.NewStreamableHTTPServer(s)))
	fmt.Println(mux != nil)
	// Output: true
}
