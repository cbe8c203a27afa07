package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fusionctl/fusionctl/awareness"
)

// Everything that is not a failed call passes byte for byte, in both directions: the server sends back what it gets.
func TestStdioIsTransparent(t *testing.T) {
	t.Parallel()
	text := strings.Join([]string{
		"Server running on stdio", "", "   \t", "\r", "not { JSON", `{"jsonrpc":"2.0","id":"ü\u2028","method":"ping"}` + "\r",
		callOf("1", "search", stale), answerOf("1", `{"content":[{"type":"text","text":"ok"}]}`) + "  ",
		"[" + callOf("2", "search", stale) + "]", "[" + answerOf("2", toolError(refusal)) + "]",
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1e400}}`,
		"\xff\xfe\x00 binary", "\u2028", strings.Repeat("x", 200_000), callOf("3", "search", `{"subject":"`+strings.Repeat("y", 100_000)+`"}`),
		answerOf("3", `{ "z":1, "a":[ ] }`), "a last line without an end",
	}, "\n")
	r := start(t, "echo", nil)
	go func() {
		io.WriteString(r.in, text)
		r.in.Close()
	}()
	if got := r.rest(t); got != text {
		t.Errorf("got\n%.2000q\nwant\n%.2000q", got, text)
	}
	r.ends(t, 0)
}

func TestStdioEnriches(t *testing.T) {
	t.Parallel()
	r := start(t, "serve", nil)
	r.send(t, callOf("1", "search", stale)+"\n") // the client never listed
	if m := read(t, []byte(strings.TrimSuffix(r.line(t), "\n"))); string(m.ID) != "1" || !renamed(m.texts[0]) {
		t.Errorf("the answer is %+v", m)
	}
	r.send(t, callOf("2", "search", right)+"\n")
	if got, want := r.line(t), answerOf("2", `{"content":[{"type":"text","text":"found <é & 🙂>"}]}`)+"\n"; got != want {
		t.Errorf("a good call: %q, want %q", got, want)
	}
	r.send(t, callOf("3", "list_all", `{}`)+"\r\n")
	if m := read(t, []byte(strings.TrimSuffix(r.line(t), "\n"))); !gone(m.texts[0]) {
		t.Errorf("a removed tool: %+v", m)
	}
	r.send(t, `{"id":"x","method":"tools/list"}`+"\n")
	if got, want := r.line(t), answerOf(`"x"`, toolsOf(searchV2, list))+"\n"; got != want {
		t.Errorf("a list: %q, want %q", got, want)
	}
	r.in.Close()
	if rest := r.rest(t); rest != "" {
		t.Errorf("the client got %q too", rest)
	}
	r.ends(t, 0)
}

// A rewritten line ends as the line did that it replaces.
func TestRewrittenLineEnds(t *testing.T) {
	t.Parallel()
	r := start(t, "echo", nil)
	listing := `{"id":1,"method":"tools/list"}` + "\n" + answerOf("1", toolsOf(searchV2)) + "\n"
	r.send(t, listing)
	r.line(t)
	r.line(t)
	for _, end := range []string{"\n", "\r\n"} {
		r.send(t, callOf("2", "search", stale)+"\n"+answerOf("2", toolError(refusal))+end)
		r.line(t)
		line := r.line(t)
		if !strings.HasSuffix(line, "}"+end) || !renamed(read(t, []byte(strings.TrimRight(line, "\r\n"))).texts[0]) {
			t.Errorf("%q became %q", end, line)
		}
	}
	r.send(t, callOf("3", "search", stale)+"\n"+answerOf("3", toolError(refusal)))
	r.in.Close()
	r.line(t)
	if rest := r.rest(t); !strings.HasSuffix(rest, "}") || !strings.Contains(rest, "validation_error") {
		t.Errorf("a last line without an end became %q", rest)
	}
	r.ends(t, 0)
}

// The server does not answer tools/list: the failed call arrives after a while as it was, and other messages do not wait.
func TestStdioServerDoesNotList(t *testing.T) {
	t.Parallel()
	r := start(t, "never lists", func(p *Stdio) { p.ListTimeout = 300 * time.Millisecond })
	r.send(t, callOf("1", "search", stale)+"\n"+`{"note":"passes"}`+"\n")
	if got := r.line(t); got != `{"note":"passes"}`+"\n" {
		t.Errorf("the failed call held back what came after it: %q", got)
	}
	if got, want := r.line(t), answerOf("1", toolError(refusal))+"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r.send(t, callOf("2", "search", stale)+"\n") // it is not asked again soon
	if got, want := r.line(t), answerOf("2", toolError(refusal))+"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A server that reads nothing must not hold back an answer for longer than the time for a list.
func TestStdioServerDoesNotRead(t *testing.T) {
	t.Parallel()
	r := start(t, "does not read", func(p *Stdio) { p.ListTimeout = 300 * time.Millisecond })
	go func() {
		io.WriteString(r.in, callOf("1", "search", stale)+"\n")
		io.WriteString(r.in, strings.Repeat("x", 1<<20)+"\n") // fills the pipe
	}()
	if got, want := r.line(t), answerOf("1", toolError(refusal))+"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r.stop()
	r.ends(t, 128+15)
}

// The server answers and ends at once: the answer arrives, though nobody can be asked any more.
func TestStdioServerLeaves(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	r := start(t, "fails and leaves", func(p *Stdio) {
		p.Stdin, p.ListTimeout = io.MultiReader(strings.NewReader(callOf("1", "search", stale)+"\n"), p.Stdin), time.Minute
	})
	if got, want := r.rest(t), answerOf("1", toolError(refusal))+"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r.ends(t, 0)
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestStdioExit(t *testing.T) {
	t.Parallel()
	r := start(t, "exit 3", nil)
	if got := r.rest(t); got != "a last line\n" {
		t.Errorf("output %q", got)
	}
	r.ends(t, 3)
	if got := r.errs.String(); got != "no configuration\n" {
		t.Errorf("errors %q", got)
	}
	if runtime.GOOS != "windows" {
		start(t, "dies by signal", nil).ends(t, 128+9)
	}
	_, err := (&Stdio{Command: []string{"no-such-program-anywhere"}, Hook: hook(t)}).Run(t.Context())
	if err == nil || err.Error() != `starting "no-such-program-anywhere": executable file not found in $PATH` || !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("a program that is not there: %v", err)
	}
	_, err = (&Stdio{Command: []string{"./no-such-file"}, Hook: hook(t)}).Run(t.Context())
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// How a session ends that does not end by itself.
func TestStdioStops(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		return // there are no signals: every stop is a kill
	}
	for _, c := range []struct {
		behaviour string
		end       func(*run)
		code      int
	}{
		{"ignores the end", func(r *run) { r.in.Close() }, 128 + 15},
		{"ignores the end", func(r *run) { r.stop() }, 128 + 15},
		{"ignores everything", func(r *run) { r.in.Close() }, 128 + 9},
		{"ignores everything", func(r *run) { r.stop() }, 128 + 9},
		{"serve", func(r *run) { r.in.Close() }, 0},
	} {
		change := impatient
		if c.code == 0 {
			change = nil
		}
		r := start(t, c.behaviour, change)
		if c.behaviour != "serve" {
			r.line(t)
		}
		c.end(r)
		r.ends(t, c.code)
	}
	start(t, "closes its output", impatient).ends(t, 128+15)
}

// The client does not take what the server says, and then it is gone.
func TestStdioClientLeaves(t *testing.T) {
	t.Parallel()
	broken := func(p *Stdio) { impatient(p); p.Stdout = brokenWriter{} }
	start(t, "ignores the end", broken).ends(t, 128+15)
	r := start(t, "ignores the end", func(p *Stdio) { impatient(p); p.Stdout = stuckWriter{t.Context()} })
	time.AfterFunc(300*time.Millisecond, r.stop)
	r.ends(t, 128+15)
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

type stuckWriter struct{ ctx context.Context }

func (w stuckWriter) Write([]byte) (int, error) {
	<-w.ctx.Done()
	return 0, w.ctx.Err()
}

// What the server started holds its output: the proxy waits for a moment, and ends the group and nothing else.
func TestStdioGrandchild(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		return // there are no process groups
	}
	bystander := exec.Command(os.Args[0])
	bystander.Env = append(os.Environ(), fakeEnv+"=ignores the end")
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { bystander.Process.Kill(); bystander.Wait() }()
	for _, behaviour := range []string{"leaves a child", "leaves a child that ignores everything"} {
		r := start(t, behaviour, impatient)
		pid := 0
		for pid == 0 {
			fmt.Sscanf(r.line(t), "child %d", &pid)
		}
		r.rest(t)
		r.ends(t, 0)
		if err := gonePID(pid); err != nil {
			t.Errorf("%s: %v", behaviour, err)
		}
	}
	if !alive(bystander.Process.Pid) {
		t.Error("a process that is none of its business was ended")
	}
}

// gonePID waits until a process has ended.
func gonePID(pid int) error {
	for range 100 {
		if !alive(pid) {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("process %d still runs", pid)
}

// A line of 64 MiB passes with a bounded buffer, and the messages after it are looked at as before.
func TestStdioLongLine(t *testing.T) {
	var before, peak runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r := start(t, "long", func(p *Stdio) { p.MaxInspect = 1 << 20 })
	total, other := 0, 0
	buffer := make([]byte, 64<<10)
	for {
		n, err := r.out.Read(buffer)
		for i, c := range buffer[:n] {
			if at := total + i; at < longLine && c != "0123456789abcdef"[at%16] {
				other++
			}
		}
		if total += n; total/(8<<20) != (total-n)/(8<<20) {
			var now runtime.MemStats
			if runtime.ReadMemStats(&now); now.HeapAlloc > peak.HeapAlloc {
				peak = now
			}
		}
		if err != nil {
			break
		}
	}
	if total != longLine+len("\nshort\n") || other != 0 {
		t.Errorf("%d bytes arrived, %d of them wrong", total, other)
	}
	if grown := int64(peak.HeapAlloc) - int64(before.HeapAlloc); grown > 16<<20 {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	}
	r.ends(t, 0)
}

// A long line does not hide the ones after it.
func TestStdioAfterLongLine(t *testing.T) {
	t.Parallel()
	r := start(t, "serve", func(p *Stdio) { p.MaxInspect = 2000 })
	long := callOf("1", "search", `{"topic":"`+strings.Repeat("x", 300_000)+`"}`) + "\n"
	r.send(t, long)
	if got, want := r.line(t), answerOf("1", toolError(refusal))+"\n"; got != want {
		t.Errorf("a call too long to look at: %q, want %q", got, want)
	}
	r.send(t, callOf("2", "search", stale)+"\n")
	if line := r.line(t); !renamed(read(t, []byte(line[:len(line)-1])).texts[0]) {
		t.Errorf("the call after it: %s", line)
	}
}

func TestStdioObserves(t *testing.T) {
	t.Parallel()
	h := hook(t, awareness.WithMode(awareness.Observe))
	r := start(t, "never lists", func(p *Stdio) { p.Hook, p.ListTimeout = h, time.Minute })
	r.send(t, callOf("1", "search", stale)+"\n")
	if got, want := r.line(t), answerOf("1", toolError(refusal))+"\n"; got != want { // at once
		t.Errorf("%q, want %q", got, want)
	}
	r = start(t, "serve", func(p *Stdio) { p.Hook = h })
	r.send(t, callOf("1", "search", stale)+"\n"+callOf("2", "list_all", `{}`)+"\n")
	for i, want := range []string{answerOf("1", toolError(refusal)), faultOf("2", -32602, "unknown list_all")} {
		if got := r.line(t); got != want+"\n" {
			t.Errorf("answer %d: %q, want %q", i, got, want)
		}
	}
	for range 500 {
		if h.Counts().Observed == 2 {
			break
		}
		time.Sleep(10 * time.Millisecond) // the list comes after the answers
	}
	r.in.Close()
	if rest := r.rest(t); rest != "" {
		t.Errorf("the client got %q too", rest)
	}
	r.ends(t, 0)
	if c := h.Counts(); c.Stale != 2 || c.Unknown != 1 {
		t.Errorf("counts %+v", c)
	}
}

// Nothing is left running after Run when the client has ended its input.
func TestStdioLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 3 {
		r := start(t, "serve", nil)
		r.send(t, callOf("1", "search", stale)+"\n")
		r.line(t)
		r.in.Close()
		r.rest(t)
		r.ends(t, 0)
	}
	var now int
	for range 100 {
		if now = runtime.NumGoroutine(); now <= before {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	stacks := make([]byte, 1<<16)
	t.Errorf("%d goroutines, %d before\n%s", now, before, stacks[:runtime.Stack(stacks, true)])
}

// BenchmarkStdio tells what the proxy adds to a message and its answer: compare the two medians.
func BenchmarkStdio(b *testing.B) {
	b.Run("direct", func(b *testing.B) {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fakeEnv+"=serve")
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		defer cmd.Wait()
		defer in.Close()
		roundTrips(b, in, out)
	})
	b.Run("proxy", func(b *testing.B) {
		proxyIn, in, err := os.Pipe()
		if err != nil {
			b.Fatal(err)
		}
		out, proxyOut, err := os.Pipe()
		if err != nil {
			b.Fatal(err)
		}
		done := make(chan struct{})
		p := &Stdio{Command: []string{os.Args[0]}, Env: append(os.Environ(), fakeEnv+"=serve"), Stdin: proxyIn, Stdout: proxyOut, Stderr: os.Stderr, Hook: hook(b)}
		go func() {
			defer close(done)
			p.Run(context.Background())
		}()
		roundTrips(b, in, out)
		in.Close()
		<-done
	})
}

// roundTrips reports the median, too: a mean tells of the machine's other work.
func roundTrips(b *testing.B, in io.Writer, out io.Reader) {
	call := []byte(callOf("7", "search", right) + "\n")
	answer := make([]byte, len(answerOf("7", `{"content":[{"type":"text","text":"found <é & 🙂>"}]}`))+1)
	var took []time.Duration
	trip := func() {
		began := time.Now()
		in.Write(call)
		if _, err := io.ReadFull(out, answer); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	trip() // the server starts
	took = took[:0]
	b.ReportAllocs()
	for b.Loop() {
		trip()
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2])/1e6, "ms-median/op")
}
