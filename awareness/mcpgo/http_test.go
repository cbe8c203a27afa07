package mcpgo_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/fusionctl/fusionctl/awareness/mcpgo"
	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/hooktest"
)

// post sends one message and returns status, content type and body.
func post(t *testing.T, h http.Handler, era, method, name, params string) (status int, kind, body string) {
	t.Helper()
	meta := ""
	if era == hooktest.Since {
		meta = fmt.Sprintf(`,"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`, era)
	}
	message := fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":{%s%s}}`, method, params, meta)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(message))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", era)
	if era == hooktest.Since {
		r.Header.Set("Mcp-Method", method)
		r.Header.Set("Mcp-Name", name)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	data, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Result().StatusCode, w.Result().Header.Get("Content-Type"), string(data)
}

// The status follows the corrected answer in the new era, and is 200 in the former.
func TestStatusOfCorrectedAnswers(t *testing.T) {
	h := newHotels()
	install(t, h)
	mcpgo.InstallErrors(h.MCPServer)
	for code, name := range map[int]string{-32601: "method", -32602: "params", -32050: "own"} {
		h.AddTool(mcp.NewTool(name), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return nil, &envelope.ProtocolError{Code: code, Message: "m", Data: 1}
		})
	}
	handler := mcpgo.Handler(server.NewStreamableHTTPServer(h.MCPServer, server.WithStateLess(true)))
	for tool, want := range map[string]struct {
		status int // in the new era
		part   string
	}{
		"method": {http.StatusNotFound, `"error":{"code":-32601,"message":"m","data":1}`},
		"params": {http.StatusBadRequest, `"error":{"code":-32602,"message":"m","data":1}`},
		"own":    {http.StatusOK, `"error":{"code":-32050,"message":"m","data":1}`},
		"find":   {http.StatusOK, "UNKNOWN_ACTION"},
	} {
		for _, era := range []string{hooktest.Before, hooktest.Since} {
			status, kind, body := post(t, handler, era, "tools/call", tool, fmt.Sprintf(`"name":%q,"arguments":{}`, tool))
			expected := http.StatusOK
			if era == hooktest.Since {
				expected = want.status
			}
			if status != expected || kind != "application/json" || !strings.Contains(body, want.part) || !strings.Contains(body, `"id":7`) {
				t.Errorf("%s, %s: status %d, %s, %s, want %d and %s", tool, era, status, kind, body, expected, want.part)
			}
			if complete := strings.Contains(body, `"resultType":"complete"`); tool == "find" && complete != (era == hooktest.Since) {
				t.Errorf("%s, %s: %s, want resultType exactly in the new era", tool, era, body)
			}
		}
	}
}

// A notification before the answer turns it into an event stream; only the event of the answer is corrected.
func TestEventStream(t *testing.T) {
	s := server.NewMCPServer("events", "1")
	mcpgo.InstallErrors(s)
	s.AddTool(mcp.NewTool("t"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if err := s.SendNotificationToClient(ctx, "notifications/progress", map[string]any{"progress": 1, "progressToken": "p"}); err != nil {
			t.Errorf("notifying: %v", err)
		}
		return nil, &envelope.ProtocolError{Code: -32602, Message: "m", Data: map[string]any{"uri": "a"}}
	})
	handler := mcpgo.Handler(server.NewStreamableHTTPServer(s, server.WithStateLess(true)))
	call := func() (int, string, string) {
		return post(t, handler, hooktest.Before, "tools/call", "t", `"name":"t","arguments":{}`)
	}
	status, kind, body := call()
	for range 100 {
		if strings.Contains(body, "notifications/progress") {
			break
		}
		status, kind, body = call() // the SDK drops a notification that comes right before the answer
	}
	const want = "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32602,\"message\":\"m\",\"data\":{\"uri\":\"a\"}}}\n\n"
	if status != http.StatusOK || kind != "text/event-stream" || !strings.HasSuffix(body, want) || !strings.Contains(body, "notifications/progress") {
		t.Errorf("status %d, %s\n%s\nwant a notification and\n%s", status, kind, body, want)
	}
}
