package lockfile

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/validate"
)

// TestActionSchemaMeaning: among arguments whose discriminator names the action, the schema of the action accepts those
// that the tool's schema accepts, and no others. An independent validator judges.
func TestActionSchemaMeaning(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"type":"object","properties":{"op":{"enum":["x","y"]},"a":{"type":"integer"}},"required":["op"],"additionalProperties":false}`,
		`{"type":"object","required":["k"],"oneOf":[{"properties":{"k":{"const":"x"},"a":{"type":"string"}},"required":["a"]},{"properties":{"k":{"enum":["y","z"]},"b":{}},"required":["b"],"additionalProperties":false}]}`,
		`{"type":"object","oneOf":[{"properties":{"k":{"const":"x"}},"required":["k"]},{"properties":{"k":{"enum":["x","y"]},"a":{}},"required":["k","a"]},{"properties":{"k":{"const":"y"}},"required":["k","b"]}]}`,
		`{"type":"object","anyOf":[{"$ref":"#/$defs/X"},{"$ref":"#/$defs/Y"}],"$defs":{"X":{"allOf":[{"$ref":"#/$defs/B"},{"properties":{"k":{"const":"x"}}}]},"Y":{"$ref":"#/$defs/B","properties":{"k":{"const":"y"}},"maxProperties":2},"B":{"required":["k","b"]}}}`,
		`{"type":"object","anyOf":[{"oneOf":[{"properties":{"k":{"const":"x"}},"required":["k"]},{"properties":{"k":{"const":"y"}},"required":["k","a"]}]},{"properties":{"k":{"const":"z"}},"required":["k"]}]}`,
		`{"type":"object","properties":{"k":{"enum":["x","y"]}},"required":["k"],"allOf":[{"if":{"properties":{"k":{"const":"x"}}},"then":{"required":["a"]},"else":{"required":["b"]}},{"if":{"properties":{"k":{"const":"y"}},"required":["k"]},"then":{"maxProperties":2}},{"if":{"required":["a"]},"then":{"not":{"required":["b"]}}}]}`,
		`{"type":"object","properties":{"action":{"type":"string"}},"required":["action"],"if":{"properties":{"action":{"const":"x"}}},"then":{"required":["a"]},"else":{"if":{"properties":{"action":{"const":"y"}}},"then":{"required":["b"]},"else":false}}`,
		`{"type":"object","$ref":"#/$defs/R","maxProperties":2,"$defs":{"R":{"type":"object","properties":{"k":{"$ref":"#/$defs/A"},"a":{"$ref":"#/$defs/A"}},"required":["k"],"anyOf":[{"properties":{"k":{"const":"x"}}},{"properties":{"k":{"const":"y"}},"required":["b"]}]},"A":{"enum":["x","y"]}}}`,
		`{"type":"object","unevaluatedProperties":false,"oneOf":[{"properties":{"k":{"const":"x"},"a":{}},"required":["k"]},{"properties":{"k":{"const":"y"},"b":{}},"required":["k"]}]}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","required":["k"],"maxProperties":2,"oneOf":[{"$ref":"#/definitions/X","required":["a"]},{"properties":{"k":{"const":"y"}}}],"definitions":{"X":{"properties":{"k":{"const":"x"}}}}}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","oneOf":[{"$ref":"#/definitions/X","required":["c"]},{"properties":{"k":{"const":"z"}},"required":["k"]}],"definitions":{"X":{"oneOf":[{"properties":{"k":{"const":"x"}},"required":["k","a"]},{"properties":{"k":{"const":"y"}},"required":["k"]}]}}}`,
		`{"type":"object","properties":{"action":{"description":"d","oneOf":[{"const":"x","title":"X"},{"const":"y"}]}},"required":["action"],"dependentRequired":{"a":["b"]}}`,
	} {
		t.Run("", func(t *testing.T) { testMeaning(t, text) })
	}
}

func testMeaning(t *testing.T, text string) {
	schema := decode(t, text)
	d, ok := Actions(schema)
	if !ok || len(d.Actions) < 2 {
		t.Fatalf("%s: no actions", text)
	}
	whole := compile(t, schema)
	each := map[string]*validate.Schema{}
	for _, a := range d.Actions {
		each[a.Name] = compile(t, a.Schema)
	}
	accepted, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.SampledFrom([]any{"x", "y", json.Number("1"), nil})
		arguments := rapid.MapOf(rapid.SampledFrom([]string{"a", "b", "c"}), value).Draw(t, "arguments")
		action := rapid.SampledFrom(d.Actions).Draw(t, "action").Name
		arguments[d.Property] = action
		want, err := whole.Valid(arguments)
		if err != nil {
			t.Fatal(err)
		}
		got, err := each[action].Valid(arguments)
		if err != nil || got != want {
			t.Fatalf("%s: %v accepted by the tool: %v, by action %s: %v, %v", text, arguments, want, action, got, err)
		}
		if want {
			accepted++
		} else {
			refused++
		}
	})
	if accepted == 0 || refused == 0 {
		t.Errorf("%s: accepted %d, refused %d, so this shows nothing", text, accepted, refused)
	}
}

func compile(t *testing.T, schema any) *validate.Schema {
	t.Helper()
	compiled, err := validate.Compile(schema, validate.Options{})
	if err != nil {
		t.Fatalf("%s: %v", canonjson.Append(nil, schema), err)
	}
	return compiled
}
