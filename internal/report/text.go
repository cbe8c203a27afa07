package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/fatih/color"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// Rules of the text format: the verdict in the first line; then the items, worst first; below each its changes, worst
// first, baseline above revision, the proof last. A change that several items share is told once: what breaks or is a risk
// before the items that are no worse, with the id for each item, what is harmless at the end.
// Nothing but these lines; texts from outside are quoted and made harmless.

// groupFrom is from how many items on a change is told once for all.
const groupFrom = 3

type textWriter struct {
	*stickyWriter
	o       Options
	servers int
	grouped map[shared][]member // the items of changes that are told once
	colors  map[diff.Severity]*color.Color
	dim     *color.Color
}

func writeText(w io.Writer, r diff.Report, o Options) error {
	t := newTextWriter(w, r, o)
	t.printf("%s\n", t.paint(r.MaxSeverity, verdict(r)))
	at := 0
	for _, s := range []diff.Severity{diff.Breaking, diff.Risky} {
		t.groups(func(of diff.Severity) bool { return of == s })
		for ; at < len(r.Diffs) && r.Diffs[at].MaxSeverity() >= s; at++ {
			t.item(r.Diffs[at])
		}
	}
	for _, d := range r.Diffs[at:] {
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

// A shared change is told once for all items that have it: cosmetic ones by rule, safe ones by rule and message, resources
// and templates that came or went, of which a server may list hundreds, by rule, and any other that needs no proof when it is
// equal in all that a reader sees.
type shared struct {
	severity                       diff.Severity
	rule, message                  string
	pointer, before, after, action string // of what breaks or is a risk
}

// A member is one item of a shared change.
type member struct{ title, id string }

func sharedBy(d diff.ContractDiff, c diff.Change) (shared, bool) {
	listed := d.Kind == lockfile.KindResource || d.Kind == lockfile.KindTemplate
	switch {
	case listed && c.Pointer == "" && c.Hint == "" && c.Before == nil && c.After == nil, c.Severity == diff.Cosmetic:
		return shared{severity: c.Severity, rule: c.Rule}, true
	case c.Severity == diff.Safe:
		return shared{severity: c.Severity, rule: c.Rule, message: c.Message}, c.Hint == ""
	}
	key := shared{c.Severity, c.Rule, c.Message, c.Pointer, text(c.Before), text(c.After), c.Action}
	return key, c.Witness == nil && c.Hint == ""
}

func text(v any) string {
	if v == nil {
		return ""
	}
	return string(canonjson.Append(nil, v))
}

// group finds the changes that many items share.
func group(r diff.Report, o Options) map[shared][]member {
	items := map[shared][]member{}
	if o.Verbose {
		return items
	}
	servers := serverCount(r)
	for _, d := range r.Diffs {
		seen := map[shared]bool{}
		for _, c := range d.Changes {
			if key, ok := sharedBy(d, c); ok && !seen[key] {
				items[key] = append(items[key], member{title(d, servers), c.Fingerprint})
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

func isShared(d diff.ContractDiff, c diff.Change, grouped map[shared][]member) bool {
	key, ok := sharedBy(d, c)
	return ok && grouped[key] != nil
}

func (t *textWriter) item(d diff.ContractDiff) {
	shown := 0
	for _, c := range d.Changes {
		if isShared(d, c, t.grouped) {
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
	for i, key := range sharedKeys(t.grouped, ofSeverity) {
		if i == 0 {
			t.printf("\nin several items\n")
		}
		t.group(key, t.grouped[key])
	}
}

func sharedKeys(grouped map[shared][]member, ofSeverity func(diff.Severity) bool) []shared {
	var keys []shared
	for key := range grouped {
		if ofSeverity(key.severity) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b shared) int {
		return cmp.Or(-cmp.Compare(a.severity, b.severity), cmp.Compare(a.rule, b.rule), cmp.Compare(a.message, b.message),
			cmp.Compare(a.pointer, b.pointer), cmp.Compare(a.before, b.before), cmp.Compare(a.after, b.after), cmp.Compare(a.action, b.action))
	})
	return keys
}

func (t *textWriter) group(key shared, members []member) {
	s := key.severity
	t.printf("  %s  %s: %d items  %s\n", t.paint(s, fmt.Sprintf("%-8s", s)), Harmless(sharedMessage(key)), len(members), t.dim.Sprint("["+key.rule+"]"))
	if s < diff.Risky || key.message == "" {
		t.line("in", listed(members))
		return
	}
	for _, part := range [][2]string{{"at", key.pointer}, {"baseline", key.before}, {"revision", key.after}} {
		if part[1] != "" {
			t.line(part[0], cut(Harmless(part[1]), maxValue))
		}
	}
	for i, m := range members {
		t.line([]string{"in", ""}[min(i, 1)], fmt.Sprintf("%s  %s", m.title, t.dim.Sprint("id "+m.id)))
	}
}

// sharedMessage is what the items have in common: the sentence, or that of the rule.
func sharedMessage(key shared) string {
	if key.message != "" {
		return key.message
	}
	rule, _ := diff.Lookup(key.rule)
	return rule.Summary
}

func listed(members []member) string {
	const most = 6
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = m.title
	}
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
