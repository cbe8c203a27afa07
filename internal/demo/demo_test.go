package demo

import (
	"context"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestStaleCall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		version Version
		refused bool
		text    string
	}{
		{V1, false, "invoice 2026-0017"},
		{V2, true, "currency"},
	} {
		got, err := Call(context.Background(), c.version, nil, StaleTool, StaleArguments)
		if err != nil {
			t.Fatalf("Call(%s) = %v", c.version, err)
		}
		if got.IsError != c.refused || !strings.Contains(got.Text, c.text) {
			t.Errorf("Call(%s) = %+v, want refused %v and %q", c.version, got, c.refused, c.text)
		}
	}
}

func TestWrapperRuns(t *testing.T) {
	t.Parallel()
	healed := func(s *mcp.Server) error {
		s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
			return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
				result, err := next(ctx, method, req)
				if r, ok := result.(*mcp.CallToolResult); ok && r.IsError {
					r.Content = []mcp.Content{&mcp.TextContent{Text: "healed"}}
				}
				return result, err
			}
		})
		return nil
	}
	got, err := Call(context.Background(), V2, healed, StaleTool, StaleArguments)
	if err != nil || got.Text != "healed" {
		t.Errorf("Call = %+v, %v", got, err)
	}
}

func TestUnknownVersion(t *testing.T) {
	t.Parallel()
	if _, err := ParseVersion("v3"); err == nil {
		t.Error("ParseVersion(v3) succeeded")
	}
	if _, err := NewServer("v3", nil); err == nil {
		t.Error("NewServer(v3) succeeded")
	}
}
