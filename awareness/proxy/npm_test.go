package proxy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fusionctl/fusionctl/awareness"
)

// npm is a folder with real servers and clients, installed once for all tests.
var npm struct {
	once sync.Once
	dir  string
	err  error
}

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
		install := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts",
			"@modelcontextprotocol/server-everything@2026.8.31", "@modelcontextprotocol/server-memory@2026.8.31",
			"@modelcontextprotocol/sdk@1.32.2", "@modelcontextprotocol/client@2.4.0")
		install.Dir = npm.dir
		if out, err := install.CombinedOutput(); err != nil {
			npm.err = fmt.Errorf("npm install: %w\n%s", err, out)
			return
		}
		if npm.err = os.WriteFile(filepath.Join(npm.dir, "loopback.cjs"), []byte(loopback), 0o600); npm.err != nil {
			return
		}
		var script []byte
		if script, npm.err = os.ReadFile(filepath.Join("..", "mcpgo", "testdata", "client.mjs")); npm.err == nil {
			npm.err = os.WriteFile(filepath.Join(npm.dir, "client.mjs"), script, 0o600)
		}
	})
	if npm.err != nil {
		t.Fatal(npm.err)
	}
	return npm.dir
}

// loopback is loaded before a server that would listen on every address of the machine.
const loopback = `const { Server } = require("node:net");
const listen = Server.prototype.listen;
Server.prototype.listen = function (port, ...rest) {
  return listen.call(this, { port: Number(port), host: "127.0.0.1" }, ...rest);
};
`

func npmServer(dir, name string) string {
	return filepath.Join(dir, "node_modules", "@modelcontextprotocol", name, "dist", "index.js")
}

// What callers may have learned: the text of echo and the words of search_nodes had other names.
const (
	echoV1   = `{"name":"echo","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}`
	searchV0 = `{"name":"search_nodes","inputSchema":{"type":"object","properties":{"words":{"type":"string"}},"required":["words"]}}`
	graphV0  = `{"name":"read_whole_graph","inputSchema":{"type":"object","properties":{}}}`
)

func npmHook(t testing.TB) *awareness.Hook {
	t.Helper()
	h, err := awareness.New(baseline(t, echoV1, searchV0, graphV0), awareness.WithMode(awareness.Enrich))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// asProxy is what the test binary does when a client starts it as the proxy of the command in its arguments.
func asProxy() {
	os.Unsetenv(fakeEnv)
	code, err := (&Stdio{Command: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Hook: npmHook(panicking{})}).Run(context.Background())
	if err != nil {
		panic(err)
	}
	os.Exit(code)
}

// panicking is for what cannot fail outside of a test.
type panicking struct{ testing.TB }

func (panicking) Helper()           {}
func (panicking) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

// dialogue sends lines to a program, each request after the answer to the one before, and returns all it said.
func dialogue(t *testing.T, cmd *exec.Cmd, lines []string) string {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	deadline := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer deadline.Stop()
	answers := bufio.NewReader(out)
	var said strings.Builder
	for _, line := range lines {
		io.WriteString(in, line+"\n")
		var m struct{ ID any }
		for json.Unmarshal([]byte(line), &m) == nil && m.ID != nil {
			answer, err := answers.ReadString('\n')
			if said.WriteString(answer); err != nil {
				t.Fatalf("after %s: %v", line, err)
			}
			var a struct{ ID any }
			if json.Unmarshal([]byte(answer), &a) == nil && a.ID == m.ID {
				break
			}
		}
	}
	in.Close()
	rest, err := io.ReadAll(answers)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the end: %v", err)
	}
	return said.String() + string(rest)
}

// Against real servers: everything is byte-identical with and without the proxy, but for the calls that fail.
func TestRealServersOverStdio(t *testing.T) {
	t.Parallel()
	dir := npmDir(t)
	opening := []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	}
	good := map[string][]string{
		"server-memory": {
			`{"jsonrpc":"2.0","id":"ü\u2028\"","method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":2,"method":"no/such"}` + "\r",
			`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"create_entities","arguments":{"entities":[{"name":"é🙂\u2028","entityType":"<b>","observations":["a & b"]}]}}}`,
			`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"search_nodes","arguments":{"query":"é"}}}`,
			`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"nope","arguments":{}}}`,
			`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"search_nodes","arguments":[1]}}`,
		},
		"server-everything": {
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"é\u2028"}}}`,
			`{"jsonrpc":"2.0","id":2,"method":"prompts/list"}`, `{"jsonrpc":"2.0","id":3,"method":"ping"}`,
		},
	}
	stale := map[string]string{
		"server-memory":     `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"search_nodes","arguments":{"words":"é"}}}`,
		"server-everything": `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}`,
	}
	renames := map[string]string{"server-memory": `use "query" in its place`, "server-everything": `use "message" in its place`}
	for name, lines := range good {
		t.Run(name, func(t *testing.T) {
			run := func(through bool, lines []string) string {
				cmd := exec.Command("node", npmServer(dir, name))
				if through {
					cmd = exec.Command(os.Args[0], append([]string{"node"}, cmd.Args[1:]...)...)
				}
				cmd.Dir = t.TempDir()
				cmd.Env = append(os.Environ(), "MEMORY_FILE_PATH="+filepath.Join(cmd.Dir, "memory"))
				if through {
					cmd.Env = append(cmd.Env, fakeEnv+"=proxy")
				}
				return dialogue(t, cmd, append(opening[:2:2], lines...))
			}
			direct, through := run(false, lines), run(true, lines)
			if direct != through {
				t.Errorf("the proxy changed\n%s\ninto\n%s", direct, through)
			}
			t.Logf("%d bytes are identical", len(direct))
			said := strings.Split(strings.TrimSpace(run(true, []string{stale[name]})), "\n")
			m := read(t, []byte(said[len(said)-1]))
			if len(m.texts) != 1 || !strings.Contains(m.texts[0], renames[name]) || string(m.ID) != "9" {
				t.Errorf("a stale call is answered with %s", m.texts)
			}
		})
	}
}

// Official clients before real servers: what the model gets to see of a stale call is the envelope.
func TestRealClients(t *testing.T) {
	t.Parallel()
	dir := npmDir(t)
	steps := []any{
		map[string]any{"call": "echo", "arguments": map[string]any{"text": "x"}},
		map[string]any{"call": "echo", "arguments": map[string]any{"message": "x"}},
		map[string]any{"call": "read_whole_graph"},
	}
	upstream := startEverything(t, dir)
	proxy := inFront(t, upstream, npmHook(t), HTTPOptions{})
	for _, client := range []string{"v1", "v2"} {
		for transport, plan := range map[string]map[string]any{
			"stdio": {"command": os.Args[0], "args": []string{"node", npmServer(dir, "server-everything")}, "env": map[string]string{fakeEnv: "proxy", "PATH": os.Getenv("PATH")}},
			"http":  {"url": proxy.URL + "/mcp"},
		} {
			t.Run(client+", "+transport, func(t *testing.T) {
				plan["client"], plan["era"], plan["steps"] = client, "legacy", steps
				arrived := runClient(t, dir, plan)
				if r := arrived[0].Result; r == nil || !r.IsError || !strings.Contains(r.Content[0].Text, `use "message" in its place`) {
					t.Errorf("a stale call: %+v", arrived[0])
				}
				if r := arrived[1].Result; r == nil || r.IsError || r.Content[0].Text != "Echo: x" {
					t.Errorf("a good call: %+v", arrived[1])
				}
				if r := arrived[2].Result; r == nil || !r.IsError || !strings.Contains(r.Content[0].Text, "UNKNOWN_ACTION") {
					t.Errorf("a tool that is gone: %+v", arrived[2])
				}
			})
		}
	}
}

type npmArrived struct {
	Result *struct {
		Content []struct{ Type, Text string }
		IsError bool
	}
	Error any
}

func runClient(t *testing.T, dir string, plan map[string]any) []npmArrived {
	t.Helper()
	input, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
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
	if err := json.Unmarshal(out, &arrived); err != nil || len(arrived) != len(plan["steps"].([]any)) {
		t.Fatalf("%v\n%s", err, out)
	}
	return arrived
}

// startEverything runs server-everything over Streamable HTTP and returns its address.
func startEverything(t *testing.T, dir string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(address)
	cmd := exec.Command("node", "--require", filepath.Join(dir, "loopback.cjs"), npmServer(dir, "server-everything"), "streamableHttp")
	cmd.Env = append(os.Environ(), "PORT="+port)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for range 400 {
		if c, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			c.Close()
			return "http://127.0.0.1:" + port + "/mcp"
		}
		time.Sleep(50 * time.Millisecond)
	}
	cmd.Process.Kill()
	cmd.Wait()
	t.Fatalf("the server does not start: %s", &said)
	return ""
}
