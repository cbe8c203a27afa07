package diff

import (
	"runtime/debug"
	"testing"
)

// TestUnrolledDefinition: a definition that contains itself is not unrolled for ever where the revision wraps each use of it.
func TestUnrolledDefinition(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(64 << 20))
	schema := func(use string) any {
		return decode(t, `{"type":"object","properties":{"n":`+use+`},"$defs":{"N":{"type":"object","properties":{"c":{"type":"array","items":`+use+`}}}}}`)
	}
	for _, side := range []Side{Input, Output} {
		d := compareAs(side, schema(`{"$ref":"#/$defs/N"}`), schema(`{"anyOf":[{"$ref":"#/$defs/N"},{"type":"null"}]}`))
		if want := map[Side]Severity{Input: Safe, Output: Breaking}[side]; d.MaxSeverity() != want {
			t.Errorf("%s: %v, want %v: %s", side, d.MaxSeverity(), want, dump(Report{Diffs: []ContractDiff{d}}))
		}
	}
}
