package diff

import (
	"testing"
)

// TestEffectiveNotes: what a schema says beside acceptance is compared where it holds, however it is written.
func TestEffectiveNotes(t *testing.T) {
	variants := func(a, b, more string) string {
		return `{"type":"object","properties":{"x":{"oneOf":[{"$ref":"#/$defs/` + a + `"},{"$ref":"#/$defs/` + b + `"}]` + more + `}},"$defs":{` +
			`"` + a + `":{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]},"` + b + `":{"type":"object","properties":{"k":{"const":"b"}},"required":["k"]}}}`
	}
	mapping := func(a, b string) string {
		return `,"discriminator":{"propertyName":"k","mapping":{"a":"#/$defs/` + a + `","b":"#/$defs/` + b + `"}}`
	}
	for _, c := range []struct {
		name, a, b string
		want       Severity
	}{
		{"format of a nullable", p(`{"anyOf":[{"type":"string","format":"date"},{"type":"null"}]}`), p(`{"type":["string","null"],"format":"date"}`), Cosmetic},
		{"description of a nullable", p(`{"oneOf":[{"type":"null"},{"type":"string","description":"a"}]}`), p(`{"type":["string","null"],"description":"a"}`), Cosmetic},
		{"default of a nullable", p(`{"anyOf":[{"type":"string","default":"a"},{"type":"null"}]}`), p(`{"type":["string","null"],"default":"a"}`), Cosmetic},
		{"description of the only part", p(`{"allOf":[{"type":"string","description":"a"}]}`), p(`{"type":"string","description":"a"}`), Cosmetic},
		{"format of a nullable, lost", p(`{"anyOf":[{"type":"string","format":"date"},{"type":"null"}]}`), p(`{"type":["string","null"]}`), Risky},
		{"default of a nullable, changed", p(`{"anyOf":[{"type":"string","default":"a"},{"type":"null"}]}`), p(`{"type":["string","null"],"default":"b"}`), Risky},
		{"description of the only part, lost", p(`{"allOf":[{"type":"string","description":"a"}]}`), p(`{"type":"string"}`), Risky},
		{"discriminator", variants("A", "B", ""), variants("A", "B", `,"discriminator":{"propertyName":"k"}`), Cosmetic},
		{"discriminator with a mapping", variants("A", "B", ""), variants("A", "B", mapping("A", "B")), Cosmetic},
		{"mapping of renamed definitions", variants("A", "B", mapping("A", "B")), variants("C", "D", mapping("C", "D")), Cosmetic},
		{"mapping that contradicts the branches", variants("A", "B", mapping("A", "B")), variants("A", "B", mapping("B", "A")), Risky},
	} {
		for _, side := range []Side{Input, Output} {
			for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
				if d := compareAs(side, decode(t, pair[0]), decode(t, pair[1])); d.MaxSeverity() != c.want {
					t.Errorf("%s, %s: want %s, got\n%s", c.name, side, c.want, dump(Report{Diffs: []ContractDiff{d}}))
				}
			}
		}
	}
}
