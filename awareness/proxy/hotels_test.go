package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/internal/hooktest"
)

// The second version of the hotels' contract, served without any hook by both Go SDKs. Each validates arguments by itself.

func sdkHotels() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "hotels", Version: "2"}, nil)
	for _, d := range hooktest.V2() {
		tool := new(mcp.Tool)
		if err := json.Unmarshal([]byte(d), tool); err != nil {
			panic(err)
		}
		mcp.AddTool(s, tool, func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done <é & 🙂>"}}}, nil, nil
		})
	}
	return s
}

func mcpgoHotels() *server.MCPServer {
	s := server.NewMCPServer("hotels", "2", server.WithInputSchemaValidation())
	for _, d := range hooktest.V2() {
		var tool mcpgo.Tool
		if err := json.Unmarshal([]byte(d), &tool); err != nil {
			panic(err)
		}
		s.AddTool(tool, func(context.Context, mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
			return mcpgo.NewToolResultText("done <é & 🙂>"), nil
		})
	}
	return s
}

// hotels are the servers by the name under which the test binary serves them over standard input and output.
var hotels = map[string]func() http.Handler{
	"gosdk": func() http.Handler {
		s := sdkHotels()
		return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true})
	},
	"mcpgo": func() http.Handler { return server.NewStreamableHTTPServer(mcpgoHotels()) },
}

// byArguments makes the test binary do what its arguments say, so that commands can be put one before the other:
//
//	tap FILE COMMAND…        writes to a file what the command says
//	proxy BASELINE COMMAND…  is the proxy in front of the command
//	gosdk, mcpgo, tools      a server
//	lockable KIND            a server of the former era, for the lockfile
//	hold                     holds what it was given open
const byArguments = "by arguments"

func obey(words []string) {
	var err error
	switch words[0] {
	case "gosdk":
		err = sdkHotels().Run(context.Background(), &mcp.StdioTransport{})
	case "mcpgo":
		err = server.ServeStdio(mcpgoHotels())
	case "tools":
		s, _ := sdkServes(strings.Split(os.Getenv(toolsEnv), "\x1e"))
		err = s.Run(context.Background(), &mcp.StdioTransport{})
	case "lockable":
		lockable(words[1])
	case "hold":
		time.Sleep(time.Minute)
	case "tap":
		err = tap(words[1], words[2:])
	case "proxy":
		var h *awareness.Hook
		if h, err = awareness.New(baselines[words[1]], awareness.WithMode(awareness.Enrich)); err == nil {
			_, err = (&Stdio{Command: words[2:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Hook: h}).Run(context.Background())
		}
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func tap(file string, command []string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr
	cmd.Stdout = io.MultiWriter(f, os.Stdout)
	return cmd.Run()
}

// Servers of both Go SDKs behind the proxy, both eras, both transports, with a client of the official Go SDK.
func TestGoServers(t *testing.T) {
	t.Parallel()
	for name, handler := range hotels {
		web := httptest.NewServer(handler())
		t.Cleanup(web.Close)
		h := hooktest.Hook(t, hooktest.V1(), awareness.WithMode(awareness.Enrich), awareness.Repeats(false))
		inFront := inFront(t, web.URL, h, HTTPOptions{})
		for _, w := range hooktest.Wires {
			t.Run(name+", "+w.Name, func(t *testing.T) {
				over := func(through bool) *hooktest.Client {
					if w.HTTP && through {
						return hooktest.Connect(t, hooktest.OverHTTP(inFront.URL), w.Version)
					} else if w.HTTP {
						return hooktest.Connect(t, hooktest.OverHTTP(web.URL), w.Version)
					}
					cmd := exec.Command(os.Args[0], name)
					if through {
						cmd = exec.Command(os.Args[0], "proxy", "hotels", os.Args[0], name)
					}
					cmd.Env = append(os.Environ(), fakeEnv+"="+byArguments)
					return hooktest.Connect(t, &mcp.CommandTransport{Command: cmd}, w.Version)
				}
				direct, through := over(false), over(true)
				for _, c := range []*hooktest.Client{direct, through} {
					if texts, res := c.Call(t, "book", hooktest.Args{"city": "Rome", "nights": 2}); res.IsError || texts[0] != "done <é & 🙂>" {
						t.Errorf("a good call: %q", texts)
					}
					if _, _, err := c.Try("never_was", nil); err == nil {
						t.Error("a tool that never was: no error")
					}
				}
				if d, got := strings.Join(direct.Received(), ""), strings.Join(through.Received(), ""); d != got {
					t.Errorf("the proxy changed\n%s\ninto\n%s", d, got)
				}
				texts, res := through.Call(t, "book", hooktest.Args{"city": "Rome", "days": 2})
				hooktest.CheckHealed(t, texts, res.IsError)
				texts, res = through.Call(t, "find", hooktest.Args{"query": "x"})
				hooktest.CheckGone(t, texts, res.IsError)
			})
		}
	}
}
