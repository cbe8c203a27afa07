package mcpgo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/awareness/gosdk"
	"github.com/fusionctl/fusionctl/awareness/mcpgo"
	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/hooktest"
)

// serveEnv makes the test binary a server, so that a client can start it.
const serveEnv = "FUSIONCTL_TEST_SERVE"

func TestMain(m *testing.M) {
	switch os.Getenv(serveEnv) {
	case "":
		code := m.Run()
		npm.Remove()
		os.Exit(code)
	case "gosdk":
		exitWith(exampleSDKServer().Run(context.Background(), &sdk.StdioTransport{}))
	case "mcpgo":
		exitWith(mcpgo.ServeStdio(exampleServer()))
	case "gosdk hook":
		exitWith(hookedSDKServer().Run(context.Background(), &sdk.StdioTransport{}))
	case "mcpgo hook":
		exitWith(mcpgo.ServeStdio(hookedServer()))
	}
}

func exitWith(err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// built are the tools of the two example servers: what their handlers return.
var built = map[string]error{
	"error":      hooktest.NotFound,
	"critical":   hooktest.NotFound.Critical().RetryAfter(90 * time.Second),
	"warning":    goneSoon,
	"xml":        envelope.New("MY_CODE", `a < b && c > "d" 'e'`+"\u2028\u00e9\U0001F600").Details(map[string]any{"k<": "v&", "list": []int{1}}),
	"validation": envelope.Validation("t", envelope.Issue{Path: "/days", Keyword: "minimum", Expected: 1, Received: 0, Sent: true}),
	"plain":      errors.New("disk full"),
	"protocol":   &envelope.ProtocolError{Code: -32050, Message: "no quota", Data: map[string]any{"left": 0.0}},
	"good":       nil,
}

const missingURI = "file:///missing"

func exampleSDKServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "example", Version: "1"}, nil)
	s.AddReceivingMiddleware(gosdk.Errors())
	for name, err := range built {
		sdk.AddTool(s, &sdk.Tool{Name: name}, gosdk.Tool(func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "fine"}}}, nil, err
		}))
	}
	s.AddResource(&sdk.Resource{URI: missingURI, Name: "missing"}, func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return nil, envelope.ResourceNotFound(r.Params.URI, "")
	})
	return s
}

func exampleServer() *server.MCPServer {
	s := server.NewMCPServer("example", "1")
	mcpgo.InstallErrors(s)
	for name, err := range built {
		s.AddTool(mcp.NewTool(name), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if err == nil || name == "warning" {
				return mcp.NewToolResultText("fine"), err
			}
			return nil, err
		})
	}
	s.AddResource(mcp.NewResource(missingURI, "missing"), func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return nil, envelope.ResourceNotFound(r.Params.URI, "")
	})
	return s
}

var npm hooktest.NPM

// eachNPM runs steps with each official client in each era over each transport against both example servers.
func eachNPM(t *testing.T, servers map[string]http.Handler, steps []hooktest.Step, check func(t *testing.T, arrived []hooktest.Arrived)) {
	npm.Dir(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, handler := range servers {
		web := httptest.NewServer(handler)
		t.Cleanup(web.Close)
		for _, c := range hooktest.Plans() {
			c.Steps = steps
			overStdio, overHTTP := c, c
			overStdio.Command, overStdio.Env = program, map[string]string{serveEnv: name}
			overHTTP.URL = web.URL
			for transport, plan := range map[string]hooktest.Plan{"stdio": overStdio, "http": overHTTP} {
				t.Run(fmt.Sprintf("%s, %s, %s, %s", name, c.Client, c.Era, transport), func(t *testing.T) {
					check(t, npm.Run(t, plan))
				})
			}
		}
	}
}

// The claim of the whole package: what a real client gets is what the handler built.
func TestRealClients(t *testing.T) {
	servers := map[string]http.Handler{
		"gosdk": stateless(exampleSDKServer()),
		"mcpgo": mcpgo.Handler(server.NewStreamableHTTPServer(exampleServer())),
	}
	var steps []hooktest.Step
	for name := range built {
		steps = append(steps, hooktest.Step{Call: name})
	}
	steps = append(steps, hooktest.Step{Read: missingURI}, hooktest.Step{Read: "file:///unregistered"})
	eachNPM(t, servers, steps, func(t *testing.T, arrived []hooktest.Arrived) {
		for i, step := range steps {
			got := arrived[i]
			if step.Read != "" {
				got.CheckFault(t, step.Read, -32602, "esource not found", map[string]any{"uri": step.Read})
				continue
			}
			var want []string
			isError := false
			switch own := envelope.From(built[step.Call]).(type) {
			case nil:
				want = []string{"fine"}
			case *envelope.ProtocolError:
				got.CheckFault(t, step.Call, own.Code, own.Message, own.Data)
				continue
			case envelope.Envelope:
				if isError = own.IsError(); !isError {
					want = []string{"fine"}
				}
				want = append(want, own.Format())
			}
			got.CheckTexts(t, step.Call, want, isError)
		}
	})
}

func hookedSDKServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "hotels", Version: "2"}, nil)
	for _, d := range hooktest.V2() {
		tool := new(sdk.Tool)
		if err := json.Unmarshal([]byte(d), tool); err != nil {
			panic(err)
		}
		s.AddTool(tool, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "done"}}}, nil
		})
	}
	if _, err := gosdk.Install(s, hooktest.Baseline(hooktest.V1()...)); err != nil {
		panic(err)
	}
	return s
}

func hookedServer() *server.MCPServer {
	h := newHotels()
	if _, err := mcpgo.Install(h.MCPServer, hooktest.Baseline(hooktest.V1()...)); err != nil {
		panic(err)
	}
	return h.MCPServer
}

// The hook with real clients: the envelope arrives, and a good call is what it was.
func TestRealClientsAreHealed(t *testing.T) {
	servers := map[string]http.Handler{
		"gosdk hook": stateless(hookedSDKServer()),
		"mcpgo hook": mcpgo.Handler(server.NewStreamableHTTPServer(hookedServer())),
	}
	steps := []hooktest.Step{
		{Call: "book", Arguments: args{"city": "Rome", "days": 2}},
		{Call: "book", Arguments: args{"city": "Rome", "nights": 2}},
		{Call: "find", Arguments: args{"query": "x"}},
		{Call: "never_was"},
	}
	eachNPM(t, servers, steps, func(t *testing.T, arrived []hooktest.Arrived) {
		for i, code := range map[int]envelope.Code{0: envelope.CodeValidationError, 2: envelope.CodeUnknownAction} {
			got := arrived[i].Result
			if got == nil || !got.IsError || len(got.Content) != 1 {
				t.Errorf("%v: %+v, want an error with one text", steps[i], arrived[i])
				continue
			}
			e := hooktest.Parse(t, got.Content[0].Text)
			if e.Code() != code || e.Awareness() == nil || len(e.Awareness().Changes) == 0 {
				t.Errorf("%v: %s, want %s and what changed", steps[i], got.Content[0].Text, code)
			}
		}
		arrived[1].CheckTexts(t, "the right call", []string{"done"}, false)
		if fault := arrived[3].Error; fault == nil || fault.Code != -32602 {
			t.Errorf("a tool that never was: %+v", arrived[3])
		}
	})
}

// stateless serves both eras: without sessions the SDK can speak the new one over HTTP.
func stateless(s *sdk.Server) http.Handler {
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{Stateless: true})
}
