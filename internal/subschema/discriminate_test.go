package subschema

import (
	"fmt"
	"strings"
	"testing"
)

// branches joins what item makes of 0 to n-1.
func branches(n int, item func(i int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = item(i)
	}
	return strings.Join(parts, ",")
}

// TestDiscriminators: a tool of many actions is decided in steps that grow with the actions, in all forms in which servers
// write it.
func TestDiscriminators(t *testing.T) {
	const n = 40
	condition := `{"properties":{"k":{"const":"v%d"}},"required":["k"]}`
	tagged := func(keyword, argument string) string {
		return fmt.Sprintf(`{%q:[`, keyword) + branches(n, func(i int) string {
			return fmt.Sprintf(`{"type":"object","properties":{"k":{"const":"v%d"},"r%d":%s,"o":%s},"required":["k","r%d"]}`, i, i, argument, argument, i)
		}) + `]}`
	}
	kinds := branches(n, func(i int) string { return fmt.Sprintf(`"v%d"`, i) })
	chain := func(argument string) string {
		return `{"type":"object","properties":{"k":{"enum":[` + kinds + `]},"o":` + argument + `},"required":["k"],"allOf":[` + branches(n, func(i int) string {
			return fmt.Sprintf(`{"if":`+condition+`,"then":{"properties":{"r%d":%s},"required":["r%d"]}}`, i, i, argument, i)
		}) + `]}`
	}
	nested := func(argument string) string {
		s := "false"
		for i := range n {
			s = fmt.Sprintf(`{"if":`+condition+`,"then":{"properties":{"r%d":%s},"required":["r%d"]},"else":%s}`, i, i, argument, i, s)
		}
		return `{"type":"object","required":["k"],"properties":{"o":` + argument + `},"allOf":[` + s + `]}`
	}
	forms := map[string]func(argument string) string{
		"oneOf": func(a string) string { return tagged("oneOf", a) }, "anyOf": func(a string) string { return tagged("anyOf", a) },
		"chain": chain, "nested": nested,
	}
	const narrow, wide = `{"type":"string"}`, `{"type":["string","null"]}`
	for name, form := range forms {
		for other, to := range forms {
			p, c, more := mustCompile(t, mustDecode(t, form(narrow))), mustCompile(t, mustDecode(t, to(wide))), mustCompile(t, mustDecode(t, to(narrow)))
			for _, strict := range []bool{true, false} {
				for _, q := range []struct {
					producer, consumer *Schema
					want               Verdict
				}{{p, c, Compatible}, {p, more, Compatible}, {c, p, Incompatible}, {c, mustCompile(t, mustDecode(t, `{"minProperties":2}`)), Compatible}} {
					r := Decide(q.producer, q.consumer, Options{Strict: strict})
					if q.want == Incompatible && r.Verdict == Undecided && strings.Contains(r.Reason, "nested too deeply") {
						continue // for the validator
					}
					if r.Verdict != q.want || r.Steps > 20_000 {
						t.Errorf("%s to %s, strict %v: %v in %d steps (%s), want %v", name, other, strict, r.Verdict, r.Steps, r.Reason, q.want)
					}
				}
			}
		}
	}
}

// TestFullObject: a name that must be there fails where the names that are there are as many as there may be.
func TestFullObject(t *testing.T) {
	p := `{"type":"object","required":["k"],"maxProperties":1,"allOf":[` + branches(30, func(i int) string {
		return fmt.Sprintf(`{"anyOf":[{"required":["a%d"]},{"required":["b%d"]},{"properties":{"k":{"minimum":%d}}}]}`, i, i, i)
	}) + `]}`
	r := Decide(mustCompile(t, mustDecode(t, p)), mustCompile(t, mustDecode(t, `{"properties":{"k":{"minimum":29}}}`)), Options{Strict: true})
	if r.Verdict != Compatible || r.Steps > 5000 {
		t.Errorf("%v in %d steps (%s), want compatible", r.Verdict, r.Steps, r.Reason)
	}
}

// TestOverlappingPatterns: what one pattern demands of a value refutes all classes of names that match it.
func TestOverlappingPatterns(t *testing.T) {
	keys := func(least int) *Schema {
		return mustCompile(t, mustDecode(t, `{"type":"object","patternProperties":{`+branches(20, func(i int) string {
			return fmt.Sprintf(`"%c":{"minimum":%d}`, 'a'+i, i+least)
		})+`}}`))
	}
	for least, want := range map[int]Verdict{-1: Compatible, 1: Incompatible} {
		if r := Decide(keys(0), keys(least), Options{Strict: true}); r.Verdict != want || r.Steps > 1000 {
			t.Errorf("minimum %+d: %v in %d steps (%s), want %v", least, r.Verdict, r.Steps, r.Reason, want)
		}
	}
}
