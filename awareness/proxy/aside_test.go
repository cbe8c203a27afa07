package proxy

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/internal/hooktest"
)

// A failed call is compared aside, never while the messages of the server are passed on; when that takes too long its answer passes
// untouched with an event, and the next one is explained.
func TestComparisonHoldsNothing(t *testing.T) {
	t.Parallel()
	tool := func(kind string) string {
		var ways []string
		for i := range 40 {
			ways = append(ways, fmt.Sprintf(`{"properties":{"k":{"const":"v%d"},"r%d":{"type":%q}},"required":["k","r%d"],"additionalProperties":false}`, i, i, kind, i))
		}
		return `{"name":"many","inputSchema":{"type":"object","anyOf":[` + strings.Join(ways, ",") + `]}}`
	}
	events := new(hooktest.Events)
	h := hooktest.Hook(t, []string{tool("string")}, awareness.WithMode(awareness.Enrich), awareness.OnEvent(events.Add))
	r := knowing(t, h, tool("integer"))
	r.aside, r.patience = true, 1
	ask := func(context.Context, string, []byte) []byte { t.Error("asked for a known list"); return nil }
	fail := func(id string) []byte {
		r.ClientMessage([]byte(callOf(id, "many", `{"k":"v7","r7":"x"}`)))
		out, wait := r.ServerMessage([]byte(answerOf(id, toolError(refusal))))
		if out != nil || wait == nil {
			t.Fatalf("judged while messages are passed on: %s", out)
		}
		return r.Resolve(t.Context(), wait, ask)
	}
	if out := fail("1"); out != nil {
		t.Errorf("%s, want the answer untouched", out)
	}
	if all := events.All(); len(all) != 1 || all[0].Kind != awareness.FailedOpen || all[0].Tool != "many" {
		t.Errorf("events %+v, want one that failed open", all)
	}
	r.patience = time.Minute
	if out := fail("2"); !strings.Contains(string(out), "contract_awareness") {
		t.Errorf("%s, want the second answer explained", out)
	}
}
