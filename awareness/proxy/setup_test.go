package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/internal/hooktest"
)

// The tools before and after. Version 2 renamed an argument of search and replaced list_all by list.
const (
	searchV1 = `{"name":"search","inputSchema":{"type":"object","properties":{"topic":{"type":"string"},"max":{"type":"integer"}},"required":["topic"],"additionalProperties":false}}`
	searchV2 = `{"name":"search","inputSchema":{"type":"object","properties":{"subject":{"type":"string"},"max":{"type":"integer"}},"required":["subject"],"additionalProperties":false}}`
	listAll  = `{"name":"list_all","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}}}`
	list     = `{"name":"list","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}}}`

	stale = `{"topic":"x","max":3}`
	right = `{"subject":"x"}`
)

func hook(t testing.TB, opts ...awareness.Option) *awareness.Hook {
	t.Helper()
	opts = append([]awareness.Option{awareness.WithMode(awareness.Enrich), awareness.Repeats(false)}, opts...)
	return hooktest.Hook(t, []string{searchV1, listAll}, opts...)
}

func callOf(id, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

func answerOf(id, result string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`
}

func faultOf(id string, code int, message string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, code, message)
}

func toolError(text string) string {
	return fmt.Sprintf(`{"content":[{"type":"text","text":%q}],"isError":true}`, text)
}

func toolsOf(definitions ...string) string {
	return `{"tools":[` + strings.Join(definitions, ",") + `]}`
}

// knowing is a rewriter that has seen a listing.
func knowing(t testing.TB, h *awareness.Hook, definitions ...string) *Rewriter {
	t.Helper()
	r := NewRewriter(h)
	r.ClientMessage([]byte(`{"jsonrpc":"2.0","id":"list","method":"tools/list"}`))
	answer := []byte(answerOf(`"list"`, toolsOf(definitions...)))
	if out, wait := r.ServerMessage(answer); out != nil || wait != nil {
		t.Fatalf("a listing was touched: %s", out)
	}
	return r
}

// exchanged sends a call and its answer through a rewriter that need not ask for anything; nil is "untouched".
func exchanged(t testing.TB, r *Rewriter, call, answer string) []byte {
	t.Helper()
	r.ClientMessage([]byte(call))
	before := []byte(answer)
	out, wait := r.ServerMessage(before)
	if wait != nil {
		t.Fatal("the rewriter wants to ask the server")
	}
	if string(before) != answer {
		t.Fatalf("the message was written to: %s", before)
	}
	return out
}

// A rewritten answer.
type rewritten struct {
	ID     json.RawMessage
	Error  json.RawMessage
	Result struct {
		Content    []struct{ Type, Text string }
		IsError    bool
		ResultType string
		Structured json.RawMessage `json:"structuredContent"`
	}
	texts []string
}

func read(t testing.TB, out []byte) rewritten {
	t.Helper()
	if bytes.ContainsAny(out, "\n\r") {
		t.Errorf("more than one line: %q", out)
	}
	var m rewritten
	if err := json.Unmarshal(out, &m); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if m.Error != nil && string(m.Error) != "null" || !m.Result.IsError {
		t.Errorf("not a tool error: %s", out)
	}
	for _, block := range m.Result.Content {
		m.texts = append(m.texts, block.Text)
	}
	return m
}

// renamed reports whether a text tells of the renamed argument.
func renamed(text string) bool {
	return strings.HasPrefix(text, `<validation_error action="search">`) && strings.Contains(text, "<contract_awareness>") &&
		strings.Contains(text, `use "subject" in its place`) && strings.Contains(text, `right under version "1.0.0"`)
}

func gone(text string) bool {
	return strings.Contains(text, `code="UNKNOWN_ACTION"`) && strings.Contains(text, "<action>list</action>")
}

// listServer answers an Ask with the pages of a server.
func listServer(t testing.TB, asked *[]string, pages ...string) Ask {
	return func(_ context.Context, id string, request []byte) []byte {
		var r struct{ Params struct{ Cursor string } }
		if err := json.Unmarshal(request, &r); err != nil {
			t.Errorf("an own request is not JSON: %v", err)
		}
		*asked = append(*asked, string(request))
		at := 0
		if r.Params.Cursor != "" {
			fmt.Sscan(r.Params.Cursor, &at)
		}
		return []byte(answerOf(fmt.Sprintf("%q", id), pages[at]))
	}
}

// atTime lets a test move the clock of a rewriter.
func atTime(r *Rewriter) (pass func(time.Duration)) {
	now := time.Unix(1_000_000, 0)
	r.catalog.now = func() time.Time { return now }
	return func(d time.Duration) { now = now.Add(d) }
}
