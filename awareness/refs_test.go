package awareness

import (
	"strings"
	"testing"
)

// A change of a definition is about the arguments that refer to it: the cause must come first, whatever its name.
func TestCauseBehindReference(t *testing.T) {
	t.Parallel()
	tool := func(kind string) string {
		return `{"name":"s","inputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/A"},"list":{"items":{"$ref":"#/$defs/Node"}}},
			"$defs":{"A":{"type":"` + kind + `"},"B":{"type":"` + kind + `"},
			"Node":{"properties":{"b":{"$ref":"#/$defs/B"},"next":{"$ref":"#/$defs/Node"}}}}}}`
	}
	for arguments, want := range map[string]string{`{"a":"x"}`: "/$defs/A/", `{"list":[{"b":"x"}]}`: "/$defs/B/"} {
		h, tools := scene(t, contract(t, "1", tool("string")), contract(t, "2", tool("integer")))
		v := h.Check(Call{Tool: tools["s"], Arguments: []byte(arguments)})
		if v.Envelope == nil || !v.Stale {
			t.Fatalf("%s: verdict %+v", arguments, v)
		}
		changes := v.Envelope.Awareness().Changes
		if len(changes) != 2 || !strings.HasPrefix(changes[0].Field, want) {
			t.Errorf("%s: the first change is not %s: %+v", arguments, want, changes)
		}
	}
}
