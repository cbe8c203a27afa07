package subschema

import (
	"errors"
	"strings"
	"testing"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/validate/suite"
)

// TestSuite checks laws on every schema of the JSON Schema Test Suite.
func TestSuite(t *testing.T) {
	groups := suite.Load(t)
	total, undecided := 0, 0
	reasons := map[string]int{}
	before := Faults()
	var previous any = map[string]any{"type": "string"}
	for gi, g := range groups {
		if testing.Short() && gi%7 != 0 {
			continue
		}
		if strings.Contains(g.File, "optional/format/") || strings.Contains(g.File, "content") {
			continue // these assert what the standard only annotates
		}
		if _, err := Compile(g.Schema, g.Dialect); err != nil {
			var e *SchemaError
			if !errors.As(err, &e) || e.Kind != RemoteRef && e.Kind != UnknownDialect && e.Kind != EndlessRef {
				t.Errorf("%s: Compile: %v", g.Name(), err)
			}
			continue
		}
		check := func(law string, producer, consumer any, want Verdict) {
			t.Helper()
			p, errP := Compile(producer, g.Dialect)
			c, errC := Compile(consumer, g.Dialect)
			if errP != nil || errC != nil {
				return // the law's wrapping moved a relative reference
			}
			total++
			r := Decide(p, c, Options{Strict: true})
			if r.Verdict == Undecided {
				undecided++
				reasons[r.Reason]++
				t.Logf("%s: %s: undecided: %s", g.Name(), law, r.Reason)
			} else if r.Verdict != want {
				t.Errorf("%s: %s: got %v with witness %s, want %v", g.Name(), law, r.Verdict, canonjson.Append(nil, r.Witness), want)
			}
		}
		for _, test := range g.Tests {
			want := Compatible
			if !test.Valid {
				want = Incompatible
			}
			check(test.Description, map[string]any{"enum": []any{test.Data}}, g.Schema, want)
		}
		wrap := func(key string, list ...any) any { return wrapSchema(key, g.Schema, list) }
		check("S in S", g.Schema, g.Schema, Compatible)
		never := map[string]any{"not": map[string]any{}}
		check("S in true", g.Schema, map[string]any{}, Compatible)
		check("false in S", never, g.Schema, Compatible)
		if !movable(g.Schema) {
			continue
		}
		check("S in allOf[S,S]", g.Schema, wrap("allOf", g.Schema, g.Schema), Compatible)
		check("S in not not S", g.Schema, map[string]any{"not": wrapSchema("not", g.Schema, nil)}, Compatible)
		check("S in anyOf[S,T]", g.Schema, wrap("anyOf", g.Schema, previous), Compatible)
		check("allOf[S,T] in S", wrap("allOf", g.Schema, previous), g.Schema, Compatible)
		if m, ok := g.Schema.(map[string]any); ok && m["$ref"] == nil {
			previous = g.Schema
		}
	}
	for r, n := range reasons {
		t.Logf("%d undecided: %s", n, r)
	}
	t.Logf("%d of %d undecided", undecided, total)
	if undecided*100 > total {
		t.Errorf("%d of %d undecided, want at most 1 %%", undecided, total)
	}
	if n := Faults() - before; n > 0 {
		t.Errorf("%d witnesses failed their check", n)
	}
}

func wrapSchema(key string, schema any, list []any) any {
	if list == nil {
		return map[string]any{key: schema}
	}
	return map[string]any{key: list}
}

// movable reports whether a schema means the same inside another one: it has no reference into its own root, no base and no anchor.
func movable(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range []string{"$ref", "$id", "id", "$schema", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$recursiveAnchor"} {
			if _, ok := v[key]; ok {
				return false
			}
		}
		for _, e := range v {
			if !movable(e) {
				return false
			}
		}
	case []any:
		for _, e := range v {
			if !movable(e) {
				return false
			}
		}
	}
	return true
}
