package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/awareness/proxy"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

const defaultListen = "127.0.0.1:8080"

type proxyOptions struct {
	lock     string
	require  bool
	name     string
	upstream string
	listen   string
	origins  []string
	observe  bool
	log      string
	policy   string
	command  []string
}

func newProxyCmd(a *app) *cobra.Command {
	o := &proxyOptions{}
	cmd := &cobra.Command{
		Use:   "proxy [flags] [-- COMMAND ARG…]",
		Short: "Tell callers of a server what changed, in the turn in which their call failed",
		Long: `Proxy stands between clients and a server in any language. All messages pass as they are, except for the answer of a
tools/call that failed: where its arguments do not fit the server's contract, the answer says what is wrong, what changed
since the lockfile, and what is right now. No call is ever refused by the proxy.

The server is a command after "--", spoken to over standard input and output, or --upstream for Streamable HTTP. With
--observe nothing is changed, and a table at the end says who still calls the old contract: which tool, because of which
change, which client.

Without a lockfile that can be used the server is started all the same, a warning says so, and every message passes as it is: a
client must not lose its server because of a file. With --require-lock that is an error. In a client's configuration, write "fusionctl" as the command and put "proxy --lock FILE --" before
the server's own command.`,
		Example: `  fusionctl proxy --lock fusion.lock -- npx -y @modelcontextprotocol/server-filesystem .
  fusionctl proxy --lock fusion.lock --upstream http://127.0.0.1:3000/mcp --listen 127.0.0.1:8080
  fusionctl proxy --observe --log calls.jsonl --name billing -- ./billing-server`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.take(cmd, args); err != nil {
				return err
			}
			return runProxy(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.lock, "lock", "", "lockfile that callers may have learned from (default: the policy's, else "+lockfile.DefaultName+")")
	f.BoolVar(&o.require, "require-lock", false, "fail when the lockfile cannot be used, in place of passing everything through")
	f.StringVar(&o.name, "name", "", "name of the server in the lockfile, when it holds several")
	f.StringVar(&o.upstream, "upstream", "", "address of a server that speaks Streamable HTTP")
	f.StringVar(&o.listen, "listen", defaultListen, "address for clients, with --upstream")
	f.StringArrayVar(&o.origins, "allow-origin", nil, "origin of a web page that may call, with --upstream; can be repeated")
	f.BoolVar(&o.observe, "observe", false, "change nothing; count the stale calls and print them at the end")
	f.StringVar(&o.log, "log", "", "file to which each decision is added as a line of JSON; never an argument's value")
	addPolicyFlag(cmd, &o.policy)
	return cmd
}

// take takes what stands after "--" as the command and refuses what does not belong together.
func (o *proxyOptions) take(cmd *cobra.Command, args []string) error {
	switch at := cmd.ArgsLenAtDash(); {
	case at == 0:
		o.command = args
	case len(args) > 0:
		return hinted(`write the server's command after "--"`, "unexpected argument %q", args[0])
	}
	switch {
	case len(o.command) > 0 && o.upstream != "":
		return usageError(cmd, errors.New("a command and --upstream: want one server"))
	case len(o.command) == 0 && o.upstream == "":
		return hinted(`write its command after "--", or its address after --upstream`, "no server to stand before")
	case o.upstream == "" && (cmd.Flags().Changed("listen") || len(o.origins) > 0):
		return usageError(cmd, errors.New("--listen and --allow-origin: only with --upstream"))
	}
	return nil
}

func runProxy(ctx context.Context, a *app, o *proxyOptions) (err error) {
	p, _, err := loadPolicy(o.policy)
	if err != nil {
		return err
	}
	o.lock = lockfilePath(o.lock, p)
	f, server, err := o.baseline()
	unusable := err != nil
	switch {
	case unusable && o.require:
		return err
	case unusable:
		say(a.stderr, "warning", fmt.Sprintf("%v; every message passes as it is", err))
		f, server = &lockfile.File{Servers: map[string]*lockfile.Server{"": {}}}, ""
	}
	calls := &staleCalls{rows: map[staleRow]int{}}
	if o.log != "" {
		file, err := os.OpenFile(o.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("writing log %q: %w", o.log, plain(err))
		}
		defer file.Close()
		calls.log = file
	}
	mode := awareness.Enrich
	if unusable {
		mode = awareness.Observe
	} else if o.observe {
		mode = awareness.Observe
		defer func() { calls.print(a.stderr) }()
	}
	hook, err := awareness.New(awareness.FromLockfile(f), awareness.Server(server), awareness.WithMode(mode), awareness.OnEvent(calls.add))
	if err != nil {
		return err
	}
	if o.upstream != "" {
		err = a.proxyHTTP(ctx, o, hook)
	} else {
		err = a.proxyStdio(ctx, o, hook)
	}
	if calls.failure != nil {
		say(a.stderr, "warning", fmt.Sprintf("writing log %q: %v", o.log, plain(calls.failure)))
	}
	return err
}

// baseline is the lockfile, and the name of the server in it.
func (o *proxyOptions) baseline() (*lockfile.File, string, error) {
	f, err := readLockfile(o.lock)
	if err != nil {
		return nil, "", err
	}
	name, err := o.server(f)
	return f, name, err
}

// server is the name of the server in the lockfile.
func (o *proxyOptions) server(f *lockfile.File) (string, error) {
	if f.Servers[o.name] != nil {
		return o.name, nil
	}
	names := canonjson.SortedKeys(f.Servers)
	known := make([]string, len(names))
	for i, name := range names {
		known[i] = fmt.Sprintf("%.100q", name)
	}
	has := "it has " + strings.Join(known, ", ")
	switch {
	case len(names) == 0:
		return "", hinted(`write it with "fusionctl lock"`, "lockfile %q holds no server", o.lock)
	case o.name != "":
		return "", hinted(has, "lockfile %q has no server %q", o.lock, o.name)
	case len(names) > 1:
		return "", hinted(has+"; choose one with --name", "lockfile %q holds %d servers", o.lock, len(names))
	}
	return names[0], nil
}

func (a *app) proxyStdio(ctx context.Context, o *proxyOptions, hook *awareness.Hook) error {
	s := &proxy.Stdio{Command: o.command, Stdin: a.stdin, Stdout: a.stdout, Stderr: a.stderr, Hook: hook}
	code, err := s.Run(ctx)
	switch {
	case err != nil:
		return hinted(`the command after "--" starts the server`, "%w", err)
	case ctx.Err() != nil || code == 0:
		return nil // being told to stop is how a server ends
	}
	return silent(code)
}

func (a *app) proxyHTTP(ctx context.Context, o *proxyOptions, hook *awareness.Hook) error {
	target, err := url.Parse(o.upstream)
	if err != nil {
		return hinted("write it as http://127.0.0.1:3000/mcp", "--upstream: not a URL")
	}
	handler, err := proxy.NewHTTP(target, hook, proxy.HTTPOptions{AllowedOrigins: o.origins})
	if err != nil {
		return hinted("write it as http://127.0.0.1:3000/mcp", "--upstream: %w", err)
	}
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		return hinted("choose another address with --listen", "listening on %q: %w", o.listen, withoutAddress(err))
	}
	if address, ok := l.Addr().(*net.TCPAddr); ok && !address.IP.IsLoopback() {
		say(a.stderr, "warning", fmt.Sprintf("%s can be reached from other machines, and the proxy asks nobody who they are", l.Addr()))
	}
	path := target.EscapedPath()
	if path == "" {
		path = "/"
	}
	say(a.stderr, "note", fmt.Sprintf("listening on http://%s%s for %s://%s", l.Addr(), path, target.Scheme, target.Host))
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 30 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("listening on %q: %w", o.listen, withoutAddress(err))
	case <-ctx.Done():
	}
	// Streams that clients listen to do not end by themselves.
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if server.Shutdown(end) != nil {
		server.Close()
	}
	return nil
}

// withoutAddress takes the address out of an error whose message names it already.
func withoutAddress(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}
