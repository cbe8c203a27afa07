package hostile

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// serve is a server over standard input and output that means harm: this binary, started with HOSTILE_SERVER.
func serve(mode string) {
	s := &server{mode: mode, out: bufio.NewWriterSize(os.Stdout, 1<<20)}
	if mode == "errors without end" {
		for range 64 {
			os.Stderr.WriteString(strings.Repeat(evil+"\n", 1000))
		}
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 8<<20)
	for in.Scan() {
		var r request
		if json.Unmarshal(in.Bytes(), &r) == nil && r.ID != nil {
			s.answer(r)
			s.out.Flush()
		}
	}
}

type request struct {
	ID     json.RawMessage
	Method string
	Params struct{ Cursor string }
}

type server struct {
	mode  string
	out   *bufio.Writer
	calls int
}

func (s *server) send(id, member string) {
	fmt.Fprintf(s.out, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", id, member)
}

func (s *server) answer(r request) {
	switch r.Method {
	case "initialize":
		if s.mode == "texts" {
			s.send(string(r.ID), fmt.Sprintf(`"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":%s,"version":%[1]s},"capabilities":{%[1]s:{},"tools":{}},"instructions":%[1]s}`, quoted(evil)))
			return
		}
		s.send(string(r.ID), `"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"s","version":"1"},"capabilities":{"tools":{"listChanged":true}}}`)
	case "tools/list":
		s.list(r)
	case "tools/call":
		s.send(string(r.ID), `"result":{"content":[{"type":"text","text":`+quoted("Invalid arguments: "+evil)+`}],"isError":true}`)
	default:
		s.send(string(r.ID), `"error":{"code":-32601,"message":`+quoted("Method not found "+evil)+`}`)
	}
}

func (s *server) list(r request) {
	id := string(r.ID)
	tools := `"result":{"tools":[` + tool("t", plain) + `]`
	switch s.mode {
	case "texts":
		tools := strings.ReplaceAll(tool("t", plain), `"t"`, quoted(evil))
		s.send(id, `"result":{"tools":[`+strings.ReplaceAll(tools, `"a tool"`, quoted(evil))+`]}`)
	case "an endless line":
		s.out.WriteString(`{"jsonrpc":"2.0","id":` + id + `,"result":{"tools":[`)
		for s.repeat(tool("t", plain)+",", 1<<20) == nil { // until the other side leaves
		}
	case "endless pages":
		n, _ := strconv.Atoi(r.Params.Cursor)
		s.send(id, fmt.Sprintf(`"result":{"tools":[%s],"nextCursor":"%d"}`, tool(fmt.Sprint("t", n), plain), n+1))
	case "endless pages of 4 MB":
		n, _ := strconv.Atoi(r.Params.Cursor)
		s.send(id, fmt.Sprintf(`"result":{"tools":[%s],"nextCursor":"%d"}`, tool(fmt.Sprint("t", n), `{"type":"object","title":"`+strings.Repeat("x", 4<<20)+`"}`), n+1))
	case "notifications without end":
		for s.repeat(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`+"\n", 1<<20) == nil {
		}
	case "requests without end":
		for i := range 20_000 {
			s.send(fmt.Sprintf(`"r%d"`, i), `"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}`)
		}
		s.send(id, tools+`}`)
	case "answers to nothing":
		for i := range 50_000 {
			s.send(fmt.Sprintf(`"x%d"`, i), tools+`}`)
		}
		s.send(id, tools+`}`)
	case "wrong ids":
		s.send(id+"0", tools+`}`)
	case "drips":
		s.out.WriteString(`{"jsonrpc":"2.0","id":` + id)
		for s.out.WriteByte(' ') == nil && s.out.Flush() == nil {
			time.Sleep(20 * time.Millisecond)
		}
	case "60 MB in one message":
		s.send(id, `"result":{"tools":[`+list(400_000, func(i int) string {
			return fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object","properties":{"x":{"type":"string"}}},"description":"a tool of a crowd"}`, i)
		})+`]}`)
	case "arrays":
		s.out.WriteString(`[` + strings.Repeat("[", 1_000_000) + "\n")
		s.send(id, tools+`}`)
	case "dies in the middle":
		s.out.WriteString(`{"jsonrpc":"2.0","id":` + id + `,"result":{"tools":[{"na`)
		s.out.Flush()
		os.Exit(0)
	default:
		s.send(id, tools+`}`)
	}
}

// repeat writes a text until there are at least n bytes of it.
func (s *server) repeat(text string, n int) error {
	_, err := io.WriteString(s.out, strings.Repeat(text, n/len(text)+1))
	if err == nil {
		err = s.out.Flush()
	}
	return err
}

// self is the command line of a hostile server.
func self(t *testing.T) []string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{"--", path}
}

func TestCommandOnServers(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]string{ // of the error; "" when the contract is read
		"good":                      "",
		"texts":                     "",
		"errors without end":        "",
		"an endless line":           "a line of more than 64 MiB",
		"endless pages":             "more than 1000 pages",
		"endless pages of 4 MB":     "more than 200000 messages or 256 MiB",
		"notifications without end": "more than 200000 messages or 256 MiB",
		"requests without end":      "",
		"answers to nothing":        "",
		"wrong ids":                 "no answer within 3s",
		"drips":                     "no answer within 3s",
		"60 MB in one message":      "",
		"arrays":                    "",
		"dies in the middle":        "the server ended by itself",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			p := place{dir: t.TempDir(), env: []string{"HOSTILE_SERVER=" + mode}}
			args := append([]string{"lock", "--timeout", "60s"}, self(t)...)
			if mode == "wrong ids" || mode == "drips" {
				args[2] = "3s"
			}
			code, _, errs := p.runAll(t, args...)
			_, missing := os.Stat(p.dir + "/fusion.lock")
			if want == "" && (code != 0 || missing != nil) || want != "" && (code != 2 || missing == nil || !strings.Contains(errs, want)) {
				t.Errorf("exit code %d, lockfile %v, %.500s; want an error with %q", code, missing, errs, want)
			}
		})
	}
}
