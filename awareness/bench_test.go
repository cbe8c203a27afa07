package awareness

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// twentyChanges is a tool of 24 arguments of which 20 changed.
func twentyChanges(b *testing.B, opts ...Option) (*Hook, *Tool) {
	b.Helper()
	tool := func(kind string) string {
		var properties []string
		for i := range 24 {
			t := "string"
			if i < 20 {
				t = kind
			}
			properties = append(properties, fmt.Sprintf(`"p%02d":{"type":%q}`, i, t))
		}
		return `{"name":"x","inputSchema":{"type":"object","properties":{` + strings.Join(properties, ",") + `},"additionalProperties":false}}`
	}
	h, tools := scene(b, contract(b, "1", tool("string")), contract(b, "2", tool("integer")), append(opts, Repeats(false))...)
	return h, tools["x"]
}

// BenchmarkExplain is a failing call of a tool with 20 changes, after the first one, which compares the contracts.
func BenchmarkExplain(b *testing.B) {
	h, tool := twentyChanges(b)
	call := Call{Tool: tool, Arguments: []byte(`{"p03":"x","p21":"y"}`)}
	if v := h.Check(call); v.Envelope == nil || v.Envelope.Awareness().ChangeCount != 20 {
		b.Fatalf("verdict %+v", v)
	}
	b.ReportAllocs()
	for b.Loop() {
		h.Check(call).Envelope.Format()
	}
}

// BenchmarkGood is a call that fits, in mode Enforce, beside decoding its arguments.
func BenchmarkGood(b *testing.B) {
	h, tool := twentyChanges(b)
	call := Call{Tool: tool, Arguments: []byte(`{"p03":3,"p21":"y"}`)}
	b.Run("check", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if v := h.Check(call); v.Status != Valid {
				b.Fatal(v)
			}
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := canonjson.Decode(call.Arguments); err != nil {
				b.Fatal(err)
			}
		}
	})
}
