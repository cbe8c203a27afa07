package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/policy"
	"github.com/fusionctl/fusionctl/internal/report"
	"github.com/fusionctl/fusionctl/lockfile"
)

type lockOptions struct {
	sourceOptions
	lockfile string
	check    bool
	color    *choice
}

func newLockCmd(a *app) *cobra.Command {
	o := &lockOptions{}
	cmd := &cobra.Command{
		Use:   "lock [flags] [-- COMMAND ARG…]",
		Short: "Write the contracts of servers to the lockfile",
		Long: `Lock reads what clients can see of MCP servers and writes it to the lockfile. It lists only: no tool is called.

The source is a command after "--" (spoken to over its standard input and output), --url, --from, or --config. Without
any of them it is the "servers" of ` + policy.DefaultName + `. What changed against the lockfile before is printed; when nothing
changed the file is not touched. With --check nothing is written, and exit code 1 says that the lockfile is out of date.`,
		Example: `  fusionctl lock -- npx -y @modelcontextprotocol/server-filesystem .
  fusionctl lock --url http://127.0.0.1:8080/mcp --header Authorization=env:TOKEN
  fusionctl lock --from tools.json --name billing
  fusionctl lock --config .mcp.json --server billing
  fusionctl lock --check`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.takeCommand(cmd, args); err != nil {
				return err
			}
			return runLock(cmd.Context(), a, o)
		},
	}
	o.addFlags(cmd)
	cmd.Flags().StringVar(&o.lockfile, "lockfile", "", "lockfile (default: the policy's, else "+lockfile.DefaultName+")")
	cmd.Flags().BoolVar(&o.check, "check", false, "write nothing; exit 1 when the lockfile is out of date")
	o.color = colorFlag(cmd)
	return cmd
}

// takeCommand takes what stands after "--" as the command of the server.
func (o *lockOptions) takeCommand(cmd *cobra.Command, args []string) error {
	switch at := cmd.ArgsLenAtDash(); {
	case at == 0 && len(args) == 0:
		return usageError(cmd, errors.New(`want the server's command after "--"`))
	case at == 0:
		o.command = args
	case len(args) > 0:
		return hinted(`write the server's command after "--"`, "unexpected argument %q", args[0])
	}
	if err := o.sourceOptions.check(); err != nil {
		return usageError(cmd, err)
	}
	return nil
}

func runLock(ctx context.Context, a *app, o *lockOptions) error {
	p, found, err := loadPolicy(o.policy)
	if err != nil {
		return err
	}
	path := lockfilePath(o.lockfile, p)
	var locked *lockfile.File
	if o.check {
		// Before any server starts: a lockfile that cannot be read would make the wait useless.
		if locked, err = readLockfile(path); err != nil {
			return err
		}
	}
	m, err := a.read(ctx, &o.sourceOptions, p, found)
	if err != nil {
		return err
	}
	a.tell(m)
	a.tellStrays(o, p, path)
	if o.check {
		return a.checkLock(o, p, path, locked, m)
	}
	return a.writeLock(o, p, path, m)
}

func readLockfile(path string) (*lockfile.File, error) {
	defer tidy()
	f, err := lockfile.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, hinted(`write it with "fusionctl lock", or go to the folder that has it`, "%w", err)
	}
	return f, err
}

// tellStrays names servers that the lockfile has and the policy does not list, when the policy was the source.
func (a *app) tellStrays(o *lockOptions, p *policy.Policy, path string) {
	if len(o.command) > 0 || o.url != "" || o.from != "" || o.config != "" {
		return
	}
	f, err := lockfile.ReadFile(path)
	if err != nil {
		return // whoever reads it next reports that
	}
	for _, name := range canonjson.SortedKeys(f.Servers) {
		if _, listed := p.Servers[name]; !listed {
			say(a.stderr, "note", fmt.Sprintf("server %q is in %s and not in %s", name, path, policy.DefaultName))
		}
	}
}

func (a *app) writeLock(o *lockOptions, p *policy.Policy, path string, m manifest) error {
	if len(m.file.Servers) == 0 {
		return m.incomplete()
	}
	var after *lockfile.File
	before, changed, err := lockfile.Update(path, func(f *lockfile.File) error {
		for name, s := range m.file.Servers {
			f.Servers[name] = s
		}
		after = f
		return nil
	})
	if err != nil {
		return err
	}
	a.tellHidden(before, m.file)
	verb := "unchanged"
	if changed {
		verb = "written"
	}
	fmt.Fprintf(a.stdout, "%s: %s (%s)\n", report.Harmless(path), verb, contents(after))
	if changed {
		if err := a.printLockChanges(o, p, before, m.file); err != nil {
			return err
		}
	}
	return m.incomplete()
}

// printLockChanges tells of new servers in a line each, and of changed ones as a diff does.
func (a *app) printLockChanges(o *lockOptions, p *policy.Policy, before, after *lockfile.File) error {
	known := &lockfile.File{Servers: map[string]*lockfile.Server{}}
	same := &lockfile.File{Servers: map[string]*lockfile.Server{}}
	for _, name := range canonjson.SortedKeys(after.Servers) {
		if old := before.Servers[name]; old != nil {
			known.Servers[name], same.Servers[name] = old, after.Servers[name]
			continue
		}
		one := &lockfile.File{Servers: map[string]*lockfile.Server{name: after.Servers[name]}}
		fmt.Fprintf(a.stdout, "added server %s: %s\n", report.Harmless(fmt.Sprintf("%q", name)), items(one))
	}
	r := diff.Compare(known, same, diff.Options{Audience: p.Audience, TokenLimit: p.TokenLimit})
	if len(r.Diffs) == 0 {
		return nil
	}
	return report.Write(a.stdout, "text", r, report.Options{Color: a.useColor(o.color)})
}

// checkLock compares the lockfile with what the servers say now.
func (a *app) checkLock(o *lockOptions, p *policy.Policy, path string, locked *lockfile.File, m manifest) error {
	now := &lockfile.File{Servers: map[string]*lockfile.Server{}}
	for name, s := range locked.Servers {
		now.Servers[name] = s
	}
	for name, s := range m.file.Servers {
		now.Servers[name] = s
	}
	same := maps.EqualFunc(locked.Servers, now.Servers, (*lockfile.Server).Equal)
	switch {
	case same && len(m.problems) > 0:
		return m.incomplete()
	case same:
		_, err := fmt.Fprintf(a.stdout, "%s: up to date (%s)\n", report.Harmless(path), contents(locked))
		return err
	}
	r := diff.Compare(locked, now, diff.Options{Audience: p.Audience, TokenLimit: p.TokenLimit})
	if err := report.Write(a.stdout, "text", r, report.Options{Color: a.useColor(o.color)}); err != nil {
		return err
	}
	if err := m.incomplete(); err != nil {
		return err
	}
	return &exitError{
		code: exitChanges,
		err:  fmt.Errorf("%s is out of date: %s changed", path, changedItems(r)),
		hint: `run "fusionctl lock" and commit the result`,
	}
}

// changedItems counts the items of a report by kind: "2 tools, 1 prompt".
func changedItems(r diff.Report) string {
	n := map[lockfile.Kind]int{}
	for _, d := range r.Diffs {
		n[d.Kind]++
	}
	var parts []string
	for _, kind := range append([]lockfile.Kind{lockfile.KindServer}, lockfile.EntryKinds()...) {
		if n[kind] > 0 {
			parts = append(parts, count(n[kind], string(kind)))
		}
	}
	if len(parts) == 0 {
		return "parts that no rule names"
	}
	return strings.Join(parts, ", ")
}

// contents is "2 servers, 14 tools, 1 prompt".
func contents(f *lockfile.File) string {
	return count(len(f.Servers), "server") + ", " + items(f)
}

// items counts the items of all servers; tools are named even when there are none.
func items(f *lockfile.File) string {
	var parts []string
	for _, kind := range lockfile.EntryKinds() {
		n := 0
		for _, s := range f.Servers {
			n += len(s.Entries(kind))
		}
		if n > 0 || kind == lockfile.KindTool {
			parts = append(parts, count(n, string(kind)))
		}
	}
	return strings.Join(parts, ", ")
}

// tellHidden warns of text that a person would not see, in servers that are locked for the first time. Later a diff does.
func (a *app) tellHidden(before, now *lockfile.File) {
	for _, server := range canonjson.SortedKeys(now.Servers) {
		if before.Servers[server] != nil {
			continue
		}
		s := now.Servers[server]
		if hidden(s.Instructions) {
			a.tellHiddenText(fmt.Sprintf("server %q: instructions hold", server), s.Instructions)
		}
		for _, kind := range lockfile.EntryKinds() {
			for _, key := range canonjson.SortedKeys(s.Entries(kind)) {
				e := s.Entries(kind)[key]
				if plainText(e.Canonical()) {
					continue
				}
				if text, found := hiddenText(e.Fields()); found {
					a.tellHiddenText(fmt.Sprintf("%s %q of server %q: a text holds", kind, key, server), text)
				}
			}
		}
	}
}

func (a *app) tellHiddenText(what, text string) {
	const most = 200
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	say(a.stderr, "warning", fmt.Sprintf("%s hidden or control characters: %s", what, strings.ReplaceAll(text, "\n", " ")))
}

// plainText reports whether a canonical text is printable ASCII and spells nothing else with a letter behind a backslash,
// line ends and tabs apart. Such a text hides nothing, and that is seen without taking it apart.
func plainText(canonical []byte) bool {
	before := byte(0)
	for _, c := range canonical {
		if c < ' ' || c > '~' || before == '\\' && (c == 'u' || c == 'b' || c == 'f') {
			return false
		}
		before = c
	}
	return true
}

// hiddenText finds the first text below v, in the order of keys, that holds hidden characters.
func hiddenText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, hidden(v)
	case []any:
		for _, e := range v {
			if s, found := hiddenText(e); found {
				return s, true
			}
		}
	case map[string]any:
		for _, key := range canonjson.SortedKeys(v) {
			if hidden(key) {
				return key, true
			}
			if s, found := hiddenText(v[key]); found {
				return s, true
			}
		}
	}
	return "", false
}

var layout = strings.NewReplacer("\n", "", "\r", "", "\t", "")

func hidden(s string) bool {
	s = layout.Replace(s)
	return report.Harmless(s) != s
}
