package diff

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestHostileSizes: what a stranger may publish is compared in bounded time, however large or deep.
func TestHostileSizes(t *testing.T) {
	list := func(n int, format string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = strings.ReplaceAll(format, "#", fmt.Sprint(i))
		}
		return strings.Join(parts, ",")
	}
	object := func(properties string) string { return `{"type":"object","properties":{` + properties + `}}` }
	nested := func(n int, leaf string) string {
		return object(`"x":` + strings.Repeat(`{"type":"array","items":`, n) + leaf + strings.Repeat("}", n))
	}
	for _, c := range []struct {
		name, base, rev string
	}{
		{"many properties changed", object(list(400, `"p#":{"enum":["a","b"]}`)), object(list(400, `"p#":{"enum":["a"]}`))},
		{"many properties renamed", object(list(200, `"p#":{"type":"string"}`)), object(list(200, `"q#":{"type":"string"}`))},
		{"more than the validator takes", object(list(1500, `"p#":{"enum":["a","b"]}`)), object(list(1500, `"p#":{"enum":["a"]}`))},
		{"long enum replaced", object(`"x":{"enum":[` + list(5000, `"a#"`) + `]}`), object(`"x":{"enum":[` + list(5000, `"b#"`) + `]}`)},
		{"many branches", object(`"x":{"anyOf":[` + list(60, `{"type":"object","properties":{"k":{"const":"a#"}}}`) + `]}`),
			object(`"x":{"anyOf":[` + list(60, `{"type":"object","properties":{"k":{"const":"b#"}}}`) + `]}`)},
		{"deep", nested(150, `{"type":"string"}`), nested(150, `{"type":"integer"}`)},
		{"nested choices", object(`"x":` + strings.Repeat(`{"anyOf":[{"type":"null"},`, 40) + `{"type":"string"}` + strings.Repeat("]}", 40)),
			object(`"x":` + strings.Repeat(`{"oneOf":[{"type":"null"},`, 40) + `{"type":"integer"}` + strings.Repeat("]}", 40))},
		{"reference bomb changed", object(`"r":{"$ref":"#/$defs/L0"}`)[:len(object(`"r":{"$ref":"#/$defs/L0"}`))-1] + `,"$defs":{` + bomb("string") + `}}`,
			object(`"r":{"$ref":"#/$defs/L0"}`)[:len(object(`"r":{"$ref":"#/$defs/L0"}`))-1] + `,"$defs":{` + bomb("integer") + `}}`},
		{"reference in a circle", object(`"r":{"$ref":"#/$defs/A"}`)[:len(object(`"r":{"$ref":"#/$defs/A"}`))-1] + `,"$defs":{"A":{"$ref":"#/$defs/A"}}}`, object(`"r":{"type":"string"}`)},
	} {
		base, rev := decode(t, c.base), decode(t, c.rev)
		for _, side := range []Side{Input, Output} {
			start := time.Now()
			d := compareAs(side, base, rev)
			if spent := time.Since(start); spent > 20*time.Second {
				t.Errorf("%s, %s: %s", c.name, side, spent)
			} else if testing.Verbose() {
				t.Logf("%s, %s: %s, %s, %d changes", c.name, side, spent, d.MaxSeverity(), len(d.Changes))
			}
			if d.MaxSeverity() < Risky && side == Input {
				t.Errorf("%s, %s: %s", c.name, side, d.MaxSeverity())
			}
		}
	}
}

// bomb is a chain of definitions that each use the next one twice.
func bomb(leaf string) string {
	var b strings.Builder
	for i := range 25 {
		fmt.Fprintf(&b, `"L%d":{"type":"object","properties":{"x":{"$ref":"#/$defs/L%d"},"y":{"$ref":"#/$defs/L%d"}}},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"L25":{"type":"%s"}`, leaf)
	return b.String()
}
