package report

import (
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/fusionctl/fusionctl/diff"
)

// A comment on a pull request: the summary first, the details folded. GitHub refuses comments over 65,536 characters, so
// the text stops at maxMarkdown and says what is left out.
//
// Text from outside stands in code spans only. There nothing is markup, nothing links and nobody is mentioned.

const (
	maxMarkdown = 60_000
	maxRows     = 25

	// markdownMark is the first line, by which a workflow finds its own comment again.
	markdownMark = "<!-- fusionctl -->"
)

var markdownSign = map[diff.Severity]string{diff.Breaking: "🔴", diff.Risky: "🟡", diff.Safe: "🟢", diff.Cosmetic: "⚪"}

func writeMarkdown(w io.Writer, r diff.Report, o Options) error {
	var b strings.Builder
	b.WriteString(markdownMark + "\n### Contract changes: " + verdict(r) + "\n")
	servers := serverCount(r)
	markdownTable(&b, r, servers)
	for _, line := range advice(r) {
		b.WriteString("\nVersion: " + prose(line) + ".\n")
	}
	left := 0
	for _, d := range r.Diffs {
		section := markdownSection(d, servers)
		if left > 0 || b.Len()+len(section) > maxMarkdown {
			left += len(d.Changes)
			continue
		}
		b.WriteString(section)
	}
	markdownAccepted(&b, r)
	if left > 0 {
		fmt.Fprintf(&b, "\n%d more changes are not shown here; the JSON report has them all.\n", left)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdownTable lists the changes that a reviewer must see.
func markdownTable(b *strings.Builder, r diff.Report, servers int) {
	rows, more := 0, 0
	for _, d := range r.Diffs {
		for _, c := range d.Changes {
			if c.Severity < diff.Risky {
				continue
			}
			if rows == maxRows {
				more++
				continue
			}
			if rows == 0 {
				b.WriteString("\n| | item | change |\n| --- | --- | --- |\n")
			}
			rows++
			text := prose(cut(c.Message, maxValue))
			if c.Witness != nil {
				text += "<br>" + prose(witnessLead(c)) + span(cut(witnessText(c), maxValue)) + prose(cut(because(c), maxValue))
			}
			fmt.Fprintf(b, "| %s %s | %s | %s |\n", markdownSign[c.Severity], c.Severity, cell(itemSpan(d, c, servers)), cell(text))
		}
	}
	if more > 0 {
		fmt.Fprintf(b, "\nand %d more below\n", more)
	}
}

func witnessLead(c diff.Change) string {
	if c.Side == diff.Output {
		return "may now return "
	}
	return "was accepted, now refused: "
}

// itemSpan names an item and, where one is meant, its action.
func itemSpan(d diff.ContractDiff, c diff.Change, servers int) string {
	name := d.Name
	if c.Action != "" {
		name += "." + c.Action
	}
	text := kindName(d.Kind) + " " + span(cut(Harmless(name), 80))
	if servers > 1 {
		text += " of " + span(cut(Harmless(d.Server), 80))
	}
	return text
}

// markdownSection is one item, folded.
func markdownSection(d diff.ContractDiff, servers int) string {
	var b strings.Builder
	name := html.EscapeString(cut(title(d, servers), maxValue))
	fmt.Fprintf(&b, "\n<details><summary>%s <code>%s</code>: %s</summary>\n", markdownSign[d.MaxSeverity()], name, countSeverities(d))
	for _, c := range d.Changes {
		fmt.Fprintf(&b, "\n- **%s** %s (`%s`)\n", c.Severity, prose(cut(c.Message, 4*maxValue)), c.Rule)
		line := func(name, text string) { fmt.Fprintf(&b, "  - %s %s\n", name, text) }
		if c.Pointer != "" {
			line("at", span(cut(Harmless(c.Pointer), maxValue)))
		}
		before, after := values(c.Before, c.After, maxValue)
		if c.Before != nil {
			line("baseline", span(before))
		}
		if c.After != nil {
			line("revision", span(after))
		}
		if c.Witness != nil {
			line("proof", span(proof(c)))
		}
		if c.Hint != "" {
			line("hint", prose(cut(c.Hint, 4*maxValue)))
		}
		line("id", span(c.Fingerprint))
	}
	b.WriteString("\n</details>\n")
	return b.String()
}

// markdownAccepted lists what the policy took out of the report, folded: whoever reviews sees the decisions too. It has a
// reserve of its own, as decisions must not vanish behind a long report.
func markdownAccepted(b *strings.Builder, r diff.Report) {
	if len(r.Accepted) == 0 {
		return
	}
	const reserve = 4_000
	full := b.Len() + reserve
	fmt.Fprintf(b, "\n<details><summary>%d accepted</summary>\n", len(r.Accepted))
	for i, a := range r.Accepted {
		if b.Len() > full {
			fmt.Fprintf(b, "\n- and %d more\n", len(r.Accepted)-i)
			break
		}
		fmt.Fprintf(b, "\n- **%s** %s %s: %s (`%s`)\n", a.Change.Severity, kindName(a.Kind), span(cut(Harmless(a.Name), 80)), prose(cut(a.Change.Message, maxValue)), a.Change.Rule)
		fmt.Fprintf(b, "  - until %s, by %s: %s\n", a.Expires, span(cut(Harmless(a.Author), 80)), span(cut(Harmless(a.Reason), maxValue)))
	}
	b.WriteString("\n</details>\n")
}

func countSeverities(d diff.ContractDiff) string {
	counts := map[diff.Severity]int{}
	for _, c := range d.Changes {
		counts[c.Severity]++
	}
	var parts []string
	for _, s := range severities {
		if counts[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[s], strings.ToLower(s.String())))
		}
	}
	return join(parts)
}

// span writes a text as a code span: the fence is longer than any run of backticks inside.
func span(s string) string {
	longest, run := 0, 0
	for _, r := range s {
		if r == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	fence := strings.Repeat("`", longest+1)
	if longest > 0 || strings.HasPrefix(s, " ") {
		s = " " + s + " "
	}
	if s == "" {
		return "``(empty)``"
	}
	return fence + s + fence
}

// prose writes one of our sentences: what it quotes becomes code spans, the rest is our own words. When a sign is left
// that could link or mention, the whole is one code span.
func prose(s string) string {
	s = Harmless(s)
	var b strings.Builder
	for s != "" {
		at := strings.IndexByte(s, '"')
		if at < 0 {
			at = len(s)
		}
		if own := s[:at]; strings.ContainsAny(own, "@#`<>&*_[]|~\\!$") || strings.Contains(own, "://") || strings.Contains(own, "www.") {
			b.WriteString(spanWords(own))
		} else {
			b.WriteString(own)
		}
		s = s[at:]
		if s == "" {
			break
		}
		end := closingQuote(s)
		b.WriteString(span(s[:end]))
		s = s[end:]
	}
	return b.String()
}

// spanWords puts the words that hold a sign of markup into code spans.
func spanWords(s string) string {
	words := strings.Split(s, " ")
	for i, w := range words {
		if strings.ContainsAny(w, "@#`<>&*_[]|~\\!$") || strings.Contains(w, "://") || strings.Contains(w, "www.") {
			words[i] = span(w)
		}
	}
	return strings.Join(words, " ")
}

// closingQuote is the end of the quoted text with which s begins.
func closingQuote(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// cell makes a text fit a table: a bar ends a cell even inside of a code span.
func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }
