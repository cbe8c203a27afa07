package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/fusionctl/fusionctl/awareness"
)

// staleCalls counts what a hook decided, and writes it to a log.
type staleCalls struct {
	mu      sync.Mutex
	rows    map[staleRow]int
	stale   int // calls that follow an old contract
	plain   int // other calls that did not fit
	unsure  int // calls that could not be judged
	log     io.Writer
	failure error // of the log
}

type staleRow struct{ tool, change, client string }

// A loggedEvent is one line of the log.
type loggedEvent struct {
	Time    string   `json:"time"`
	Kind    string   `json:"kind"`
	Tool    string   `json:"tool"`
	Action  string   `json:"action,omitempty"`
	Client  string   `json:"client,omitempty"`
	Version string   `json:"clientVersion,omitempty"`
	Stale   bool     `json:"stale"`
	Unknown bool     `json:"unknown,omitempty"`
	Repeat  int      `json:"repeat,omitempty"`
	Changes []string `json:"changes,omitempty"`
	Causes  []string `json:"causes,omitempty"` // those of the changes because of which the call is wrong
	Reason  string   `json:"reason,omitempty"`
}

// maxStaleRows bounds the table. Tools come from the lockfile or the server, so only a hostile server gets there.
const maxStaleRows = 10_000

func (s *staleCalls) add(e awareness.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case e.Kind == awareness.FailedOpen:
		s.unsure++
	case e.Stale:
		s.stale++
		s.count(e)
	default:
		s.plain++
	}
	if s.log == nil || s.failure != nil {
		return
	}
	line, err := json.Marshal(loggedEvent{
		Time: clock().UTC().Format(time.RFC3339), Kind: string(e.Kind), Tool: e.Tool, Action: e.Action,
		Client: e.Client.Name, Version: e.Client.Version,
		Stale: e.Stale, Unknown: e.Unknown, Repeat: e.Repeat, Changes: changeTexts(e.Changes), Causes: changeTexts(e.Causes()), Reason: e.Reason,
	})
	if err == nil {
		_, err = s.log.Write(append(line, '\n'))
	}
	s.failure = err
}

// changeTexts names changes by their rules and pointers.
func changeTexts(changes []awareness.ShownChange) []string {
	var texts []string
	for _, c := range changes {
		texts = append(texts, c.String())
	}
	return texts
}

// count adds a call to the row of each change because of which it is wrong, or of each change of the tool when none is.
func (s *staleCalls) count(e awareness.Event) {
	tool := e.Tool
	if e.Action != "" {
		tool += "." + e.Action
	}
	about := e.Causes()
	if len(about) == 0 {
		about = e.Changes
	}
	var changes []string
	for _, c := range about {
		changes = append(changes, strings.TrimSpace(c.Rule+" "+cell(c.Field)))
	}
	slices.Sort(changes)
	if changes = slices.Compact(changes); len(changes) == 0 {
		changes = []string{"-"}
	}
	client := strings.TrimSpace(cell(e.Client.Name) + " " + cell(e.Client.Version))
	if client == "" {
		client = "-"
	}
	for _, change := range changes {
		row := staleRow{tool, change, client}
		if _, known := s.rows[row]; known || len(s.rows) < maxStaleRows {
			s.rows[row]++
		}
	}
}

// cell is a text from elsewhere as it may stand in the table: one that has a space, or anything that names rarely have, is
// quoted, so that it cannot pose as another cell or as a sentence of ours.
func cell(s string) string {
	unusual := func(r rune) bool {
		return !(unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-./~@+$*:#", r))
	}
	if strings.ContainsFunc(s, unusual) {
		s = fmt.Sprintf("%q", s)
	}
	return harmless(s)
}

// print writes the table, the most frequent first.
func (s *staleCalls) print(w io.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	say(w, "note", fmt.Sprintf("%s of an old contract, %s, %s that could not be judged", count(s.stale, "call"), count(s.plain, "other mistake"), count(s.unsure, "call")))
	if len(s.rows) == 0 {
		return
	}
	rows := make([]staleRow, 0, len(s.rows))
	for row := range s.rows {
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b staleRow) int {
		return cmp.Or(s.rows[b]-s.rows[a], cmp.Compare(a.tool, b.tool), cmp.Compare(a.change, b.change), cmp.Compare(a.client, b.client))
	})
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "CALLS\tTOOL\tCHANGE\tCLIENT")
	for _, row := range rows {
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\n", s.rows[row], cell(row.tool), row.change, row.client)
	}
	table.Flush()
}
