package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/capture"
	"github.com/fusionctl/fusionctl/internal/report"
)

// progressAfter is how long a wait must be before anything is said about it.
const progressAfter = 3 * time.Second

// A progress tells on a terminal what a long wait is for. Elsewhere it is silent.
type progress struct {
	app  *app
	mu   sync.Mutex
	busy map[string]capture.Event
	done chan struct{}
	wait sync.WaitGroup
}

func (a *app) startProgress() *progress {
	p := &progress{app: a, busy: map[string]capture.Event{}, done: make(chan struct{})}
	if isTerminal(a.stderr) {
		p.wait.Go(p.run)
	}
	return p
}

func (p *progress) event(e capture.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Stage == capture.Finished {
		delete(p.busy, e.Name)
	} else {
		p.busy[e.Name] = e
	}
}

func (p *progress) run() {
	tick := time.NewTicker(progressAfter)
	defer tick.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-tick.C:
			p.print()
		}
	}
}

func (p *progress) print() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, name := range canonjson.SortedKeys(p.busy) {
		e := p.busy[name]
		what := string(e.Stage)
		if e.Stage == capture.Listing {
			what = fmt.Sprintf("listing %ss, page %d", e.Kind, e.Page)
		}
		fmt.Fprintf(p.app.stderr, "fusionctl: waiting for %s: %s\n", report.Harmless(fmt.Sprintf("%q", name)), what)
	}
}

func (p *progress) stop() {
	close(p.done)
	p.wait.Wait()
}
