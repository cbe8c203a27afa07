package mcpgo_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/awareness/gosdk"
	"github.com/fusionctl/fusionctl/awareness/mcpgo"
	"github.com/fusionctl/fusionctl/envelope"
)

// serveEnv makes the test binary a server, so that a client can start it.
const serveEnv = "FUSIONCTL_TEST_SERVE"

func TestMain(m *testing.M) {
	switch os.Getenv(serveEnv) {
	case "":
		code := m.Run()
		if npm.dir != "" {
			os.RemoveAll(npm.dir)
		}
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
	"error":      notFound,
	"critical":   notFound.Critical().RetryAfter(90 * time.Second),
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

type npmStep struct {
	Call      string `json:"call,omitempty"`
	Arguments any    `json:"arguments,omitempty"`
	Read      string `json:"read,omitempty"`
}

type npmPlan struct {
	Client  string            `json:"client"` // v1: @modelcontextprotocol/sdk, v2: @modelcontextprotocol/client
	Era     string            `json:"era"`    // legacy, or a revision
	Command string            `json:"command,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	URL     string            `json:"url,omitempty"`
	Steps   []npmStep         `json:"steps"`
}

type npmArrived struct {
	Result *struct {
		Content []struct{ Type, Text string }
		IsError bool
	}
	Error *struct {
		Code    int
		Message string
		Data    any
	}
}

var npm struct {
	once sync.Once
	dir  string
	err  error
}

// npmDir is a folder with the official TypeScript clients, installed once for all tests.
func npmDir(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped: -short, and this test installs npm packages")
	}
	for _, program := range []string{"npm", "node"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("skipped: no npm")
		}
	}
	npm.once.Do(func() {
		if npm.dir, npm.err = os.MkdirTemp("", "fusionctl-npm"); npm.err != nil {
			return
		}
		if npm.err = os.WriteFile(filepath.Join(npm.dir, "package.json"), []byte(`{"private":true}`), 0o600); npm.err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		install := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "@modelcontextprotocol/sdk@1.32.2", "@modelcontextprotocol/client@2.4.0")
		install.Dir = npm.dir
		if out, err := install.CombinedOutput(); err != nil {
			npm.err = fmt.Errorf("npm install: %w\n%s", err, out)
			return
		}
		var script []byte
		if script, npm.err = os.ReadFile("testdata/client.mjs"); npm.err == nil {
			npm.err = os.WriteFile(filepath.Join(npm.dir, "client.mjs"), script, 0o600)
		}
	})
	if npm.err != nil {
		t.Fatal(npm.err)
	}
	return npm.dir
}

func runNPM(t *testing.T, plan npmPlan) []npmArrived {
	t.Helper()
	dir := npmDir(t)
	input, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "client.mjs")
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("client: %v\n%s", err, &stderr)
	}
	var arrived []npmArrived
	if err := json.Unmarshal(out, &arrived); err != nil || len(arrived) != len(plan.Steps) {
		t.Fatalf("%d answers, want %d: %v\n%s", len(arrived), len(plan.Steps), err, out)
	}
	return arrived
}

// eachNPM runs steps with each official client in each era over each transport against both example servers.
func eachNPM(t *testing.T, servers map[string]http.Handler, steps []npmStep, check func(t *testing.T, arrived []npmArrived)) {
	npmDir(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, handler := range servers {
		web := httptest.NewServer(handler)
		t.Cleanup(web.Close)
		for _, c := range []npmPlan{{Client: "v1", Era: "legacy"}, {Client: "v2", Era: "legacy"}, {Client: "v2", Era: since}} {
			c.Steps = steps
			overStdio, overHTTP := c, c
			overStdio.Command, overStdio.Env = program, map[string]string{serveEnv: name}
			overHTTP.URL = web.URL
			for transport, plan := range map[string]npmPlan{"stdio": overStdio, "http": overHTTP} {
				t.Run(fmt.Sprintf("%s, %s, %s, %s", name, c.Client, c.Era, transport), func(t *testing.T) {
					check(t, runNPM(t, plan))
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
	var steps []npmStep
	for name := range built {
		steps = append(steps, npmStep{Call: name})
	}
	steps = append(steps, npmStep{Read: missingURI}, npmStep{Read: "file:///unregistered"})
	eachNPM(t, servers, steps, func(t *testing.T, arrived []npmArrived) {
		for i, step := range steps {
			got := arrived[i]
			if step.Read != "" {
				checkNPMFault(t, step.Read, got, -32602, "esource not found", map[string]any{"uri": step.Read})
				continue
			}
			var want []string
			isError := false
			switch own := envelope.From(built[step.Call]).(type) {
			case nil:
				want = []string{"fine"}
			case *envelope.ProtocolError:
				checkNPMFault(t, step.Call, got, own.Code, own.Message, own.Data)
				continue
			case envelope.Envelope:
				if isError = own.IsError(); !isError {
					want = []string{"fine"}
				}
				want = append(want, own.Format())
			}
			checkNPMTexts(t, step.Call, got, want, isError)
		}
	})
}

func hookedSDKServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "hotels", Version: "2"}, nil)
	for _, d := range []string{bookV2, findV2, sameV1} {
		tool := new(sdk.Tool)
		if err := json.Unmarshal([]byte(d), tool); err != nil {
			panic(err)
		}
		s.AddTool(tool, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "done"}}}, nil
		})
	}
	if _, err := gosdk.Install(s, mustBaseline(bookV1, findV1, sameV1)); err != nil {
		panic(err)
	}
	return s
}

func hookedServer() *server.MCPServer {
	h := newHotels()
	if _, err := mcpgo.Install(h.MCPServer, mustBaseline(bookV1, findV1, sameV1)); err != nil {
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
	steps := []npmStep{
		{Call: "book", Arguments: args{"city": "Rome", "days": 2}},
		{Call: "book", Arguments: args{"city": "Rome", "nights": 2}},
		{Call: "find", Arguments: args{"query": "x"}},
		{Call: "never_was"},
	}
	eachNPM(t, servers, steps, func(t *testing.T, arrived []npmArrived) {
		for i, code := range map[int]envelope.Code{0: envelope.CodeValidationError, 2: envelope.CodeUnknownAction} {
			got := arrived[i].Result
			if got == nil || !got.IsError || len(got.Content) != 1 {
				t.Errorf("%v: %+v, want an error with one text", steps[i], arrived[i])
				continue
			}
			e := parse(t, got.Content[0].Text)
			if e.Code() != code || e.Awareness() == nil || len(e.Awareness().Changes) == 0 {
				t.Errorf("%v: %s, want %s and what changed", steps[i], got.Content[0].Text, code)
			}
		}
		checkNPMTexts(t, "the right call", arrived[1], []string{"done"}, false)
		if fault := arrived[3].Error; fault == nil || fault.Code != -32602 {
			t.Errorf("a tool that never was: %+v", arrived[3])
		}
	})
}

func checkNPMTexts(t *testing.T, what string, got npmArrived, want []string, isError bool) {
	t.Helper()
	if got.Result == nil {
		t.Errorf("%s: %+v, want a result", what, got.Error)
		return
	}
	var texts []string
	for _, block := range got.Result.Content {
		texts = append(texts, block.Text)
	}
	if diff := cmp.Diff(want, texts); diff != "" || got.Result.IsError != isError {
		t.Errorf("%s: isError %v, want %v (-want +got):\n%s", what, got.Result.IsError, isError, diff)
	}
}

func checkNPMFault(t *testing.T, what string, got npmArrived, code int, message string, data any) {
	t.Helper()
	if got.Error == nil {
		t.Errorf("%s: a result, want a JSON-RPC error", what)
		return
	}
	if got.Error.Code != code || !strings.Contains(got.Error.Message, message) || !cmp.Equal(got.Error.Data, data) {
		t.Errorf("%s: %+v, want code %d, message %q, data %v", what, *got.Error, code, message, data)
	}
}

// stateless serves both eras: without sessions the SDK can speak the new one over HTTP.
func stateless(s *sdk.Server) http.Handler {
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{Stateless: true})
}
