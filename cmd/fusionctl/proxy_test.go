package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/internal/demo"
)

// talk is a client for scripts: talk FILE PROGRAM ARG… sends the lines of FILE, waits after each request for its answer and
// prints that. Then it ends its input, and exits as the program does.
func talk() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		fatal(err)
	}
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		fatal(err)
	}
	if err := cmd.Start(); err != nil {
		fatal(err)
	}
	answers := bufio.NewReader(out)
	for line := range strings.Lines(string(text)) {
		var m struct{ ID json.RawMessage }
		if _, err := io.WriteString(in, line); err != nil {
			break
		}
		for json.Unmarshal([]byte(line), &m) == nil && m.ID != nil {
			answer, err := answers.ReadString('\n')
			fmt.Print(answer)
			var a struct{ ID json.RawMessage }
			if err != nil || json.Unmarshal([]byte(answer), &a) == nil && bytes.Equal(a.ID, m.ID) {
				break
			}
		}
	}
	in.Close()
	io.Copy(os.Stdout, answers)
	var exit *exec.ExitError
	if errors.As(cmd.Wait(), &exit) {
		os.Exit(exit.ExitCode())
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(99)
}

// The HTTP proxy as the command runs it, with a client of the SDK.
func TestProxyHTTP(t *testing.T) {
	t.Parallel()
	upstream := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
		s, err := demo.NewServer(demo.V2, nil)
		if err != nil {
			t.Error(err)
		}
		return s
	}, &mcp.StreamableHTTPOptions{Stateless: true}))
	defer upstream.Close()
	lock := filepath.Join(t.TempDir(), "fusion.lock")
	writeDemoLock(t, lock)

	errs, stderr := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() {
		root := newRootCmd(&app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: stderr, getenv: os.LookupEnv})
		root.SetArgs([]string{"proxy", "--lock", lock, "--observe", "--upstream", upstream.URL + "/mcp", "--listen", "127.0.0.1:0"})
		ended <- root.ExecuteContext(ctx)
		stderr.Close()
	}()
	lines := bufio.NewReader(errs)
	first, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address, rest, ok := strings.Cut(strings.TrimPrefix(first, "fusionctl: note: listening on "), " for ")
	if !ok || rest != upstream.URL+"\n" || !strings.HasSuffix(address, "/mcp") {
		t.Fatalf("first line %q", first)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: address, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := session.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: demo.StaleTool, Arguments: json.RawMessage(demo.StaleArguments)})
		if err != nil || !result.IsError || strings.Contains(result.Content[0].(*mcp.TextContent).Text, "contract_awareness") {
			t.Errorf("a stale call: %v, %v", result, err)
		}
	}
	session.Close()
	stop()
	table, err := io.ReadAll(lines)
	if err != nil {
		t.Fatal(err)
	}
	want := "fusionctl: note: 3 calls of an old contract, 0 other mistakes, 0 calls that could not be judged\n" +
		"CALLS  TOOL         CHANGE                                     CLIENT\n3      get_invoice  input-required-added /properties/currency  test 1\n"
	if string(table) != want {
		t.Errorf("the table is\n%s\nwant\n%s", table, want)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("the proxy goes on")
	}
}

// writeDemoLock locks version 1 of the demo.
func writeDemoLock(t *testing.T, path string) {
	t.Helper()
	server, err := demo.NewServer(demo.V1, nil)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	defer web.Close()
	root := newRootCmd(&app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, getenv: os.LookupEnv})
	root.SetArgs([]string{"lock", "--lockfile", path, "--url", web.URL})
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
}
