package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/fusionctl/fusionctl/internal/capture"
)

// memoryGoal is how many times the size of its files the whole command may hold at its peak.
const memoryGoal = 6.0

// askPeak is set for a process of this test that only runs another one and prints its peak. The peak of a process is at least
// what its parent held when it was started, so the parent must be small.
const askPeak = "BENCH_ASK_PEAK"

func TestMain(m *testing.M) {
	if os.Getenv(askPeak) == "" {
		os.Exit(m.Run())
	}
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	fmt.Println(PeakMemory(cmd.ProcessState))
}

// peakOf runs a program in a folder and returns its peak.
func peakOf(t *testing.T, dir, program string, args ...string) int64 {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, append([]string{program}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), askPeak+"=1", "HOME="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	peak, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	if peak < 1<<20 && runtime.GOOS != "windows" {
		t.Fatalf("%v: a peak of %d bytes cannot be", args, peak)
	}
	return peak
}

// TestMemory runs the command on contracts of 3000 tools; docs/performance.md tells the same for 10000. Windows does not tell
// the peak, so there it only shows that the command ends well.
func TestMemory(t *testing.T) {
	const n = 3000
	dir := t.TempDir()
	program := filepath.Join(dir, "fusionctl.exe") // other systems do not mind
	if out, err := exec.Command("go", "build", "-o", program, "github.com/fusionctl/fusionctl/cmd/fusionctl").CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, out)
	}
	write := func(name string, data []byte) int64 {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
		return int64(len(data))
	}
	for _, shape := range Shapes() {
		sizes := map[string]int64{}
		for name, changed := range map[string]int{"old": 0, "new": n / 100} {
			manifest := Manifest(shape, n, changed)
			sizes[name+".json"] = write(name+".json", manifest)
			f, _, err := capture.Read(manifest, ServerName)
			if err != nil {
				t.Fatal(err)
			}
			sizes[name+".lock"] = write(name+".lock", format(t, f))
		}
		for _, c := range []struct {
			files []string
			args  []string
		}{
			{[]string{"old.json", "old.lock"}, []string{"lock", "--check", "--from", "old.json", "--lockfile", "old.lock", "--name", ServerName}},
			{[]string{"old.lock", "new.lock"}, []string{"diff", "--fail-on", "none", "old.lock", "new.lock"}},
			{[]string{"old.lock"}, []string{"show", "old.lock"}},
		} {
			size := int64(0)
			for _, name := range c.files {
				size += sizes[name]
			}
			got := float64(peakOf(t, dir, program, c.args...)) / float64(size)
			t.Logf("%s: %s: %.1f times the files", shape, c.args[0], got)
			if got > memoryGoal {
				t.Errorf("%s: %v holds %.1f times the size of its files, want at most %.0f", shape, c.args, got, memoryGoal)
			}
		}
	}
}
