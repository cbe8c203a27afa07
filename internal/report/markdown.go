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
	versions := advice(r)
	for i, line := range versions {
		if i == maxRows {
			fmt.Fprintf(&b, "\nVersion: and %d more servers.\n", len(versions)-i)
			break
		}
		b.WriteString("\nVersion: " + prose(line) + ".\n")
	}
	grouped := group(r, o)
	left := 0
	shared := func(ofSeverity func(diff.Severity) bool) {
		section, changes := markdownShared(grouped, ofSeverity)
		if left > 0 || b.Len()+len(section) > maxMarkdown {
			left += changes
			return
		}
		b.WriteString(section)
	}
	shared(func(s diff.Severity) bool { return s >= diff.Risky })
	for _, d := range r.Diffs {
		room := maxMarkdown - b.Len()
		if left > 0 {
			room = 0 // what comes later matters less than what was left out
		}
		section, missing := markdownSection(d, servers, grouped, room)
		b.WriteString(section)
		left += missing
	}
	shared(func(s diff.Severity) bool { return s < diff.Risky })
	markdownAccepted(&b, r)
	if left > 0 {
		fmt.Fprintf(&b, "\n%d more changes are not shown here; the JSON report has them all.\n", left)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdownTable lists the changes that a reviewer must see, all breaks before the first risk: the table is cut when it gets
// long. A change that several items share is one row.
func markdownTable(b *strings.Builder, r diff.Report, servers int) {
	rows, more := 0, 0
	grouped, told := group(r, Options{}), map[shared]bool{}
	for _, severity := range []diff.Severity{diff.Breaking, diff.Risky} {
		for _, d := range r.Diffs {
			for _, c := range d.Changes {
				key, _ := sharedBy(d, c)
				members := grouped[key]
				if c.Severity != severity || len(members) > 0 && told[key] {
					continue
				}
				told[key] = true
				if rows++; rows > maxRows {
					more++
					continue
				}
				if rows == 1 {
					b.WriteString("\n| severity | item | change |\n| --- | --- | --- |\n")
				}
				item := itemSpan(d, c, servers)
				if len(members) > 0 {
					item, c.Message = memberSpans(members), sharedMessage(key)
				}
				b.WriteString(markdownRow(item, c))
			}
		}
	}
	if more > 0 {
		fmt.Fprintf(b, "\nand %d more that break or are a risk\n", more)
	}
}

// memberSpans names the first of the items that share a change.
func memberSpans(members []member) string {
	const most = 4
	var spans []string
	for _, m := range members[:min(most, len(members))] {
		spans = append(spans, span(cut(m.title, 80)))
	}
	text := fmt.Sprintf("%d items: %s", len(members), joinComma(spans))
	if len(members) > most {
		text += fmt.Sprintf(" and %d more", len(members)-most)
	}
	return text
}

func markdownRow(item string, c diff.Change) string {
	text := prose(cut(c.Message, 2*maxValue))
	if c.Witness != nil {
		text += "<br>" + prose(witnessLead(c)) + span(cut(airy(witnessText(c)), maxValue)) + prose(cut(because(c), maxValue))
	}
	return fmt.Sprintf("| %s&nbsp;%s | %s | %s |\n", markdownSign[c.Severity], c.Severity, cell(item), cell(text))
}

// airy puts a space after each comma of a call or a value, outside of its texts: a table breaks lines at spaces only, and one
// long word makes it wider than the page.
func airy(s string) string {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(s); i++ {
		b.WriteByte(s[i])
		switch {
		case s[i] == '\\' && quoted && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case s[i] == '"':
			quoted = !quoted
		case s[i] == ',' && !quoted:
			b.WriteByte(' ')
		}
	}
	return b.String()
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

// markdownSection is one item, folded, in at most room bytes, and how many changes did not fit. Those that it shares with others
// are told once, elsewhere.
func markdownSection(d diff.ContractDiff, servers int, grouped map[shared][]member, room int) (section string, missing int) {
	own := d
	own.Changes = nil
	for _, c := range d.Changes {
		if !isShared(d, c, grouped) {
			own.Changes = append(own.Changes, c)
		}
	}
	if len(own.Changes) == 0 {
		return "", 0
	}
	d = own
	var b strings.Builder
	name := html.EscapeString(cut(title(d, servers), maxValue))
	fmt.Fprintf(&b, "\n<details><summary>%s <code>%s</code>: %s</summary>\n\n", markdownSign[d.MaxSeverity()], name, countSeverities(d))
	const end = "\n</details>\n"
	for i, c := range d.Changes {
		text := markdownChange(d, c)
		if b.Len()+len(text)+len(end) > room {
			if i == 0 {
				return "", len(d.Changes)
			}
			return b.String() + end, len(d.Changes) - i
		}
		b.WriteString(text)
	}
	return b.String() + end, 0
}

func markdownChange(d diff.ContractDiff, c diff.Change) string {
	var b strings.Builder
	action := ""
	if c.Action != "" {
		action = span(cut(Harmless(d.Name+"."+c.Action), 80)) + ": "
	}
	fmt.Fprintf(&b, "- **%s** %s%s (`%s`)\n", c.Severity, action, prose(cut(c.Message, 4*maxValue)), c.Rule)
	line := func(name, text string) { fmt.Fprintf(&b, "  - %s: %s\n", name, text) }
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
	if c.Severity >= diff.Risky {
		line("id", span(c.Fingerprint))
	}
	return b.String()
}

// maxMembers is how many items of one shared change are listed.
const maxMembers = 50

// markdownShared is what several items share, folded: what breaks or is a risk with the id for each item.
func markdownShared(grouped map[shared][]member, ofSeverity func(diff.Severity) bool) (section string, changes int) {
	var b strings.Builder
	worst := diff.None
	for _, key := range sharedKeys(grouped, ofSeverity) {
		members := grouped[key]
		worst = max(worst, key.severity)
		changes += len(members)
		fmt.Fprintf(&b, "- **%s** %s: %d items (`%s`)\n", key.severity, prose(cut(sharedMessage(key), 4*maxValue)), len(members), key.rule)
		for i, m := range members {
			if i == maxMembers {
				fmt.Fprintf(&b, "  - and %d more\n", len(members)-i)
				break
			}
			fmt.Fprintf(&b, "  - %s", span(cut(m.title, 80)))
			if key.severity >= diff.Risky {
				b.WriteString(", id: " + span(m.id))
			}
			b.WriteString("\n")
		}
	}
	if changes == 0 {
		return "", 0
	}
	return fmt.Sprintf("\n<details><summary>%s several items: %d changes</summary>\n\n%s\n</details>\n", markdownSign[worst], changes, b.String()), changes
}

// markdownAccepted lists what the policy took out of the report, folded: whoever reviews sees the decisions too. It has a
// reserve of its own, as decisions must not vanish behind a long report.
func markdownAccepted(b *strings.Builder, r diff.Report) {
	if len(r.Accepted) == 0 {
		return
	}
	const reserve = 4_000
	full := b.Len() + reserve
	fmt.Fprintf(b, "\n<details><summary>%d accepted</summary>\n\n", len(r.Accepted))
	for i, a := range r.Accepted {
		if b.Len() > full {
			fmt.Fprintf(b, "- and %d more\n", len(r.Accepted)-i)
			break
		}
		fmt.Fprintf(b, "- **%s** %s %s: %s (`%s`)\n", a.Change.Severity, kindName(a.Kind), span(cut(Harmless(a.Name), 80)), prose(cut(a.Change.Message, maxValue)), a.Change.Rule)
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

// prose writes one of our sentences. A word that quotes something, or holds a sign that could be markup, becomes one code span,
// punctuation around it aside: {"a":["@b"]} as well as "a b". Two spans never touch, since their fences would run together.
func prose(s string) string {
	var b strings.Builder
	for s = Harmless(s); s != ""; {
		word := s[:wordEnd(s)]
		s = s[len(word):]
		lead, core, trail := trimPunctuation(word)
		b.WriteString(lead)
		if strings.ContainsAny(core, "\"@#`<>&*_[]{}|~\\!$") || strings.Contains(core, "://") || strings.Contains(core, "www.") {
			core = span(core)
		}
		b.WriteString(core)
		b.WriteString(trail)
		if s != "" {
			b.WriteByte(' ')
			s = s[1:]
		}
	}
	return b.String()
}

// wordEnd is where the first word of a sentence ends: at a space that stands in no quotes.
func wordEnd(s string) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ':
			return i
		case '"':
			i += closingQuote(s[i:]) - 1
		}
	}
	return len(s)
}

// trimPunctuation takes the punctuation of a sentence from both ends of a word.
func trimPunctuation(word string) (lead, core, trail string) {
	core = strings.TrimLeft(word, "(")
	lead = word[:len(word)-len(core)]
	end := ",;:."
	if !strings.Contains(core, "(") {
		end += ")"
	}
	word = core
	core = strings.TrimRight(word, end)
	return lead, core, word[len(core):]
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

// cell makes a text fit a table: a bar ends a cell even inside of a code span, unless an odd number of backslashes stands
// before it. A bar that has an odd number of them already is shown with one more.
func cell(s string) string {
	var b strings.Builder
	slashes := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '|':
			b.WriteString(strings.Repeat("\\", 1+slashes%2))
			slashes = 0
		case '\\':
			slashes++
		default:
			slashes = 0
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
