package diff

import (
	"strings"
	"testing"

	"github.com/fusionctl/fusionctl/lockfile"
)

// TestMalformed: a revision whose schema became malformed in any keyword is a break of its own, on both sides and for a new
// tool too; between two malformed ones the comparison goes on.
func TestMalformed(t *testing.T) {
	const base = `{"type":"object","properties":{"a":{"type":"string"},"n":{"type":"number"},"l":{"type":"array"}},"required":["a"]}`
	replace := func(old, with string) string {
		if !strings.Contains(base, old) {
			t.Fatalf("no %s", old)
		}
		return strings.Replace(base, old, with, 1)
	}
	inA := func(keywords string) string { return replace(`"type":"string"`, `"type":"string",`+keywords) }
	inN := func(keywords string) string { return replace(`"type":"number"`, `"type":"number",`+keywords) }
	inL := func(keywords string) string { return replace(`"type":"array"`, `"type":"array",`+keywords) }
	root := func(keywords string) string { return replace(`"type":"object"`, `"type":"object",`+keywords) }
	for _, rev := range []string{
		replace(`"string"`, `"strnig"`), replace(`"string"`, `3`), replace(`"string"`, `[]`), replace(`"string"`, `["string","string"]`),
		replace(`["a"]`, `"a"`), replace(`["a"]`, `["a","a"]`), replace(`["a"]`, `[3]`), replace(`{"type":"string"}`, `"string"`),
		inA(`"pattern":"("`), inA(`"pattern":3`), inA(`"pattern":"a{2,1}"`), inA(`"pattern":"[z-a]"`), inA(`"pattern":"(?i)a"`),
		inA(`"minLength":-1`), inA(`"minLength":1.5`), inA(`"enum":{}`), inA(`"$ref":3`), inA(`"$ref":"#/$defs/x"`), inA(`"anyOf":[]`), inA(`"not":[]`),
		inA(`"description":3`), inA(`"title":[]`), inA(`"examples":3`), inA(`"deprecated":"yes"`), inA(`"format":3`), inA(`"$comment":{}`),
		inN(`"minimum":"3"`), inN(`"multipleOf":0`), inN(`"exclusiveMinimum":true`),
		inL(`"items":3`), inL(`"uniqueItems":1`), inL(`"contains":3`), inL(`"minContains":-1`), inL(`"prefixItems":[]`), inL(`"prefixItems":[3]`),
		root(`"additionalProperties":"no"`), root(`"patternProperties":{"(":{}}`), root(`"dependentRequired":{"a":"n"}`),
		root(`"dependentSchemas":{"a":3}`), root(`"$defs":[]`), root(`"$defs":{"x":{"type":"strnig"}}`), root(`"if":3`), root(`"if":{"type":"strnig"}`),
		root(`"propertyNames":3`), root(`"$schema":3`),
	} {
		wantBroken(t, toolWith(t, base, ""), toolWith(t, rev, ""), "tool-input-schema-broken")
		wantBroken(t, toolWith(t, `{"type":"object"}`, base), toolWith(t, `{"type":"object"}`, rev), "tool-output-schema-broken")
		wantBroken(t, nil, toolWith(t, rev, ""), "tool-input-schema-broken")
		wantBroken(t, nil, toolWith(t, `{"type":"object"}`, rev), "tool-output-schema-broken")
	}
	wider := strings.Replace(inA(`"pattern":"("`), `"required":["a"]`, `"required":[]`, 1)
	d := CompareEntry(lockfile.KindTool, "", "t", toolWith(t, inA(`"pattern":"("`), ""), toolWith(t, wider, ""), Options{})
	if len(d.Changes) != 1 || d.Changes[0].Rule != "input-required-removed" {
		t.Errorf("both malformed: %+v", d.Changes)
	}
	for _, legal := range []string{
		inA(`"pattern":"(?<=a)b"`), inL(`"items":[{"type":"string"}]`), inN(`"minimum":0,"exclusiveMinimum":true`),
		root(`"$schema":"http://json-schema.org/draft-07/schema#","dependentRequired":3`), root(`"definitions":{"x":{"type":"string"}}`),
	} {
		d := CompareEntry(lockfile.KindTool, "", "t", toolWith(t, base, ""), toolWith(t, legal, ""), Options{})
		for _, c := range d.Changes {
			if strings.HasSuffix(c.Rule, "-broken") {
				t.Errorf("%s: %s", legal, c.Message)
			}
		}
	}
}

// toolWith is a tool with an input schema and, unless it is "", an output schema.
func toolWith(t *testing.T, input, output string) *lockfile.Entry {
	t.Helper()
	fields := map[string]any{"inputSchema": decode(t, input)}
	if output != "" {
		fields["outputSchema"] = decode(t, output)
	}
	return lockfile.EntryOf(fields)
}

func wantBroken(t *testing.T, base, rev *lockfile.Entry, rule string) {
	t.Helper()
	d := CompareEntry(lockfile.KindTool, "", "t", base, rev, Options{})
	for _, c := range d.Changes {
		if c.Rule == rule && c.Severity == Breaking {
			return
		}
	}
	t.Errorf("no %s in %+v for %v", rule, d.Changes, rev.Fields())
}
