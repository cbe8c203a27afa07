package report

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// What all writers for people say with the same words.

var severities = []diff.Severity{diff.Breaking, diff.Risky, diff.Safe, diff.Cosmetic}

// verdict is the whole report in one sentence, without a period.
func verdict(r diff.Report) string {
	apart := ""
	if n := len(r.Accepted); n > 0 {
		apart = fmt.Sprintf(", %d accepted", n)
	}
	if len(r.Diffs) == 0 && apart != "" {
		return "no other changes" + apart
	}
	if len(r.Diffs) == 0 {
		return "no changes"
	}
	var parts []string
	total := 0
	for _, s := range severities {
		if n := r.Counts[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.ToLower(s.String())))
			total += n
		}
	}
	noun := "changes"
	if total == 1 {
		noun = "change"
	}
	return fmt.Sprintf("%s: %s %s in %s%s", r.MaxSeverity, join(parts), noun, items(r), apart)
}

// items counts what changed: "3 tools and 1 prompt".
func items(r diff.Report) string {
	counts := map[lockfile.Kind]int{}
	for _, d := range r.Diffs {
		counts[d.Kind]++
	}
	var parts []string
	for _, k := range []lockfile.Kind{lockfile.KindTool, lockfile.KindPrompt, lockfile.KindResource, lockfile.KindTemplate, lockfile.KindServer} {
		switch n := counts[k]; n {
		case 0:
		case 1:
			parts = append(parts, "1 "+kindName(k))
		default:
			parts = append(parts, fmt.Sprintf("%d %ss", n, kindName(k)))
		}
	}
	return join(parts)
}

func join(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

func kindName(k lockfile.Kind) string {
	if k == lockfile.KindTemplate {
		return "resource template"
	}
	return string(k)
}

// serverCount is how many servers the report speaks of. With one there is no need to name it at each item.
func serverCount(r diff.Report) int {
	names := map[string]bool{}
	for _, d := range r.Diffs {
		names[d.Server] = true
	}
	return len(names)
}

// title names an item: tool "search", or tool "search" of server "billing" when there are several servers.
func title(d diff.ContractDiff, servers int) string {
	s := kindName(d.Kind) + " " + quoted(d.Name)
	if servers > 1 && d.Kind != lockfile.KindServer {
		s += " of server " + quoted(d.Server)
	}
	return s
}

// quoted is a text from outside in quotes, as JSON writes it.
func quoted(s string) string { return Harmless(string(canonjson.Append(nil, s))) }

// proof says what a witness shows.
func proof(c diff.Change) string {
	if c.Side == diff.Output {
		return "may now return " + witnessText(c) + ", which the baseline did not allow" + because(c)
	}
	return witnessText(c) + ": accepted before, now refused" + because(c)
}

func witnessText(c diff.Change) string {
	if c.Witness.Call != "" {
		return cut(Harmless(c.Witness.Call), 2*maxValue)
	}
	return value(c.Witness.Value, 2*maxValue)
}

func because(c diff.Change) string {
	if c.Witness.Reason == "" {
		return ""
	}
	return ": " + cut(Harmless(c.Witness.Reason), maxValue)
}

// advice is one line per server whose version should be raised further than it was. A server that says no version gets none.
func advice(r diff.Report) []string {
	var lines []string
	for _, a := range r.Advice {
		if a.Enough || a.Revision == "" {
			continue
		}
		line := "the changes ask for a higher " + a.Raise + " version"
		if len(r.Advice) > 1 {
			line += " of " + quoted(a.Server)
		}
		switch {
		case a.Baseline == "":
		case a.Baseline == a.Revision:
			line += "; it stayed " + quoted(a.Baseline)
		default:
			line += fmt.Sprintf("; it went from %s to %s", quoted(a.Baseline), quoted(a.Revision))
		}
		if a.Next != "" {
			line += fmt.Sprintf("; publish %s or later", a.Next)
		}
		lines = append(lines, cut(Harmless(line), maxValue))
	}
	return lines
}

// sentence is a change in one line, with its proof and hint.
func sentence(d diff.ContractDiff, c diff.Change) string {
	name := d.Name
	if c.Action != "" {
		name += "." + c.Action
	}
	s := fmt.Sprintf("%s %s: %s", kindName(d.Kind), quoted(name), cut(c.Message, 4*maxValue))
	if c.Witness != nil {
		s += "; " + proof(c)
	}
	if c.Hint != "" {
		s += " (" + cut(c.Hint, 2*maxValue) + ")"
	}
	return Harmless(s)
}

// uriPath is a file path as a relative URI.
func uriPath(path string) string {
	u := url.URL{Path: strings.ReplaceAll(path, "\\", "/")}
	return u.EscapedPath()
}
