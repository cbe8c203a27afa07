package main

import (
	"bytes"
	"testing"

	"github.com/fusionctl/fusionctl/internal/capture"
	"github.com/fusionctl/fusionctl/lockfile"
)

func TestProgressTellsWhatIsWaitedFor(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	p := &progress{app: &app{stderr: &stderr}, busy: map[string]capture.Event{}}
	p.event(capture.Event{Name: "b", Stage: capture.Listing, Kind: lockfile.KindTool, Page: 2})
	p.event(capture.Event{Name: "a\x1b[2J", Stage: capture.Starting})
	p.event(capture.Event{Name: "c", Stage: capture.Starting})
	p.event(capture.Event{Name: "c", Stage: capture.Finished})
	p.print()
	const want = `fusionctl: waiting for "a\x1b[2J": starting
fusionctl: waiting for "b": listing tools, page 2
`
	if stderr.String() != want {
		t.Errorf("progress = %q, want %q", stderr.String(), want)
	}
}

func TestProgressIsSilentWithoutTerminal(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	p := (&app{stderr: &stderr}).startProgress()
	p.event(capture.Event{Name: "a", Stage: capture.Starting})
	p.stop()
	if stderr.Len() != 0 {
		t.Errorf("progress without a terminal = %q", stderr.String())
	}
}
