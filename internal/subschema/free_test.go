package subschema

import (
	"testing"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// TestContainsNothing: a recursive contains that asks for no element accepts everything.
func TestContainsNothing(t *testing.T) {
	t.Parallel()
	const y = `"definitions":{"y":{"contains":{"$ref":"#/definitions/y"},"minContains":0}}`
	all, none := mustCompile(t, mustDecode(t, `{}`)), mustCompile(t, mustDecode(t, `false`))
	accepts := mustCompile(t, mustDecode(t, `{`+y+`,"$ref":"#/definitions/y"}`))
	refuses := mustCompile(t, mustDecode(t, `{`+y+`,"not":{"$ref":"#/definitions/y"}}`))
	if r := Decide(all, accepts, Options{}); r.Verdict != Compatible {
		t.Errorf("true ⊆ y: %+v", r)
	}
	if r := Decide(refuses, none, Options{}); r.Verdict != Compatible {
		t.Errorf("not y ⊆ false: %+v", r)
	}
}

// TestFreeNames pins where a new name is free and where it is not.
func TestFreeNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		producer, consumer string
		want               Verdict
	}{
		// an optional property is added to an open object
		{`{"type":"object"}`, `{"type":"object","properties":{"b":{"type":"string"}}}`, Compatible},
		{`{"properties":{"a":{"type":"object"}}}`, `{"properties":{"a":{"type":"object","properties":{"b":false}}}}`, Compatible},
		// the producer declares the name after all
		{`{"properties":{"b":{}}}`, `{"properties":{"b":{"type":"string"}}}`, Incompatible},
		{`{"additionalProperties":{"type":"integer"}}`, `{"properties":{"b":{"type":"string"}}}`, Incompatible},
		{`{"patternProperties":{"^b":{}}}`, `{"properties":{"b":{"type":"string"}}}`, Incompatible},
		{`{"required":["b"]}`, `{"properties":{"b":{"type":"string"}}}`, Incompatible},
		// a closed object refuses names that nobody declares
		{`{"type":"object"}`, `{"properties":{"b":{}},"additionalProperties":false}`, Incompatible},
		// a member that only a branch mentions, which does not apply to the witness, has a place of its own
		{`{"dependentSchemas":{"ab":{"properties":{"b":{"enum":[{"a":"b"}],"required":["b"]}}}}}`,
			`{"additionalProperties":{"properties":{"b":{"const":0,"minimum":1}}}}`, Incompatible},
		{`{"anyOf":[{"required":["ab"],"properties":{"b":{"required":["b"],"properties":{"b":false}}}},{"properties":{"ab":false}}]}`,
			`{"additionalProperties":{"properties":{"b":false}},"properties":{"ab":{}}}`, Incompatible},
	} {
		p, c := mustCompile(t, mustDecode(t, test.producer)), mustCompile(t, mustDecode(t, test.consumer))
		if r := Decide(p, c, Options{}); r.Verdict != test.want {
			t.Errorf("%s ⊆ %s: %v %s %s, want %v", test.producer, test.consumer, r.Verdict, canonjson.Append(nil, r.Witness), r.Reason, test.want)
		}
		if r := Decide(p, c, Options{Strict: true}); r.Verdict != Incompatible {
			t.Errorf("%s ⊆ %s, strictly: %v, want incompatible", test.producer, test.consumer, r.Verdict)
		}
	}
}
