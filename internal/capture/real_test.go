package capture

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestRealServers captures published servers, each twice.
func TestRealServers(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("skipped: no npm")
	}
	dir := t.TempDir()
	const version = "2026.8.31"
	args := []string{"install", "--prefix", dir, "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"}
	servers := map[string]string{"server-everything": "echo", "server-filesystem": "read_text_file", "server-memory": "create_entities"}
	for name := range servers {
		args = append(args, "@modelcontextprotocol/"+name+"@"+version)
	}
	if out, err := exec.Command(npm, args...).CombinedOutput(); err != nil {
		t.Fatalf("npm install: %v\n%s", err, out)
	}
	for name, tool := range servers {
		t.Run(name, func(t *testing.T) {
			program := filepath.Join(dir, "node_modules", "@modelcontextprotocol", name, "dist", "index.js")
			src := Source{Name: name, Command: []string{"node", program, dir}, Dir: dir}
			if name != "server-filesystem" {
				src.Command = src.Command[:2]
			}
			var texts [2]string
			for i := range texts {
				r, err := Capture(t.Context(), src, Options{Timeout: 2 * time.Minute})
				if err != nil {
					t.Fatal(err)
				}
				if !r.Complete() || r.Server.Tools[tool] == nil {
					t.Errorf("tools %s; problems %v", names(r.Server), r.Problems)
				}
				checkRoundTrip(t, r.Server)
				texts[i] = string(FormatCapture(r.Server))
			}
			if texts[0] != texts[1] {
				t.Errorf("two captures differ:\n%s\n%s", texts[0], texts[1])
			}
			checkNoneNames(t, program)
		})
	}
}

// checkNoneNames fails when a process with that text in its command line runs.
func checkNoneNames(t *testing.T, text string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return
	}
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		if data, err := os.ReadFile(f); err == nil && strings.Contains(string(data), text) {
			t.Errorf("left behind: %q", data)
		}
	}
}
