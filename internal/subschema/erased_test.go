package subschema

import "testing"

// TestErased: what a schema declares counts, also where it does not matter for acceptance.
func TestErased(t *testing.T) {
	number := `{"properties":{"a":{"type":"number"}}}`
	for _, c := range []struct {
		producer, consumer string
		want               Verdict
	}{
		{`{"anyOf":[true,{"properties":{"a":{}}}]}`, `{"properties":{"a":false}}`, Incompatible},
		{`{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}}},{}]}`, number, Incompatible},
		{`{"anyOf":[{},{"required":["a"]}]}`, number, Incompatible},
		{`{"if":{"properties":{"a":{"type":"string"}}}}`, number, Incompatible},
		{`{"if":{"required":["a"]}}`, number, Incompatible},
		{`{"oneOf":[true,false,{"allOf":[{"patternProperties":{"^a":{}}},false]}]}`, number, Incompatible},
		{`{"anyOf":[{},{"additionalProperties":{"type":"string"}}]}`, number, Incompatible},
		{`{"anyOf":[{},{"propertyNames":{"maxLength":3}}]}`, number, Incompatible},
		{`{"not":{"allOf":[false,{"properties":{"a":true}}]}}`, number, Incompatible},
		// Nothing is erased, and new names stay free.
		{`{"type":"object"}`, number, Compatible},
		{`{"properties":{"b":{"type":"string"}}}`, number, Compatible},
		{`{"anyOf":[{},{"properties":{"b":{}}},{"additionalProperties":true},{"propertyNames":true}]}`, number, Compatible},
		{`{"allOf":[{"type":"object"},{"type":"object","required":["b"]}],"properties":{"b":{"enum":[1,2]}}}`, number, Compatible},
		{`{"oneOf":[{"properties":{"k":{"const":"x"}},"required":["k"]},{"properties":{"k":{"const":"y"},"b":{}},"required":["k"]}]}`, number, Compatible},
		{`{"if":{"required":["b"]},"then":{"minProperties":2},"dependentRequired":{"c":["b"]},"dependentSchemas":{"c":{"properties":{"d":{}}}}}`, number, Compatible},
		{`{"properties":{"x":{"$ref":"#"},"y":{"type":"array","items":{"$ref":"#/properties/x"}}},"required":["x"]}`, number, Compatible},
		{`{"const":{"b":{"c":[1]}}}`, number, Compatible},
		{`{"enum":[{"b":1},{"b":{"c":2}},"x"]}`, number, Compatible},
		{`{"properties":{"b":{}},"allOf":[{"if":{"required":["b"]},"then":{"properties":{"c":{}}}}],"unevaluatedItems":false}`, number, Compatible},
	} {
		r := Decide(mustCompile(t, mustDecode(t, c.producer)), mustCompile(t, mustDecode(t, c.consumer)), Options{})
		if r.Verdict != c.want {
			t.Errorf("%s to %s: %v (%s), want %v", c.producer, c.consumer, r.Verdict, r.Reason, c.want)
		}
	}
	for _, text := range []string{
		`{"properties":{"b":{}},"unevaluatedProperties":false}`,
		`{"properties":{"b":{}},"anyOf":[{"properties":{"c":{}}},{"required":["d"]}],"unevaluatedProperties":{"type":"string"}}`,
		`{"allOf":[{"if":{"properties":{"k":{"const":1}}},"then":{"properties":{"p":{}}},"else":{"patternProperties":{"^q":{}}}}],"unevaluatedProperties":false}`,
	} {
		if e := mustCompile(t, mustDecode(t, text)).plain.erased; len(e.names)+len(e.patterns) > 0 || e.all {
			t.Errorf("%s: %+v", text, e)
		}
	}
}
