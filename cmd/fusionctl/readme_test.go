package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
)

// A step is one command of the README's session with what it must print and the exit code.
type step struct{ command, code, output string }

// TestReadme runs the session of the README and compares what each command prints. With UPDATE_SCRIPTS it writes what they
// print into the README; read the diff before committing.
func TestReadme(t *testing.T) {
	t.Parallel()
	readme := filepath.Join("..", "..", "README.md")
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	head, block, tail := session(t, string(text))
	steps := parseSession(t, block)
	script := filepath.Join(t.TempDir(), "readme.txtar")
	if err := os.WriteFile(script, []byte(sessionScript(steps)), 0o600); err != nil {
		t.Fatal(err)
	}
	update := os.Getenv("UPDATE_SCRIPTS") != ""
	t.Run("session", func(t *testing.T) {
		testscript.Run(t, testscript.Params{
			Files:               []string{script},
			RequireExplicitExec: true,
			UpdateScripts:       update,
			Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": cmdExits},
		})
	})
	if !update {
		return
	}
	archive, err := txtar.ParseFile(script)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range archive.Files {
		steps[i].output = string(f.Data)
	}
	if err := os.WriteFile(readme, []byte(head+formatSession(steps)+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}

// session cuts the console block out of the README.
func session(t *testing.T, text string) (head, block, tail string) {
	t.Helper()
	const begin, end = "```console\n", "```\n"
	head, rest, found := strings.Cut(text, begin)
	block, tail, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatal("the README has no console block")
	}
	return head + begin, block, end + tail
}

// parseSession reads the block: "$ echo $?" tells the exit code of the command above it, which is 0 where nothing is told.
func parseSession(t *testing.T, block string) []step {
	t.Helper()
	var steps []step
	for _, part := range strings.Split("\n"+block, "\n$ ")[1:] {
		command, output, _ := strings.Cut(part, "\n")
		if output != "" && !strings.HasSuffix(output, "\n") {
			output += "\n"
		}
		if command == "echo $?" {
			steps[len(steps)-1].code = strings.TrimSpace(output)
			continue
		}
		steps = append(steps, step{command, "0", output})
	}
	if len(steps) < 4 {
		t.Fatalf("the README's session has %d commands", len(steps))
	}
	return steps
}

func formatSession(steps []step) string {
	var b strings.Builder
	for _, s := range steps {
		b.WriteString("$ " + s.command + "\n" + s.output)
		if s.code != "0" {
			b.WriteString("$ echo $?\n" + s.code + "\n")
		}
	}
	return b.String()
}

func sessionScript(steps []step) string {
	var script, files strings.Builder
	for i, s := range steps {
		fmt.Fprintf(&script, "exits %s %s\ncmp stdout want%d\n! stderr .\n", s.code, s.command, i)
		fmt.Fprintf(&files, "-- want%d --\n%s", i, s.output)
	}
	return script.String() + files.String()
}
