package gosdk_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/awareness/gosdk"
	"github.com/fusionctl/fusionctl/internal/hooktest"
)

// Tools come, go and change while calls run. A call that is right under each version of its tool always succeeds, and whatever
// else happens is an answer in one of the two known forms. This is a test for the race detector above all.
func TestToolsReplacedDuringCalls(t *testing.T) {
	t.Parallel()
	h := newHotels(nil)
	h.addTyped(hooktest.BookV2)
	h.addTyped(hooktest.Same)
	install(t, h)
	stop := make(chan struct{})
	var background sync.WaitGroup
	background.Go(func() { hooktest.Churn(stop, h.addTyped, func(name string) { h.RemoveTools(name) }) })
	var callers sync.WaitGroup
	for _, w := range wires {
		c := connect(t, h.Server, w)
		for range 2 {
			callers.Go(func() {
				for i := range 60 {
					texts, res, err := c.Try("same", args{"n": i})
					if err != nil || res.IsError {
						t.Errorf("%s: a good call: %q, %v", w.Name, texts, err)
					}
					texts, res, err = c.Try("book", args{"city": "Rome", "days": i + 1})
					if err != nil || res.IsError && !strings.HasPrefix(texts[0], "<validation_error") &&
						!strings.HasPrefix(texts[0], `validating "arguments": `) { // by a tool that was replaced before it could be explained
						t.Errorf("%s: a stale call: %q, %v", w.Name, texts, err)
					}
					if _, _, err := c.Try("search", args{"query": "x"}); err != nil && !strings.Contains(err.Error(), "unknown tool") {
						t.Errorf("%s: a tool that comes and goes: %v", w.Name, err)
					}
				}
			})
		}
	}
	callers.Wait()
	close(stop)
	background.Wait()
}

// direct calls the middleware without transport.
func direct(t testing.TB, mode awareness.Mode, definitions ...string) (with, without mcp.MethodHandler, calls *int) {
	t.Helper()
	hook, err := awareness.New(hooktest.Baseline(hooktest.BookV1, hooktest.Same), awareness.WithMode(mode))
	if err != nil {
		t.Fatal(err)
	}
	result := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}
	list := &mcp.ListToolsResult{}
	for _, d := range definitions {
		list.Tools = append(list.Tools, define(d))
	}
	calls = new(int)
	without = func(_ context.Context, method string, _ mcp.Request) (mcp.Result, error) {
		if method == "tools/list" {
			*calls++
			return list, nil
		}
		return result, nil
	}
	return gosdk.Middleware(hook)(without), without, calls
}

func request(name, arguments string) *mcp.CallToolRequest {
	return &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: name, Arguments: json.RawMessage(arguments)}}
}

func TestGoodCallAllocates(t *testing.T) {
	ctx := context.Background()
	measure := func(h mcp.MethodHandler, r mcp.Request) float64 {
		return testing.AllocsPerRun(200, func() {
			if _, err := h(ctx, "tools/call", r); err != nil {
				t.Fatal(err)
			}
		})
	}
	good := request("book", `{"city":"Rome","nights":2}`)
	for _, mode := range []awareness.Mode{awareness.Enrich, awareness.Observe} {
		with, _, lists := direct(t, mode, hooktest.BookV2)
		if n := measure(with, good); n != 0 || *lists != 0 {
			t.Errorf("%v: %v allocations and %d lists for good calls, want none", mode, n, *lists)
		}
	}

	// In mode Enforce a good call costs what the validation itself costs, whether the tool changed or not.
	with, _, lists := direct(t, awareness.Enforce, hooktest.BookV2, hooktest.Same)
	hook, err := awareness.New(hooktest.Baseline(hooktest.BookV1))
	if err != nil {
		t.Fatal(err)
	}
	tool, err := hook.Learn([]byte(hooktest.BookV2))
	if err != nil {
		t.Fatal(err)
	}
	validation := testing.AllocsPerRun(200, func() { hook.Check(awareness.Call{Tool: tool, Arguments: good.Params.Arguments}) })
	if n := measure(with, good); n > validation || *lists != 1 {
		t.Errorf("enforce: %v allocations and %d lists, want the validation's %v and one list", n, *lists, validation)
	}
}

func BenchmarkGoodCall(b *testing.B) {
	for _, mode := range []awareness.Mode{awareness.Enforce, awareness.Enrich} {
		b.Run(mode.String(), func(b *testing.B) {
			with, _, _ := direct(b, mode, hooktest.BookV2, hooktest.Same)
			r := request("book", `{"city":"Rome","nights":2}`)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := with(context.Background(), "tools/call", r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkStaleCall(b *testing.B) {
	with, _, _ := direct(b, awareness.Enforce, hooktest.BookV2, hooktest.Same)
	r := request("book", `{"city":"Rome","days":2}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := with(context.Background(), "tools/call", r); err != nil {
			b.Fatal(err)
		}
	}
}
