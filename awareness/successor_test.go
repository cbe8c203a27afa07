package awareness

import (
	"strings"
	"testing"
)

// Equal arguments do not make a successor: a model that is sent from delete_user to create_user does harm.
func TestNoContrarySuccessor(t *testing.T) {
	t.Parallel()
	tool := func(name string) string {
		return `{"name":"` + name + `","inputSchema":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}}`
	}
	action := func(name string) string {
		return `{"name":"door","inputSchema":{"type":"object","properties":{"action":{"enum":["list","` + name + `"]}},"required":["action"]}}`
	}
	h, tools := scene(t, contract(t, "1", action("lock_door")), contract(t, "2", action("unlock_door")))
	if text := h.Check(Call{Tool: tools["door"], Arguments: []byte(`{"action":"lock_door"}`)}).Envelope.Format(); !strings.Contains(text, "no successor is known") || strings.Contains(text, "use &quot;unlock_door") || strings.Contains(text, `use "unlock_door`) {
		t.Errorf("the action:\n%s", text)
	}
	for _, c := range []struct {
		before, after string
		pair          bool
	}{
		{"delete_user", "create_user", false}, {"getUser", "deleteUser", false}, {"lock-door", "unlock-door", false},
		{"delete_user", "remove_user", true}, {"getUser", "fetchUser", true}, {"user_get", "user", true},
	} {
		h, tools := scene(t, contract(t, "1", tool(c.before)), contract(t, "2", tool(c.after)))
		text := h.Unknown(c.before, Call{}, []*Tool{tools[c.after]}).Envelope.Format()
		if got := strings.Contains(text, "call "+c.after+" in its place"); got != c.pair {
			t.Errorf("%s, %s: successor %v\n%s", c.before, c.after, got, text)
		}
		if !c.pair && strings.Contains(text, "likely renamed") {
			t.Errorf("%s, %s: a guess is left\n%s", c.before, c.after, text)
		}
	}
}
