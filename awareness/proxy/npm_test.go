package proxy

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/internal/hooktest"
)

var npm = hooktest.NPM{Packages: []string{"@modelcontextprotocol/server-everything@2026.8.31", "@modelcontextprotocol/server-memory@2026.8.31"}}

// What callers may have learned: the text of echo and the words of search_nodes had other names.
const (
	echoV1   = `{"name":"echo","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}`
	searchV0 = `{"name":"search_nodes","inputSchema":{"type":"object","properties":{"words":{"type":"string"}},"required":["words"]}}`
	graphV0  = `{"name":"read_whole_graph","inputSchema":{"type":"object","properties":{}}}`
)

var baselines = map[string]awareness.Source{
	"npm":    hooktest.Baseline(echoV1, searchV0, graphV0),
	"hotels": hooktest.Baseline(hooktest.V1()...),
}

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
	npm.Dir(t)
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
				cmd := exec.Command("node", npm.Server(t, name))
				if through {
					cmd = exec.Command(os.Args[0], append([]string{"proxy", "npm"}, cmd.Args...)...)
				}
				cmd.Dir = t.TempDir()
				cmd.Env = append(os.Environ(), "MEMORY_FILE_PATH="+filepath.Join(cmd.Dir, "memory"))
				if through {
					cmd.Env = append(cmd.Env, fakeEnv+"="+byArguments)
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

// A scene is a server with a call of an older contract, a good call and a call of a tool that is gone.
type scene struct {
	baseline                 string
	command                  []string
	address                  string
	modern                   bool // speaks the new era
	stale, good              hooktest.Step
	gone                     string
	renamed, said, successor string
}

// Official clients, each in the eras that it speaks, over both transports, before servers behind the proxy: the envelope
// arrives, and everything else is byte-identical on the wire with and without the proxy.
func TestRealClients(t *testing.T) {
	t.Parallel()
	npm.Dir(t)
	scenes := map[string]scene{"server-everything": {
		baseline: "npm", command: []string{"node", npm.Server(t, "server-everything")}, address: npm.Start(t, "server-everything"),
		stale:   hooktest.Step{Call: "echo", Arguments: hooktest.Args{"text": "x"}},
		good:    hooktest.Step{Call: "echo", Arguments: hooktest.Args{"message": "é🙂"}},
		gone:    "read_whole_graph",
		renamed: `use "message" in its place`, said: "Echo: é🙂", successor: "UNKNOWN_ACTION",
	}}
	for name, handler := range hotels {
		web := httptest.NewServer(handler())
		t.Cleanup(web.Close)
		scenes[name] = scene{
			baseline: "hotels", command: []string{os.Args[0], name}, address: web.URL, modern: true,
			stale:   hooktest.Step{Call: "book", Arguments: hooktest.Args{"city": "Rome", "days": 2}},
			good:    hooktest.Step{Call: "book", Arguments: hooktest.Args{"city": "Rome", "nights": 2}},
			gone:    "find",
			renamed: `use "nights" in its place`, said: "done <é & 🙂>", successor: "call search in its place",
		}
	}
	for name, s := range scenes {
		h, err := awareness.New(baselines[s.baseline], awareness.WithMode(awareness.Enrich), awareness.Repeats(false))
		if err != nil {
			t.Fatal(err)
		}
		inFront := inFront(t, s.address, h, HTTPOptions{})
		for _, plan := range hooktest.Plans() {
			if plan.Era == hooktest.Since && !s.modern {
				continue
			}
			plan.Steps = []hooktest.Step{s.stale, s.good, {Call: s.gone}, s.good}
			t.Run(fmt.Sprintf("%s, %s, %s, stdio", name, plan.Client, plan.Era), func(t *testing.T) {
				direct, _ := s.overStdio(t, plan, nil)
				through, arrived := s.overStdio(t, plan, []string{os.Args[0], "proxy", s.baseline})
				s.check(t, direct, through, arrived)
			})
			t.Run(fmt.Sprintf("%s, %s, %s, http", name, plan.Client, plan.Era), func(t *testing.T) {
				direct, _ := overHTTP(t, plan, s.address)
				through, arrived := overHTTP(t, plan, inFront.URL)
				s.check(t, direct, through, arrived)
			})
		}
	}
}

func (s scene) check(t *testing.T, direct, through []string, arrived []hooktest.Arrived) {
	t.Helper()
	for i, want := range []string{s.renamed, s.said, s.successor, s.said} {
		texts, isError := arrived[i].Texts()
		if len(texts) != 1 || isError != (i%2 == 0) || !strings.Contains(texts[0], want) {
			t.Errorf("call %d: %+v, %q, want %q", i, arrived[i], texts, want)
		}
	}
	if len(direct) != len(through) {
		t.Fatalf("%d messages without the proxy, %d with it\n%s\n%s", len(direct), len(through), strings.Join(direct, "\n"), strings.Join(through, "\n"))
	}
	same, other := 0, 0
	for i := range direct {
		switch {
		case direct[i] == through[i]:
			same++
		case strings.Contains(through[i], "contract_awareness"):
			other++
		default:
			t.Errorf("message %d:\n%s\nbecame\n%s", i, direct[i], through[i])
		}
	}
	if same < 2 || other != 2 {
		t.Errorf("%d messages are the same, %d are explained; want the good calls at least, and 2", same, other)
	}
}

// overStdio runs a client before the server's command, or what stands before it, and returns what was on the wire.
func (s scene) overStdio(t *testing.T, plan hooktest.Plan, before []string) (wire []string, arrived []hooktest.Arrived) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "wire")
	plan.Command, plan.Args = os.Args[0], append(append([]string{"tap", file}, before...), s.command...)
	plan.Env = map[string]string{fakeEnv: byArguments, "PATH": os.Getenv("PATH")}
	arrived = npm.Run(t, plan)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n"), arrived
}

// overHTTP runs a client before an address and returns the messages that answered its requests.
func overHTTP(t *testing.T, plan hooktest.Plan, address string) (wire []string, arrived []hooktest.Arrived) {
	t.Helper()
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	between := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = target.Scheme, target.Host, target.Host
		},
		FlushInterval: -1,
		ModifyResponse: func(r *http.Response) error {
			if r.Request.Method != http.MethodPost {
				return nil
			}
			body, err := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			mu.Lock()
			defer mu.Unlock()
			for line := range strings.Lines(string(body)) {
				// The ids of events are made up anew each time.
				if line = strings.TrimPrefix(strings.TrimRight(line, "\r\n"), "data: "); strings.HasPrefix(line, "{") {
					wire = append(wire, line)
				}
			}
			return err
		},
	})
	defer between.Close()
	plan.URL = between.URL + target.Path
	arrived = npm.Run(t, plan)
	mu.Lock()
	defer mu.Unlock()
	return wire, arrived
}
