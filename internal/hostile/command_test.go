package hostile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fusionctl/fusionctl/internal/report"
)

// The command runs with a soft limit of memory, and its peak may be no more than maxPeak.
const (
	memoryLimit = "512MiB"
	maxPeak     = 1 << 30
)

var binary string // the command, built once

func TestMain(m *testing.M) { os.Exit(withBinary(m)) }

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
	return m.Run()
}

// A place is an empty folder in which the command runs, and what the environment points at.
type place struct {
	dir   string
	proxy string // where a request over HTTP would go
}

func (p place) write(t *testing.T, name string, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// run runs the command and checks what holds for every run: an exit code of the documented ones, an error that says what is
// wrong when there is one, nothing that a terminal obeys, no panic, and memory within bounds.
func (p place) run(t *testing.T, args ...string) (code int, out string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir = p.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir, "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), "GOMEMLIMIT=" + memoryLimit}
	if p.proxy != "" {
		cmd.Env = append(cmd.Env, "HTTP_PROXY="+p.proxy, "HTTPS_PROXY="+p.proxy, "http_proxy="+p.proxy, "https_proxy="+p.proxy)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	what := "fusionctl " + strings.Join(args, " ")
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
	harmless(t, what, stdout.String())
	harmless(t, what+", errors", stderr.String())
	if stderr.Len() > 64<<10 {
		t.Errorf("%s: %d bytes of errors", what, stderr.Len())
	}
	if peak := peakMemory(cmd.ProcessState); peak > maxPeak {
		t.Errorf("%s: peak memory %d MiB", what, peak>>20)
	}
	return code, stdout.String()
}

// wants runs the command and wants one of the exit codes.
func (p place) wants(t *testing.T, codes []int, args ...string) string {
	t.Helper()
	got, out := p.run(t, args...)
	for _, code := range codes {
		if got == code {
			return out
		}
	}
	t.Errorf("fusionctl %s: exit code %d, want %v", strings.Join(args, " "), got, codes)
	return out
}

func TestCommandOnMalformedTexts(t *testing.T) {
	t.Parallel()
	p := place{dir: t.TempDir()}
	for name, text := range malformed {
		t.Run(name, func(t *testing.T) {
			p.write(t, "in.json", text)
			commands := [][]string{
				{"lock", "--from", "in.json", "--name", "s"},
				{"lock", "--check", "--from", "in.json", "--lockfile", "in.json", "--name", "s"},
				{"diff", "in.json", "in.json"},
				{"show", "in.json"},
			}
			if name != "lockfile, newer" { // which is a configuration without servers
				commands = append(commands, []string{"lock", "--config", "in.json"})
			}
			for _, args := range commands {
				p.wants(t, []int{2}, args...)
			}
			if _, err := os.Stat(filepath.Join(p.dir, "fusion.lock")); err == nil {
				t.Error("a lockfile was written")
			}
		})
	}
}

// TestCommandOnSchemas leaves the nesting of keywords and combinations to the tests of functions, and takes those that weigh.
func TestCommandOnSchemas(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"oneOf bomb", "allOf 200 deep", "two refer to each other", "exponent of nine digits", "repeats of repeats",
		"exponential automaton", "enum of 10000", "10000 required", "1 MB description", "keywords of no type", "names of prototypes"} {
		t.Run(name, func(t *testing.T) {
			p := place{dir: t.TempDir()}
			p.write(t, "old.json", string(manifest(tool("t", plain))))
			p.write(t, "new.json", string(manifest(tool("t", schemas[name]))))
			p.write(t, "plain.json", plain)
			p.write(t, "schema.json", schemas[name])
			p.wants(t, []int{0, 1}, "diff", "old.json", "new.json", "--name", "s", "--format", "markdown")
			p.wants(t, []int{0, 1}, "diff", "new.json", "old.json", "--name", "s")
			p.wants(t, []int{0}, "lock", "--from", "new.json", "--name", "s")
			p.wants(t, []int{0}, "lock", "--check", "--from", "new.json", "--name", "s")
			p.wants(t, []int{0}, "show")
			p.wants(t, []int{0, 1, 2, 3}, "schema", "check", "plain.json", "schema.json")
			p.wants(t, []int{0, 1, 2, 3}, "schema", "sample", "schema.json")
		})
	}
}

func TestCommandOnTexts(t *testing.T) {
	t.Parallel()
	p := place{dir: t.TempDir()}
	base, rev := evilCaptures()
	p.write(t, "old.json", base)
	p.write(t, "new.json", rev)
	for _, format := range report.Formats() {
		p.wants(t, []int{1}, "diff", "old.json", "new.json", "--format", format, "--color", "never")
	}
	p.wants(t, []int{0}, "lock", "--from", "old.json")
	p.wants(t, []int{1}, "lock", "--check", "--from", "new.json")
	p.wants(t, []int{0}, "show")
	p.wants(t, []int{0}, "show", "--format", "json")
	p.wants(t, []int{0}, "lock", "--from", "new.json")
	evilArgument := strings.ReplaceAll(evil, "\x00", "")
	for _, args := range [][]string{{"explain", evilArgument}, {evilArgument}, {"diff", evilArgument, evilArgument}, {"show", evilArgument},
		{"lock", "--from", evilArgument}, {"lock", "--url", evilArgument}, {"lock", "--server", evilArgument}, {"diff", "--" + evilArgument},
		{"diff", "old.json", "new.json", "--format", evilArgument}, {"lock", "--", evilArgument}, {"accept", evilArgument, "--reason", evilArgument}} {
		p.wants(t, []int{2}, args...)
	}
}

// TestNothingElseIsRead points references at a server and at a file, and watches the one and looks for the content of the
// other.
func TestNothingElseIsRead(t *testing.T) {
	t.Parallel()
	var visits atomic.Int64
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			visits.Add(1)
			c.Close()
		}
	}()
	address := "http://" + listener.Addr().String()
	p := place{dir: t.TempDir(), proxy: address}
	const secret = "secret-4242"
	p.write(t, "secret.json", `{"type":"object","required":["`+secret+`"]}`)
	file := "file://" + filepath.ToSlash(filepath.Join(p.dir, "secret.json"))
	for i, ref := range []string{address + "/s.json", "https://x.test/s.json", file, "secret.json", "./secret.json", "../" + filepath.Base(p.dir) + "/secret.json",
		"file:secret.json", "FILE:///etc/hostname", "//" + listener.Addr().String() + "/s.json", "http://json-schema.org/draft-07/other"} {
		for j, form := range []string{`{"type":"object","$ref":%q}`, `{"type":"object","allOf":[{"$ref":%q}]}`, `{"type":"object","properties":{"x":{"$dynamicRef":%q}}}`,
			`{"$schema":%q,"type":"object"}`, `{"type":"object","$id":%q,"properties":{"x":{"$ref":"other.json"}}}`, `{"id":%q,"type":"object","$ref":"secret.json"}`} {
			schema := fmt.Sprintf(form, ref)
			p.write(t, "old.json", string(manifest(tool("t", plain))))
			p.write(t, "new.json", string(manifest(tool("t", schema))))
			p.write(t, "schema.json", schema)
			p.write(t, "plain.json", `{"type":"object","required":["other"]}`)
			out := p.wants(t, []int{0, 1}, "diff", "old.json", "new.json", "--name", "s", "--format", "json")
			code, decided := p.run(t, "schema", "check", "schema.json", "plain.json")
			if j < 2 && code == 0 {
				t.Errorf("%d, %d: %s was followed: %s", i, j, ref, decided)
			}
			_, sample := p.run(t, "schema", "sample", "schema.json")
			if strings.Contains(out+decided+sample, secret) {
				t.Errorf("%d, %d: the file that %s names was read", i, j, ref)
			}
		}
	}
	if n := visits.Load(); n != 0 {
		t.Errorf("%d connections to the address that a schema names", n)
	}
}

// TestManyTools: time and memory in proportion to the file.
func TestManyTools(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n = 5_000
	}
	p := place{dir: t.TempDir()}
	all := func(kind string) string {
		return `{"tools":[` + list(n, func(i int) string {
			return fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object","properties":{"x":{"type":%q}}}}`, i, kind)
		}) + `]}`
	}
	p.write(t, "old.json", all("string"))
	p.write(t, "same.json", all("string"))
	p.write(t, "others.json", strings.ReplaceAll(all("string"), `"name":"t`, `"name":"u`))
	p.wants(t, []int{0}, "lock", "--from", "old.json", "--name", "s")
	p.wants(t, []int{0}, "lock", "--check", "--from", "same.json", "--name", "s")
	p.wants(t, []int{0}, "diff", "fusion.lock", "same.json", "--name", "s")
	p.wants(t, []int{1}, "diff", "old.json", "others.json", "--name", "s")
	p.wants(t, []int{0}, "show")
}
