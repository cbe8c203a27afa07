package subschema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fusionctl/fusionctl/internal/validate/suite"
)

func BenchmarkSuite(b *testing.B) {
	var schemas []*Schema
	for _, g := range suite.Load(b) {
		if s, err := Compile(g.Schema, g.Dialect); err == nil {
			schemas = append(schemas, s)
		}
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		Decide(schemas[i%len(schemas)], schemas[(i+1)%len(schemas)], Options{})
	}
}

// adversarial lists pairs made to be expensive.
func adversarial() map[string][2]string {
	union := func(n int, extra string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = fmt.Sprintf(`{"type":"object","properties":{"p%d":{"type":"integer"%s}},"required":["p%d"]}`, i, extra, i)
		}
		return `{"oneOf":[` + strings.Join(parts, ",") + `]}`
	}
	cnf := make([]string, 24)
	for i := range cnf {
		cnf[i] = fmt.Sprintf(`{"anyOf":[{"required":["a%d"]},{"required":["b%d"]},{"maxProperties":%d}]}`, i, (i*7+3)%24, i)
	}
	wide := func(schema string) string {
		props := make([]string, 2000)
		for i := range props {
			props[i] = fmt.Sprintf(`"p%d":%s`, i, strings.ReplaceAll(schema, "N", fmt.Sprint(i)))
		}
		return `{"type":"object","properties":{` + strings.Join(props, ",") + `}}`
	}
	return map[string][2]string{
		"wide object":         {wide(`{"type":"integer","minimum":N}`), wide(`{"type":["number","null"],"minimum":N}`)},
		"wide oneOf":          {union(40, ""), union(40, `,"minimum":0`)},
		"clauses":             {`{"type":"object","minProperties":30,"allOf":[` + strings.Join(cnf, ",") + `]}`, `{"required":["zz"],"maxProperties":2}`},
		"bomb":                {bomb(25, "minProperties", "0"), bomb(25, "maxProperties", "0")},
		"deep unions":         {deepUnion(12, `"integer"`), deepUnion(12, `"number"`)},
		"patterns":            {`{"type":"string","pattern":"^(a|b)*a(a|b){12}$"}`, `{"pattern":"^(a|b)*b(a|b){12}$"}`},
		"unique":              {`{"type":"array","uniqueItems":true,"items":{"type":"integer","minimum":0,"maximum":30},"minItems":31}`, `{"maxItems":30}`},
		"residues":            {`{"type":"integer","minimum":1,"maximum":1000000000}`, `{"anyOf":[{"multipleOf":2},{"multipleOf":3},{"multipleOf":5},{"multipleOf":7},{"multipleOf":11},{"multipleOf":13}]}`},
		"counting":            {`{"type":"array","contains":{"const":1},"minContains":5,"maxContains":9,"items":{"enum":[1,2,3]},"minItems":20}`, `{"contains":{"const":2},"minContains":16}`},
		"many outcomes":       {`{"type":"object","anyOf":[{"properties":{"a":true}},{"properties":{"b":true}},{"properties":{"c":true}},{"properties":{"d":true}},{"properties":{"e":true}},{"properties":{"f":true}}],"unevaluatedProperties":false}`, `{"maxProperties":3}`},
		"mutual recursion":    {`{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"type":"null"},{"type":"array","items":{"$ref":"#/$defs/b"}}]},"b":{"oneOf":[{"$ref":"#/$defs/a"},{"type":"object","additionalProperties":{"$ref":"#/$defs/a"}}]}}}`, `{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"type":"null"},{"type":"array","items":{"$ref":"#/$defs/b"}}]},"b":{"anyOf":[{"type":"object","additionalProperties":{"$ref":"#/$defs/b"}},{"$ref":"#/$defs/a"}]}}}`},
		"nested not":          {nestedNot(40, `{"type":"string","minLength":3}`), `{"minLength":2}`},
		"many pattern names":  {`{"type":"object","patternProperties":{"a":{"minimum":0},"b":{"minimum":1},"c":{"minimum":2},"d":{"minimum":3},"e":{"minimum":4},"f":{"minimum":5},"g":{"minimum":6},"h":{"minimum":7}}}`, `{"patternProperties":{"a.*h":{"minimum":7}}}`},
		"pigeonhole":          {`{"type":"array","uniqueItems":true,"minItems":9,"maxItems":9,"items":{"enum":[1,2,3,4,5,6,7,8]}}`, `false`},
		"exclusive scattered": {`{"type":"object","properties":{"x":{"oneOf":[{"minimum":0},{"minimum":1},{"minimum":2},{"minimum":3},{"minimum":4},{"minimum":5},{"minimum":6},{"minimum":7}]}}}`, `{"properties":{"x":{"exclusiveMaximum":1}}}`},
	}
}

func deepUnion(n int, leaf string) string {
	s := `{"type":` + leaf + `}`
	for range n {
		s = `{"anyOf":[{"type":"object","properties":{"a":` + s + `},"required":["a"]},{"type":"null"}]}`
	}
	return s
}

func nestedNot(n int, s string) string {
	return strings.Repeat(`{"not":`, n) + s + strings.Repeat("}", n)
}

func BenchmarkAdversarial(b *testing.B) {
	for name, pair := range adversarial() {
		p, c := mustCompile(b, mustDecode(b, pair[0])), mustCompile(b, mustDecode(b, pair[1]))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var r Result
			for b.Loop() {
				r = Decide(p, c, Options{})
			}
			b.ReportMetric(float64(r.Steps), "steps/op")
			b.Logf("%v %s", r.Verdict, r.Reason)
		})
	}
}
