package diff

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// TestUnseenNotes: a text for the model is told wherever it stands, with the pointer; one that only moved is not.
func TestUnseenNotes(t *testing.T) {
	for _, c := range []struct{ name, base, rev, want string }{
		{"not", p(`{"not":{"const":1,"description":"one"}}`), p(`{"not":{"const":1,"description":"two"}}`), "RISKY input-description-changed /inputSchema/properties/x/not/description"},
		{"if", p(`{"if":{"description":"one"}}`), p(`{"if":{"description":"two"}}`), "RISKY input-description-changed /inputSchema/properties/x/if/description"},
		{"contains", p(`{"contains":{"description":"one"}}`), p(`{"contains":{"description":"two"}}`), "RISKY input-description-changed /inputSchema/properties/x/contains/description"},
		{"names", p(`{"propertyNames":{"description":"one"}}`), p(`{"propertyNames":{"description":"One."}}`), "COSMETIC input-description-respelled /inputSchema/properties/x/propertyNames/description"},
		{"dependent schemas", p(`{"dependentSchemas":{"a":{"default":1}}}`), p(`{"dependentSchemas":{"a":{"default":2}}}`), "RISKY input-default-changed /inputSchema/properties/x/dependentSchemas/a/default"},
		{"unused definition", `{"type":"object","$defs":{"U":{"description":"one"}}}`, `{"type":"object","$defs":{"U":{"description":"two"}}}`, "RISKY input-description-changed /inputSchema/$defs/U/description"},
		{"unused definition gone", `{"type":"object","$defs":{"U":{"description":"one"}}}`, `{"type":"object"}`, "COSMETIC input-schema-respelled /inputSchema"},
		{"title below not", p(`{"not":{"const":1,"title":"one"}}`), p(`{"not":{"const":1,"title":"two"}}`), "COSMETIC input-schema-respelled /inputSchema/properties/x/not/title"},
		{"lost with a harmless rewriting", p(`{"anyOf":[{"type":"string","format":"date","description":"d"},{"type":"integer"}]}`), p(`{"type":["string","integer"]}`),
			"RISKY input-description-removed /inputSchema/properties/x/anyOf/0/description\nRISKY input-format-changed /inputSchema/properties/x/anyOf/0/format\nCOSMETIC input-schema-respelled /inputSchema/properties/x"},
		{"came with a harmless rewriting", p(`{"type":["string","integer"]}`), p(`{"anyOf":[{"type":"string","description":"d"},{"type":"integer"}]}`),
			"RISKY input-description-changed /inputSchema/properties/x/anyOf/0/description\nCOSMETIC input-schema-respelled /inputSchema/properties/x"},
		{"both texts of constants", p(`{"oneOf":[{"const":"a","description":"first"},{"const":"b","description":"second"}]}`), p(`{"enum":["a","b"]}`),
			"RISKY input-description-removed /inputSchema/properties/x/oneOf/0/description\nRISKY input-description-removed /inputSchema/properties/x/oneOf/1/description\nCOSMETIC input-schema-respelled /inputSchema/properties/x"},
		{"moved into a definition", p(`{"not":{"const":1,"description":"one"}}`), `{"type":"object","properties":{"x":{"not":{"$ref":"#/$defs/N"}}},"$defs":{"N":{"const":1,"description":"one"}}}`,
			"COSMETIC input-schema-respelled /inputSchema/properties/x/not"},
		{"came with a new property", p(`{}`), `{"type":"object","properties":{"x":{},"y":{"$ref":"#/$defs/Y"}},"$defs":{"Y":{"description":"why"}}}`, "SAFE input-property-added /inputSchema/properties/y"},
	} {
		d := compareAs(Input, decode(t, c.base), decode(t, c.rev))
		got := ""
		for _, ch := range d.Changes {
			got += changeLine(ch) + "\n"
		}
		if got != c.want+"\n" {
			t.Errorf("%s: got\n%swant\n%s", c.name, got, c.want)
		}
	}
}

// TestManyWays: definitions that use one another twice have exponentially many ways to their parts.
func TestManyWays(t *testing.T) {
	deep := func(text string) any {
		definitions := map[string]any{"D40": map[string]any{"not": map[string]any{"const": "n", "description": text}}}
		name := func(i int) string { return "D" + string(rune('0'+i/10)) + string(rune('0'+i%10)) }
		for i := range 40 {
			ref := map[string]any{"$ref": "#/$defs/" + name(i+1)}
			definitions[name(i)] = map[string]any{"properties": map[string]any{"a": ref, "b": ref}, "allOf": []any{ref, ref}}
		}
		return map[string]any{"type": "object", "properties": map[string]any{"x": map[string]any{"$ref": "#/$defs/D00"}}, "$defs": definitions}
	}
	if d := compareAs(Output, deep("one"), deep("two")); d.MaxSeverity() != Risky {
		t.Errorf("got %s", dump(Report{Diffs: []ContractDiff{d}}))
	}
}

// places lists the ways to all parts of a tree below the root.
func places(v any, at []string, out [][]string) [][]string {
	switch v := v.(type) {
	case []any:
		for i := range v {
			way := append(at[:len(at):len(at)], strconv.Itoa(i))
			out = places(v[i], way, append(out, way))
		}
	case map[string]any:
		for _, k := range canonjson.SortedKeys(v) {
			way := append(at[:len(at):len(at)], k)
			out = places(v[k], way, append(out, way))
		}
	}
	return out
}

// TestNothingIsSilent changes any place of any definition: to another value, away, or beside it something new. When the digest
// differs there is a change.
func TestNothingIsSilent(t *testing.T) {
	server := fileOf(decode(t, richServer)).Servers["s"]
	rapid.Check(t, func(rt *rapid.T) {
		kind := rapid.SampledFrom(lockfile.EntryKinds()).Draw(rt, "kind")
		entries := server.Entries(kind)
		key := rapid.SampledFrom(canonjson.SortedKeys(entries)).Draw(rt, "key")
		base := entries[key]
		if kind == lockfile.KindTool && rapid.Bool().Draw(rt, "drawn") {
			base = lockfile.EntryOf(map[string]any{"inputSchema": drawRoot(rt)})
		}
		fields := base.Fields()
		if len(fields) == 0 {
			rt.Skip("nothing to change")
		}
		at := rapid.SampledFrom(places(fields, nil, nil)).Draw(rt, "place")
		value := rapid.SampledFrom([]any{"other", "", nil, true, false, []any{}, []any{"x"}, map[string]any{}, map[string]any{"description": "y"}}).Draw(rt, "value")
		step := op{kind: rapid.SampledFrom([]opKind{set, remove}).Draw(rt, "kind of step"), at: at, value: value}
		if rapid.Bool().Draw(rt, "beside") {
			name := rapid.SampledFrom([]string{"description", "title", "default", "x-new", "new", "deprecated", "not", "annotations", "readOnly"}).Draw(rt, "name")
			step = op{kind: set, at: append(at[:len(at)-1:len(at)-1], name), value: value}
		}
		rev := lockfile.EntryOf(step.applyAt(fields, step.at, step.value).(map[string]any))
		if len(rev.Fields()) == 0 || kind == lockfile.KindTool && mapOf(rev.InputSchema()) == nil {
			rt.Skip("no definition")
		}
		d := CompareEntry(kind, "s", key, base, rev, Options{})
		if base.Digest() != rev.Digest() && len(d.Changes) == 0 {
			rt.Fatalf("%s %s: %v at %s says nothing\nbase %s\nrev %s", kind, key, step.kind, canonjson.Pointer(step.at...), base.Canonical(), rev.Canonical())
		}
		if base.Equal(rev) && len(d.Changes) > 0 {
			rt.Fatalf("equal, but %s", dump(Report{Diffs: []ContractDiff{d}}))
		}
	})
}

// TestDialectTold: where only the dialect gives the same keywords another meaning, the hint names both.
func TestDialectTold(t *testing.T) {
	with := func(dialect string) any {
		return decode(t, `{"$schema":"`+dialect+`","type":"object","properties":{"c":{"$ref":"#/definitions/C","minLength":3}},"definitions":{"C":{"type":"string"}}}`)
	}
	d := compareAs(Input, with("http://json-schema.org/draft-07/schema#"), with("https://json-schema.org/draft/2020-12/schema"))
	if text := dump(Report{Diffs: []ContractDiff{d}}); d.MaxSeverity() != Breaking || !strings.Contains(text, "draft-07") || !strings.Contains(text, "2020-12") || !strings.Contains(text, "dialect") {
		t.Error(text)
	}
}
