package gosdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/awareness/gosdk"
	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/hooktest"
)

type none struct{}

type answer struct {
	Invoice string `json:"invoice"`
}

var (
	goneSoon = envelope.Deprecated("billing.get", "billing.get_invoice")
	shared   = &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "fine"}}}
)

// failures are the errors of handlers, with what the caller gets: a text and isError, or a JSON-RPC error.
var failures = map[string]struct {
	fail    func() error
	text    string
	isError bool
	code    int64
	data    string
}{
	"envelope": {fail: func() error { return hooktest.NotFound }, text: hooktest.NotFound.Format(), isError: true},
	"wrapped":  {fail: func() error { return fmt.Errorf("reading: %w", hooktest.NotFound) }, text: hooktest.NotFound.Format(), isError: true},
	"critical": {fail: func() error { return hooktest.NotFound.Critical() }, text: hooktest.NotFound.Critical().Format(), isError: true},
	"plain":    {fail: func() error { return errors.New("disk full") }, text: envelope.From(errors.New("disk full")).(envelope.Envelope).Format(), isError: true},
	"timeout":  {fail: func() error { return context.DeadlineExceeded }, text: envelope.From(context.DeadlineExceeded).(envelope.Envelope).Format(), isError: true},
	"panic":    {fail: func() error { panic("index 7 of password hunter2") }, text: envelope.New(envelope.CodeInternalError, "The tool failed unexpectedly").Suggest(envelope.From(errors.New("x")).(envelope.Envelope).Recovery()).Format(), isError: true},
	"protocol": {fail: func() error {
		return &envelope.ProtocolError{Code: -32050, Message: "no quota", Data: map[string]any{"left": 0}}
	}, code: -32050, data: `{"left":0}`},
	"sdk": {fail: func() error {
		return &jsonrpc.Error{Code: -32042, Message: "sign in", Data: json.RawMessage(`{"elicitations":[]}`)}
	}, code: -32042, data: `{"elicitations":[]}`},
	"odd data":  {fail: func() error { return &envelope.ProtocolError{Code: -32603, Message: "odd", Data: func() {}} }, code: -32603},
	"goes wide": {fail: func() error { return envelope.Fields("t", envelope.Field{Name: "a", Message: "is <odd> & \"quoted\""}) }, text: envelope.Fields("t", envelope.Field{Name: "a", Message: "is <odd> & \"quoted\""}).Format(), isError: true},
}

// failingServer has each failure as a typed tool, as a typed tool in the wrapper, and as a raw tool.
func failingServer(middleware bool) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "failing", Version: "1"}, nil)
	for name, f := range failures {
		typed := func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, answer, error) {
			return nil, answer{}, f.fail()
		}
		name = strings.ReplaceAll(name, " ", "_")
		if middleware {
			mcp.AddTool(s, &mcp.Tool{Name: name + ".typed"}, typed)
			s.AddTool(&mcp.Tool{Name: name + ".raw", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return nil, f.fail()
			})
		}
		mcp.AddTool(s, &mcp.Tool{Name: name + ".wrapped"}, gosdk.Tool(typed))
	}
	if middleware {
		s.AddReceivingMiddleware(gosdk.Errors())
	}
	return s
}

func testFailures(t *testing.T, s *mcp.Server, kinds ...string) {
	eachWire(t, s, func(t *testing.T, c *client) {
		for name, want := range failures {
			for _, kind := range kinds {
				tool := strings.ReplaceAll(name, " ", "_") + "." + kind
				if want.code != 0 {
					_, err := c.CallTool(context.Background(), &mcp.CallToolParams{Name: tool})
					hooktest.CheckFault(t, tool, err, fault{Code: want.code, Data: want.data})
					continue
				}
				texts, res := c.Call(t, tool, nil)
				if diff := cmp.Diff([]string{want.text}, texts); diff != "" {
					t.Errorf("%s (-want +got):\n%s", tool, diff)
				}
				if res.IsError != want.isError || res.StructuredContent != nil {
					t.Errorf("%s: isError %v, structured content %v, want %v and none", tool, res.IsError, res.StructuredContent, want.isError)
				}
			}
		}
		if texts, _ := c.Call(t, "envelope.wrapped", nil); len(texts) != 1 {
			t.Errorf("the server does not answer after a panic: %v", texts)
		}
	})
}

func TestErrorsOfAllTools(t *testing.T) {
	t.Parallel()
	testFailures(t, failingServer(true), "typed", "raw", "wrapped")
}

func TestToolNeedsNoMiddleware(t *testing.T) {
	t.Parallel()
	testFailures(t, failingServer(false), "wrapped")
}

// A warning is a success: it stands after what the handler returned.
func TestWarningRidesOnSuccess(t *testing.T) {
	t.Parallel()
	s := mcp.NewServer(&mcp.Implementation{Name: "warning", Version: "1"}, nil)
	s.AddReceivingMiddleware(gosdk.Errors())
	mcp.AddTool(s, &mcp.Tool{Name: "output"}, gosdk.Tool(func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, answer, error) {
		return nil, answer{"inv_1"}, goneSoon
	}))
	mcp.AddTool(s, &mcp.Tool{Name: "list"}, gosdk.Tool(func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, []string, error) {
		return nil, []string{"a"}, goneSoon
	}))
	mcp.AddTool(s, &mcp.Tool{Name: "content"}, gosdk.Tool(func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, any, error) {
		return shared, nil, goneSoon
	}))
	mcp.AddTool(s, &mcp.Tool{Name: "bare"}, func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, any, error) {
		return nil, nil, goneSoon
	})
	s.AddTool(&mcp.Tool{Name: "raw", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return shared, fmt.Errorf("noted: %w", goneSoon)
	})
	s.AddTool(&mcp.Tool{Name: "nil", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var no *envelope.ToolError
		return shared, no
	})
	warning := goneSoon.Format()
	want := map[string][]string{
		"output":  {`{"invoice":"inv_1"}`, warning},
		"list":    {warning, `["a"]`}, // the SDK adds the text of what is not an object
		"content": {"fine", warning},
		"bare":    {warning},
		"raw":     {"fine", warning},
		"nil":     {"fine"},
	}
	eachWire(t, s, func(t *testing.T, c *client) {
		for range 2 { // a result that is shared between calls must not grow
			for name, texts := range want {
				got, res := c.Call(t, name, nil)
				if diff := cmp.Diff(texts, got); diff != "" || res.IsError {
					t.Errorf("%s: isError %v (-want +got):\n%s", name, res.IsError, diff)
				}
				if name == "output" {
					if diff := cmp.Diff(map[string]any{"invoice": "inv_1"}, res.StructuredContent); diff != "" {
						t.Errorf("structured content (-want +got):\n%s", diff)
					}
				}
			}
		}
	})
}

// What is not an error of a handler is none of ours.
func TestErrorsLeaveAlone(t *testing.T) {
	t.Parallel()
	s := mcp.NewServer(&mcp.Implementation{Name: "own", Version: "1"}, nil)
	s.AddReceivingMiddleware(gosdk.Errors())
	mcp.AddTool(s, &mcp.Tool{Name: "typed"}, func(_ context.Context, _ *mcp.CallToolRequest, in answer) (*mcp.CallToolResult, answer, error) {
		return nil, in, nil
	})
	s.AddTool(&mcp.Tool{Name: "own", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "no luck"}}, IsError: true}, nil
	})
	eachWire(t, s, func(t *testing.T, c *client) {
		if texts, res := c.Call(t, "typed", answer{"x"}); res.IsError || texts[0] != `{"invoice":"x"}` {
			t.Errorf("a good call: %v", texts)
		}
		if texts, res := c.Call(t, "typed", map[string]any{"invoice": 1}); !res.IsError || !strings.HasPrefix(texts[0], `validating "arguments": `) {
			t.Errorf("the SDK's refusal: %v", texts)
		}
		if texts, res := c.Call(t, "own", nil); !res.IsError || texts[0] != "no luck" {
			t.Errorf("a result of the handler's own: %v", texts)
		}
		_, err := c.CallTool(context.Background(), &mcp.CallToolParams{Name: "nope"})
		hooktest.CheckFault(t, "unknown tool", err, fault{Code: -32602})
		if tools, err := c.ListTools(context.Background(), nil); err != nil || len(tools.Tools) != 2 {
			t.Errorf("listing: %v", err)
		}
	})
}

func TestResourcesAndPrompts(t *testing.T) {
	t.Parallel()
	s := mcp.NewServer(&mcp.Implementation{Name: "resources", Version: "1"}, nil)
	s.AddReceivingMiddleware(gosdk.Errors(envelope.WithSafeMessage("It broke")))
	forbidden := envelope.New(envelope.CodeForbidden, "Not yours")
	fail := map[string]func() error{
		"file:///missing":   func() error { return envelope.ResourceNotFound("file:///missing", "") },
		"file:///not-found": func() error { return hooktest.NotFound },
		"file:///forbidden": func() error { return forbidden },
		"file:///panic":     func() error { panic("hunter2") },
		"file:///sdk":       func() error { return mcp.ResourceNotFoundError("file:///sdk") },
	}
	for uri, f := range fail {
		s.AddResource(&mcp.Resource{URI: uri, Name: uri}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) { return nil, f() })
	}
	s.AddResource(&mcp.Resource{URI: "file:///fine", Name: "fine"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{Text: "fine"}}}, nil
	})
	missing := envelope.MissingField("topic")
	s.AddPrompt(&mcp.Prompt{Name: "p"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) { return nil, missing })
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
		code int64
		data string
	}{
		"file:///missing":      {-32602, `{"uri":"file:///missing"}`},
		"file:///not-found":    {-32602, `{"uri":"file:///not-found"}`},
		"file:///forbidden":    {-32603, data(forbidden, "file:///forbidden")},
		"file:///panic":        {-32603, data(broken, "file:///panic")},
		"file:///sdk":          {-32602, `{"uri":"file:///sdk"}`},
		"file:///unregistered": {-32602, `{"uri":"file:///unregistered"}`},
	}
	eachWire(t, s, func(t *testing.T, c *client) {
		for uri, w := range want {
			_, err := c.ReadResource(context.Background(), &mcp.ReadResourceParams{URI: uri})
			hooktest.CheckFault(t, uri, err, fault{Code: w.code, Data: w.data})
		}
		if res, err := c.ReadResource(context.Background(), &mcp.ReadResourceParams{URI: "file:///fine"}); err != nil || res.Contents[0].Text != "fine" {
			t.Errorf("a good read: %v", err)
		}
		_, err := c.GetPrompt(context.Background(), &mcp.GetPromptParams{Name: "p"})
		hooktest.CheckFault(t, "prompt", err, fault{Code: -32602, Data: data(missing, "")})
	})
}

func TestToResult(t *testing.T) {
	t.Parallel()
	if res, err := gosdk.ToResult(nil, nil); res != nil || err != nil {
		t.Errorf("no error: %v, %v, want nothing", res, err)
	}
	res, err := gosdk.ToResult(nil, hooktest.NotFound)
	if err != nil || !res.IsError || res.Content[0].(*mcp.TextContent).Text != hooktest.NotFound.Format() {
		t.Errorf("an envelope without a request: %v, %v", res, err)
	}
	if res, err = gosdk.ToResult(nil, goneSoon); err != nil || res.IsError {
		t.Errorf("a warning: %v, %v, want a success", res, err)
	}
	res, err = gosdk.ToResult(nil, envelope.ResourceNotFound("a:b", ""))
	if res != nil {
		t.Errorf("a protocol error has a result: %v", res)
	}
	hooktest.CheckFault(t, "a protocol error", err, fault{Code: -32602, Data: `{"uri":"a:b"}`})
}
