package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/report"
	"github.com/fusionctl/fusionctl/lockfile"
)

// ruleFiles writes two lockfiles that hold the two halves of the example of every rule, each as a server of its own.
func ruleFiles(t *testing.T, dir string) (base, rev string) {
	t.Helper()
	files := [2]*lockfile.File{{Servers: map[string]*lockfile.Server{}}, {Servers: map[string]*lockfile.Server{}}}
	for _, r := range diff.Rules() {
		if r.Example.Base == "" {
			continue
		}
		for i, text := range []string{r.Example.Base, r.Example.Rev} {
			v, err := canonjson.Decode([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			files[i].Servers[r.ID] = ruleServer(r, v.(map[string]any))
		}
	}
	paths := [2]string{filepath.Join(dir, "base.lock"), filepath.Join(dir, "rev.lock")}
	for i, path := range paths {
		if _, err := lockfile.WriteFile(path, files[i]); err != nil {
			t.Fatal(err)
		}
	}
	return paths[0], paths[1]
}

func ruleServer(r diff.Rule, m map[string]any) *lockfile.Server {
	s := &lockfile.Server{}
	object := map[string]any{"type": "object"}
	switch r.Side {
	case diff.Input:
		s.SetEntry(lockfile.KindTool, "search", lockfile.EntryOf(map[string]any{"inputSchema": m}))
		return s
	case diff.Output:
		s.SetEntry(lockfile.KindTool, "search", lockfile.EntryOf(map[string]any{"inputSchema": object, "outputSchema": m}))
		return s
	}
	s.Info, _ = m["server"].(map[string]any)
	s.Capabilities, _ = m["capabilities"].(map[string]any)
	s.Instructions, _ = m["instructions"].(string)
	s.ProtocolVersion, _ = m["protocolVersion"].(string)
	for part, kind := range map[string]lockfile.Kind{"tools": lockfile.KindTool, "prompts": lockfile.KindPrompt,
		"resources": lockfile.KindResource, "resourceTemplates": lockfile.KindTemplate} {
		entries, _ := m[part].(map[string]any)
		for key, v := range entries {
			fields := map[string]any{}
			for name, value := range v.(map[string]any) {
				fields[name] = value
			}
			if kind == lockfile.KindTool && fields["inputSchema"] == nil {
				fields["inputSchema"] = object
			}
			s.SetEntry(kind, key, lockfile.EntryOf(fields))
		}
	}
	return s
}

// TestDeterminism: the reports of all formats are equal byte for byte over 100 runs, on one processor and on two. It changes
// GOMAXPROCS, so it runs alone; diff_same.txtar compares whole processes.
func TestDeterminism(t *testing.T) {
	runs := 100
	if testing.Short() {
		runs = 10
	}
	dir := t.TempDir()
	base, rev := ruleFiles(t, dir)
	args := []string{"diff", base, rev, "--fail-on", "none"}
	for _, format := range report.Formats() {
		args = append(args, "--output", format+"="+filepath.Join(dir, format))
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	want := map[string][]byte{}
	for i := range runs {
		runtime.GOMAXPROCS(1 + i%2)
		var stderr bytes.Buffer
		if code := run(args, bytes.NewReader(nil), &stderr, &stderr); code != 0 {
			t.Fatalf("exit code %d: %s", code, stderr.String())
		}
		for _, format := range report.Formats() {
			got, err := os.ReadFile(filepath.Join(dir, format))
			if err != nil {
				t.Fatal(err)
			}
			if want[format] == nil {
				want[format] = got
			}
			if !bytes.Equal(got, want[format]) {
				t.Fatalf("%s differs in run %d", format, i+1)
			}
		}
	}
	if n := len(want["json"]); n < 100_000 {
		t.Errorf("the report has %d bytes only: the examples are not in it", n)
	}
}
