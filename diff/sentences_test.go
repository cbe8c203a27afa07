package diff

import (
	"strings"
	"testing"
)

// TestSentences: what the sentences of a report say, where a value is empty, single or one of two.
func TestSentences(t *testing.T) {
	tool := func(schema string) string { return `{"tools":{"t":{"inputSchema":` + schema + `}}}` }
	for _, c := range []struct{ base, rev, want, never string }{
		{`{"type":"object","properties":{"":{"type":"string"}}}`, `{"type":"object","properties":{"":{"type":"integer"}}}`, `"" was a string and is an integer`, "the call"},
		{`{"type":"object"}`, `{"type":"object","minProperties":1}`, "want at least 1 property", "properties"},
		{`{"type":"object"}`, `{"type":"object","minProperties":2}`, "want at least 2 properties", ""},
		{p(`{"enum":["OPEN","SHUT"]}`), p(`{"enum":["open","shut"]}`), `"open" may be the new name of "OPEN"`, ""},
		{p(`{"type":"array","items":{"type":"number"}}`), p(`{"type":"array","prefixItems":[{"type":"number"}],"maxItems":1}`), "no longer limited by one schema for all", ""},
		{`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, "still accepted, but it is ignored", ""},
		{`{"type":"object","properties":{"x":{"type":"string"},"z":{"type":"string"}}}`, `{"type":"object","properties":{"y":{"type":"integer"}},"required":["y"]}`, `"x" was removed`, "still accepted"},
	} {
		text := dump(Compare(oneServer(t, tool(c.base)), oneServer(t, tool(c.rev)), Options{}))
		if !strings.Contains(text, c.want) || c.never != "" && strings.Contains(text, c.never) {
			t.Errorf("want %q, never %q in\n%s", c.want, c.never, text)
		}
	}
}
