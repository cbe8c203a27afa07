package diff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/validate"
	"github.com/fusionctl/fusionctl/lockfile"
)

// A schemaCase is a pair of schemas and the changes that a report on them holds, one a line:
// SEVERITY rule pointer [action] [witness]. The side is part of the rule.
type schemaCase struct {
	name      string
	base, rev string
	want      string
}

// p wraps a schema as the property x of an open object.
func p(schema string) string { return `{"type":"object","properties":{"x":` + schema + `}}` }

const flat = `{"type":"object","properties":{"action":{"enum":["get","list","void"]},"id":{"type":"string"},"limit":{"type":"integer"}},"required":["action"]%s}`

func tagged(branches ...string) string {
	return `{"type":"object","oneOf":[` + strings.Join(branches, ",") + `]}`
}

func action(name, properties, required string) string {
	return `{"properties":{"action":{"const":"` + name + `"}` + properties + `},"required":["action"` + required + `]}`
}

var inputCases = []schemaCase{
	// One property.
	{"renamed", `{"type":"object","properties":{"topic":{"type":"string"}},"required":["topic"]}`, `{"type":"object","properties":{"subject":{"type":"string"}},"required":["subject"]}`,
		`BREAKING input-property-removed /inputSchema/properties/topic {"topic":""}`},
	{"removed from a closed object", `{"type":"object","properties":{"a":{},"b":{}},"additionalProperties":false}`, `{"type":"object","properties":{"a":{}},"additionalProperties":false}`,
		`BREAKING input-property-removed /inputSchema/properties/b {"b":0}`},
	{"removed but covered by a map", `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":{"type":"string"}}`, `{"type":"object","additionalProperties":{"type":"string"}}`,
		`COSMETIC input-schema-respelled /inputSchema`},
	{"rewritten", p(`{"type":"number","minimum":0}`), p(`{"type":"string","format":"uuid","minLength":3}`),
		"BREAKING input-type-changed /inputSchema/properties/x {\"x\":0}\n" +
			"RISKY input-format-changed /inputSchema/properties/x/format"},
	{"nullable in two spellings", p(`{"type":["string","null"]}`), p(`{"anyOf":[{"type":"string"},{"type":"null"}]}`),
		`COSMETIC input-schema-respelled /inputSchema/properties/x`},
	{"null given up", p(`{"anyOf":[{"type":"integer"},{"type":"null"}]}`), p(`{"type":"integer"}`),
		`BREAKING input-type-narrowed /inputSchema/properties/x {"x":null}`},
	{"wrapped with a change inside", p(`{"type":"object","properties":{"a":{"type":"string"}}}`), p(`{"anyOf":[{"type":"object","properties":{"a":{"type":"integer"}}},{"type":"string"}]}`),
		"BREAKING input-type-changed /inputSchema/properties/x/properties/a/type {\"x\":{\"a\":\"\"}}\n" +
			"SAFE input-type-widened /inputSchema/properties/x"},
	{"wrapped and lost", p(`{"type":"object","properties":{"a":{"type":"string"},"b":{}}}`), p(`{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"type":"string"}]}`),
		"BREAKING input-property-removed /inputSchema/properties/x/properties/b\n" +
			"SAFE input-type-widened /inputSchema/properties/x"},
	{"description moves into the branch", p(`{"type":"string","description":"a name"}`), p(`{"anyOf":[{"type":"string","description":"a name"},{"type":"null"}]}`),
		`SAFE input-type-widened /inputSchema/properties/x`},
	{"two constants swapped", p(`{"enum":["one","two","three"]}`), p(`{"enum":["one","two","new"]}`),
		"BREAKING input-enum-narrowed /inputSchema/properties/x/enum {\"x\":\"three\"}\nSAFE input-enum-widened /inputSchema/properties/x/enum"},

	// References.
	{"definition changed", `{"type":"object","properties":{"a":{"$ref":"#/$defs/T"},"b":{"$ref":"#/$defs/T"}},"$defs":{"T":{"enum":["x","y"]}}}`,
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/T"},"b":{"$ref":"#/$defs/T"}},"$defs":{"T":{"enum":["x"]}}}`,
		`BREAKING input-enum-narrowed /inputSchema/$defs/T/enum {"a":"y"}`},
	{"one use leaves the definition", `{"type":"object","properties":{"a":{"$ref":"#/$defs/T"},"b":{"$ref":"#/$defs/T"}},"$defs":{"T":{"enum":["x","y"]}}}`,
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/T"},"b":{"enum":["x"]}},"$defs":{"T":{"enum":["x","y"]}}}`,
		`BREAKING input-enum-narrowed /inputSchema/properties/b/enum {"b":"y"}`},
	{"recursive", `{"type":"object","properties":{"n":{"$ref":"#/$defs/N"}},"$defs":{"N":{"type":"object","properties":{"v":{"type":"integer"},"next":{"$ref":"#/$defs/N"}}}}}`,
		`{"type":"object","properties":{"n":{"$ref":"#/$defs/M"}},"$defs":{"M":{"type":"object","properties":{"v":{"type":"string"},"next":{"$ref":"#/$defs/M"}}}}}`,
		`BREAKING input-type-changed /inputSchema/$defs/N/properties/v/type {"n":{"v":0}}`},
	{"inline becomes a reference with a change", p(`{"enum":["a","b"]}`), `{"type":"object","properties":{"x":{"$ref":"#/$defs/X"}},"$defs":{"X":{"enum":["a"]}}}`,
		`BREAKING input-enum-narrowed /inputSchema/properties/x/enum {"x":"b"}`},

	// Combinators.
	{"branch lost in allOf", `{"type":"object","allOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"b":{"type":"string"}}}]}`,
		`{"type":"object","allOf":[{"properties":{"a":{"type":"string"}}}]}`,
		`BREAKING input-property-removed /inputSchema/allOf/1/properties/b` + "\nSAFE input-all-of-branch-removed /inputSchema/allOf/1"},
	{"branch narrowed", p(`{"anyOf":[{"type":"string"},{"type":"integer"}]}`), p(`{"anyOf":[{"type":"string","maxLength":3},{"type":"integer"}]}`),
		`BREAKING input-length-narrowed /inputSchema/properties/x/anyOf/0/maxLength {"x":"aaaa"}`},
	{"tuple swapped", p(`{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}]}`), p(`{"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}]}`),
		"BREAKING input-type-changed /inputSchema/properties/x/prefixItems/0/type {\"x\":[\"\"]}\nBREAKING input-type-changed /inputSchema/properties/x/prefixItems/1/type {\"x\":[\"\",0]}"},
	{"condition moved below a property of the rest", p(`{"type":"string","not":{"const":"a"}}`), p(`{"type":"string","not":{"enum":["a"]}}`),
		`COSMETIC input-schema-respelled /inputSchema/properties/x/not`},

	// Actions.
	{"action removed", fmt.Sprintf(flat, ""), strings.Replace(fmt.Sprintf(flat, ""), `,"void"`, "", 1),
		`BREAKING input-action-removed /inputSchema [void] {"action":"void"}`},
	{"action added", strings.Replace(fmt.Sprintf(flat, ""), `,"void"`, "", 1), fmt.Sprintf(flat, ""),
		`SAFE input-action-added /inputSchema [void]`},
	{"shared argument", fmt.Sprintf(flat, ""), strings.Replace(fmt.Sprintf(flat, ""), `"limit":{"type":"integer"}`, `"limit":{"type":"integer","maximum":9}`, 1),
		`BREAKING input-range-narrowed /inputSchema/properties/limit/maximum {"action":"get","limit":10}`},
	{"argument of one action required by a condition", fmt.Sprintf(flat, ""),
		fmt.Sprintf(flat, `,"allOf":[{"if":{"properties":{"action":{"const":"get"}}},"then":{"required":["id"]}}]`),
		"BREAKING input-all-of-added /inputSchema/allOf [get] {\"action\":\"get\"}\nRISKY tool-root-combinator-added /inputSchema/allOf"},
	{"argument of one branch", tagged(action("get", `,"id":{"type":"string"}`, ""), action("list", `,"limit":{"type":"integer"}`, "")),
		tagged(action("get", `,"id":{"type":"string"}`, `,"id"`), action("list", `,"limit":{"type":"integer"}`, "")),
		`BREAKING input-required-added /inputSchema/oneOf/0/required [get] {"action":"get"}`},
	{"branch of an action removed", tagged(action("get", `,"id":{"type":"string"}`, ""), action("list", "", ""), action("void", "", "")),
		tagged(action("get", `,"id":{"type":"string"}`, ""), action("list", "", "")),
		`BREAKING input-action-removed /inputSchema [void] {"action":"void"}`},
	{"other shape of the same actions", `{"type":"object","properties":{"action":{"enum":["get","list"]},"id":{"type":"string"}},"required":["action"]}`,
		tagged(action("get", `,"id":{"type":"string"}`, `,"id"`), action("list", `,"id":{"type":"string"}`, "")),
		"BREAKING input-schema-narrowed /inputSchema [get] {\"action\":\"get\"}\nRISKY tool-root-combinator-added /inputSchema/oneOf"},
	{"branch of anyOf removed", strings.Replace(tagged(action("get", `,"id":{"type":"string"}`, ""), action("void", "", "")), "oneOf", "anyOf", 1),
		strings.Replace(tagged(action("get", `,"id":{"type":"string"}`, "")), "oneOf", "anyOf", 1),
		`BREAKING input-action-removed /inputSchema [void] {"action":"void"}`},
	{"action with a condition removed", fmt.Sprintf(flat, `,"allOf":[{"if":{"properties":{"action":{"const":"get"}}},"then":{"required":["id"]}},{"if":{"properties":{"action":{"const":"void"}}},"then":{"required":["limit"]}}]`),
		strings.Replace(fmt.Sprintf(flat, `,"allOf":[{"if":{"properties":{"action":{"const":"get"}}},"then":{"required":["id"]}}]`), `,"void"`, "", 1),
		`BREAKING input-action-removed /inputSchema [void] {"action":"void","limit":0}`},
	{"consequence of a condition changed", fmt.Sprintf(flat, `,"allOf":[{"if":{"properties":{"action":{"const":"get"}}},"then":{"properties":{"id":{"maxLength":9}}}}]`),
		fmt.Sprintf(flat, `,"allOf":[{"if":{"properties":{"action":{"const":"get"}}},"then":{"properties":{"id":{"maxLength":2}}}}]`),
		`BREAKING input-length-narrowed /inputSchema/allOf/0/then/properties/id/maxLength [get] {"action":"get","id":"aaa"}`},
	{"discriminator of another name", `{"type":"object","oneOf":[{"properties":{"kind":{"const":"a"},"n":{"type":"integer"}},"required":["kind"]},{"properties":{"kind":{"const":"b"}},"required":["kind"]}]}`,
		`{"type":"object","oneOf":[{"properties":{"kind":{"const":"a"},"n":{"type":"string"}},"required":["kind"]},{"properties":{"kind":{"const":"b"}},"required":["kind"]}]}`,
		`BREAKING input-type-changed /inputSchema/oneOf/0/properties/n/type [a] {"kind":"a","n":0}`},
	{"argument only one action lost", tagged(action("get", `,"id":{"type":"string"}`, ""), action("list", `,"id":{"type":"string"}`, "")),
		tagged(action("get", "", ""), action("list", `,"id":{"type":"string"}`, "")),
		`BREAKING input-property-removed /inputSchema/oneOf/0/properties/id [get]`},
	{"description of one action", tagged(action("get", `,"id":{"description":"a thing"}`, ""), action("list", "", "")), tagged(action("get", `,"id":{"description":"another thing"}`, ""), action("list", "", "")),
		`RISKY input-description-changed /inputSchema/oneOf/0/properties/id/description [get]`},
	{"other shape with an argument lost", tagged(action("get", `,"id":{"type":"string"}`, ""), action("list", `,"limit":{"type":"integer"}`, "")),
		`{"type":"object","properties":{"action":{"enum":["get","list"]},"id":{"type":"string"}},"required":["action"]}`,
		"BREAKING input-property-removed /inputSchema/oneOf/1/properties/limit [list]\nSAFE input-schema-widened /inputSchema"},
	{"action renamed", fmt.Sprintf(flat, ""), strings.Replace(fmt.Sprintf(flat, ""), `"list"`, `"list_all"`, 1),
		"BREAKING input-action-removed /inputSchema [list] {\"action\":\"list\"}\nSAFE input-action-added /inputSchema [list_all]"},
}

// What is said of one change holds in the company of the others.
var togetherCases = []schemaCase{
	{"removed and closed", `{"type":"object","properties":{"a":{},"b":{}}}`, `{"type":"object","properties":{"a":{}},"additionalProperties":false}`,
		"BREAKING input-object-closed /inputSchema/additionalProperties {\"extra\":0}\nBREAKING input-property-removed /inputSchema/properties/b {\"b\":0}"},
	{"removed and closed, inside", p(`{"type":"object","properties":{"a":{},"b":{}}}`), p(`{"type":"object","properties":{"a":{}},"additionalProperties":false}`),
		"BREAKING input-object-closed /inputSchema/properties/x/additionalProperties {\"x\":{\"extra\":0}}\n" +
			"BREAKING input-property-removed /inputSchema/properties/x/properties/b {\"x\":{\"b\":0}}"},
	{"removed, and names are limited", `{"type":"object","properties":{"a":{},"b":{}}}`, `{"type":"object","properties":{"a":{}},"propertyNames":{"enum":["a"]}}`,
		"BREAKING input-property-removed /inputSchema/properties/b {\"b\":0}\nBREAKING input-property-names-added /inputSchema/propertyNames {\"b\":0}"},
	{"removed while another became required", `{"type":"object","properties":{"x":{"type":"string"},"z":{"type":"string"}}}`, `{"type":"object","properties":{"y":{"type":"integer"}},"required":["y"]}`,
		"BREAKING input-property-removed /inputSchema/properties/x\nBREAKING input-required-added /inputSchema/properties/y {}\n" +
			"BREAKING input-property-removed /inputSchema/properties/z"},
	{"any type but none", p(`{"type":"string"}`), p(`{"not":{}}`),
		"BREAKING input-not-added /inputSchema/properties/x/not {\"x\":\"\"}\nSAFE input-type-changed /inputSchema/properties/x/type"},
	{"closed by the other keyword", `{"type":"object","properties":{"a":{}},"allOf":[{"properties":{"b":{}}}],"unevaluatedProperties":false}`,
		`{"type":"object","properties":{"a":{}},"allOf":[{"properties":{"b":{}}}],"additionalProperties":false}`,
		`BREAKING input-object-closed /inputSchema {"b":0}`},
	{"more alternatives, each allows less", p(`{"oneOf":[{"type":"string"},{"type":"integer"}]}`), p(`{"anyOf":[{"type":"string","minLength":1},{"type":"integer"},{"type":"null"}]}`),
		`BREAKING input-alternatives-changed /inputSchema/properties/x {"x":""}`},
}

var outputCases = []schemaCase{
	{"optional property gone", `{"type":"object","properties":{"a":{},"b":{}}}`, `{"type":"object","properties":{"a":{}}}`,
		`RISKY output-property-removed /outputSchema/properties/b`},
	{"required property gone", `{"type":"object","properties":{"a":{},"b":{}},"required":["b"]}`, `{"type":"object","properties":{"a":{}}}`,
		`BREAKING output-property-removed /outputSchema/properties/b {}`},
	{"required property replaced", `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`, `{"type":"object","properties":{"result":{"type":"object"}},"required":["result"]}`,
		"BREAKING output-property-removed /outputSchema/properties/text {\"result\":{}}\nSAFE output-required-added /outputSchema/properties/result"},
	{"closed object gained a property", `{"type":"object","properties":{"ok":{}},"additionalProperties":false}`, `{"type":"object","properties":{"ok":{},"error":{}},"additionalProperties":false}`,
		`BREAKING output-property-added /outputSchema/properties/error {"error":0}`},
	{"new variant", p(`{"oneOf":[{"type":"string"}]}`), p(`{"oneOf":[{"type":"string"},{"type":"null"}]}`),
		`BREAKING output-one-of-branch-added /outputSchema/properties/x/oneOf/1 {"x":null}`},
}

func runSchemaCases(t *testing.T, cases []schemaCase, field string) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			base, rev := decode(t, c.base), decode(t, c.rev)
			entry := func(v any) *lockfile.Entry {
				fields := map[string]any{"inputSchema": map[string]any{"type": "object"}}
				fields[field] = v
				return lockfile.EntryOf(fields)
			}
			d := CompareEntry(lockfile.KindTool, "s", "t", entry(base), entry(rev), Options{})
			var got []string
			for _, ch := range d.Changes {
				if ch.Rule == "tool-size-grew" || ch.Rule == "tool-size-shrank" {
					continue
				}
				got = append(got, changeLine(ch))
				checkWitness(t, ch, base, rev)
			}
			if g := strings.Join(got, "\n"); g != c.want {
				t.Errorf("got\n%s\nwant\n%s\nin full\n%s", g, c.want, dump(Report{Diffs: []ContractDiff{d}}))
			}
		})
	}
}

func changeLine(c Change) string {
	line := fmt.Sprintf("%s %s %s", c.Severity, c.Rule, c.Pointer)
	if c.Action != "" {
		line += " [" + c.Action + "]"
	}
	if c.Witness != nil {
		line += " " + string(canonjson.Append(nil, c.Witness.Value))
	}
	return line
}

// checkWitness asks a validator of its own whether a witness separates the two schemas.
func checkWitness(t testing.TB, c Change, base, rev any) {
	t.Helper()
	if c.Witness == nil {
		if c.Severity == Breaking && c.Side != Whole && c.Rule != "input-property-removed" {
			t.Errorf("%s is BREAKING without a witness", c.Rule)
		}
		return
	}
	inBase, inRev := accepts(t, base, c.Witness.Value), accepts(t, rev, c.Witness.Value)
	if c.Side == Output {
		inBase, inRev = inRev, inBase
	}
	if !inBase || inRev {
		t.Errorf("%s: the witness %s does not separate the schemas", c.Rule, show(c.Witness.Value))
	}
	if c.Witness.Reason == "" {
		t.Errorf("%s: the witness %s has no reason", c.Rule, show(c.Witness.Value))
	}
}

func accepts(t testing.TB, schema, value any) bool {
	t.Helper()
	s, err := validate.Compile(schema, validate.Options{ECMAPatterns: true})
	if err != nil {
		t.Fatal(err)
	}
	ok, err := s.Valid(value)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

func TestInputSchemas(t *testing.T) { runSchemaCases(t, inputCases, "inputSchema") }

func TestTogether(t *testing.T) { runSchemaCases(t, togetherCases, "inputSchema") }

func TestOutputSchemas(t *testing.T) { runSchemaCases(t, outputCases, "outputSchema") }

// TestSchemasAgainstThemselves: nothing changes between a schema and itself, and what is harmless one way round and back
// is another spelling.
func TestSchemasAgainstThemselves(t *testing.T) {
	for _, c := range slices.Concat(inputCases, outputCases) {
		for _, text := range []string{c.base, c.rev} {
			e := lockfile.EntryOf(map[string]any{"inputSchema": decode(t, text), "outputSchema": decode(t, text)})
			if d := CompareEntry(lockfile.KindTool, "s", "t", e, e, Options{}); len(d.Changes) != 0 {
				t.Errorf("%s: %s", c.name, dump(Report{Diffs: []ContractDiff{d}}))
			}
		}
	}
}

// TestPropertyMatrix goes through all combinations of open and closed objects, added and removed, required and optional
// properties: the corner where the public checkers were wrong most often.
func TestPropertyMatrix(t *testing.T) {
	object := func(names []string, required string, closed bool) string {
		var props []string
		for _, n := range names {
			props = append(props, `"`+n+`":{"type":"string"}`)
		}
		s := `{"type":"object","properties":{` + strings.Join(props, ",") + `}`
		if required != "" {
			s += `,"required":["` + required + `"]`
		}
		if closed {
			s += `,"additionalProperties":false`
		}
		return s + `}`
	}
	for _, c := range []struct {
		side             Side
		closed, required bool
		added, removed   Severity
	}{
		{Input, false, false, Safe, Breaking},
		{Input, false, true, Breaking, Breaking},
		{Input, true, false, Safe, Breaking},
		{Input, true, true, Breaking, Breaking},
		{Output, false, false, Safe, Risky},
		{Output, false, true, Safe, Breaking},
		{Output, true, false, Breaking, Risky},
		{Output, true, true, Breaking, Breaking},
	} {
		required := ""
		if c.required {
			required = "b"
		}
		small, large := decode(t, object([]string{"a"}, "", c.closed)), decode(t, object([]string{"a", "b"}, required, c.closed))
		for _, step := range []struct {
			what      string
			base, rev any
			want      Severity
		}{{"added", small, large, c.added}, {"removed", large, small, c.removed}} {
			d := compareAs(c.side, step.base, step.rev)
			if got := d.MaxSeverity(); got != step.want || len(d.Changes) != 1 {
				t.Errorf("%s, closed %t, required %t, %s: %s, want one change, %s", c.side, c.closed, c.required, step.what,
					dump(Report{Diffs: []ContractDiff{d}}), step.want)
			}
			for _, ch := range d.Changes {
				checkWitness(t, ch, step.base, step.rev)
			}
		}
	}
	for _, c := range []struct {
		side           Side
		closing, opens Severity
	}{{Input, Breaking, Safe}, {Output, Safe, Breaking}} {
		open, closed := decode(t, object([]string{"a"}, "", false)), decode(t, object([]string{"a"}, "", true))
		if got := compareAs(c.side, open, closed).MaxSeverity(); got != c.closing {
			t.Errorf("%s closed: %s, want %s", c.side, got, c.closing)
		}
		if got := compareAs(c.side, closed, open).MaxSeverity(); got != c.opens {
			t.Errorf("%s opened: %s, want %s", c.side, got, c.opens)
		}
	}
}

// TestRefactorings: what a generator upgrade or a rewrite does without changing the contract is at most COSMETIC, on both
// sides and both ways.
func TestRefactorings(t *testing.T) {
	for _, c := range []struct{ name, a, b string }{
		{"inlined", `{"type":"object","properties":{"c":{"$ref":"#/$defs/C"}},"$defs":{"C":{"type":"string","enum":["x","y"]}}}`, `{"type":"object","properties":{"c":{"type":"string","enum":["x","y"]}}}`},
		{"definitions renamed keyword", `{"type":"object","properties":{"c":{"$ref":"#/definitions/C"}},"definitions":{"C":{"type":"string"}}}`, `{"type":"object","properties":{"c":{"$ref":"#/$defs/C"}},"$defs":{"C":{"type":"string"}}}`},
		{"allOf split", p(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a"]}`), p(`{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"type":"object","properties":{"b":{"type":"integer"}}}]}`)},
		{"nullable", p(`{"anyOf":[{"type":"integer","minimum":1},{"type":"null"}]}`), p(`{"type":["integer","null"],"minimum":1}`)},
		{"const and enum", p(`{"const":"a"}`), p(`{"enum":["a"]}`)},
		{"dialect and titles", `{"type":"object","properties":{"x":{"type":"string"}}}`, `{"$schema":"http://json-schema.org/draft-07/schema#","title":"XArguments","type":"object","properties":{"x":{"type":"string","title":"X"}}}`},
		{"branches in another order", p(`{"oneOf":[{"type":"string"},{"type":"integer"}]}`), p(`{"oneOf":[{"type":"integer"},{"type":"string"}]}`)},
		{"empty parts spelled out", `{"type":"object"}`, `{"type":"object","properties":{},"required":[],"additionalProperties":true}`},
		{"required in another order", `{"type":"object","properties":{"a":{},"b":{}},"required":["a","b"]}`, `{"type":"object","properties":{"b":{},"a":{}},"required":["b","a"]}`},
		{"discriminated branches from constants", tagged(action("get", "", ""), action("list", "", "")), tagged(action("list", "", ""), action("get", "", ""))},
		{"one branch unwrapped", p(`{"anyOf":[{"type":"string"}]}`), p(`{"type":"string"}`)},
		{"exclusive integer bound", p(`{"type":"integer","minimum":1}`), p(`{"type":"integer","exclusiveMinimum":0}`)},
		{"tuple in the older form", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"x":{"type":"array","items":[{"type":"string"}]}}}`,
			`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"x":{"type":"array","prefixItems":[{"type":"string"}]}}}`},
		{"description moved with its reference", `{"type":"object","properties":{"c":{"$ref":"#/$defs/C","description":"a color"}},"$defs":{"C":{"type":"string"}}}`, `{"type":"object","properties":{"c":{"type":"string","description":"a color"}}}`},
	} {
		for _, side := range []Side{Input, Output} {
			for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
				d := compareAs(side, decode(t, pair[0]), decode(t, pair[1]))
				if d.MaxSeverity() > Cosmetic {
					t.Errorf("%s, %s: %s", c.name, side, dump(Report{Diffs: []ContractDiff{d}}))
				}
			}
		}
	}
}
