package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/demo"
	"github.com/spf13/cobra"
)

func newDemoCmd(a *app) *cobra.Command {
	var serve string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "See all of it, without network",
		Long: `Demo locks version 1 of an embedded billing server, compares it with version 2, and calls version 2 as an agent that
learned version 1 does, without and with the hook. Each step shows the command that you would type. It needs no network and leaves no file.`,
		Example: "  fusionctl demo",
		Args:    argsBetween(0, 0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if serve != "" {
				return serveDemo(cmd.Context(), a, serve)
			}
			return runDemo(cmd.Context(), a)
		},
	}
	cmd.Flags().StringVar(&serve, "serve", "", "run the embedded server over standard input and output: v1 or v2")
	if err := cmd.Flags().MarkHidden("serve"); err != nil {
		panic(err) // cannot happen: the flag was added above
	}
	return cmd
}

func serveDemo(ctx context.Context, a *app, name string) error {
	v, err := demo.ParseVersion(name)
	if err != nil {
		return hinted("", "--serve: %w", err)
	}
	err = demo.Serve(ctx, v, nil, a.stdin, a.stdout)
	if ctx.Err() != nil {
		return nil // being told to stop is how a server ends
	}
	return err
}

// A demoStep is one command of the demo: how a user would type it, and what runs.
type demoStep struct {
	title string
	typed string
	args  []string
	code  int // the exit code that belongs to the step
}

func runDemo(ctx context.Context, a *app) (err error) {
	program, err := self()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "fusionctl-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	lock := filepath.Join(dir, "fusion.lock")
	for i, step := range []demoStep{
		{
			"A billing server is in use. Its contract is locked, and fusion.lock is committed.",
			"fusionctl lock -- fusionctl demo --serve v1",
			[]string{"lock", "--lockfile", lock, "--", program, "demo", "--serve", "v1"}, exitOK,
		},
		{
			"What an agent can see of it:",
			"fusionctl show",
			[]string{"show", lock}, exitOK,
		},
		{
			"Version 2 is about to be released. What breaks?",
			"fusionctl diff fusion.lock -- fusionctl demo --serve v2",
			[]string{"diff", lock, "--color", a.demoColor(), "--", program, "demo", "--serve", "v2"}, exitChanges,
		},
	} {
		fmt.Fprintf(a.stdout, "%d. %s\n\n$ %s\n", i+1, step.title, step.typed)
		if err := a.demoStep(ctx, step, dir); err != nil {
			return err
		}
	}
	return a.demoStaleCall(ctx, lock)
}

// demoColor keeps the colors of the report although a copy of the output passes through.
func (a *app) demoColor() string {
	if a.useColor(&choice{value: "auto"}) {
		return "always"
	}
	return "never"
}

// demoStep runs one command as the user would, with the folder of the demo taken out of what it prints.
func (a *app) demoStep(ctx context.Context, step demoStep, dir string) error {
	var out strings.Builder
	inner := &app{stdin: strings.NewReader(""), stdout: &out, stderr: a.stderr, getenv: a.getenv}
	root := newRootCmd(inner)
	root.SetArgs(step.args)
	err := root.ExecuteContext(ctx)
	fmt.Fprintf(a.stdout, "%s\n", strings.ReplaceAll(out.String(), dir+string(filepath.Separator), ""))
	code := exitOK
	var exit *exitError
	if errors.As(err, &exit) && exit.err == nil {
		code, err = exit.code, nil
	}
	if err != nil {
		return err
	}
	if code != step.code {
		return fmt.Errorf("demo: %q ended with exit code %d, want %d", step.typed, code, step.code)
	}
	if code != exitOK {
		fmt.Fprintf(a.stdout, "(exit code %d)\n\n", code)
	}
	return nil
}

// demoStaleCall calls both versions as an agent that learned version 1, the second one without and with the hook.
func (a *app) demoStaleCall(ctx context.Context, lock string) error {
	refusal := ""
	fmt.Fprintf(a.stdout, "4. An agent that learned version 1 calls %s(%s).\n", demo.StaleTool, demo.StaleArguments)
	for _, c := range []struct {
		title   string
		version demo.Version
		wrap    demo.Wrapper
	}{
		{"Version 1 answers:", demo.V1, nil},
		{"Version 2 refuses, and says too little:", demo.V2, nil},
		{"Version 2 with the hook and the fusion.lock of version 1 tells what changed, so that the next call is right:", demo.V2, demo.Healing(lock)},
	} {
		answer, err := demo.Call(ctx, c.version, c.wrap, demo.StaleTool, demo.StaleArguments)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "\n%s\n\n%s\n", c.title, indentLines(answer.Text))
		refusal = answer.Text
	}
	return a.demoRightCall(ctx, lock, refusal)
}

// demoRightCall makes the next call out of nothing but the text of the refusal, as the model would.
func (a *app) demoRightCall(ctx context.Context, lock, refusal string) error {
	arguments, err := mended(demo.StaleArguments, refusal)
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	answer, err := demo.Call(ctx, demo.V2, demo.Healing(lock), demo.StaleTool, arguments)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "\n5. The agent reads that and calls %s(%s).\n\n%s\n", demo.StaleTool, arguments, indentLines(answer.Text))
	return nil
}

// option finds the first option that a line of a validation error offers.
var option = regexp.MustCompile(`Expected one of '([^']*)'`)

// mended adds to the arguments what the fields of a validation error miss and offer options for.
func mended(arguments, refusal string) (string, error) {
	found, err := envelope.Parse(refusal)
	if err != nil {
		return "", err
	}
	invalid, ok := found.(*envelope.ValidationError)
	if !ok {
		return "", fmt.Errorf("want a validation error, not %s", found.Code())
	}
	var call map[string]any
	if err := json.Unmarshal([]byte(arguments), &call); err != nil {
		return "", err
	}
	for _, f := range invalid.Fields() {
		if offered := option.FindStringSubmatch(f.Message); offered != nil {
			call[f.Name] = offered[1]
		}
	}
	text, err := json.Marshal(call)
	return string(text), err
}

// indentLines makes each line of a text harmless and sets it off.
func indentLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = "  " + harmless(l)
	}
	return strings.Join(lines, "\n")
}

// self is the path of this program. The name it was called by comes first: tests run it under another name than the file's.
func self() (string, error) {
	if path, err := exec.LookPath(os.Args[0]); err == nil {
		return filepath.Abs(path)
	}
	return os.Executable()
}
