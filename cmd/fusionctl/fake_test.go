package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fusionctl/fusionctl/internal/demo"
)

// fakeServer speaks MCP over standard input and output as real servers do on their bad days. Its arguments are
//
//	fakeserver [-tools FILE] [BEHAVIOUR…]
//
// FILE holds the array of tools; without it there is one. The behaviours are the cases of the switch below.
func fakeServer() {
	f := &fake{tools: json.RawMessage(`[{"name":"ping","inputSchema":{"type":"object"}}]`), newline: "\n"}
	args := os.Args[1:]
	if len(args) >= 2 && args[0] == "-tools" {
		data, err := os.ReadFile(args[1])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		f.tools = data
		args = args[2:]
	}
	f.is = map[string]bool{}
	for _, a := range args {
		f.is[a] = true
	}
	f.run()
}

type fake struct {
	tools   json.RawMessage
	is      map[string]bool
	newline string
}

type fakeRequest struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Cursor          *string `json:"cursor"`
		ProtocolVersion string  `json:"protocolVersion"`
	} `json:"params"`
}

func (f *fake) run() {
	switch {
	case f.is["dies"]:
		fmt.Fprintln(os.Stderr, "starting")
		fmt.Fprintln(os.Stderr, "no configuration found \x1b[31m(red)")
		os.Exit(3)
	case f.is["quiet-exit"]:
		os.Exit(0)
	case f.is["grandchild"]:
		f.startGrandchild()
	}
	if f.is["never"] {
		time.Sleep(time.Hour)
	}
	if f.is["noise"] {
		fmt.Println("Server running on stdio")
		fmt.Println()
		fmt.Println(`{"level":"info","message":"not JSON-RPC"}`)
	}
	if f.is["crlf"] {
		f.newline = "\r\n"
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		var r fakeRequest
		if json.Unmarshal(in.Bytes(), &r) == nil && r.ID != nil {
			f.answer(r)
		}
	}
}

// startGrandchild leaves a process that ignores being told to stop, as launchers do; its id goes to the file "grandchild".
func (f *fake) startGrandchild() {
	if os.Getenv("FAKE_GRANDCHILD") != "" {
		signal.Ignore(syscall.SIGTERM, os.Interrupt)
		time.Sleep(time.Hour)
	}
	child := exec.Command(os.Args[0], "grandchild")
	child.Env = append(os.Environ(), "FAKE_GRANDCHILD=1")
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if err := child.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := os.WriteFile("grandchild", []byte(strconv.Itoa(child.Process.Pid)), 0o600); err != nil {
		os.Exit(1)
	}
}

func (f *fake) answer(r fakeRequest) {
	switch r.Method {
	case "server/discover":
		if f.is["silent"] {
			return // an old server that says nothing to what it does not know
		}
		f.send(r, `"error":{"code":-32601,"message":"Method not found"}`)
	case "initialize":
		version := r.Params.ProtocolVersion
		if f.is["old"] {
			version = "2024-11-05"
		}
		f.send(r, fmt.Sprintf(`"result":{"protocolVersion":%q,"serverInfo":{"name":"fake","version":"1.0.0"},"capabilities":{"tools":{}}}`, version))
		if f.is["slow"] {
			time.Sleep(300 * time.Millisecond)
		}
	case "tools/list":
		f.list(r)
	default:
		f.send(r, `"error":{"code":-32601,"message":"Method not found"}`)
	}
}

func (f *fake) list(r fakeRequest) {
	switch {
	case f.is["fails-list"]:
		f.send(r, `"error":{"code":-32603,"message":"database is down \u001b[2J"}`)
	case f.is["same-cursor"]:
		f.send(r, fmt.Sprintf(`"result":{"tools":%s,"nextCursor":"again"}`, f.tools))
	case f.is["empty-cursor"] && r.Params.Cursor == nil:
		f.send(r, fmt.Sprintf(`"result":{"tools":%s,"nextCursor":""}`, f.tools))
	case f.is["empty-cursor"]:
		f.send(r, `"result":{"tools":[{"name":"second","inputSchema":{"type":"object"}}]}`)
	case f.is["pages"]:
		f.page(r)
	case f.is["big"]:
		f.send(r, fmt.Sprintf(`"result":{"tools":[{"name":"big","description":%q,"inputSchema":{"type":"object"}}]}`, strings.Repeat("x", 2<<20)))
	default:
		f.send(r, fmt.Sprintf(`"result":{"tools":%s}`, compact(f.tools)))
	}
}

// page lists one tool a page.
func (f *fake) page(r fakeRequest) {
	var tools []json.RawMessage
	if err := json.Unmarshal(f.tools, &tools); err != nil {
		os.Exit(4)
	}
	at := 0
	if r.Params.Cursor != nil {
		at, _ = strconv.Atoi(strings.TrimPrefix(*r.Params.Cursor, "page "))
	}
	next := ""
	if at+1 < len(tools) {
		next = fmt.Sprintf(`,"nextCursor":"page %d"`, at+1)
	}
	f.send(r, fmt.Sprintf(`"result":{"tools":[%s]%s}`, compact(tools[at]), next))
}

// compact puts a definition on one line, as the transport wants it, and keeps its spelling otherwise.
func compact(text []byte) string {
	return strings.NewReplacer("\r", "", "\n", "").Replace(string(text))
}

func (f *fake) send(r fakeRequest, member string) {
	line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}%s`, r.ID, member, f.newline)
	if f.is["noise"] {
		line = "a log line between answers\n" + line
	}
	if !f.is["split"] {
		os.Stdout.WriteString(line)
		return
	}
	for i := range len(line) {
		os.Stdout.WriteString(line[i : i+1])
	}
}

// fakeHTTP serves the demo server on a free port of the loopback, writes its address to the file "address" and runs until
// its standard input ends or it is killed. Arguments: http, stateless or sse; then the header value that it wants.
func fakeHTTP() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	get := func(*http.Request) *mcp.Server {
		s, err := demo.NewServer(demo.V1, nil)
		if err != nil {
			panic(err)
		}
		return s
	}
	var handler http.Handler
	switch os.Args[1] {
	case "sse":
		handler = mcp.NewSSEHandler(get, nil)
	case "stateless":
		handler = mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true})
	default:
		handler = mcp.NewStreamableHTTPHandler(get, nil)
	}
	if len(os.Args) > 2 {
		handler = guarded(handler, os.Args[2])
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	server := &http.Server{Handler: handler}
	go server.Serve(l)
	temporary := "address.tmp"
	if err := os.WriteFile(temporary, []byte("http://"+l.Addr().String()+"/mcp"), 0o600); err != nil {
		panic(err)
	}
	if err := os.Rename(temporary, "address"); err != nil {
		panic(err)
	}
	<-ctx.Done()
	server.Close()
}

func guarded(next http.Handler, want string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != want {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// cmdGone checks that the process whose id is in a file has ended.
func cmdGone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: gone FILE")
	}
	data, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	ts.Check(err)
	for range 250 { // a signal is sent before it has its effect
		if !alive(pid) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	ts.Fatalf("process %d of %s is still running", pid, filepath.Base(args[0]))
}
