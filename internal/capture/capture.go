package capture

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/fusionctl/fusionctl/lockfile"
)

// A Source says how to reach one live server: with Command it is a program, with URL it is a server on the net.
type Source struct {
	Name      string            // the name that the user gives the server
	Command   []string          // program and arguments
	Env       map[string]string // added to the environment of this process
	Dir       string            // the program's working directory; "" is that of this process
	URL       string            // http or https
	Headers   map[string]string // sent to the origin of URL and to no other
	Transport string            // "" or "stdio" with Command; "" (try both), "http" or "sse" with URL
	Err       error             // what ReadConfig found wrong with this server; Capture returns it without trying
}

// Options holds what is the same for all servers of one run. The zero value is good.
type Options struct {
	Timeout  time.Duration // for the start and the handshake, and again for each page; 0 is 60 s
	Progress func(Event)   // is told what goes on, from several goroutines; may be nil
	Version  string        // the version of this client as the server sees it; "" is "0"
}

// DefaultTimeout is what a server may take to start: the first start of one through a package manager can be a download.
const DefaultTimeout = 60 * time.Second

func (o Options) orDefault() Options {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Progress == nil {
		o.Progress = func(Event) {}
	}
	if o.Version == "" {
		o.Version = "0"
	}
	return o
}

// An Event is one step of a running capture, for a display of progress.
type Event struct {
	Name  string // the source's
	Stage Stage
	Page  int // for Listing: from 1
	Items int // for Listing: read so far
	Kind  lockfile.Kind
}

// A Stage is a part of a capture.
type Stage string

// The stages, in their order. A server that is asked a second time starts again.
const (
	Starting  Stage = "starting"
	Connected Stage = "connected"
	Listing   Stage = "listing"
	Finished  Stage = "finished"
)

// A Result is what was learned of one source. When Err is nil, Server is complete but for what Problems names; when Err
// is not nil, Server is nil.
type Result struct {
	Name     string
	Server   *lockfile.Server
	Problems []Problem
	Err      error
}

// Complete reports whether nothing was left out.
func (r Result) Complete() bool {
	for _, p := range r.Problems {
		if !p.Notice {
			return false
		}
	}
	return r.Err == nil
}

// A Problem is something about a server that its contract does not show.
type Problem struct {
	Kind   lockfile.Kind // what it concerns; KindServer when it is the whole server
	Name   string        // the name, URI or template as sent, when it is known
	Text   string        // one line; parts from the server are quoted
	Notice bool          // nothing was left out: worth knowing, but the contract is whole
}

func (p Problem) String() string {
	if p.Name == "" {
		return p.Text
	}
	return fmt.Sprintf("%s %s: %s", p.Kind, quote(p.Name), p.Text)
}

// Capture reads the contract of one live server. It returns [Result].Err in both places.
func Capture(ctx context.Context, src Source, o Options) (Result, error) {
	o = o.orDefault()
	r := Result{Name: src.Name}
	c := &capture{src: src, o: o}
	err := src.check()
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		r.Server, err = c.run(ctx)
	}
	r.Problems = c.problems
	if err != nil {
		r.Server, r.Err = nil, c.explain(ctx, err)
	}
	o.Progress(Event{Name: src.Name, Stage: Finished})
	return r, r.Err
}

// parallel is how many servers CaptureAll starts at once: enough to hide waiting, few enough not to starve slow starts.
const parallel = 4

// CaptureAll reads the contracts of several servers at the same time and returns one result for each, in the order of
// the sources. The failure of one server has no effect on the others.
func CaptureAll(ctx context.Context, sources []Source, o Options) []Result {
	results := make([]Result, len(sources))
	slots := make(chan struct{}, parallel)
	var wg sync.WaitGroup
	for i, src := range sources {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			results[i], _ = Capture(ctx, src, o)
		})
	}
	wg.Wait()
	return results
}
