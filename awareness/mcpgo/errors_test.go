package mcpgo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/awareness/mcpgo"
	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/hooktest"
)

var (
	goneSoon = envelope.Deprecated("billing.get", "billing.get_invoice")
	shared   = mcp.NewToolResultText("fine")
)

// failures are the errors of handlers, with what the caller gets: a text and isError, or a JSON-RPC error.
var failures = map[string]struct {
	fail func() error
	text string

	code          int64
	message, data string
}{
	"envelope": {fail: func() error { return hooktest.NotFound }, text: hooktest.NotFound.Format()},
	"wrapped":  {fail: func() error { return fmt.Errorf("reading: %w", hooktest.NotFound) }, text: hooktest.NotFound.Format()},
	"critical": {fail: func() error { return hooktest.NotFound.Critical() }, text: hooktest.NotFound.Critical().Format()},
	"plain":    {fail: func() error { return errors.New("disk full") }, text: envelope.From(errors.New("disk full")).(envelope.Envelope).Format()},
	"timeout":  {fail: func() error { return context.DeadlineExceeded }, text: envelope.From(context.DeadlineExceeded).(envelope.Envelope).Format()},
	"panic":    {fail: func() error { panic("index 7 of password hunter2") }, text: envelope.New(envelope.CodeInternalError, "The tool failed unexpectedly").Suggest(envelope.From(errors.New("x")).(envelope.Envelope).Recovery()).Format()},
	"protocol": {fail: func() error {
		return &envelope.ProtocolError{Code: -32050, Message: "no quota", Data: map[string]any{"left": 0}}
	}, code: -32050, message: "no quota", data: `{"left":0}`},
	"odd_data": {fail: func() error { return &envelope.ProtocolError{Code: -32050, Message: "odd", Data: func() {}} }, code: -32050, message: "odd"},
	"xml":      {fail: func() error { return envelope.Fields("t", envelope.Field{Name: "a", Message: "is <odd> & \"quoted\""}) }, text: envelope.Fields("t", envelope.Field{Name: "a", Message: "is <odd> & \"quoted\""}).Format()},
}

func failingServer() *server.MCPServer {
	s := server.NewMCPServer("failing", "1")
	mcpgo.InstallErrors(s)
	for name, f := range failures {
		s.AddTool(mcp.NewTool(name), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, f.fail() })
	}
	s.AddTool(mcp.NewTool("sign_in"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, mcp.URLElicitationRequiredError{}
	})
	return s
}

func TestErrorsOfAllTools(t *testing.T) {
	eachWire(t, failingServer(), func(t *testing.T, c *client) {
		for name, want := range failures {
			if want.code != 0 {
				_, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: name})
				hooktest.CheckFault(t, name, err, fault{Code: want.code, Message: want.message, Data: want.data})
				continue
			}
			texts, res := c.Call(t, name, nil)
			if diff := cmp.Diff([]string{want.text}, texts); diff != "" || !res.IsError {
				t.Errorf("%s: isError %v (-want +got):\n%s", name, res.IsError, diff)
			}
		}
		if !c.Modern { // the new era asks in another way
			_, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: "sign_in"})
			hooktest.CheckFault(t, "sign_in", err, fault{Code: -32042, Message: "URL elicitation required: 0 elicitation(s) needed", Data: `{"elicitations":null}`})
		}
		_, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: "nope"})
		hooktest.CheckFault(t, "unknown tool", err, fault{Code: -32602, Message: "tool 'nope' not found: tool not found"})
	})
}

// A warning is a success: it stands after what the handler returned.
func TestWarningRidesOnSuccess(t *testing.T) {
	s := server.NewMCPServer("warning", "1")
	mcpgo.InstallErrors(s)
	handlers := map[string]func() (*mcp.CallToolResult, error){
		"content": func() (*mcp.CallToolResult, error) { return shared, fmt.Errorf("noted: %w", goneSoon) },
		"bare":    func() (*mcp.CallToolResult, error) { return nil, goneSoon },
		"nil":     func() (*mcp.CallToolResult, error) { return mcp.NewToolResultText("fine"), (*envelope.ToolError)(nil) },
		"nothing": func() (*mcp.CallToolResult, error) { return nil, (*envelope.ToolError)(nil) },
		"good":    func() (*mcp.CallToolResult, error) { return mcp.NewToolResultText("fine"), nil },
	}
	for name, h := range handlers {
		s.AddTool(mcp.NewTool(name), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return h() })
	}
	want := map[string][]string{
		"content": {"fine", goneSoon.Format()},
		"bare":    {goneSoon.Format()},
		"nil":     {"fine"},
		"nothing": nil,
		"good":    {"fine"},
	}
	eachWire(t, s, func(t *testing.T, c *client) {
		for range 2 { // a result that is shared between calls must not grow
			for name, texts := range want {
				if got, res := c.Call(t, name, nil); res.IsError || !cmp.Equal(texts, got) {
					t.Errorf("%s: isError %v, %q, want %q", name, res.IsError, got, texts)
				}
			}
		}
	})
}

func TestResourcesAndPrompts(t *testing.T) {
	s := server.NewMCPServer("resources", "1")
	mcpgo.InstallErrors(s, envelope.WithSafeMessage("It broke"))
	forbidden := envelope.New(envelope.CodeForbidden, "Not yours")
	fail := map[string]func() error{
		"file:///missing":   func() error { return envelope.ResourceNotFound("file:///missing", "") },
		"file:///not-found": func() error { return hooktest.NotFound },
		"file:///forbidden": func() error { return forbidden },
		"file:///panic":     func() error { panic("hunter2") },
	}
	for uri, f := range fail {
		s.AddResource(mcp.NewResource(uri, uri), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) { return nil, f() })
	}
	s.AddResource(mcp.NewResource("file:///fine", "fine"), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: "file:///fine", Text: "fine"}}, nil
	})
	s.AddResourceTemplate(mcp.NewResourceTemplate("row:///{id}", "rows"), func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return nil, envelope.NotFound("No such row")
	})
	missing := envelope.MissingField("topic")
	s.AddPrompt(mcp.NewPrompt("p"), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) { return nil, missing })
	data := func(e envelope.Envelope, uri string) string {
		m := map[string]any{"code": e.Code(), "envelope": e.Format()}
		if uri != "" {
			m["uri"] = uri
		}
		b, _ := json.Marshal(m)
		return string(b)
	}
	broken := envelope.From(errors.New("x"), envelope.WithSafeMessage("It broke")).(envelope.Envelope)
	want := map[string]struct {
		code          int64
		message, data string
	}{
		"file:///missing":      {-32602, "Resource not found", `{"uri":"file:///missing"}`},
		"file:///not-found":    {-32602, "No invoice with that ID", `{"uri":"file:///not-found"}`},
		"row:///7":             {-32602, "No such row", `{"uri":"row:///7"}`},
		"file:///forbidden":    {-32603, "Not yours", data(forbidden, "file:///forbidden")},
		"file:///panic":        {-32603, "It broke", data(broken, "file:///panic")},
		"file:///unregistered": {-32602, "Resource not found", `{"uri":"file:///unregistered"}`},
	}
	eachWire(t, s, func(t *testing.T, c *client) {
		for uri, w := range want {
			_, err := c.ReadResource(context.Background(), &sdk.ReadResourceParams{URI: uri})
			hooktest.CheckFault(t, uri, err, fault{Code: w.code, Message: w.message, Data: w.data})
		}
		if res, err := c.ReadResource(context.Background(), &sdk.ReadResourceParams{URI: "file:///fine"}); err != nil || res.Contents[0].Text != "fine" {
			t.Errorf("a good read: %v", err)
		}
		_, err := c.GetPrompt(context.Background(), &sdk.GetPromptParams{Name: "p"})
		hooktest.CheckFault(t, "prompt", err, fault{Code: -32602, Message: missing.Message(), Data: data(missing, "")})
	})
}

// Without a transport that corrects answers the message is right and the code is the SDK's.
func TestHandleMessage(t *testing.T) {
	s := failingServer()
	ask := json.RawMessage(`{"jsonrpc":"2.0","id":"<1>","method":"tools/call","params":{"name":"protocol"}}`)
	plain, _ := json.Marshal(s.HandleMessage(context.Background(), ask))
	if want := `{"jsonrpc":"2.0","id":"\u003c1\u003e","error":{"code":-32603,"message":"no quota"}}`; string(plain) != want {
		t.Errorf("the SDK alone: %s, want %s", plain, want)
	}
	corrected, _ := json.Marshal(mcpgo.HandleMessage(context.Background(), s, ask))
	if want := `{"jsonrpc":"2.0","id":"\u003c1\u003e","error":{"code":-32050,"message":"no quota","data":{"left":0}}}`; string(corrected) != want {
		t.Errorf("corrected: %s, want %s", corrected, want)
	}
	good, _ := json.Marshal(mcpgo.HandleMessage(context.Background(), s, json.RawMessage(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)))
	if want := `{"jsonrpc":"2.0","id":2,"result":{}}`; string(good) != want {
		t.Errorf("another message: %s, want %s", good, want)
	}
}

// Two requests of one connection that are under way at the same time get each its own error.
func TestErrorsAreNotMixed(t *testing.T) {
	s := server.NewMCPServer("many", "1")
	mcpgo.InstallErrors(s)
	s.AddTool(mcp.NewTool("t"), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		name := r.GetString("name", "")
		if strings.HasPrefix(name, "good") {
			return mcp.NewToolResultText(name), nil
		}
		return nil, &envelope.ProtocolError{Code: -32050, Message: name, Data: name}
	})
	eachWire(t, s, func(t *testing.T, c *client) {
		done := make(chan error)
		const calls = 40
		for i := range calls {
			go func() {
				name := fmt.Sprintf("%s-%d", []string{"good", "bad"}[i%2], i)
				res, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: "t", Arguments: map[string]any{"name": name}})
				switch {
				case i%2 == 0 && (err != nil || res.Content[0].(*sdk.TextContent).Text != name):
					done <- fmt.Errorf("%s: %v", name, err)
				case i%2 == 1 && (err == nil || !strings.Contains(err.Error(), name)):
					done <- fmt.Errorf("%s got %v", name, err)
				default:
					done <- nil
				}
			}()
		}
		for range calls {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
}

func TestToResult(t *testing.T) {
	if res, err := mcpgo.ToResult(nil); res != nil || err != nil {
		t.Errorf("no error: %v, %v, want nothing", res, err)
	}
	if res, err := mcpgo.ToResult(goneSoon); err != nil || res.IsError {
		t.Errorf("a warning: %v, %v, want a success", res, err)
	}
	res, err := mcpgo.ToResult(envelope.ResourceNotFound("a:b", "Gone"))
	var protocol *envelope.ProtocolError
	if res != nil || !errors.As(err, &protocol) || protocol.Code != -32602 || err.Error() != "Gone" {
		t.Errorf("a protocol error: %v, %v", res, err)
	}
}
