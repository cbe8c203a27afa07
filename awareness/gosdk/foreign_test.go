package gosdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/awareness/gosdk"
	"github.com/fusionctl/fusionctl/internal/hooktest"
	"github.com/fusionctl/fusionctl/internal/hooktest/foreign"
)

// Text from elsewhere stays in its place (reports S02, S04, S06) on the wire of this SDK: contracts, arguments and errors of
// handlers, in both modes that answer.
func TestForeignText(t *testing.T) {
	t.Parallel()
	for i, text := range foreign.Texts() {
		before, now := text.Before(), text.Now()
		if !text.Legal {
			before, now = foreign.Texts()[2].Before(), foreign.Texts()[2].Now()
		}
		mode := []awareness.Mode{awareness.Enforce, awareness.Enrich}[i%2]
		s := mcp.NewServer(&mcp.Implementation{Name: text.String(), Version: text.String()}, nil)
		said := text.String()
		for _, d := range now {
			s.AddTool(define(d), func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: said}}}, nil
			})
		}
		if _, err := gosdk.Install(s, hooktest.Baseline(before...), awareness.WithMode(mode), awareness.Undeclared(true)); err != nil {
			t.Fatal(err)
		}
		c := connect(t, s, wires[i/2%3]) // the names cannot be headers, which the new era wants over HTTP
		shown := 0
		for _, d := range append(now, before[1]) {
			for _, arguments := range text.Calls()[:4] {
				texts, res, err := c.Try(define(d).Name, json.RawMessage(arguments))
				if err != nil || !res.IsError {
					t.Fatalf("%s: %q, %v", text.Name, texts, err)
				}
				shown += hooktest.CheckForeign(t, text.Name+", "+mode.String(), texts, said)
			}
		}
		if shown < 4 && !(mode == awareness.Enrich && awareness.IsEnvelope(said)) {
			t.Errorf("%s, %v: %d envelopes, want more: the test shows nothing", text.Name, mode, shown)
		}
	}
}

// Errors of handlers and warnings of theirs hold text from elsewhere, too.
func TestForeignErrors(t *testing.T) {
	t.Parallel()
	for i, text := range foreign.Texts() {
		s := mcp.NewServer(&mcp.Implementation{Name: "hotels", Version: "2"}, nil)
		s.AddReceivingMiddleware(gosdk.Errors())
		s.AddTool(define(hooktest.Same), func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return nil, errors.New(text.String())
		})
		s.AddResource(&mcp.Resource{Name: "r", URI: "file:///r"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return nil, errors.New(text.String())
		})
		c := connect(t, s, wires[i%len(wires)])
		texts, res := c.Call(t, "same", args{"n": 1})
		if len(texts) != 1 || !res.IsError {
			t.Fatalf("%s: %q", text.Name, texts)
		}
		foreign.Envelope(t, text.Name, texts[0], "message")
		_, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "file:///r"})
		var fault *jsonrpc.Error
		var data struct{ Envelope string }
		if !errors.As(err, &fault) || json.Unmarshal(fault.Data, &data) != nil {
			t.Fatalf("%s: %v", text.Name, err)
		}
		foreign.Line(t, text.Name+", protocol error", fault.Message, 1000)
		foreign.Envelope(t, text.Name+", protocol error", data.Envelope, "message")
	}
}
