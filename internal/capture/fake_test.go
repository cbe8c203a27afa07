package capture

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test binary is also the server: with FAKE in its environment it speaks the protocol, well or badly.
func TestMain(m *testing.M) {
	if mode := os.Getenv("FAKE"); mode != "" {
		fake(mode)
		return
	}
	os.Exit(m.Run())
}

type fakeServer struct {
	mode   string
	out    *bufio.Writer
	seen   []string // methods
	heard  []string // answers to requests of the server, as sent
	first  string
	eol    string
	method string
}

func (f *fakeServer) line(s string) {
	f.out.WriteString(s + f.eol)
	f.out.Flush()
}

func (f *fakeServer) answer(id json.RawMessage, result string) {
	text := `{"jsonrpc":"2.0","id":` + string(id) + `,"result":` + result + `}`
	switch f.mode {
	case "split": // byte by byte at first, then the rest with the next line
		for i := range min(len(text), 40) {
			f.out.WriteByte(text[i])
			f.out.Flush()
			time.Sleep(100 * time.Microsecond)
		}
		f.line(text[min(len(text), 40):])
	case "wrongid":
		if f.method != methodDiscover {
			text = strings.Replace(text, `"id":`, `"id":77`, 1)
		}
		f.line(text)
	default:
		f.line(text)
	}
}

func (f *fakeServer) refuse(id json.RawMessage, code int, message string) {
	text, _ := json.Marshal(message)
	f.line(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, text))
}

const (
	toolA    = `{"name":"a","description":"A","inputSchema":{"type":"object"}}`
	toolB    = `{"name":"b","description":"B","inputSchema":{"type":"object"}}`
	allCaps  = `{"tools":{},"prompts":{},"resources":{}}`
	toolCaps = `{"tools":{}}`
)

func initResult(version, caps string) string {
	return `{"protocolVersion":"` + version + `","capabilities":` + caps + `,"serverInfo":{"name":"fake","version":"1"},"instructions":"be kind"}`
}

func discoverResult() string {
	return `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"new","version":"2"}}}`
}

func fake(mode string) {
	f := &fakeServer{mode: mode, out: bufio.NewWriter(os.Stdout), eol: "\n"}
	if pidFile := os.Getenv("FAKE_PIDS"); pidFile != "" {
		file, _ := os.OpenFile(pidFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		fmt.Fprintln(file, os.Getpid())
		file.Close()
	}
	if !f.begin() {
		return
	}
	in := bufio.NewReader(os.Stdin)
	for {
		text, err := in.ReadString('\n')
		if err != nil {
			break
		}
		f.message(parseMessage([]byte(text)), text)
	}
	if mode == "stubborn" {
		time.Sleep(time.Minute)
	}
}

// begin does what a mode does before the first message; false ends the server.
func (f *fakeServer) begin() bool {
	switch f.mode {
	case "crlf":
		f.eol = "\r\n"
	case "banner":
		f.line("Starting up…\n\n{\"level\":\"info\"}\n[1,2]\n{\n  \"a\": 1\n}")
	case "die":
		fmt.Fprintln(os.Stderr, "first line\nno API key\x1b[2J in "+os.Getenv("SECRET"))
		os.Exit(3)
	case "quiet exit":
		return false
	case "slow":
		time.Sleep(900 * time.Millisecond)
	case "sleeper":
		signal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Minute)
		return false
	case "grandchild", "stray":
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "FAKE=sleeper")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if f.mode == "stray" {
			leaveGroup(child)
		}
		if err := child.Start(); err != nil {
			panic(err)
		}
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
	case "endless line":
		for range (maxMessage >> 20) + 2 {
			f.out.WriteString(strings.Repeat("x", 1<<20))
		}
		f.out.Flush()
	}
	return true
}

func (f *fakeServer) message(m message, text string) {
	if m.kind == noise || m.kind == orphan || m.kind == response {
		f.heard = append(f.heard, strings.TrimSpace(text))
		return
	}
	f.seen = append(f.seen, m.method)
	if f.first == "" {
		f.first = m.method
	}
	if m.kind != request {
		return
	}
	f.method = m.method
	if f.handshake(m) {
		return
	}
	f.list(m)
}

// handshake answers what comes first, and everything of modes that never get further.
func (f *fakeServer) handshake(m message) bool {
	switch f.mode {
	case "hang":
		return true
	case "confused": // silent for ever once it has met a method that it does not know
		if f.first == methodDiscover {
			return true
		}
	case "crash on discover":
		if m.method == methodDiscover {
			os.Exit(1)
		}
	}
	switch m.method {
	case methodDiscover:
		switch f.mode {
		case "silent":
		case "modern":
			f.answer(m.id, discoverResult())
		case "late":
			if slow := os.Getenv("FAKE_SLOW"); slow != "" {
				if _, err := os.Stat(slow); err != nil { // only the first start is slow
					os.WriteFile(slow, nil, 0o600)
					d, _ := time.ParseDuration("700ms")
					time.Sleep(d)
				}
			}
			f.answer(m.id, discoverResult())
		default:
			f.refuse(m.id, -32601, "Method not found")
		}
		return true
	case methodInit:
		if f.mode == "modern" || f.mode == "late" {
			f.refuse(m.id, -32601, "no initialize here")
			return true
		}
		f.line(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"early"}}`)
		f.answer(m.id, f.initialize())
		return true
	}
	return false
}

func (f *fakeServer) initialize() string {
	switch f.mode {
	case "pages", "listerror", "no method", "everything":
		return initResult("2025-06-18", allCaps)
	case "odd capabilities":
		return `{"protocolVersion":"2025-11-25","capabilities":{"tools":"yes","prompts":7},"serverInfo":["x"],"instructions":5}`
	case "old":
		return initResult("2024-11-05", toolCaps)
	case "changing":
		return initResult("2025-11-25", `{"tools":{"listChanged":true}}`)
	case "no tools":
		return initResult("2025-11-25", `{}`)
	}
	return initResult("2025-11-25", toolCaps)
}

func (f *fakeServer) list(m message) {
	var params struct{ Cursor string }
	_ = json.Unmarshal(m.params, &params)
	member := map[string]string{methodTools: "tools", methodPrompts: "prompts", methodResources: "resources", methodTemplates: "resourceTemplates"}[m.method]
	if member == "" {
		f.refuse(m.id, -32601, "Method not found")
		return
	}
	page := func(items, rest string) { f.answer(m.id, `{"`+member+`":[`+items+`]`+rest+`}`) }
	switch {
	case f.mode == "pages" && params.Cursor == "":
		page(map[string]string{"tools": toolA, "prompts": `{"name":"p"}`, "resources": `{"uri":"r:1","name":"r"}`, "resourceTemplates": `{"uriTemplate":"t:{x}","name":"t"}`}[member], `,"nextCursor":"two"`)
	case f.mode == "pages":
		page(map[string]string{"tools": toolB, "prompts": `{"name":"q"}`, "resources": `{"uri":"r:2","name":"r"}`, "resourceTemplates": `{"uriTemplate":"u:{x}","name":"t"}`}[member], `,"nextCursor":null`)
	case f.mode == "repeat":
		page(toolA, `,"nextCursor":"again"`)
	case f.mode == "empty cursor":
		page(toolA, `,"nextCursor":""`)
	case f.mode == "number cursor":
		page(toolA, `,"nextCursor":2`)
	case f.mode == "endless pages":
		n, _ := strconv.Atoi(params.Cursor)
		page(``, `,"nextCursor":"`+strconv.Itoa(n+1)+`"`)
	case f.mode == "malformed":
		page(toolA+`,{"name":"bad","inputSchema":null},{"inputSchema":{"type":"object"}},7,{"name":5},`+toolB, ``)
	case f.mode == "duplicate key":
		page(toolA+`,{"name":"bad","inputSchema":{"type":"object","type":"string"}}`, ``)
	case f.mode == "twins":
		page(toolA+`,`+toolB+`,`+strings.Replace(toolA, "A", "other", 1)+`,`+toolB, ``)
	case f.mode == "exact":
		page(`{"name":"a","x-new":{"k":1e2},"execution":{"taskSupport":"optional"},"inputSchema":{"type":"object","properties":{"n":{"maximum":9007199254740993,"x-mcp-header":"bad header"}}}}`, `,"_meta":{"x":1}`)
	case f.mode == "big":
		page(`{"name":"a","description":"`+strings.Repeat("long ", 400_000)+`","inputSchema":{"type":"object"}}`, ``)
	case f.mode == "deep":
		page(`{"name":"deep","inputSchema":`+strings.Repeat(`{"not":`, 600)+`{}`+strings.Repeat(`}`, 600)+`},`+toolA, ``)
	case f.mode == "flood":
		for range 20_000 {
			f.out.WriteString(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}` + "\n")
		}
		page(toolA, ``)
	case f.mode == "endless flood":
		for range maxMessages + 1 {
			f.out.WriteString(`{"jsonrpc":"2.0","method":"notifications/progress"}` + "\n")
		}
		page(toolA, ``)
	case f.mode == "listerror" && member != "tools":
		f.refuse(m.id, -32603, "database\x1b[2J down")
	case f.mode == "no method" && member != "tools":
		f.refuse(m.id, -32601, "Method not found")
	case f.mode == "tools error":
		f.refuse(m.id, -32603, "not today")
	case f.mode == "not a list":
		f.answer(m.id, `{"tools":{"a":1}}`)
	case f.mode == "asks":
		f.ask(m, page)
	case f.mode == "changing" && !strings.Contains(strings.Join(f.seen[:len(f.seen)-1], " "), methodTools):
		page(toolA, ``)
		time.Sleep(20 * time.Millisecond)
		f.line(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	case f.mode == "environment":
		page(`{"name":"a","description":"`+os.Getenv("SECRET")+`","inputSchema":{"type":"object"}}`, ``)
	case f.mode == "modern":
		page(toolB+`,`+toolA, `,"resultType":"complete","ttlMs":0,"cacheScope":"public"`)
	case f.mode == "hang on tools":
	case f.mode == "die on tools":
		fmt.Fprintln(os.Stderr, "panic: everything is lost")
		os.Exit(2)
	default:
		page(map[string]string{"tools": toolB + `,` + toolA, "prompts": `{"name":"p"}`, "resources": `{"uri":"r:1","name":"r"}`, "resourceTemplates": `{"uriTemplate":"t:{x}","name":"t"}`}[member], ``)
	}
}

// ask sends requests to the client and puts its answers into a tool's description, where the test finds them.
func (f *fakeServer) ask(m message, page func(string, string)) {
	if len(f.heard) == 0 {
		f.heard = []string{"asked"}
		f.line(`{"jsonrpc":"2.0","id":"r","method":"roots/list"}`)
		f.line(`{"jsonrpc":"2.0","id":"s","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`)
		f.line(`{"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}`)
		f.line(`{"jsonrpc":"2.0","id":"u","method":"no/such"}`)
		in := bufio.NewReader(os.Stdin) // the outer reader waits for nothing: the client has no request open but this one
		for range 4 {
			text, _ := in.ReadString('\n')
			f.heard = append(f.heard, strings.TrimSpace(text))
		}
	}
	quoted, _ := json.Marshal(strings.Join(f.heard, "\n"))
	page(`{"name":"a","description":`+string(quoted)+`,"inputSchema":{"type":"object"}}`, ``)
}

// goroutines fails the test when more goroutines run at its end than at its start.
func goroutines(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for range 200 {
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		buf := make([]byte, 1<<20)
		t.Errorf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), buf[:runtime.Stack(buf, true)])
	})
}
