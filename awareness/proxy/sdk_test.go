package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/internal/hooktest"
)

// sdkServer is version 2 of the search server, made with the official SDK. Its answers come after two progress messages.
func sdkServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "search", Version: "2.0.0"}, nil)
	for _, definition := range []string{searchV2, list} {
		var t struct {
			Name        string
			InputSchema json.RawMessage
		}
		if err := json.Unmarshal([]byte(definition), &t); err != nil {
			panic(err)
		}
		mcp.AddTool(s, &mcp.Tool{Name: t.Name, InputSchema: t.InputSchema}, func(ctx context.Context, r *mcp.CallToolRequest, in map[string]any) (*mcp.CallToolResult, any, error) {
			if token := r.Params.GetProgressToken(); token != nil {
				for i := range 2 {
					r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(i + 1)})
				}
			}
			if in["subject"] == "boom" {
				return nil, nil, fmt.Errorf("disk full")
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "found <é & 🙂>"}}}, nil, nil
		})
	}
	return s
}

// Servers of the official SDK in both eras, in both forms of answers, stateful and not, with clients that list and that do
// not: what is not a failed call is the same with and without the proxy.
func TestSDKServers(t *testing.T) {
	t.Parallel()
	for _, era := range []struct {
		version string
		options mcp.StreamableHTTPOptions
	}{
		{"2025-11-25", mcp.StreamableHTTPOptions{}},
		{"2025-11-25", mcp.StreamableHTTPOptions{JSONResponse: true}},
		{"2026-07-28", mcp.StreamableHTTPOptions{Stateless: true}},
		{"2026-07-28", mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}},
	} {
		for _, lists := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, JSON %v, lists %v", era.version, era.options.JSONResponse, lists), func(t *testing.T) {
				t.Parallel()
				s := sdkServer()
				web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &era.options))
				defer web.Close()
				h := hook(t)
				proxy := inFront(t, web.URL, h, HTTPOptions{})
				direct, through := talkTo(t, web.URL, era.version, lists), talkTo(t, proxy.URL, era.version, lists)
				for i := range direct.calls {
					if i >= 2 && !cmp.Equal(direct.calls[i], through.calls[i]) {
						t.Errorf("call %d: %s", i, cmp.Diff(direct.calls[i], through.calls[i]))
					}
				}
				if !era.options.JSONResponse && direct.progress != 6 {
					t.Errorf("%d progress messages without the proxy, want 6", direct.progress)
				}
				if direct.tools != through.tools || direct.progress != through.progress {
					t.Errorf("%d tools, %d progress messages; want %d, %d", through.tools, through.progress, direct.tools, direct.progress)
				}
				if !renamed(through.calls[0]) {
					t.Errorf("a stale call: %s", through.calls[0])
				}
				if !gone(through.calls[1]) {
					t.Errorf("a tool that is gone: %s", through.calls[1])
				}
				if c := h.Counts(); c.Enriched != 2 || c.Stale != 2 || c.FailedOpen != 0 {
					t.Errorf("counts %+v", c)
				}
			})
		}
	}
}

type talked struct {
	calls           []string // the first text of each answer, or its error
	tools, progress int
}

func talkTo(t *testing.T, address, version string, lists bool) (said talked) {
	t.Helper()
	var progress atomic.Int32
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { progress.Add(1) },
	})
	transport := &mcp.StreamableClientTransport{Endpoint: address, DisableStandaloneSSE: true, MaxRetries: -1}
	session, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if got := session.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("negotiated %s, want %s", got, version)
	}
	if lists {
		tools, err := session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		said.tools = len(tools.Tools)
	}
	for _, call := range [][2]string{
		{"search", stale}, {"list_all", `{}`}, // these two are explained
		{"search", right}, {"search", `{"subject":"boom"}`}, {"nope", `{}`}, {"list", `{"q":"x"}`},
	} {
		params := &mcp.CallToolParams{Name: call[0], Arguments: json.RawMessage(call[1])}
		params.SetProgressToken("p")
		result, err := session.CallTool(t.Context(), params)
		if err != nil {
			said.calls = append(said.calls, "error: "+err.Error())
			continue
		}
		var text []string
		for _, block := range result.Content {
			text = append(text, block.(*mcp.TextContent).Text)
		}
		said.calls = append(said.calls, strings.Join(text, "|"))
	}
	for range 100 { // the client hands them on beside the answers
		if said.progress = int(progress.Load()); said.progress >= 6 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return said
}

// The SDK refuses a request of the new era that lacks a field of the protocol with the code of bad arguments.
func TestSDKMissingMeta(t *testing.T) {
	t.Parallel()
	s := sdkServer()
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true}))
	defer web.Close()
	proxy := inFront(t, web.URL, hook(t), HTTPOptions{})
	header := []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "search"}
	status, want, _ := post(t, web.URL, modern, header...)
	if status != 400 || !strings.Contains(want, "-32602") {
		t.Fatalf("not the SDK this was written for: %d %s", status, want)
	}
	if status, got, _ := post(t, proxy.URL, modern, header...); status != 400 || got != want {
		t.Errorf("%d %s, want 400 %s", status, got, want)
	}
}

// The new era on the wire, with the client that speaks it best.
func TestRealClientsInTheNewEra(t *testing.T) {
	t.Parallel()
	s := sdkServer()
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true}))
	defer web.Close()
	h := hook(t, awareness.Repeats(true))
	proxy := inFront(t, web.URL, h, HTTPOptions{})
	arrived := npm.Run(t, hooktest.Plan{Client: "v2", Era: hooktest.Since, URL: proxy.URL, Steps: []hooktest.Step{
		{Call: "search", Arguments: json.RawMessage(stale)}, {Call: "search", Arguments: json.RawMessage(stale)},
		{Call: "search", Arguments: json.RawMessage(right)}, {Call: "list_all"},
	}})
	for i, want := range []string{"<contract_awareness>", "failed before", "found <é & 🙂>", "UNKNOWN_ACTION"} {
		if r := arrived[i].Result; r == nil || r.IsError != (i != 2) || !strings.Contains(r.Content[0].Text, want) {
			t.Errorf("call %d: %+v", i, arrived[i])
		}
	}
}
