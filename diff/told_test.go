package diff

import (
	"strings"
	"testing"
)

// TestTrueSentences: what a message says of a member, an object or a plural is so.
func TestTrueSentences(t *testing.T) {
	tool := func(fields string) string { return `{"tools":{"t":{` + fields + emptyTool + `}}}` }
	for _, c := range []struct{ name, base, rev, want string }{
		{"a hint of our own in empty annotations", tool(`"annotations":{},`), tool(`"annotations":{"costHint":3},`),
			`t RISKY tool-field-changed /annotations/costHint: "annotations.costHint", which fusionctl does not know, was added`},
		{"beside a known hint", tool(`"annotations":{"readOnlyHint":true},`), tool(`"annotations":{"readOnlyHint":true,"costHint":3},`),
			`t RISKY tool-field-changed /annotations/costHint: "annotations.costHint", which fusionctl does not know, was added`},
		{"_meta beside declared behaviour", tool(`"_meta":{"fusionctl/behavior":{}},`), tool(`"_meta":{"fusionctl/behavior":{},"v/x":1},`),
			`t COSMETIC tool-meta-changed /_meta/v~1x: "_meta.v/x" was added`},
		{"the last member of _meta", tool(`"_meta":{"fusionctl/behavior":{},"v/x":1},`), tool(`"_meta":{"fusionctl/behavior":{}},`),
			`t COSMETIC tool-meta-changed /_meta/v~1x: "_meta.v/x" was removed`},
		{"instructions", `{"instructions":"Be kind."}`, `{}`, `s RISKY server-instructions-changed /instructions: the instructions were removed: "Be kind."`},
		{"a description", tool(`"description":"Old",`), tool(``), `t RISKY tool-description-changed /description: the description was removed: "Old"`},
	} {
		if got := strings.TrimSpace(dump(Compare(oneServer(t, c.base), oneServer(t, c.rev), Options{}))); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestRootCombinators: only a combinator at a root that had none makes a tool unusable.
func TestRootCombinators(t *testing.T) {
	root := func(keyword string) any {
		return decode(t, `{"type":"object","`+keyword+`":[{"properties":{"a":{"type":"string"}},"required":["a"]}]}`)
	}
	for _, c := range []struct {
		base, rev string
		want      Severity
	}{{"oneOf", "anyOf", Cosmetic}, {"anyOf", "allOf", Cosmetic}, {"x-note", "anyOf", Breaking}} {
		d := compareAs(Input, root(c.base), root(c.rev))
		told := strings.Contains(dump(Report{Diffs: []ContractDiff{d}}), "tool-root-combinator-added")
		if d.MaxSeverity() != c.want || told != (c.want == Breaking) {
			t.Errorf("%s to %s: %s", c.base, c.rev, dump(Report{Diffs: []ContractDiff{d}}))
		}
	}
}
