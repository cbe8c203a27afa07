package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"fusionctl":  runAsOf,
		"fakeserver": fakeServer,
		"fakehttp":   fakeHTTP,
		"talk":       talk,
		"limited":    limited,
	})
}

// runAsOf is main on the day that the script sets: the command itself has no such seam.
func runAsOf() {
	if text := os.Getenv("TEST_TODAY"); text != "" {
		day, err := time.Parse(time.DateOnly, text)
		if err != nil {
			panic(err)
		}
		clock = func() time.Time { return day.Add(12 * time.Hour) }
	}
	main()
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(env.WorkDir, ".gitconfig"))
			env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			config := "[user]\n\tname = Ada\n\temail = ada@example.test\n[init]\n\tdefaultBranch = main\n[commit]\n\tgpgSign = false\n"
			return os.WriteFile(filepath.Join(env.WorkDir, ".gitconfig"), []byte(config), 0o600)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": cmdExits,
			"gone":  cmdGone,
			"await": cmdAwait,
		},
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
	})
}

// cmdExits runs a program and checks its exit code: exits 2 fusionctl lock. Output is kept for stdout and stderr.
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG…")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		if text, ok := strings.CutPrefix(err.Error(), "exit status "); ok {
			got = text
		} else {
			ts.Fatalf("%v", err)
		}
	}
	if got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}

// cmdAwait waits until a program in the background has written a file, and puts its content into a variable: await FILE NAME.
func cmdAwait(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await FILE NAME")
	}
	const tries, pause = 600, 25 * time.Millisecond
	for range tries {
		if data, err := os.ReadFile(ts.MkAbs(args[0])); err == nil && len(data) > 0 {
			ts.Setenv(args[1], string(data))
			return
		}
		time.Sleep(pause)
	}
	ts.Fatalf("%s was not written", args[0])
}

// TestEveryCommandHasHelp holds every command to a short text and an example.
func TestEveryCommandHasHelp(t *testing.T) {
	t.Parallel()
	root := newRootCmd(&app{getenv: os.LookupEnv})
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" || cmd.Name() == "help" {
			continue // cobra's own
		}
		for _, c := range append(cmd.Commands(), cmd) {
			if c.Short == "" || c.Example == "" {
				t.Errorf("%q has no short text or no example", c.CommandPath())
			}
			if c.Args == nil && c.Name() != "lock" && c.Name() != "diff" && c.Name() != "accept" {
				t.Errorf("%q takes any arguments", c.CommandPath())
			}
		}
	}
}
