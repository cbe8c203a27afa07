package diff_test

import (
	"fmt"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// contract makes the contract of one tool.
func contract(inputSchema string) *lockfile.File {
	schema, err := canonjson.Decode([]byte(inputSchema))
	if err != nil {
		panic(err)
	}
	tool := lockfile.EntryOf(map[string]any{"inputSchema": schema})
	return &lockfile.File{Servers: map[string]*lockfile.Server{"docs": {Tools: map[string]*lockfile.Entry{"search": tool}}}}
}

func ExampleCompare() {
	base := contract(`{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}`)
	rev := contract(`{"type":"object","properties":{"q":{"type":"string"},"lang":{"type":"string"}},"required":["q","lang"]}`)

	report := diff.Compare(base, rev, diff.Options{})
	fmt.Println(report.MaxSeverity)
	for _, d := range report.Diffs {
		for _, c := range d.Changes {
			fmt.Println(c.Rule, c.Pointer)
			fmt.Println(c.Message)
			fmt.Println(c.Witness.Call, "is refused:", c.Witness.Reason)
		}
	}
	// Output:
	// BREAKING
	// input-required-added /inputSchema/properties/lang
	// the property "lang" was added and is required
	// search({"q":""}) is refused: missing "lang"
}

func ExampleCompareEntry() {
	base := contract(`{"type":"object","properties":{"limit":{"type":"integer","default":10}}}`).Servers["docs"].Tools["search"]
	rev := contract(`{"type":"object","properties":{"limit":{"type":"integer","default":100}}}`).Servers["docs"].Tools["search"]

	d := diff.CompareEntry(lockfile.KindTool, "docs", "search", base, rev, diff.Options{})
	for _, c := range d.Changes {
		fmt.Println(c.Severity, c.Message)
	}
	// Output:
	// RISKY the default of "limit" was 10 and is 100
}

func ExampleLookup() {
	rule, ok := diff.Lookup("input-enum-narrowed")
	fmt.Println(ok, rule.Severity, rule.Summary)
	fmt.Println(rule.Example.Witness)
	// Output:
	// true BREAKING input: constants were taken out of a list
	// {"x":"b"}
}

func ExampleParseAudience() {
	audience, err := diff.ParseAudience("consumer")
	fmt.Println(audience, err)
	_, err = diff.ParseAudience("everyone")
	fmt.Println(err)
	// Output:
	// consumer <nil>
	// audience "everyone": want author or consumer
}
