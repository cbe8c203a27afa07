package validate

import (
	"testing"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/validate/suite"
)

// TestCommon: a schema that is compiled as draft-07 because that makes no difference is legal, and accepts a value, exactly
// when it is and does in its own dialect.
func TestCommon(t *testing.T) {
	t.Parallel()
	count := 0
	for _, g := range suite.Load(t) {
		dialect, _ := CanonicalDialect(g.Dialect)
		if version(dialect) < 2019 {
			continue
		}
		doc := newDocument(g.Schema, version(dialect))
		if !doc.common() {
			continue
		}
		count++
		for _, o := range []Options{{ECMAPatterns: true}, {AssertFormat: true}} {
			one, _, err1 := compileLibrary(doc, Draft7, o)
			two, _, err2 := compileLibrary(doc, dialect, o)
			if (err1 == nil) != (err2 == nil) {
				t.Errorf("%s: %v as draft-07, %v as itself", g.Name(), err1, err2)
			}
			if err1 != nil || err2 != nil {
				continue
			}
			for _, c := range g.Tests {
				if a, b := one.Validate(c.Data), two.Validate(c.Data); (a == nil) != (b == nil) {
					t.Errorf("%s: %s: %v as draft-07, %v as itself", g.Name(), c.Description, a, b)
				}
			}
		}
	}
	if count < 300 {
		t.Errorf("only %d schemas of the suite are common", count)
	}
}

// TestCommonIllegal puts a wrong value at each keyword: what is not legal as itself must not pass as draft-07.
func TestCommonIllegal(t *testing.T) {
	t.Parallel()
	wrong := []string{`null`, `true`, `5`, `-1`, `1.5`, `"["`, `"#/nowhere"`, `[]`, `{}`, `[1,1.0]`, `["a","a"]`, `{"a":1}`, `[{"type":1}]`, `["string"]`}
	keywords := append(canonjson.SortedKeys(commonKeywords), "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveRef", "$dynamicRef", "$recursiveAnchor",
		"$vocabulary", "$other", "other")
	passed := 0
	for _, keyword := range keywords {
		for _, text := range wrong {
			v, err := canonjson.Decode([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			for _, root := range []any{
				map[string]any{keyword: v}, map[string]any{"properties": map[string]any{"a": map[string]any{keyword: v}}},
				map[string]any{"$defs": map[string]any{"a": map[string]any{keyword: v}}}, map[string]any{"$ref": "#/$defs/a", "$defs": map[string]any{"a": map[string]any{keyword: v}}},
			} {
				for _, dialect := range []string{Draft2019, Draft2020} {
					doc := newDocument(root, version(dialect))
					if !doc.common() {
						continue
					}
					_, _, err1 := compileLibrary(doc, Draft7, Options{})
					_, _, err2 := compileLibrary(doc, dialect, Options{})
					if err1 == nil && err2 != nil {
						t.Errorf("%s: legal as draft-07, %v in %s", canonjson.Append(nil, root), err2, dialect)
					}
					if err1 == nil {
						passed++
					}
				}
			}
		}
	}
	if passed < 100 {
		t.Errorf("only %d passed as draft-07", passed)
	}
}
