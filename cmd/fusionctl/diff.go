package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/internal/policy"
	"github.com/fusionctl/fusionctl/internal/report"
	"github.com/fusionctl/fusionctl/lockfile"
)

// compareOptions say what is compared with what; diff and accept share them.
type compareOptions struct {
	sourceOptions
	lockfile string
	base     string
	live     bool
	audience *choice
}

func (o *compareOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.name, "name", "", "name of the server, for a side that is one server")
	f.StringArrayVar(&o.headers, "header", nil, "header for a side that is an address, as NAME=env:VARIABLE; can be repeated")
	f.StringVar(&o.config, "config", "", "client configuration in which a side that is a server's name is looked up")
	f.DurationVar(&o.timeout, "timeout", 0, "how long a live server may take to start, and for each answer (default 1m0s)")
	f.StringVar(&o.lockfile, "lockfile", "", "lockfile (default: the policy's, else "+lockfile.DefaultName+")")
	f.StringVar(&o.base, "base", "", "without sides: branch, tag or commit; the lockfile is taken where this branch left it (default: the default branch)")
	f.BoolVar(&o.live, "live", false, "without sides: compare with the running servers of the policy, not with the lockfile")
	addPolicyFlag(cmd, &o.policy)
	o.audience = choiceFlag(cmd, "audience", "author", "who reads the report", "author", "consumer")
}

type diffOptions struct {
	compareOptions
	format  *choice
	outputs []string
	failOn  *choice
	color   *choice
	verbose bool
}

func newDiffCmd(a *app) *cobra.Command {
	o := &diffOptions{}
	cmd := &cobra.Command{
		Use:   "diff [BASELINE REVISION] | [BASELINE -- COMMAND ARG…]",
		Short: "Say what changed between two contracts, and what breaks",
		Long: `Diff compares two contracts. Each side is a lockfile, a list of tools, a capture, - for standard input, REF:PATH for a file
of a commit, the address of a server, or the name of a server of ` + policy.DefaultName + `; the revision can also be a command after "--".

Without sides it compares the lockfile here with the lockfile where this branch left the default branch (or --base);
with --live, the running servers with that lockfile.`,
		Example: `  fusionctl diff
  fusionctl diff --base origin/release --live
  fusionctl diff main:fusion.lock fusion.lock
  fusionctl diff fusion.lock -- npx -y billing-server@2
  fusionctl diff v1.json v2.json --format markdown
  fusionctl diff --output json=report.json --output sarif=report.sarif --fail-on risky`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runDiff(cmd, a, o, args)
		},
	}
	o.addFlags(cmd)
	o.format = choiceFlag(cmd, "format", "text", "form of the report", report.Formats()...)
	cmd.Flags().StringArrayVar(&o.outputs, "output", nil, "write a report as FORMAT=PATH, - is standard output; can be repeated")
	o.failOn = choiceFlag(cmd, "fail-on", "breaking", "exit 1 from this severity on", policy.Thresholds()...)
	o.color = colorFlag(cmd)
	cmd.Flags().BoolVar(&o.verbose, "verbose", false, "text: tell each cosmetic change by itself, and values in full")
	return cmd
}

// A comparison is a report under a policy, with what a writer needs to know.
type comparison struct {
	policy   *policy.Policy
	result   policy.Result
	rev      side
	lockfile string
	whole    bool // it is about all of the project, so an acceptance without its change is worth telling
}

func runDiff(cmd *cobra.Command, a *app, o *diffOptions, args []string) error {
	outputs, err := o.parseOutputs(cmd.Flags().Changed("format"))
	if err != nil {
		return usageError(cmd, err)
	}
	c, err := a.compare(cmd, &o.compareOptions, args)
	if err != nil {
		return err
	}
	if err := a.writeReports(c, o, outputs); err != nil {
		return err
	}
	a.tellPolicy(c)
	threshold := policy.Threshold(o.failOn.value)
	if !cmd.Flags().Changed("fail-on") && c.policy.FailOn != "" {
		threshold = c.policy.FailOn
	}
	if threshold.Fails(c.result.Report.MaxSeverity) {
		return silent(exitChanges)
	}
	return nil
}

// compare loads both sides and puts the policy over their report.
func (a *app) compare(cmd *cobra.Command, o *compareOptions, args []string) (comparison, error) {
	ctx := cmd.Context()
	if at := cmd.ArgsLenAtDash(); at >= 0 {
		args, o.command = args[:at], args[at:]
	}
	p, found, err := loadPolicy(o.policy)
	if err != nil {
		return comparison{}, err
	}
	c := comparison{policy: p, lockfile: lockfilePath(o.lockfile, p)}
	base, rev, err := a.sides(ctx, cmd, o, p, found, args)
	if err != nil {
		return c, err
	}
	if err := align(&base, &rev); err != nil {
		return c, err
	}
	audience := diff.Audience(o.audience.value)
	if !cmd.Flags().Changed("audience") && p.Audience != "" {
		audience = p.Audience
	}
	c.rev = rev
	c.whole = len(args) == 0 && len(o.command) == 0
	c.result = p.Apply(diff.Compare(base.file, rev.file, diff.Options{Audience: audience, TokenLimit: p.TokenLimit}), clock())
	return c, nil
}

func (a *app) sides(ctx context.Context, cmd *cobra.Command, o *compareOptions, p *policy.Policy, hasPolicy bool, args []string) (base, rev side, err error) {
	switch {
	case len(args) == 0 && len(o.command) == 0:
		return a.projectSides(ctx, o, p, hasPolicy)
	case len(o.command) > 0 && len(args) == 1:
	case len(o.command) == 0 && len(args) == 2:
	default:
		return base, rev, usageError(cmd, errors.New("want a baseline and a revision, or neither"))
	}
	if o.live || o.base != "" {
		return base, rev, usageError(cmd, errors.New("--base and --live: only without sides"))
	}
	if len(args) == 2 && args[0] == "-" && args[1] == "-" {
		return base, rev, usageError(cmd, errors.New("-: standard input can be one side only"))
	}
	if base, err = a.loadSide(ctx, args[0], &o.sourceOptions, p); err != nil {
		return base, rev, err
	}
	base.text = nil // places are told in the revision
	tidy()
	if len(o.command) > 0 {
		live := &sourceOptions{name: o.name, command: o.command, timeout: o.timeout}
		rev, err = a.sideFromServer(ctx, strings.Join(o.command, " "), live)
		return base, rev, err
	}
	rev, err = a.loadSide(ctx, args[1], &o.sourceOptions, p)
	return base, rev, err
}

// projectSides are the lockfile where this branch began, and the lockfile or the servers as they are now.
func (a *app) projectSides(ctx context.Context, o *compareOptions, p *policy.Policy, hasPolicy bool) (base, rev side, err error) {
	path := lockfilePath(o.lockfile, p)
	var now *lockfile.File
	if !o.live { // before anything is said about the past of a file that is not here
		if now, err = readLockfile(path); err != nil {
			return base, rev, err
		}
	}
	if base, err = a.baseSide(ctx, o.base, path); err != nil {
		return base, rev, err
	}
	if !o.live {
		text, err := a.readInput(path)
		return base, side{file: now, text: text, label: path}, err
	}
	m, err := a.read(ctx, &sourceOptions{config: o.config, timeout: o.timeout}, p, hasPolicy)
	if err != nil {
		return base, rev, err
	}
	a.tell(m)
	return base, side{file: m.file, label: "the running servers"}, m.incomplete()
}

func (a *app) baseSide(ctx context.Context, ref, path string) (side, error) {
	repo, err := openRepository(ctx, filepath.Dir(path))
	if err != nil {
		return side{}, err
	}
	if ref == "" {
		if ref, err = repo.defaultBranch(ctx); err != nil {
			return side{}, err
		}
	}
	commit, err := repo.mergeBase(ctx, ref)
	if err != nil {
		return side{}, err
	}
	data, found, err := repo.file(ctx, commit, relative(path))
	if err != nil {
		return side{}, err
	}
	label := ref + ":" + path
	if !found {
		say(a.stderr, "note", fmt.Sprintf("there is no %s where this branch left %s: everything is new", path, ref))
		return side{file: &lockfile.File{}, label: label}, nil
	}
	defer tidy()
	f, err := lockfile.Parse(data)
	if err != nil {
		return side{}, fmt.Errorf("reading lockfile %q: %w", label, err)
	}
	return side{file: f, label: label}, nil
}

// An output is one report to write.
type output struct{ format, path string }

func (o *diffOptions) parseOutputs(formatGiven bool) ([]output, error) {
	var outputs []output
	if formatGiven || len(o.outputs) == 0 {
		outputs = append(outputs, output{o.format.value, "-"})
	}
	for _, text := range o.outputs {
		format, path, ok := strings.Cut(text, "=")
		if !ok || path == "" {
			return nil, fmt.Errorf("--output %q: want FORMAT=PATH", text)
		}
		if !slices.Contains(report.Formats(), format) {
			return nil, fmt.Errorf("--output %q: format %q: want one of %s", text, format, strings.Join(report.Formats(), ", "))
		}
		if slices.ContainsFunc(outputs, func(o output) bool { return o.path == path }) {
			return nil, fmt.Errorf("--output %q: two reports for one place", text)
		}
		outputs = append(outputs, output{format, path})
	}
	return outputs, nil
}

func (a *app) writeReports(c comparison, o *diffOptions, outputs []output) error {
	options := report.Options{Lockfile: filepath.ToSlash(c.lockfile), Version: buildVersion(), Verbose: o.verbose, Locate: locator(c.rev.text, c.result.Report)}
	for _, out := range outputs {
		err := a.writeReport(c.result.Report, out, options, o)
		if err != nil {
			return fmt.Errorf("writing report %q: %w", out.path, plain(err))
		}
	}
	return nil
}

func (a *app) writeReport(r diff.Report, out output, options report.Options, o *diffOptions) error {
	if out.path == "-" {
		options.Color = a.useColor(o.color)
		return report.Write(a.stdout, out.format, r, options)
	}
	options.Color = o.color.value == "always"
	if info, err := os.Stat(out.path); err == nil && !info.Mode().IsRegular() { // a pipe or a device is written to as it is
		file, err := os.OpenFile(out.path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(report.Write(file, out.format, r, options), file.Close())
	}
	var text bytes.Buffer
	if err := report.Write(&text, out.format, r, options); err != nil {
		return err
	}
	return replaceFile(out.path, text.Bytes())
}

// tellPolicy says on standard error what the policy did to the report: nothing is accepted or left out in silence.
func (a *app) tellPolicy(c comparison) {
	for _, accepted := range c.result.Report.Accepted {
		say(a.stderr, "note", fmt.Sprintf("accepted until %s by %s: %s of %s %q: %s",
			accepted.Expires, harmless(accepted.Author), accepted.Change.Rule, accepted.Kind, accepted.Name, harmless(accepted.Reason)))
	}
	if c.result.Ignored > 0 {
		say(a.stderr, "note", count(c.result.Ignored, "change")+" ignored by the policy")
	}
	for _, n := range c.result.Notes {
		if n.Kind != policy.Unused || c.whole {
			say(a.stderr, "warning", n.String())
		}
	}
}
