package hostile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fusionctl/fusionctl/internal/bench"
	"github.com/fusionctl/fusionctl/internal/hooktest/foreign"
)

// The command runs with a soft limit of memory, and its peak may be no more than maxPeak, whatever it is given here: texts
// of up to 64 MiB, as files and from servers.
const (
	memoryLimit = "512MiB"
	maxPeak     = 640 << 20
)

// patience is far beyond what any step takes on a busy machine with the race detector: the limits of the packages are counts,
// not times, and this only tells a hang from an answer.
const patience = 60 * time.Second

var (
	binary  string       // the command, built once
	highest atomic.Int64 // the highest peak of all runs
)

func TestMain(m *testing.M) {
	if mode := os.Getenv("HOSTILE_SERVER"); mode != "" {
		serve(mode)
		return
	}
	os.Exit(withBinary(m))
}

func withBinary(m *testing.M) int {
	dir, err := os.MkdirTemp("", "hostile")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "fusionctl")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", binary, "github.com/fusionctl/fusionctl/cmd/fusionctl").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the command: %v\n%s", err, out)
		return 1
	}
	code := m.Run()
	fmt.Printf("the highest peak of the command was %d MiB\n", highest.Load()>>20)
	return code
}

// A place is an empty folder in which the command runs, and what is around it.
type place struct {
	dir   string
	proxy string   // where a request over HTTP would go
	env   []string // more of the environment
	stdin string
}

func (p place) write(t *testing.T, name string, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (p place) environment() []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir, "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), "GOMEMLIMIT=" + memoryLimit}
	if p.proxy != "" {
		env = append(env, "HTTP_PROXY="+p.proxy, "HTTPS_PROXY="+p.proxy, "http_proxy="+p.proxy, "https_proxy="+p.proxy)
	}
	return append(env, p.env...)
}

// run runs the command and checks what holds for every run: an exit code of the documented ones, an error that says what is
// wrong when there is one, nothing that a terminal obeys, no panic, and memory within bounds.
func (p place) run(t *testing.T, args ...string) (code int, out string) {
	t.Helper()
	code, out, _ = p.runAll(t, args...)
	return code, out
}

func (p place) runAll(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = p.dir, p.environment(), strings.NewReader(p.stdin)
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	what := fmt.Sprintf("fusionctl %.500s", strings.Join(args, " "))
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		t.Fatalf("%s: no answer within %v", what, 2*patience)
	case err != nil && !errors.As(err, &exit):
		t.Fatalf("%s: %v", what, err)
	}
	code = cmd.ProcessState.ExitCode()
	if code < 0 || code > 3 || code == 3 && args[0] != "schema" {
		t.Errorf("%s: exit code %d", what, code)
	}
	if code == 2 && !strings.Contains(stderr.String(), "error") {
		t.Errorf("%s: exit code 2 and no error: %.300q", what, stderr.String())
	}
	for _, sign := range []string{"goroutine ", "panic:", "runtime error", "internal error", "%!"} {
		if code == 2 && strings.Contains(stderr.String(), sign) {
			t.Errorf("%s: %q in %.500s", what, sign, stderr.String())
		}
	}
	if args[0] != "proxy" { // through which others speak
		foreign.Harmless(t, what, stdout.String())
		foreign.Harmless(t, what+", errors", stderr.String())
	}
	if stderr.Len() > 64<<10 {
		t.Errorf("%s: %d bytes of errors", what, stderr.Len())
	}
	p.weigh(t, what, cmd.ProcessState)
	return code, stdout.String(), stderr.String()
}

// weigh holds the peak of an ended process to the limit. On Linux it is at least what the process that started it held then.
func (p place) weigh(t *testing.T, what string, ended *os.ProcessState) {
	t.Helper()
	peak := bench.PeakMemory(ended)
	if peak > maxPeak {
		t.Errorf("%s: peak memory %d MiB", what, peak>>20)
	}
	for {
		before := highest.Load()
		if peak <= before || highest.CompareAndSwap(before, peak) {
			break
		}
	}
	if peak > maxPeak/2 {
		t.Logf("%s: peak memory %d MiB", what, peak>>20)
	}
}

// wants runs the command and wants one of the exit codes.
func (p place) wants(t *testing.T, codes []int, args ...string) string {
	t.Helper()
	got, out, errs := p.runAll(t, args...)
	for _, code := range codes {
		if got == code {
			return out
		}
	}
	t.Errorf("fusionctl %.500s: exit code %d, want %v: %.300q", strings.Join(args, " "), got, codes, errs)
	return out
}
