package proxy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// fakeEnv makes the test binary a server, so that the proxy can start it. Its value is what the server does.
const fakeEnv = "FUSIONCTL_TEST_FAKE"

func TestMain(m *testing.M) {
	behaviour := os.Getenv(fakeEnv)
	if behaviour == "" {
		code := m.Run()
		npm.Remove()
		os.Exit(code)
	}
	fake(behaviour)
}

func fake(behaviour string) {
	switch behaviour {
	case "echo":
		io.Copy(os.Stdout, os.Stdin)
	case byArguments:
		obey(os.Args[1:])
	case "serve":
		serve(true)
	case "never lists":
		serve(false)
	case "exit 3":
		fmt.Fprintln(os.Stderr, "no configuration")
		fmt.Println("a last line")
		os.Exit(3)
	case "dies by signal":
		killSelf()
		time.Sleep(time.Minute)
	case "long":
		writeLong(os.Stdout)
	case "fails and leaves":
		fmt.Println(answerOf("1", toolError(refusal)))
	case "ignores the end":
		fmt.Println("ready")
		time.Sleep(time.Minute)
	case "ignores everything":
		ignoreSignals()
		fmt.Println("ready")
		time.Sleep(time.Minute)
	case "closes its output":
		os.Stdout.Close()
		time.Sleep(time.Minute)
	case "leaves a child", "leaves a child that ignores everything":
		child := exec.Command(os.Args[0])
		next := "ignores the end"
		if strings.HasSuffix(behaviour, "everything") {
			next = "ignores everything"
		}
		child.Env = append(os.Environ(), fakeEnv+"="+next)
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if child.Start() != nil {
			os.Exit(9)
		}
		fmt.Println("child", child.Process.Pid)
	case "does not read":
		fmt.Println(answerOf("1", toolError(refusal)))
		time.Sleep(time.Minute)
	default:
		fmt.Fprintln(os.Stderr, "no such behaviour:", behaviour)
		os.Exit(8)
	}
}

// serve is an MCP server as far as the proxy cares. It echoes what is not a request.
func serve(lists bool) {
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		var r struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Name      string
				Arguments map[string]any
			}
		}
		switch {
		case json.Unmarshal(line, &r) != nil || r.ID == nil:
			os.Stdout.Write(line)
		case r.Method == "tools/list":
			if lists {
				fmt.Println(answerOf(string(r.ID), toolsOf(searchV2, list)))
			}
		case r.Method == "tools/call" && r.Params.Name == "search" && r.Params.Arguments["subject"] != nil:
			fmt.Println(answerOf(string(r.ID), `{"content":[{"type":"text","text":"found <é & 🙂>"}]}`))
		case r.Method == "tools/call" && r.Params.Name == "search":
			fmt.Println(answerOf(string(r.ID), toolError(refusal)))
		default:
			fmt.Println(faultOf(string(r.ID), -32602, "unknown "+r.Params.Name))
		}
		if err != nil {
			return
		}
	}
}

const longLine = 64 << 20

// writeLong writes a line of 64 MiB, then a short one.
func writeLong(w io.Writer) {
	out := bufio.NewWriter(w)
	defer out.Flush()
	chunk := bytes.Repeat([]byte("0123456789abcdef"), 4096)
	for n := 0; n < longLine; n += len(chunk) {
		out.Write(chunk)
	}
	out.WriteString("\nshort\n")
}

// impatient is for servers that do not end by themselves.
func impatient(p *Stdio) { p.Grace = 200 * time.Millisecond }

// A run is a proxy that runs.
type run struct {
	in   *io.PipeWriter
	out  *bufio.Reader
	errs bytes.Buffer
	stop context.CancelFunc
	done chan struct{}
	code int
	err  error
}

// start runs a fake server behind the proxy.
func start(t testing.TB, behaviour string, change func(*Stdio)) *run {
	t.Helper()
	inRead, in := io.Pipe()
	outRead, out := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	r := &run{in: in, out: bufio.NewReaderSize(outRead, 1<<20), stop: stop, done: make(chan struct{})}
	p := &Stdio{
		Command: []string{os.Args[0]}, Env: append(os.Environ(), fakeEnv+"="+behaviour),
		Stdin: inRead, Stdout: out, Stderr: &r.errs, Hook: hook(t), Grace: 20 * time.Second,
	}
	if change != nil {
		change(p)
	}
	go func() {
		defer close(r.done)
		r.code, r.err = p.Run(ctx)
		out.Close()
	}()
	t.Cleanup(func() {
		in.Close()
		outRead.Close()
		stop()
		<-r.done
	})
	return r
}

func (r *run) send(t testing.TB, line string) {
	t.Helper()
	if _, err := io.WriteString(r.in, line); err != nil {
		t.Fatal(err)
	}
}

func (r *run) line(t testing.TB) string {
	t.Helper()
	line, err := r.out.ReadString('\n')
	if err != nil {
		t.Fatalf("after %q: %v", line, err)
	}
	return line
}

func (r *run) rest(t testing.TB) string {
	t.Helper()
	rest, err := io.ReadAll(r.out)
	if err != nil {
		t.Fatal(err)
	}
	return string(rest)
}

// ends waits for the end and checks the exit code.
func (r *run) ends(t testing.TB, code int) {
	t.Helper()
	select {
	case <-r.done:
	case <-time.After(30 * time.Second):
		t.Fatal("the proxy goes on")
	}
	if r.code != code || r.err != nil {
		t.Errorf("exit code %d, %v, want %d", r.code, r.err, code)
	}
}
