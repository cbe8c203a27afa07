package awareness

import (
	"strings"
	"testing"
)

// A removed tool that is called again has no fields to change: the advice stays what to call in its place.
func TestRemovedToolCalledAgain(t *testing.T) {
	t.Parallel()
	one := `{"name":"list_all","inputSchema":{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}}`
	h, tools := scene(t, contract(t, "1", one), contract(t, "2", strings.Replace(one, "list_all", "list_all_of", 1)))
	var live []*Tool
	for _, tool := range tools {
		live = append(live, tool)
	}
	seen := map[string]bool{}
	for range 3 {
		v := h.Unknown("list_all", Call{Arguments: []byte(`{"q":"x"}`)}, live)
		text := v.Envelope.Format()
		if !strings.Contains(text, "list_all_of") || strings.Contains(text, "fields above") || strings.Contains(text, "other arguments") {
			t.Errorf("the advice leads nowhere:\n%s", text)
		}
		seen[v.Envelope.Recovery()] = true
	}
	if len(seen) != 3 {
		t.Errorf("%d different advices in three turns: %v", len(seen), seen)
	}
}
