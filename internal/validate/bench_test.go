package validate

import "testing"

const benchSchema = `{"type":"object","required":["id","items"],"additionalProperties":false,"properties":{
	"id":{"type":"string","pattern":"^[a-z0-9-]{1,40}$"},"note":{"type":["string","null"],"maxLength":200},
	"amount":{"type":"number","minimum":0,"multipleOf":0.01},"currency":{"enum":["EUR","USD","GBP"]},
	"items":{"type":"array","maxItems":50,"items":{"$ref":"#/$defs/item"}},"when":{"type":"string","format":"date-time"}},
	"$defs":{"item":{"type":"object","properties":{"sku":{"type":"string"},"n":{"type":"integer","minimum":1}},"required":["sku","n"]}}}`

func BenchmarkCompile(b *testing.B) {
	root := decode(b, benchSchema)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compile(root, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func benchValidate(b *testing.B, schema, value string, valid bool) {
	s, v := mustCompile(b, schema, Options{ECMAPatterns: true}), decode(b, value)
	b.Run("Valid", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if ok, err := s.Valid(v); ok != valid || err != nil {
				b.Fatal(ok, err)
			}
		}
	})
	b.Run("Validate", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if issues, err := s.Validate(v); (len(issues) == 0) != valid || err != nil {
				b.Fatal(issues, err)
			}
		}
	})
}

func BenchmarkGood(b *testing.B) {
	benchValidate(b, benchSchema, `{"id":"a-1","amount":12.5,"currency":"EUR","items":[{"sku":"x","n":1},{"sku":"y","n":2}]}`, true)
}

func BenchmarkBad(b *testing.B) {
	benchValidate(b, benchSchema, `{"id":"A 1","amount":-12.555,"currency":"CHF","items":[{"sku":"x"},{"sku":1,"n":"2"}],"curency":"EUR"}`, false)
}

func BenchmarkRecursive(b *testing.B) {
	benchValidate(b, `{"type":"object","properties":{"v":{"type":"integer"},"l":{"$ref":"#"},"r":{"$ref":"#"}},"additionalProperties":false}`,
		`{"v":1,"l":{"v":2,"l":{"v":3},"r":{"v":4}},"r":{"v":5}}`, true)
}
