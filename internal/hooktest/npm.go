package hooktest

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A Step is one request of an npm client.
type Step struct {
	Call      string `json:"call,omitempty"`
	Arguments any    `json:"arguments,omitempty"`
	Read      string `json:"read,omitempty"`
}

// A Plan is one session of an npm client.
type Plan struct {
	Client  string            `json:"client"` // v1: @modelcontextprotocol/sdk, v2: @modelcontextprotocol/client
	Era     string            `json:"era"`    // legacy, or a revision
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	URL     string            `json:"url,omitempty"`
	Steps   []Step            `json:"steps"`
}

// Plans are the official clients in each era that they speak.
func Plans() []Plan {
	return []Plan{{Client: "v1", Era: "legacy"}, {Client: "v2", Era: "legacy"}, {Client: "v2", Era: Since}}
}

// Arrived is what a client hands to its host for one step.
type Arrived struct {
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

// Texts are the texts of a result.
func (a Arrived) Texts() (texts []string, isError bool) {
	if a.Result == nil {
		return nil, false
	}
	for _, block := range a.Result.Content {
		texts = append(texts, block.Text)
	}
	return texts, a.Result.IsError
}

// CheckTexts checks that a result with these texts arrived.
func (a Arrived) CheckTexts(t testing.TB, what string, want []string, isError bool) {
	t.Helper()
	if a.Result == nil {
		t.Errorf("%s: %+v, want a result", what, a.Error)
		return
	}
	texts, got := a.Texts()
	if !slices.Equal(texts, want) || got != isError {
		t.Errorf("%s: isError %v, %q\nwant %v, %q", what, got, texts, isError, want)
	}
}

// CheckFault checks that an error arrived; its message contains the wanted one.
func (a Arrived) CheckFault(t testing.TB, what string, code int, message string, data any) {
	t.Helper()
	if a.Error == nil {
		t.Errorf("%s: a result, want a JSON-RPC error", what)
		return
	}
	if a.Error.Code != code || !strings.Contains(a.Error.Message, message) || !reflect.DeepEqual(a.Error.Data, data) {
		t.Errorf("%s: %+v, want code %d, message %q, data %v", what, *a.Error, code, message, data)
	}
}

// An NPM is a folder with npm packages, installed when a test first needs it.
type NPM struct {
	Packages []string // beside the clients
	once     sync.Once
	dir      string
	err      error
}

//go:embed client.mjs
var clientScript []byte

// loopback is loaded before a server that would listen on every address of the machine.
const loopback = `const { Server } = require("node:net");
const listen = Server.prototype.listen;
Server.prototype.listen = function (port, ...rest) {
  return listen.call(this, { port: Number(port), host: "127.0.0.1" }, ...rest);
};
`

// clients are the official TypeScript clients of both generations.
var clients = []string{"@modelcontextprotocol/sdk@1.32.2", "@modelcontextprotocol/client@2.4.0"}

// Dir is the folder. The test is skipped where there is no npm, and under -short.
func (n *NPM) Dir(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped: -short, and this test installs npm packages")
	}
	for _, program := range []string{"npm", "node"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("skipped: no npm")
		}
	}
	n.once.Do(func() { n.err = n.install() })
	if n.err != nil {
		t.Fatal(n.err)
	}
	return n.dir
}

func (n *NPM) install() (err error) {
	if n.dir, err = os.MkdirTemp("", "fusionctl-npm"); err != nil {
		return err
	}
	for name, content := range map[string][]byte{"package.json": []byte(`{"private":true}`), "client.mjs": clientScript, "loopback.cjs": []byte(loopback)} {
		if err := os.WriteFile(filepath.Join(n.dir, name), content, 0o600); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	install := exec.CommandContext(ctx, "npm", slices.Concat([]string{"install", "--no-audit", "--no-fund", "--ignore-scripts"}, clients, n.Packages)...)
	install.Dir = n.dir
	if out, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install: %w\n%s", err, out)
	}
	return nil
}

// Remove removes the folder. It is for TestMain, after the tests.
func (n *NPM) Remove() {
	if n.dir != "" {
		os.RemoveAll(n.dir)
	}
}

// Server is the program of a reference server among the packages.
func (n *NPM) Server(t *testing.T, name string) string {
	t.Helper()
	return filepath.Join(n.Dir(t), "node_modules", "@modelcontextprotocol", name, "dist", "index.js")
}

// Run runs a client and returns what arrived, one element for each step.
func (n *NPM) Run(t *testing.T, plan Plan) []Arrived {
	t.Helper()
	dir := n.Dir(t)
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
	var arrived []Arrived
	if err := json.Unmarshal(out, &arrived); err != nil || len(arrived) != len(plan.Steps) {
		t.Fatalf("%d answers, want %d: %v\n%s", len(arrived), len(plan.Steps), err, out)
	}
	return arrived
}

// Start runs a reference server over Streamable HTTP until the test ends and returns its address.
func (n *NPM) Start(t *testing.T, name string) string {
	t.Helper()
	dir := n.Dir(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(address)
	cmd := exec.Command("node", "--require", filepath.Join(dir, "loopback.cjs"), n.Server(t, name), "streamableHttp")
	cmd.Env = append(os.Environ(), "PORT="+port)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end := sync.OnceFunc(func() { cmd.Process.Kill(); cmd.Wait() })
	t.Cleanup(end)
	for range 400 {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return "http://" + address + "/mcp"
		}
		time.Sleep(50 * time.Millisecond)
	}
	end()
	t.Fatalf("the server does not start: %s", &said)
	return ""
}
