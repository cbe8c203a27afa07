package demo

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
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

func TestHealing(t *testing.T) {
	t.Parallel()
	// The baseline is version 1, as a capture of it would lock it.
	s := &lockfile.Server{Info: map[string]any{"name": "billing", "version": "1.4.0"}}
	for _, tool := range tools[V1] {
		schema, err := canonjson.Decode([]byte(tool.schema))
		if err != nil {
			t.Fatal(err)
		}
		s.SetEntry(lockfile.KindTool, tool.name, lockfile.EntryOf(map[string]any{"description": tool.description, "inputSchema": schema}))
	}
	path := filepath.Join(t.TempDir(), "fusion.lock")
	if _, err := lockfile.WriteFile(path, &lockfile.File{Servers: map[string]*lockfile.Server{"billing": s}}); err != nil {
		t.Fatal(err)
	}
	got, err := Call(context.Background(), V2, Healing(path), StaleTool, StaleArguments)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<field name="currency">`, `<contract_awareness>`, `<change severity="BREAKING" field="/properties/currency">`} {
		if !got.IsError || !strings.Contains(got.Text, want) {
			t.Errorf("answer = %+v, want %s", got, want)
		}
	}
	good, err := Call(context.Background(), V2, Healing(path), StaleTool, `{"id":"2026-0017","currency":"EUR"}`)
	if err != nil || good.IsError || strings.Contains(good.Text, "<") {
		t.Errorf("the next call = %+v, %v", good, err)
	}
	if _, err := NewServer(V2, Healing(path+".missing")); err == nil {
		t.Error("a missing lockfile was taken")
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
