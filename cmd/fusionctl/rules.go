package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/internal/canonjson"
)

func newRulesCmd(a *app) *cobra.Command {
	var format *choice
	cmd := &cobra.Command{
		Use:     "rules",
		Short:   "List the kinds of changes",
		Long:    "Rules lists every kind of change with its usual severity, for authors and for consumers of a server.",
		Example: "  fusionctl rules\n  fusionctl rules --format json",
		Args:    argsBetween(0, 0, "none"),
		RunE: func(*cobra.Command, []string) error {
			if format.value == "json" {
				return writeRulesJSON(a.stdout)
			}
			return writeRules(a.stdout)
		},
	}
	format = choiceFlag(cmd, "format", "text", "form of the list", "text", "json")
	return cmd
}

func writeRules(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "RULE\tAUTHOR\tCONSUMER\tSUMMARY")
	for _, r := range diff.Rules() {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", r.ID, r.Severity, consumerSeverity(r), r.Summary)
	}
	return table.Flush()
}

// consumerSeverity is the rule's severity for consumers, which is that for authors unless the table says otherwise.
func consumerSeverity(r diff.Rule) diff.Severity {
	if r.Consumer == diff.None {
		return r.Severity
	}
	return r.Consumer
}

func writeRulesJSON(w io.Writer) error {
	rules := diff.Rules()
	for i := range rules {
		rules[i].Consumer = consumerSeverity(rules[i])
	}
	data, err := json.Marshal(map[string]any{"formatVersion": 1, "rules": rules})
	if err != nil {
		return err
	}
	v, err := canonjson.Decode(data)
	if err != nil {
		return err
	}
	return writeJSON(w, v)
}

func newExplainCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "explain RULE",
		Short:   "Explain one kind of change",
		Long:    "Explain says why a kind of change matters, what to do instead, shows an example, and how to change its severity.",
		Example: "  fusionctl explain tool-removed",
		Args:    argsBetween(1, 1, "one rule id"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var ids []string
			for _, r := range diff.Rules() {
				if len(args) == 0 {
					ids = append(ids, r.ID+"\t"+r.Summary)
				}
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			r, ok := diff.Lookup(args[0])
			if !ok {
				return hinted(nearRule(args[0]), "unknown rule %q", args[0])
			}
			return explain(a.stdout, r)
		},
	}
}

// nearRule proposes the rule that shares the most words with a wrong id, the shortest of several.
func nearRule(id string) string {
	best, score := "", 0
	for _, r := range diff.Rules() {
		n := 0
		for _, word := range strings.Split(id, "-") {
			if word != "" && strings.Contains("-"+r.ID+"-", "-"+word+"-") {
				n++
			}
		}
		if n > score || n == score && strings.Count(r.ID, "-") < strings.Count(best, "-") {
			best, score = r.ID, n
		}
	}
	if score < 2 {
		return `"fusionctl rules" lists them`
	}
	return fmt.Sprintf("did you mean %q?", best)
}

func explain(w io.Writer, r diff.Rule) error {
	fmt.Fprintf(w, "%s: %s\n\n", r.ID, r.Summary)
	fmt.Fprintf(w, "severity  %s", r.Severity)
	if c := consumerSeverity(r); c != r.Severity {
		fmt.Fprintf(w, " (for consumers of the server: %s)", c)
	}
	fmt.Fprintf(w, "\nside      %s\n", r.Side)
	if r.Verdict {
		fmt.Fprintf(w, "          The verdict on the schemas decides; a change that is proven compatible is SAFE.\n")
	}
	fmt.Fprintf(w, "\n%s\n", wrap(r.Doc, 100))
	for _, part := range []struct{ name, text string }{{"baseline", r.Example.Base}, {"revision", r.Example.Rev}, {"proof", r.Example.Witness}} {
		if part.text != "" {
			fmt.Fprintf(w, "\n%s\n%s\n", part.name, indent(part.text))
		}
	}
	_, err := fmt.Fprintf(w, "\nTo change its severity, in .fusionctl.yaml:\n\n  severity:\n    - rule: %s\n      severity: %s\n", r.ID, strings.ToLower(otherSeverity(r.Severity).String()))
	return err
}

func otherSeverity(s diff.Severity) diff.Severity {
	if s == diff.Risky {
		return diff.Breaking
	}
	return diff.Risky
}

// indent lays out JSON text of the rule table; text that is no JSON stays as it is.
func indent(text string) string {
	if v, err := canonjson.Decode([]byte(text)); err == nil {
		text = string(canonjson.AppendIndent(nil, v, 0))
	}
	return "  " + strings.ReplaceAll(text, "\n", "\n  ")
}

// wrap breaks a text into lines of at most width bytes where it has blanks.
func wrap(text string, width int) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case column+1+len(word) > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
