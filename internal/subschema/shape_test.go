package subschema

import (
	"strings"
	"testing"
)

// Witness tables: producer, consumer, verdict, and a part of the witness or reason.
func TestDecide(t *testing.T) {
	for _, c := range []struct {
		name, producer, consumer string
		want                     Verdict
		witness                  string
	}{
		{"huge minItems", `{"type":"array","minItems":1000000}`, `{"minItems":5}`, Compatible, ""},
		{"huge minItems, items differ", `{"type":"array","minItems":1000000}`, `{"items":{"type":"string"}}`, Undecided, ""},
		{"impossible item", `{"type":"array","items":false,"minItems":1}`, `{"type":"string"}`, Compatible, ""},
		{"huge maxLength", `{"type":"string","maxLength":1000000}`, `{"maxLength":2000000}`, Compatible, ""},
		{"long pattern", `{"type":"string","pattern":"^[a-z]{1,65535}$"}`, `{"maxLength":65535}`, Compatible, ""},
		{"unique booleans", `{"type":"array","items":{"type":"boolean"},"uniqueItems":true}`, `{"maxItems":2}`, Compatible, ""},
		{"unique booleans too few", `{"type":"array","items":{"type":"boolean"},"uniqueItems":true}`, `{"maxItems":1}`, Incompatible, "[false,true]"},
		{"unique many", `{"type":"array","items":{"enum":[1,2,3,4,5]},"uniqueItems":true,"minItems":100}`, `false`, Compatible, ""},
		{"uninhabited recursion", `{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","required":["n"],"properties":{"n":{"$ref":"#/$defs/n"}}}}}`, `{"type":"string"}`, Compatible, ""},
		{"recursion widened", `{"$defs":{"n":{"type":"object","properties":{"v":{"type":"integer"},"n":{"$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n"}`,
			`{"$defs":{"n":{"type":"object","properties":{"v":{"type":"number"},"n":{"$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n"}`, Compatible, ""},
		{"recursion narrowed", `{"$defs":{"n":{"type":"object","properties":{"v":{"type":"number"},"n":{"$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n"}`,
			`{"$defs":{"n":{"type":"object","properties":{"v":{"type":"integer"},"n":{"$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n"}`, Incompatible, `{"v":0.1}`},
		{"multipleOf lcm", `{"type":"integer","multipleOf":6}`, `{"type":"number","multipleOf":1.5}`, Compatible, ""},
		{"multipleOf residues", `{"type":"integer","not":{"multipleOf":2}}`, `{"not":{"multipleOf":4}}`, Compatible, ""},
		{"exact bounds", `{"type":"integer","exclusiveMinimum":9007199254740992,"exclusiveMaximum":9007199254740994}`, `{"const":9007199254740993}`, Compatible, ""},
		{"pattern names", `{"type":"object","patternProperties":{"^x-":{"type":"string"}},"additionalProperties":false}`, `{"additionalProperties":{"type":"string"}}`, Compatible, ""},
		{"names product", `{"type":"object","patternProperties":{"^x":{"type":"integer"},"y$":{"minimum":3}},"additionalProperties":false,"minProperties":1,"propertyNames":{"minLength":2}}`,
			`{"patternProperties":{"^x.*y$":{"minimum":4}}}`, Incompatible, `{"xy":3}`},
		{"look-ahead", `{"type":"string","pattern":"^(?=.*a)b"}`, `{"pattern":"a"}`, Compatible, ""},
		{"back reference equal", `{"type":"object","properties":{"p":{"pattern":"^(a)\\1$"},"q":{"type":"integer"}}}`, `{"properties":{"p":{"pattern":"^(a)\\1$"},"q":{"type":"number"}}}`, Compatible, ""},
		{"not a pattern", `{"type":"string"}`, `{"pattern":"("}`, Undecided, "not a regular expression"},
		{"back reference tried", `{"type":"string"}`, `{"pattern":"^(a)\\1$"}`, Incompatible, `""`},
		{"key pattern with a back reference", `{"type":"object","patternProperties":{"^(a)\\1$":{"type":"integer"}}}`, `{"patternProperties":{"^(a)\\1$":{"type":"number"}}}`, Compatible, ""},
		{"oneOf discriminator", `{"oneOf":[{"type":"object","properties":{"k":{"const":"a"},"v":{"type":"integer"}},"required":["k"]},{"type":"object","properties":{"k":{"const":"b"}},"required":["k"]}]}`,
			`{"anyOf":[{"type":"object","properties":{"k":{"const":"a"},"v":{"type":"number"}},"required":["k"]},{"type":"object","properties":{"k":{"const":"b"}},"required":["k"]}]}`, Compatible, ""},
		{"unevaluated", `{"type":"object","properties":{"a":{}},"anyOf":[{"properties":{"b":{}}},{"properties":{"c":{}},"required":["c"]}],"unevaluatedProperties":false}`,
			`{"propertyNames":{"enum":["a","b","c"]}}`, Compatible, ""},
		{"unevaluated over a wide union", `{"type":"object","oneOf":[{"properties":{"k":{"const":"0"},"p0":{}},"required":["k"]},{"properties":{"k":{"const":"1"},"p1":{}},"required":["k"]},{"properties":{"k":{"const":"2"},"p2":{}},"required":["k"]},{"properties":{"k":{"const":"3"},"p3":{}},"required":["k"]},{"properties":{"k":{"const":"4"},"p4":{}},"required":["k"]},{"properties":{"k":{"const":"5"},"p5":{}},"required":["k"]},{"properties":{"k":{"const":"6"},"p6":{}},"required":["k"]},{"properties":{"k":{"const":"7"},"p7":{}},"required":["k"]},{"properties":{"k":{"const":"8"},"p8":{}},"required":["k"]},{"properties":{"k":{"const":"9"},"p9":{}},"required":["k"]},{"properties":{"k":{"const":"10"},"p10":{}},"required":["k"]},{"properties":{"k":{"const":"11"},"p11":{}},"required":["k"]}],"unevaluatedProperties":false}`, `{"maxProperties":2}`, Compatible, ""},
		{"new name on an open object", `{"type":"object"}`, `{"properties":{"a":{"type":"string"}}}`, Compatible, ""},
		{"new name required by the producer", `{"type":"object","required":["a"]}`, `{"properties":{"a":{"type":"string"}}}`, Incompatible, `{"a":0}`},
		{"new name under typed additionalProperties", `{"type":"object","additionalProperties":{"type":"integer"}}`, `{"properties":{"a":{"type":"string"}}}`, Incompatible, `{"a":0}`},
		{"new name under a key pattern", `{"type":"object","patternProperties":{"^a":{"type":"integer"}}}`, `{"properties":{"a":{"type":"string"}}}`, Incompatible, `{"a":0}`},
		{"new name in a nested object", `{"properties":{"o":{"type":"object","properties":{"x":{}}}}}`, `{"properties":{"o":{"properties":{"x":{},"y":{"type":"string"}}}}}`, Compatible, ""},
		{"new name in a branch", `{"properties":{"o":{"anyOf":[{"type":"object"},{"type":"null"}]}}}`, `{"properties":{"o":{"anyOf":[{"type":"object","properties":{"y":{"type":"string"}}},{"type":"null"}]}}}`, Compatible, ""},
		{"name declared in another branch", `{"anyOf":[{"properties":{"y":{"type":"integer"}}},{"type":"object"}]}`, `{"properties":{"y":{"type":"string"}}}`, Incompatible, `"y"`},
		{"new required name", `{"type":"object"}`, `{"required":["a"],"properties":{"a":{}}}`, Incompatible, `{}`},
		{"closed", `{"type":"object","properties":{"a":{}}}`, `{"properties":{"a":{},"b":{}},"additionalProperties":false}`, Incompatible, `{"extra":`},
		{"2^25 references", bomb(25, "type", `"object"`), bomb(25, "type", `["object","null"]`), Compatible, ""},
		{"2^25 references, deep difference", bomb(25, "minProperties", `0`), bomb(25, "maxProperties", `0`), Incompatible, "extra"},
	} {
		p, q := mustCompile(t, mustDecode(t, c.producer)), mustCompile(t, mustDecode(t, c.consumer))
		r := Decide(p, q, Options{})
		text := r.Reason
		if r.Verdict == Incompatible {
			text = encode1(r.Witness)
		}
		if r.Verdict != c.want || !strings.Contains(text, c.witness) {
			t.Errorf("%s: got %v %s, want %v %s", c.name, r.Verdict, text, c.want, c.witness)
		}
		t.Logf("%s: %v %s (%d steps)", c.name, r.Verdict, text, r.Steps)
	}
}
