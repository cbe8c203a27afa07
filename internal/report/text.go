package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/fatih/color"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/lockfile"
)

// Rules of the text format: the verdict in the first line; then the items, worst first; below each its changes, worst
// first, baseline above revision, the proof last. A harmless change that several items share is one line at the end; resources
// that went are one line at the top.
// Nothing but these lines; texts from outside are quoted and made harmless.

// groupFrom is from how many items on a harmless change is told once for all.
const groupFrom = 3

type textWriter struct {
	*stickyWriter
	o       Options
	servers int
	grouped map[shared][]string // the items of changes that are told once
	colors  map[diff.Severity]*color.Color
	dim     *color.Color
}

func writeText(w io.Writer, r diff.Report, o Options) error {
	t := newTextWriter(w, r, o)
	t.printf("%s\n", t.paint(r.MaxSeverity, verdict(r)))
	t.groups(func(s diff.Severity) bool { return s >= diff.Risky })
	for _, d := range r.Diffs {
		t.item(d)
	}
	t.groups(func(s diff.Severity) bool { return s < diff.Risky })
	for _, line := range advice(r) {
		t.printf("\nversion: %s\n", line)
	}
	return t.err
}

func newTextWriter(w io.Writer, r diff.Report, o Options) *textWriter {
	t := &textWriter{stickyWriter: &stickyWriter{w: w}, o: o, servers: serverCount(r), grouped: group(r, o)}
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

// A shared change is told once for all items that have it: cosmetic ones by rule, safe ones by rule and message, and
// resources and templates that came or went, of which a server may list hundreds, by rule.
type shared struct {
	severity      diff.Severity
	rule, message string
}

func sharedBy(d diff.ContractDiff, c diff.Change) (shared, bool) {
	listed := d.Kind == lockfile.KindResource || d.Kind == lockfile.KindTemplate
	switch {
	case listed && c.Pointer == "" && c.Hint == "" && c.Before == nil && c.After == nil, c.Severity == diff.Cosmetic:
		return shared{c.Severity, c.Rule, ""}, true
	case c.Severity == diff.Safe:
		return shared{c.Severity, c.Rule, c.Message}, c.Hint == ""
	}
	return shared{}, false
}

// group finds the changes that many items share.
func group(r diff.Report, o Options) map[shared][]string {
	items := map[shared][]string{}
	if o.Verbose {
		return items
	}
	servers := serverCount(r)
	for _, d := range r.Diffs {
		seen := map[shared]bool{}
		for _, c := range d.Changes {
			if key, ok := sharedBy(d, c); ok && !seen[key] {
				items[key] = append(items[key], title(d, servers))
				seen[key] = true
			}
		}
	}
	for key, names := range items {
		if len(names) < groupFrom {
			delete(items, key)
		}
	}
	return items
}

func (t *textWriter) isGrouped(d diff.ContractDiff, c diff.Change) bool {
	key, ok := sharedBy(d, c)
	return ok && t.grouped[key] != nil
}

func (t *textWriter) item(d diff.ContractDiff) {
	shown := 0
	for _, c := range d.Changes {
		if t.isGrouped(d, c) {
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
	before, after := values(c.Before, c.After, most)
	if c.Before != nil {
		t.line("baseline", before)
	}
	if c.After != nil {
		t.line("revision", after)
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

// groups tells each shared change of certain severities once, worst first, in the order of rules and messages.
func (t *textWriter) groups(ofSeverity func(diff.Severity) bool) {
	var keys []shared
	for key := range t.grouped {
		if ofSeverity(key.severity) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b shared) int {
		return cmp.Or(-cmp.Compare(a.severity, b.severity), cmp.Compare(a.rule, b.rule), cmp.Compare(a.message, b.message))
	})
	for i, key := range keys {
		if i == 0 {
			t.printf("\nin several items\n")
		}
		rule, _ := diff.Lookup(key.rule)
		text := Harmless(key.message)
		if text == "" {
			text = rule.Summary
		}
		s := key.severity
		t.printf("  %s  %s: %d items  %s\n", t.paint(s, fmt.Sprintf("%-8s", s)), text, len(t.grouped[key]), t.dim.Sprint("["+key.rule+"]"))
		t.line("in", listed(t.grouped[key]))
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
