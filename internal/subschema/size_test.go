package subschema

import (
	"fmt"
	"testing"
)

// TestHeavyItems: values that are compared with one another are light too.
func TestHeavyItems(t *testing.T) {
	s := `{"$ref":"#/$defs/d0","$defs":{"d40":{"type":"string"}`
	for i := range 40 {
		s += fmt.Sprintf(`,"d%d":{"type":"array","items":{"$ref":"#/$defs/d%d"},"minItems":2,"uniqueItems":true}`, i, i+1)
	}
	if _, found, reason := Sample(mustCompile(t, mustDecode(t, s+"}}")), Options{}); found || reason == "" {
		t.Errorf("sample found %v (%s)", found, reason)
	}
}

// TestHeavyWitness: a witness with 2^40 parts is not built.
func TestHeavyWitness(t *testing.T) {
	for _, form := range []string{
		`{"type":"object","properties":{"l":{"$ref":"#/$defs/d%[2]d"},"r":{"$ref":"#/$defs/d%[2]d"}},"required":["l","r"]}`,
		`{"type":"array","items":{"$ref":"#/$defs/d%[2]d"},"minItems":2}`,
		`{"type":"array","items":{"$ref":"#/$defs/d%[2]d"},"minItems":2,"uniqueItems":false}`,
		`{"type":"array","prefixItems":[{"$ref":"#/$defs/d%[2]d"},{"$ref":"#/$defs/d%[2]d"}],"minItems":2}`,
	} {
		bomb := func(leaf string, n int) *Schema {
			s := fmt.Sprintf(`{"$ref":"#/$defs/d0","$defs":{"d%d":%s`, n, leaf)
			for i := range n {
				s += fmt.Sprintf(`,"d%[1]d":`+form, i, i+1)
			}
			return mustCompile(t, mustDecode(t, s+"}}"))
		}
		if r := Decide(bomb(`{"type":"string"}`, 40), bomb(`{"type":"string","maxLength":1}`, 40), Options{}); r.Verdict != Undecided || r.Reason != reasonSize {
			t.Errorf("%s: %v (%s)", form, r.Verdict, r.Reason)
		}
		if _, found, reason := Sample(bomb(`{"type":"string"}`, 40), Options{}); found || reason != reasonSize {
			t.Errorf("%s: sample found %v (%s)", form, found, reason)
		}
		if r := Decide(bomb(`{"type":"string"}`, 40), bomb(`{"type":["string","null"]}`, 40), Options{}); r.Verdict != Compatible {
			t.Errorf("%s: %v (%s)", form, r.Verdict, r.Reason)
		}
		if r := Decide(bomb(`{"type":"string"}`, 6), bomb(`{"type":"string","maxLength":1}`, 6), Options{}); r.Verdict != Incompatible {
			t.Errorf("%s: %v (%s)", form, r.Verdict, r.Reason)
		}
	}
}
