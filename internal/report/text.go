package report

import (
	"fmt"
	"io"

	"github.com/fatih/color"

	"github.com/fusionctl/fusionctl/diff"
)

// Rules of the text format: the verdict in the first line; then the items, worst first; below each its changes, worst
// first, baseline above revision, the proof last. A cosmetic change that several items share is one line at the end.
// Nothing but these lines; texts from outside are quoted and made harmless.

// groupFrom is from how many items on a cosmetic change is told once for all.
const groupFrom = 3

type textWriter struct {
	*stickyWriter
	o       Options
	servers int
	grouped map[string][]string // rule → items, for cosmetic changes that are told once
	colors  map[diff.Severity]*color.Color
	dim     *color.Color
}

func writeText(w io.Writer, r diff.Report, o Options) error {
	t := newTextWriter(w, r, o)
	t.printf("%s\n", t.paint(r.MaxSeverity, verdict(r)))
	for _, d := range r.Diffs {
		t.item(d)
	}
	t.groups(r)
	for _, line := range advice(r) {
		t.printf("\nversion: %s\n", line)
	}
	return t.err
}

func newTextWriter(w io.Writer, r diff.Report, o Options) *textWriter {
	t := &textWriter{stickyWriter: &stickyWriter{w: w}, o: o, servers: serverCount(r), grouped: groupCosmetic(r, o)}
	t.colors = map[diff.Severity]*color.Color{
		diff.Breaking: color.New(color.FgRed, color.Bold),
		diff.Risky:    color.New(color.FgYellow),
		diff.Safe:     color.New(color.FgGreen),
		diff.Cosmetic: color.New(color.Faint),
		diff.None:     color.New(color.FgGreen),
	}
	t.dim = color.New(color.Faint)
	all := []*color.Color{t.dim}
	for _, c := range t.colors {
		all = append(all, c)
	}
	for _, c := range all {
		// Each color decides for itself; the library's global switch, set from stdout at start, is not asked.
		if o.Color {
			c.EnableColor()
		} else {
			c.DisableColor()
		}
	}
	return t
}

func (t *textWriter) paint(s diff.Severity, text string) string { return t.colors[s].Sprint(text) }

// groupCosmetic finds the rules whose cosmetic changes many items share.
func groupCosmetic(r diff.Report, o Options) map[string][]string {
	if o.Verbose {
		return nil
	}
	items := map[string][]string{}
	servers := serverCount(r)
	for _, d := range r.Diffs {
		last := ""
		for _, c := range d.Changes {
			if c.Severity == diff.Cosmetic && c.Rule != last {
				items[c.Rule] = append(items[c.Rule], title(d, servers))
				last = c.Rule
			}
		}
	}
	for rule, names := range items {
		if len(names) < groupFrom {
			delete(items, rule)
		}
	}
	return items
}

func (t *textWriter) isGrouped(c diff.Change) bool {
	return c.Severity == diff.Cosmetic && t.grouped[c.Rule] != nil
}

func (t *textWriter) item(d diff.ContractDiff) {
	shown := 0
	for _, c := range d.Changes {
		if t.isGrouped(c) {
			continue
		}
		if shown == 0 {
			t.printf("\n%s\n", title(d, t.servers))
		}
		shown++
		t.change(c)
	}
}

func (t *textWriter) change(c diff.Change) {
	action := ""
	if c.Action != "" {
		action = Harmless(fmt.Sprintf("%s.%s: ", c.Tool, c.Action))
	}
	t.printf("  %s  %s%s  %s\n", t.paint(c.Severity, fmt.Sprintf("%-8s", c.Severity)), action, Harmless(c.Message), t.dim.Sprint("["+c.Rule+"]"))
	most := maxValue
	if t.o.Verbose {
		most = 100 * maxValue
	}
	if c.Pointer != "" {
		t.line("at", cut(Harmless(c.Pointer), maxValue))
	}
	if c.Before != nil {
		t.line("baseline", value(c.Before, most))
	}
	if c.After != nil {
		t.line("revision", value(c.After, most))
	}
	if c.Witness != nil {
		t.line("proof", proof(c))
	}
	if c.Hint != "" {
		t.line("hint", Harmless(c.Hint))
	}
	if c.Severity >= diff.Risky {
		t.line("id", c.Fingerprint)
	}
}

func (t *textWriter) line(name, text string) {
	t.printf("            %s  %s\n", t.dim.Sprintf("%-8s", name), text)
}

// groups tells each shared cosmetic change once, in the order of the rules' ids.
func (t *textWriter) groups(r diff.Report) {
	first := true
	for _, rule := range diff.Rules() {
		names := t.grouped[rule.ID]
		if names == nil {
			continue
		}
		if first {
			t.printf("\nin several items\n")
			first = false
		}
		t.printf("  %s  %s: %d items  %s\n", t.paint(diff.Cosmetic, fmt.Sprintf("%-8s", diff.Cosmetic)), rule.Summary, len(names), t.dim.Sprint("["+rule.ID+"]"))
		t.line("in", listed(names))
	}
}

func listed(names []string) string {
	const most = 6
	if len(names) <= most {
		return join(names)
	}
	return fmt.Sprintf("%s and %d more", joinComma(names[:most]), len(names)-most)
}

func joinComma(names []string) string {
	s := ""
	for i, n := range names {
		if i > 0 {
			s += ", "
		}
		s += n
	}
	return s
}
