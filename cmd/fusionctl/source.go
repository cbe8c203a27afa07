package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fusionctl/fusionctl/internal/capture"
	"github.com/fusionctl/fusionctl/internal/policy"
	"github.com/fusionctl/fusionctl/lockfile"
)

// maxInput bounds what is read from a file or standard input.
const maxInput = lockfile.MaxBytes

// sourceOptions say where contracts come from.
type sourceOptions struct {
	name    string
	url     string
	headers []string
	from    string
	config  string
	servers []string
	timeout time.Duration
	policy  string
	command []string
}

func (o *sourceOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.name, "name", "", "name of the server in the lockfile (default: the name that it gives itself)")
	f.StringVar(&o.url, "url", "", "address of a server that speaks Streamable HTTP or SSE")
	f.StringArrayVar(&o.headers, "header", nil, "header for --url as NAME=env:VARIABLE; can be repeated")
	f.StringVar(&o.from, "from", "", "file with a tools/list result, a list of tools, a capture or a lockfile; - is standard input")
	f.StringVar(&o.config, "config", "", "client configuration with many servers, such as .mcp.json")
	f.StringArrayVar(&o.servers, "server", nil, "only this server of the configuration; can be repeated")
	f.DurationVar(&o.timeout, "timeout", capture.DefaultTimeout, "how long a server may take to start, and for each answer")
	addPolicyFlag(cmd, &o.policy)
}

func addPolicyFlag(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVar(path, "policy", "", "policy file (default: "+policy.DefaultName+" when there is one)")
}

// loadPolicy reads the policy. Without a path and without a file of the default name it is the empty policy.
func loadPolicy(path string) (p *policy.Policy, found bool, err error) {
	name := path
	if name == "" {
		name = policy.DefaultName
	}
	p, err = policy.Load(name)
	if path == "" && errors.Is(err, fs.ErrNotExist) {
		return &policy.Policy{}, false, nil
	}
	return p, err == nil, err
}

// lockfilePath is the flag, else the policy's, else the default.
func lockfilePath(flag string, p *policy.Policy) string {
	switch {
	case flag != "":
		return flag
	case p.Lockfile != "":
		return p.Lockfile
	}
	return lockfile.DefaultName
}

// check refuses two sources at once, and options that mean nothing for the source chosen.
func (o *sourceOptions) check() error {
	var chosen []string
	for _, c := range []struct {
		name string
		set  bool
	}{{"a command", len(o.command) > 0}, {"--url", o.url != ""}, {"--from", o.from != ""}, {"--config", o.config != ""}} {
		if c.set {
			chosen = append(chosen, c.name)
		}
	}
	switch {
	case len(chosen) > 1:
		return fmt.Errorf("%s: want one source at a time", strings.Join(chosen, " and "))
	case len(o.headers) > 0 && o.url == "":
		return errors.New("--header: only with --url")
	case len(o.servers) > 0 && len(chosen) == 1 && o.config == "":
		return errors.New("--server: only with --config or the servers of the policy")
	case o.name != "" && (len(chosen) == 0 || o.config != ""):
		return errors.New("--name: only with a command, --url or --from")
	}
	return nil
}

// readHeaders resolves NAME=env:VARIABLE. A value on the command line would end in the history of the shell.
func (o *sourceOptions) readHeaders(getenv func(string) (string, bool)) (map[string]string, error) {
	headers := map[string]string{}
	for _, h := range o.headers {
		name, value, ok := strings.Cut(h, "=")
		variable, isRef := strings.CutPrefix(value, "env:")
		if !ok || name == "" || !isRef || variable == "" {
			return nil, hinted("put the value into an environment variable and name it: --header Authorization=env:TOKEN", "--header %q: want NAME=env:VARIABLE", name)
		}
		text, found := getenv(variable)
		if !found {
			return nil, fmt.Errorf("--header %q: environment variable %q is not set", name, variable)
		}
		headers[name] = text
	}
	return headers, nil
}

// A manifest is the contracts that a source gave, and what went wrong on the way.
type manifest struct {
	file     *lockfile.File
	problems []string // items left out, servers that failed: the result is not complete
	notices  []string // worth knowing, nothing is missing
	failure  error    // the first failure of a server, for its hint
}

// read gets the contracts from the chosen source. An error means that there is nothing at all.
func (a *app) read(ctx context.Context, o *sourceOptions, p *policy.Policy, hasPolicy bool) (manifest, error) {
	switch {
	case o.from != "":
		return a.readFrom(o.from, o.name, false)
	case len(o.command) > 0 || o.url != "":
		headers, err := o.readHeaders(a.getenv)
		if err != nil {
			return manifest{}, err
		}
		return a.readOne(ctx, capture.Source{Name: o.name, Command: o.command, URL: o.url, Headers: headers}, o)
	}
	sources, err := a.configured(o, p, hasPolicy)
	if err != nil {
		return manifest{}, err
	}
	return a.readAll(ctx, sources, o)
}

// readFrom reads a file. A server without a name is refused, unless that is of no matter.
func (a *app) readFrom(path, name string, nameless bool) (manifest, error) {
	data, err := a.readInput(path)
	if err != nil {
		return manifest{}, err
	}
	defer tidy()
	f, problems, err := capture.Read(data, name)
	if err != nil {
		return manifest{}, fmt.Errorf("reading %q: %w", path, err)
	}
	only := singleServer(f)
	switch locked := looksLocked(data); {
	case !locked && !nameless && name == "" && only != "" && f.Servers[only].Info == nil:
		return manifest{}, hinted("give it one with --name", "reading %q: it does not tell the server's name", path)
	case locked && name != "" && only == "":
		return manifest{}, hinted("leave --name out", "reading %q: a lockfile of %s, which have names", path, count(len(f.Servers), "server"))
	case locked && name != "":
		f.Servers = map[string]*lockfile.Server{name: f.Servers[only]}
	}
	m := manifest{file: f}
	m.add("", problems)
	return m, nil
}

func (a *app) readInput(path string) ([]byte, error) {
	in := a.stdin
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("reading %q: %w", path, plain(err))
		}
		defer file.Close()
		in = file
	}
	data, err := lockfile.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", path, plain(err))
	}
	return data, nil
}

// plain takes the path out of an error whose message names it already.
func plain(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// readOne captures one server, which names itself unless the user did.
func (a *app) readOne(ctx context.Context, src capture.Source, o *sourceOptions) (manifest, error) {
	given := src.Name
	if src.Name == "" {
		src.Name = "server"
	}
	progress := a.startProgress()
	r, err := capture.Capture(ctx, src, capture.Options{Timeout: o.timeout, Version: buildVersion(), Progress: progress.event})
	progress.stop()
	if err != nil {
		return manifest{}, err
	}
	name := given
	if name == "" {
		name, _ = r.Server.Info["name"].(string)
	}
	if name == "" {
		return manifest{}, hinted("give it one with --name", "the server does not tell its name")
	}
	m := manifest{file: &lockfile.File{Servers: map[string]*lockfile.Server{name: r.Server}}}
	m.add("", r.Problems)
	return m, nil
}

// configured lists the servers of the configuration or of the policy.
func (a *app) configured(o *sourceOptions, p *policy.Policy, hasPolicy bool) ([]capture.Source, error) {
	var config any = map[string]any{"mcpServers": p.Servers}
	dir, place := ".", policy.DefaultName
	switch {
	case o.config != "":
		data, err := a.readInput(o.config)
		if err != nil {
			return nil, err
		}
		if config, err = capture.ParseConfig(data); err != nil {
			return nil, fmt.Errorf("reading configuration %q: %w", o.config, err)
		}
		dir, place = filepath.Dir(o.config), o.config
	case !hasPolicy:
		return nil, hinted(`name a source ("fusionctl lock --help" lists them), or write `+policy.DefaultName+` with "fusionctl init"`, "no server to read: there is no %s", policy.DefaultName)
	case len(p.Servers) == 0:
		return nil, hinted(`add one under "servers:", or name a source on the command line`, "no server to read: %s lists none", policy.DefaultName)
	}
	sources, err := capture.ReadConfig(config, a.getenv, dir)
	if err != nil {
		return nil, fmt.Errorf("reading configuration %q: %w", place, err)
	}
	return pick(sources, o.servers, place)
}

// pick keeps the servers named, or all.
func pick(sources []capture.Source, names []string, place string) ([]capture.Source, error) {
	if len(names) == 0 {
		return sources, nil
	}
	var picked []capture.Source
	for _, name := range names {
		i := slices.IndexFunc(sources, func(s capture.Source) bool { return s.Name == name })
		if i < 0 {
			known := make([]string, len(sources))
			for j, s := range sources {
				known[j] = fmt.Sprintf("%q", s.Name)
			}
			return nil, hinted("it has "+strings.Join(known, ", "), "configuration %q has no server %q", place, name)
		}
		picked = append(picked, sources[i])
	}
	return picked, nil
}

func (a *app) readAll(ctx context.Context, sources []capture.Source, o *sourceOptions) (manifest, error) {
	progress := a.startProgress()
	results := capture.CaptureAll(ctx, sources, capture.Options{Timeout: o.timeout, Version: buildVersion(), Progress: progress.event})
	progress.stop()
	if err := ctx.Err(); err != nil {
		return manifest{}, err
	}
	m := manifest{file: &lockfile.File{Servers: map[string]*lockfile.Server{}}}
	for _, r := range results {
		if r.Err != nil {
			m.problems = append(m.problems, r.Err.Error())
			if m.failure == nil {
				m.failure = r.Err
			}
			continue
		}
		m.file.Servers[r.Name] = r.Server
		m.add(fmt.Sprintf("server %q: ", r.Name), r.Problems)
	}
	return m, nil
}

func (m *manifest) add(prefix string, problems []capture.Problem) {
	for _, p := range problems {
		if p.Notice {
			m.notices = append(m.notices, prefix+p.String())
		} else {
			m.problems = append(m.problems, prefix+p.String())
		}
	}
}

// tell prints what the manifest does not hold and what is worth knowing.
func (a *app) tell(m manifest) {
	for _, n := range m.notices {
		say(a.stderr, "note", n)
	}
	for _, p := range m.problems {
		say(a.stderr, "warning", p)
	}
}

// incomplete is the error of a run that read less than it was asked for, nil when all is there.
func (m manifest) incomplete() error {
	if len(m.problems) == 0 {
		return nil
	}
	hint := "see the warnings above"
	if m.failure != nil {
		if h := hintOf(m.failure); h != "" {
			hint = h
		}
	}
	return hinted(hint, "not everything could be read: %s", count(len(m.problems), "problem"))
}

// count is "1 tool" or "2 tools".
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
