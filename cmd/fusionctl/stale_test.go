package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/internal/hooktest"
	"github.com/fusionctl/fusionctl/internal/hooktest/foreign"
)

// Text from elsewhere makes no line of the table of stale calls and of its log, and nothing that a terminal obeys (reports S02,
// S04, S06).
func TestForeignTextInTable(t *testing.T) {
	t.Parallel()
	for _, text := range foreign.Texts() {
		before, now := text.Before(), text.Now()
		if !text.Legal {
			before, now = foreign.Texts()[2].Before(), foreign.Texts()[2].Now()
		}
		var log, table bytes.Buffer
		calls := &staleCalls{rows: map[staleRow]int{}, log: &log}
		events := 0
		hook := hooktest.Hook(t, before, awareness.WithMode(awareness.Observe), awareness.OnEvent(func(e awareness.Event) {
			events++
			calls.add(e)
		}))
		client := awareness.Client{Name: text.String(), Version: text.String()}
		var live []*awareness.Tool
		for _, definition := range append(now, text.Now()...) {
			tool, err := hook.Learn([]byte(definition)) // what cannot be learned is an event, too
			if err != nil {
				continue
			}
			live = append(live, tool)
			for _, arguments := range text.Calls() {
				hook.Check(awareness.Call{Tool: tool, Arguments: []byte(arguments), Client: client})
			}
		}
		var gone struct{ Name string }
		if err := json.Unmarshal([]byte(before[1]), &gone); err != nil {
			t.Fatal(err)
		}
		hook.Unknown(gone.Name, awareness.Call{Client: client}, live)
		calls.print(&table)

		foreign.Harmless(t, text.Name+", table", table.String())
		if lines := strings.Count(table.String(), "\n"); calls.stale < 1 || lines != 2+len(calls.rows) || !strings.Contains(table.String(), "\nCALLS  TOOL") {
			t.Errorf("%s: %d stale calls, %d lines for %d rows:\n%.600s", text.Name, calls.stale, lines, len(calls.rows), table.String())
		}
		for line := range strings.Lines(table.String()) {
			foreign.Sentence(t, text.Name+", table", line)
		}
		lines := 0
		for line := range strings.Lines(log.String()) {
			lines++
			foreign.Harmless(t, text.Name+", log", line)
			if err := json.Unmarshal([]byte(line), new(loggedEvent)); err != nil || len(line) > 8192 {
				t.Errorf("%s: %v, %d bytes: %.300s", text.Name, err, len(line), line)
			}
		}
		if lines != events {
			t.Errorf("%s: %d lines for %d events", text.Name, lines, events)
		}
	}
}
