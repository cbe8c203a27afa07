package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// version is set at link time for releases; see buildVersion.
var version = ""

// clock tells which day it is, for acceptances only.
var clock = time.Now

// An app is the world as the commands see it.
type app struct {
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	getenv func(string) (string, bool)
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	out := &checkedOutput{w: stdout}
	a := &app{stdin: stdin, stdout: out, stderr: stderr, getenv: os.LookupEnv}
	root := newRootCmd(a)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(out)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	if lost := out.failed(); lost != nil && (saysNothing(err) || errors.Is(err, lost)) {
		err = fmt.Errorf("writing standard output: %w", plain(lost))
	}
	return finish(stderr, err)
}

func newRootCmd(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:           "fusionctl",
		Short:         "Lock the contracts of MCP servers, compare them, and see what breaks",
		Long:          "Fusionctl locks what clients can see of MCP servers in one file, fusion.lock, compares two versions of it,\nand says which changes break callers, each break proved by a call.",
		Example:       "  fusionctl demo\n  fusionctl lock -- npx -y @modelcontextprotocol/server-filesystem .\n  fusionctl diff",
		Version:       buildVersion(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          knownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return refuseEmptyFlags(cmd) },
	}
	root.SetVersionTemplate("fusionctl {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usageError(cmd, err) })
	root.AddCommand(
		newLockCmd(a), newShowCmd(a), newDiffCmd(a), newAcceptCmd(a), newRulesCmd(a), newExplainCmd(a),
		newSchemaCmd(a), newProxyCmd(a), newInitCmd(a), newGitCmd(a), newDemoCmd(a), newVersionCmd(a),
	)
	return root
}

// refuseEmptyFlags refuses --url "" and the like: an empty variable of a script must not mean another source than the one
// that was meant.
func refuseEmptyFlags(cmd *cobra.Command) error {
	for _, name := range []string{"url", "from", "config", "name", "lockfile", "policy", "base", "expires"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed && f.Value.String() == "" {
			return usageError(cmd, fmt.Errorf("--%s: the value is empty", name))
		}
	}
	return nil
}

// group is a command that only holds others.
func group(cmd *cobra.Command, children ...*cobra.Command) *cobra.Command {
	cmd.Args = knownCommand
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(children...)
	return cmd
}

func usageError(cmd *cobra.Command, err error) error {
	return hinted(fmt.Sprintf("see %q", cmd.CommandPath()+" --help"), "%w", err)
}

// knownCommand refuses a word that is no subcommand.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := fmt.Errorf("unknown command %q", args[0])
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return hinted(fmt.Sprintf("did you mean %q?", cmd.CommandPath()+" "+near[0]), "%w", err)
	}
	return usageError(cmd, err)
}

// argsBetween is cobra.RangeArgs with this command's wording.
func argsBetween(least, most int, want string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usageError(cmd, fmt.Errorf("%s: want %s, got %d arguments", cmd.CommandPath(), want, len(args)))
		}
		return nil
	}
}

// A choice is a flag with a closed set of values.
type choice struct {
	value   string
	allowed []string
}

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return "name" }
func (c *choice) Set(s string) error {
	if !slices.Contains(c.allowed, s) {
		last := len(c.allowed) - 1
		return fmt.Errorf("want %s or %s", strings.Join(c.allowed[:last], ", "), c.allowed[last])
	}
	c.value = s
	return nil
}

// choiceFlag adds a flag with a closed set of values and its completion.
func choiceFlag(cmd *cobra.Command, name, value, usage string, allowed ...string) *choice {
	c := &choice{value: value, allowed: allowed}
	cmd.Flags().Var(c, name, usage+": "+strings.Join(allowed, ", "))
	complete := cobra.FixedCompletions(allowed, cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc(name, complete); err != nil {
		panic(err) // cannot happen: the flag was added above
	}
	return c
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	if out, ok := stream.(*checkedOutput); ok {
		stream = out.w
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// buildVersion is the version of a release, else what the Go tool knows of the build.
func buildVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

func newVersionCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  fusionctl version",
		Args:    argsBetween(0, 0, "none"),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.stdout, "fusionctl %s (%s, %s/%s)\n", buildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
