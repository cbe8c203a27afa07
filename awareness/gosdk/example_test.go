package gosdk_test

import (
	"context"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/awareness/gosdk"
	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/hooktest"
)

// lock stands for the fusion.lock of the last release, in which days were still called days.
var lock = hooktest.Baseline(`{"name":"book","inputSchema":{"type":"object","additionalProperties":false,"required":["days"],"properties":{"days":{"type":"integer"}}}}`)

// callOnce connects a client, calls a tool and prints what arrives.
func callOnce(s *mcp.Server, tool string, arguments map[string]any) {
	res := answerOf(s, tool, arguments)
	for _, block := range res.Content {
		fmt.Println(block.(*mcp.TextContent).Text)
	}
	fmt.Println("isError:", res.IsError)
}

// factsOnce is callOnce with only the main facts of the envelope.
func factsOnce(s *mcp.Server, tool string, arguments map[string]any) {
	e, err := envelope.Parse(answerOf(s, tool, arguments).Content[0].(*mcp.TextContent).Text)
	if err != nil {
		panic(err)
	}
	fmt.Println("code:", e.Code())
	if a := e.Awareness(); a != nil {
		fmt.Println("max severity:", a.MaxSeverity)
	}
}

func answerOf(s *mcp.Server, tool string, arguments map[string]any) *mcp.CallToolResult {
	theirs, ours := mcp.NewInMemoryTransports()
	if _, err := s.Connect(context.Background(), theirs, nil); err != nil {
		panic(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil).Connect(context.Background(), ours, nil)
	if err != nil {
		panic(err)
	}
	defer session.Close()
	res, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		panic(err)
	}
	return res
}

// A caller that follows the contract of the last release is told what changed, in the turn in which its call fails.
func ExampleInstall() {
	type booking struct {
		Nights int `json:"nights"`
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "hotels", Version: "2"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "book"}, func(_ context.Context, _ *mcp.CallToolRequest, in booking) (*mcp.CallToolResult, any, error) {
		return nil, map[string]any{"booked": in.Nights}, nil
	})

	// In a server: gosdk.Install(s, awareness.FromFile("fusion.lock"))
	hook, err := gosdk.Install(s, lock)
	if err != nil {
		panic(err)
	}

	callOnce(s, "book", map[string]any{"nights": 2})
	factsOnce(s, "book", map[string]any{"days": 2})
	fmt.Println("stale calls:", hook.Counts().Stale)
	// Output:
	// {"booked":2}
	// isError: false
	// code: VALIDATION_ERROR
	// max severity: BREAKING
	// stale calls: 1
}

// Errors of handlers arrive as messages to the model.
func ExampleErrors() {
	s := mcp.NewServer(&mcp.Implementation{Name: "billing", Version: "1"}, nil)
	s.AddReceivingMiddleware(gosdk.Errors())
	mcp.AddTool(s, &mcp.Tool{Name: "get_invoice"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return nil, nil, envelope.NotFound("No invoice with that ID").Suggest("List invoices first, then retry with a real ID").Actions("list_invoices")
	})
	callOnce(s, "get_invoice", nil)
	// Output:
	// <tool_error code="NOT_FOUND" severity="error">
	//   <message>No invoice with that ID</message>
	//   <recovery>List invoices first, then retry with a real ID</recovery>
	//   <available_actions>
	//     <action>list_invoices</action>
	//   </available_actions>
	// </tool_error>
	// isError: true
}

// A warning rides on a success.
func ExampleTool() {
	s := mcp.NewServer(&mcp.Implementation{Name: "billing", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "total"}, gosdk.Tool(func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, map[string]int, error) {
		return nil, map[string]int{"total": 7}, envelope.New(envelope.CodeDeprecated, "This tool goes away").Warning()
	}))
	callOnce(s, "total", nil)
	// Output:
	// {"total":7}
	// <tool_error code="DEPRECATED" severity="warning">
	//   <message>This tool goes away</message>
	// </tool_error>
	// isError: false
}

func ExampleToResult() {
	res, err := gosdk.ToResult(nil, envelope.RateLimited(30*time.Second))
	fmt.Println(res.IsError, err)
	res, err = gosdk.ToResult(nil, envelope.ResourceNotFound("file:///a", ""))
	fmt.Println(res == nil, err)
	// Output:
	// true <nil>
	// true Resource not found
}

// Middleware is for a hook that is made elsewhere, for instance to share it or to read its counters.
func ExampleMiddleware() {
	hook, err := awareness.New(lock, awareness.WithMode(awareness.Observe))
	if err != nil {
		panic(err)
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "hotels", Version: "2"}, nil)
	s.AddTool(&mcp.Tool{Name: "book", InputSchema: map[string]any{"type": "object", "required": []string{"nights"}}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "no nights"}}, IsError: true}, nil
	})
	s.AddReceivingMiddleware(gosdk.Middleware(hook))
	callOnce(s, "book", map[string]any{"days": 2})
	fmt.Println("calls of the old contract:", hook.Counts().Stale)
	// Output:
	// no nights
	// isError: true
	// calls of the old contract: 1
}
