package proxy

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/awareness"
	sdkhook "github.com/fusionctl/fusionctl/awareness/gosdk"
	mcpgohook "github.com/fusionctl/fusionctl/awareness/mcpgo"
	"github.com/fusionctl/fusionctl/internal/hooktest"
)

// A door is one place where the hook lives. It serves the tools of the live contract, whose handlers take everything and say
// "done"; what the SDKs' own validation says is tested elsewhere.
type door struct {
	name string
	open func(t *testing.T, base, live []string, w hooktest.Wire, opts ...awareness.Option) *opened
}

// opened is a door with a client before it.
type opened struct {
	*hooktest.Client
	hook *awareness.Hook
	add  func(definition string) // nil where the server is another process
}

var doors = []door{{"gosdk", throughSDK}, {"mcpgo", throughMCPGo}, {"proxy", throughProxy}}

// eachDoor runs a test at each door, over each wire.
func eachDoor(t *testing.T, base, live []string, opts []awareness.Option, f func(t *testing.T, o *opened)) {
	t.Helper()
	for _, d := range doors {
		for _, w := range hooktest.Wires {
			t.Run(d.name+", "+w.Name, func(t *testing.T) { f(t, d.open(t, base, live, w, opts...)) })
		}
	}
}

// rawTool is a definition with its schema as it is written, numbers and all.
type rawTool struct {
	Name, Description string
	InputSchema       json.RawMessage
}

func parseTool(definition string) (tool rawTool) {
	if err := json.Unmarshal([]byte(definition), &tool); err != nil {
		panic(err)
	}
	return tool
}

func sdkServes(live []string) (s *mcp.Server, add func(definition string)) {
	s = mcp.NewServer(&mcp.Implementation{Name: "hotels", Version: "2"}, nil)
	add = func(definition string) {
		tool := parseTool(definition)
		s.AddTool(&mcp.Tool{Name: tool.Name, Description: tool.Description, InputSchema: tool.InputSchema}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil
		})
	}
	for _, d := range live {
		add(d)
	}
	return s, add
}

// sdkHandler serves over HTTP. A server without sessions speaks the new era.
func sdkHandler(s *mcp.Server, version string) http.Handler {
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: version == hooktest.Since})
}

func throughSDK(t *testing.T, base, live []string, w hooktest.Wire, opts ...awareness.Option) *opened {
	t.Helper()
	s, add := sdkServes(live)
	o := &opened{add: add}
	var err error
	if o.hook, err = sdkhook.Install(s, hooktest.Baseline(base...), opts...); err != nil {
		t.Fatal(err)
	}
	if w.HTTP {
		web := httptest.NewServer(sdkHandler(s, w.Version))
		t.Cleanup(web.Close)
		o.Client = hooktest.Connect(t, hooktest.OverHTTP(web.URL), w.Version)
		return o
	}
	theirs, ours := mcp.NewInMemoryTransports()
	session, err := s.Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	o.Client = hooktest.Connect(t, ours, w.Version)
	return o
}

func throughMCPGo(t *testing.T, base, live []string, w hooktest.Wire, opts ...awareness.Option) *opened {
	t.Helper()
	o := &opened{}
	s := server.NewMCPServer("hotels", "2")
	o.add = func(definition string) {
		tool := parseTool(definition)
		s.AddTool(mcpgo.NewToolWithRawSchema(tool.Name, tool.Description, tool.InputSchema), func(context.Context, mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
			return mcpgo.NewToolResultText("done"), nil
		})
	}
	for _, d := range live {
		o.add(d)
	}
	var err error
	if o.hook, err = mcpgohook.Install(s, hooktest.Baseline(base...), opts...); err != nil {
		t.Fatal(err)
	}
	if w.HTTP {
		web := httptest.NewServer(mcpgohook.Handler(server.NewStreamableHTTPServer(s)))
		t.Cleanup(web.Close)
		o.Client = hooktest.Connect(t, hooktest.OverHTTP(web.URL), w.Version)
		return o
	}
	o.Client = hooktest.Connect(t, hooktest.Pipes(t, func(ctx context.Context, in io.Reader, out io.Writer) error {
		ctx, out = mcpgohook.Stdio(ctx, out)
		return server.NewStdioServer(s).Listen(ctx, in, out)
	}), w.Version)
	return o
}

// toolsEnv holds the tools of a server that the test binary is.
const toolsEnv = "FUSIONCTL_TEST_TOOLS"

func throughProxy(t *testing.T, base, live []string, w hooktest.Wire, opts ...awareness.Option) *opened {
	t.Helper()
	o := &opened{hook: hooktest.Hook(t, base, append([]awareness.Option{awareness.WithMode(awareness.Enrich)}, opts...)...)}
	if w.HTTP {
		var s *mcp.Server
		s, o.add = sdkServes(live)
		web := httptest.NewServer(sdkHandler(s, w.Version))
		t.Cleanup(web.Close)
		o.Client = hooktest.Connect(t, hooktest.OverHTTP(inFront(t, web.URL, o.hook, HTTPOptions{}).URL), w.Version)
		return o
	}
	r := start(t, "", func(p *Stdio) {
		p.Command, p.Hook = []string{os.Args[0], "tools"}, o.hook
		p.Env = append(os.Environ(), fakeEnv+"="+byArguments, toolsEnv+"="+strings.Join(live, "\x1e"))
	})
	o.Client = hooktest.Connect(t, &mcp.IOTransport{Reader: readCloser{r.out}, Writer: r.in}, w.Version)
	return o
}
