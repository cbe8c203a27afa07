package awareness

import (
	"strings"
	"testing"
)

// What is said about the earlier contract was judged by it.
func TestClaims(t *testing.T) {
	t.Parallel()
	tool := func(schema string) string {
		return `{"name":"f","inputSchema":{"type":"object","properties":{"a":` + schema + `},"required":["a"],"additionalProperties":false}}`
	}
	const none, good, bad = "", "were right under", "were not right under"
	for _, c := range []struct{ name, before, arguments, claim string }{
		{"right", `{"type":"string"}`, `{"a":"x"}`, good},
		{"wrong", `{"type":"boolean"}`, `{"a":"x"}`, bad},
		{"no schema", `{"type":"any"}`, `{"a":"x"}`, none},
		{"elsewhere", `{"$ref":"http://example.com/x"}`, `{"a":"x"}`, none},
		{"a pattern that only the strict reading asserts", `{"type":"string","pattern":"^(?!x)"}`, `{"a":"x"}`, none},
		{"a format", `{"type":"string","format":"email"}`, `{"a":"x"}`, none},
		{"a format that fits", `{"type":"string","format":"email"}`, `{"a":"a@example.com"}`, good},
	} {
		h, tools := scene(t, contract(t, "1", tool(c.before)), contract(t, "2", tool(`{"type":"integer"}`)))
		v := h.Check(Call{Tool: tools["f"], Arguments: []byte(c.arguments)})
		text := v.Envelope.Format()
		if !strings.Contains(text, "changed since") || v.Stale != (c.claim == good) {
			t.Errorf("%s: stale %v\n%s", c.name, v.Stale, text)
		}
		for _, claim := range []string{good, bad} {
			if strings.Contains(text, claim) != (c.claim == claim) {
				t.Errorf("%s: claim %q\n%s", c.name, claim, text)
			}
		}
	}
}

// Where the arguments fit both contracts the server's refusal has other grounds, and where an action is gone there are no fields.
func TestClaimsWithoutFields(t *testing.T) {
	t.Parallel()
	tool := func(text, actions string) string {
		return `{"name":"f","description":"` + text + `","inputSchema":{"type":"object","properties":{"action":{"enum":[` + actions + `]},"n":{"type":"integer"}},"required":["action"]}}`
	}
	h, tools := scene(t, contract(t, "1", tool("Old words", `"get","drop"`)), contract(t, "2", tool("New ones entirely", `"get"`)), WithMode(Enrich))
	explain := func(arguments string) string {
		return h.Explain(Call{Tool: tools["f"], Arguments: []byte(arguments), ServerText: "Invalid arguments: no"}).Envelope.Format()
	}
	if text := explain(`{"action":"get"}`); strings.Contains(text, "right under") || !strings.Contains(text, "changed since") {
		t.Errorf("a refusal for other reasons:\n%s", text)
	}
	if text := explain(`{"action":"drop","n":"x"}`); !strings.Contains(text, "not right under the earlier contract either.") || strings.Contains(text, "fields above") {
		t.Errorf("an action that is gone:\n%s", text)
	}
}

// Of several likely successors none is an order, and that none was recognised does not mean that there is none.
func TestSuccessorsAreNotCertain(t *testing.T) {
	t.Parallel()
	tool := func(name, argument string) string {
		return `{"name":"` + name + `","inputSchema":{"type":"object","properties":{"` + argument + `":{"type":"string"}},"required":["` + argument + `"]}}`
	}
	choice := func(actions string) string {
		return `{"name":"door","inputSchema":{"type":"object","properties":{"action":{"enum":[` + actions + `]}},"required":["action"]}}`
	}
	h, tools := scene(t, contract(t, "1", tool("find", "q"), tool("gone", "z"), choice(`"list","user_a"`)),
		contract(t, "2", tool("find_docs", "q"), tool("find_code", "q"), tool("zebra", "stripes"), choice(`"list","user_ab","user_ac"`)))
	live := []*Tool{tools["find_docs"], tools["find_code"], tools["zebra"], tools["door"]}
	several := h.Unknown("find", Call{}, live).Envelope.Format()
	if !strings.Contains(several, "it may have been replaced by find_code or find_docs") || strings.Contains(several, "in its place") || strings.Contains(several, "<details>") {
		t.Errorf("two successors:\n%s", several)
	}
	none := h.Unknown("gone", Call{}, live).Envelope.Format()
	if !strings.Contains(none, "gone was removed, and no successor is known") {
		t.Errorf("no successor:\n%s", none)
	}
	action := h.Check(Call{Tool: tools["door"], Arguments: []byte(`{"action":"user_a"}`)}).Envelope.Format()
	if !strings.Contains(action, "it may have been replaced by door.user_ab or door.user_ac") || strings.Contains(action, "in its place") {
		t.Errorf("two actions:\n%s", action)
	}
}

// A tool that was split is followed by the part that bears the name of the action.
func TestSplitTool(t *testing.T) {
	t.Parallel()
	part := func(name string) string {
		return `{"name":"` + name + `","inputSchema":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}}`
	}
	const whole = `{"name":"user","inputSchema":{"type":"object","properties":{"id":{"type":"string"},"action":{"enum":["get","update"]}},"required":["action"]}}`
	h, tools := scene(t, contract(t, "1", whole), contract(t, "2", part("get_user"), part("update_user")))
	live := []*Tool{tools["get_user"], tools["update_user"]}
	for arguments, want := range map[string]string{
		`{"action":"update","id":"1"}`: "call update_user in its place", `{"action":"get"}`: "call get_user in its place", `{"id":"1"}`: "may have been replaced by",
	} {
		if text := h.Unknown("user", Call{Arguments: []byte(arguments)}, live).Envelope.Format(); !strings.Contains(text, want) {
			t.Errorf("%s:\n%s", arguments, text)
		}
	}
}
