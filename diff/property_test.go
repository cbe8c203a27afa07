package diff

import (
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/validate"
	"github.com/fusionctl/fusionctl/lockfile"
)

// drawSchema draws a small schema over few names, so that pairs of them have much in common.
func drawSchema(t *rapid.T, depth int) any {
	m := map[string]any{}
	if rapid.Bool().Draw(t, "typed") {
		m["type"] = rapid.SampledFrom([]any{"string", "integer", "number", "object", "array", "null",
			[]any{"string", "null"}, []any{"object", "string"}}).Draw(t, "type")
	}
	for range rapid.IntRange(0, 2).Draw(t, "keywords") {
		drawKeyword(t, m, depth)
	}
	return m
}

func small(t *rapid.T) json.Number {
	return json.Number(fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "n")))
}

func drawKeyword(t *rapid.T, m map[string]any, depth int) {
	names := rapid.SampledFrom([]string{"a", "b", "c"})
	keywords := []string{"enum", "const", "minimum", "maximum", "minLength", "maxLength", "required", "pattern", "minItems", "description", "default"}
	if depth > 0 {
		keywords = append(keywords, "properties", "properties", "items", "additionalProperties", "anyOf", "oneOf", "allOf", "not", "prefixItems", "if")
	}
	sub := func() any { return drawSchema(t, depth-1) }
	switch k := rapid.SampledFrom(keywords).Draw(t, "keyword"); k {
	case "enum":
		list := []any{}
		for _, v := range []any{"x", "y", json.Number("1"), nil} {
			if rapid.Bool().Draw(t, "member") {
				list = append(list, v)
			}
		}
		if len(list) == 0 {
			list = append(list, "x")
		}
		m[k] = list
	case "const":
		m[k] = rapid.SampledFrom([]any{"x", json.Number("1"), nil}).Draw(t, "const")
	case "required":
		m[k] = []any{names.Draw(t, "name")}
	case "pattern":
		m[k] = rapid.SampledFrom([]string{"^x", "y$", "^[a-z]+$"}).Draw(t, "pattern")
	case "description":
		m[k] = rapid.SampledFrom([]string{"one thing", "another thing"}).Draw(t, "text")
	case "default":
		m[k] = rapid.SampledFrom([]any{"x", nil}).Draw(t, "default")
	case "properties":
		p := map[string]any{}
		for range rapid.IntRange(1, 2).Draw(t, "count") {
			p[names.Draw(t, "name")] = sub()
		}
		m[k] = p
	case "items", "not":
		m[k] = sub()
	case "if":
		m[k], m["then"] = sub(), sub()
	case "additionalProperties":
		m[k] = rapid.SampledFrom([]any{true, false}).Draw(t, "open")
	case "anyOf", "oneOf", "allOf", "prefixItems":
		list := []any{sub()}
		if rapid.Bool().Draw(t, "two") {
			list = append(list, sub())
		}
		m[k] = list
	default:
		m[k] = small(t)
	}
}

// drawRoot draws an input schema.
func drawRoot(t *rapid.T) map[string]any {
	m := map[string]any{"type": "object", "properties": map[string]any{"a": drawSchema(t, 2)}}
	if rapid.Bool().Draw(t, "b") {
		m["properties"].(map[string]any)["b"] = drawSchema(t, 1)
	}
	if rapid.Bool().Draw(t, "more") {
		drawKeyword(t, m, 1)
	}
	m["type"] = "object"
	if rapid.Bool().Draw(t, "definition") {
		m["$defs"] = map[string]any{"A": m["properties"].(map[string]any)["a"]}
		ref := map[string]any{"$ref": "#/$defs/A"}
		m["properties"].(map[string]any)["a"] = ref
		if rapid.Bool().Draw(t, "twice") {
			m["properties"].(map[string]any)["c"] = ref
		}
	}
	return m
}

// mutate changes a schema at one place, so that the walk meets pairs that are nearly equal.
func mutate(t *rapid.T, v any, depth int) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := canonjson.Clone(m).(map[string]any)
	keys := canonjson.SortedKeys(out)
	if len(keys) > 0 && rapid.IntRange(0, 3).Draw(t, "deeper") > 0 {
		k := rapid.SampledFrom(keys).Draw(t, "key")
		switch child := out[k].(type) {
		case map[string]any:
			if names := canonjson.SortedKeys(child); (k == "properties" || k == "$defs") && len(names) > 0 {
				name := rapid.SampledFrom(names).Draw(t, "property")
				if rapid.IntRange(0, 5).Draw(t, "drop") == 0 && k == "properties" {
					delete(child, name)
				} else {
					child[name] = mutate(t, child[name], depth-1)
				}
				return out
			}
			out[k] = mutate(t, child, depth-1)
			return out
		case []any:
			if k == "anyOf" || k == "oneOf" || k == "allOf" || k == "prefixItems" {
				i := rapid.IntRange(0, len(child)-1).Draw(t, "branch")
				child[i] = mutate(t, child[i], depth-1)
				return out
			}
		}
	}
	if len(keys) > 0 && rapid.Bool().Draw(t, "remove") {
		delete(out, rapid.SampledFrom(keys).Draw(t, "removed"))
		return out
	}
	drawKeyword(t, out, max(depth, 0))
	return out
}

// drawValue draws arguments over the same names and constants.
func drawValue(t *rapid.T, depth int) any {
	kinds := 5
	if depth > 0 {
		kinds = 7
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return rapid.SampledFrom([]any{"x", "y", "", "xy", "Z9"}).Draw(t, "text")
	case 1:
		return small(t)
	case 2:
		return nil
	case 3:
		return json.Number("1.5")
	case 4:
		return true
	case 5:
		list := []any{}
		for range rapid.IntRange(0, 2).Draw(t, "items") {
			list = append(list, drawValue(t, depth-1))
		}
		return list
	}
	return drawArguments(t, depth-1)
}

func drawArguments(t *rapid.T, depth int) map[string]any {
	m := map[string]any{}
	for _, name := range []string{"a", "b", "c"} {
		if rapid.Bool().Draw(t, name) {
			m[name] = drawValue(t, depth)
		}
	}
	return m
}

// TestCompareProperties draws pairs of schemas and checks what must hold for any of them: every break has a witness that
// separates them and a reason; a report below RISKY means that no drawn call breaks (names that only the revision
// declares aside); a schema does not differ from itself.
func TestCompareProperties(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		base := drawRoot(rt)
		rev, _ := mutate(rt, base, 2).(map[string]any)
		if rapid.Bool().Draw(rt, "again") {
			rev, _ = mutate(rt, rev, 2).(map[string]any)
		}
		rev["type"] = "object"
		b, errB := validate.Compile(base, validate.Options{ECMAPatterns: true})
		r, errR := validate.Compile(rev, validate.Options{ECMAPatterns: true})
		if errB != nil || errR != nil {
			rt.Skip("not legal")
		}
		for _, side := range []Side{Input, Output} {
			d := compareAs(side, base, rev)
			worst := None
			for _, c := range d.Changes {
				worst = max(worst, c.Severity)
				checkSeparates(rt, c, b, r)
			}
			if worst < Risky {
				probe(rt, side, d, base, rev, b, r)
			}
			if d := compareAs(side, base, base); len(d.Changes) != 0 {
				rt.Fatalf("differs from itself: %s", dump(Report{Diffs: []ContractDiff{d}}))
			}
		}
	})
}

func compareAs(side Side, base, rev any) ContractDiff {
	entry := func(v any) *lockfile.Entry {
		fields := map[string]any{"inputSchema": map[string]any{"type": "object"}}
		fields[string(side)+"Schema"] = v
		return lockfile.EntryOf(fields)
	}
	return CompareEntry(lockfile.KindTool, "s", "t", entry(base), entry(rev), Options{})
}

func checkSeparates(rt *rapid.T, c Change, b, r *validate.Schema) {
	if c.Witness == nil {
		if c.Severity == Breaking && c.Side != Whole && c.Rule != "input-property-removed" {
			rt.Fatalf("%s is BREAKING without a witness: %s", c.Rule, c.Message)
		}
		return
	}
	inBase, errB := b.Valid(c.Witness.Value)
	inRev, errR := r.Valid(c.Witness.Value)
	if errB != nil || errR != nil {
		return
	}
	if c.Side == Output {
		inBase, inRev = inRev, inBase
	}
	if !inBase || inRev {
		rt.Fatalf("%s: the witness %s does not separate", c.Rule, show(c.Witness.Value))
	}
	if c.Witness.Reason == "" {
		rt.Fatalf("%s: the witness %s has no reason", c.Rule, show(c.Witness.Value))
	}
}

// probe draws values and looks for one that a harmless report did not tell.
func probe(rt *rapid.T, side Side, d ContractDiff, base, rev any, b, r *validate.Schema) {
	if side == Output {
		base, rev, b, r = rev, base, r, b
	}
	for range 4 {
		v := drawArguments(rt, 2)
		inProducer, err := b.Valid(v)
		if err != nil || !inProducer {
			continue
		}
		if inConsumer, err := r.Valid(v); err == nil && !inConsumer && !usesNewName(v, base, rev) {
			rt.Fatalf("%s %s breaks, but the report says\n%s\nbase %s\nrev %s", side, show(v),
				dump(Report{Diffs: []ContractDiff{d}}), canonjson.Append(nil, base), canonjson.Append(nil, rev))
		}
	}
}

// usesNewName reports whether a value may use a name that only the consumer declares: some name of the consumer's schema
// that the producer's does not mention at all, or mentions less often (it may be declared elsewhere only).
func usesNewName(v any, producer, consumer any) bool {
	was, is := map[string]int{}, map[string]int{}
	countNames(producer, was)
	countNames(consumer, is)
	for name, n := range is {
		if n > was[name] {
			return true
		}
	}
	return false
}

func countNames(v any, counts map[string]int) {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if p, ok := e.(map[string]any); ok && k == "properties" {
				for name := range p {
					counts[name]++
				}
			}
			countNames(e, counts)
		}
	case []any:
		for _, e := range v {
			countNames(e, counts)
		}
	}
}
