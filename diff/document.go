package diff

import (
	"fmt"
	"strings"
)

// RulesMarkdown is the page of all rules, docs/rules.md, made from the table.
func RulesMarkdown() []byte {
	var b strings.Builder
	b.WriteString("# Rules\n\n" +
		"<!-- Generated from the table in diff/ by \"go generate ./...\". Do not edit. -->\n\n" +
		"A change names one of these rules. Where a schema changed the verdict decides: the severity given here is the usual\n" +
		"outcome, and a change that was proved harmless is SAFE or COSMETIC, one that could not be decided is RISKY. The severity\n" +
		"for consumers holds with `--audience consumer`: you pin someone else's server and ask what it gained. There any change that\n" +
		"is harmless otherwise and brings a title or description for the model is RISKY.\n\n" +
		"`fusionctl explain RULE` prints one rule; `.fusionctl.yaml` sets another severity.\n\n")
	b.WriteString("| rule | severity | for consumers | what happened |\n| --- | --- | --- | --- |\n")
	for _, r := range allRules {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s | %s |\n", r.ID, r.ID, r.Severity, r.Consumer, r.Summary)
	}
	for _, r := range allRules {
		b.WriteString("\n")
		b.WriteString(r.Markdown())
	}
	return []byte(b.String())
}

// Markdown describes the rule: why it matters, an example, its witness.
func (r Rule) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%s.\n\n%s\n\nSeverity: %s", r.ID, upperFirst(r.Summary), r.Doc, r.Severity)
	if r.Verdict {
		b.WriteString(" when the schemas say so")
	}
	if r.Consumer != r.Severity {
		fmt.Fprintf(&b, "; for consumers %s", r.Consumer)
	}
	b.WriteString(".\n")
	if r.Example.Base != "" {
		fmt.Fprintf(&b, "\nBaseline:\n\n```json\n%s\n```\n\nRevision:\n\n```json\n%s\n```\n", r.Example.Base, r.Example.Rev)
	}
	if r.Example.Witness != "" {
		text := "Accepted by the baseline, refused by the revision"
		if r.Side == Output {
			text = "Allowed by the revision, not by the baseline"
		}
		fmt.Fprintf(&b, "\n%s:\n\n```json\n%s\n```\n", text, r.Example.Witness)
	}
	return b.String()
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
