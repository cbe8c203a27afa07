package awareness

import (
	"strings"
	"testing"

	"github.com/fusionctl/fusionctl/envelope"
)

// Values go where they belong now, each one where its own place went, and none is made up.
func TestExampleCarriesValues(t *testing.T) {
	t.Parallel()
	closed := func(properties, required string) string {
		return `{"type":"object","properties":{` + properties + `},"required":[` + required + `],"additionalProperties":false}`
	}
	const text, whole = `{"type":"string"}`, `{"type":"integer"}`
	list := func(items string) string { return `"items":{"type":"array","items":` + items + `}` }
	for _, c := range []struct{ name, before, after, call, example, line string }{
		{"in a list", closed(list(closed(`"qty":`+whole, `"qty"`)), ""), closed(list(closed(`"quantity":`+whole, `"quantity"`)), ""),
			`{"items":[{"qty":1},{"qty":2}]}`, `{"items":[{"quantity":1},{"quantity":2}]}`, `Expected the name 'quantity' with the same value.`},
		{"in an open list", list(`{"properties":{"qty":` + whole + `},"required":["qty"]}`), list(`{"properties":{"quantity":` + whole + `},"required":["quantity"]}`),
			`{"items":[{"qty":1},{"qty":2}]}`, `{"items":[{"quantity":1},{"quantity":2}]}`, `You sent: the name 'items[0].qty' instead.`},
		{"in a definition", `"$defs":{"A":` + closed(`"file_name":`+text, `"file_name"`) + `},"properties":{"a":{"$ref":"#/$defs/A"},"b":{"type":"array","items":{"$ref":"#/$defs/A"}}}`,
			`"$defs":{"A":` + closed(`"fileName":`+text, `"fileName"`) + `},"properties":{"a":{"$ref":"#/$defs/A"},"b":{"type":"array","items":{"$ref":"#/$defs/A"}}}`,
			`{"a":{"file_name":"1"},"b":[{"file_name":"2"},{"file_name":"3"}]}`, `{"a":{"fileName":"1"},"b":[{"fileName":"2"},{"fileName":"3"}]}`, `Expected the name 'fileName' with the same value.`},
		{"into an object", closed(`"q":`+text+`,"limit":`+whole+`,"offset":`+whole, `"q"`), closed(`"q":`+text+`,"options":`+closed(`"limit":`+whole+`,"offset":`+whole, ""), `"q"`),
			`{"limit":10,"offset":5,"q":"x"}`, `{"options":{"limit":10,"offset":5},"q":"x"}`, `Expected the name 'options.limit' with the same value.`},
		{"into a required object", closed(`"street":`+text+`,"city":`+text, `"street","city"`), closed(`"address":`+closed(`"street":`+text+`,"city":`+text, `"street","city"`), `"address"`),
			`{"city":"b","street":"a"}`, `{"address":{"city":"b","street":"a"}}`, `You sent: the names 'city', 'street' instead.`},
		{"out of an object", closed(`"address":`+closed(`"street":`+text+`,"city":`+text, `"street"`), `"address"`), closed(`"street":`+text+`,"city":`+text, `"street"`),
			`{"address":{"street":"a","city":"b"}}`, `{"city":"b","street":"a"}`, `'address.city' as 'city'`},
		{"another type", closed(`"user_id":`+whole, `"user_id"`), closed(`"userId":`+text, `"userId"`),
			`{"user_id":7}`, `{"userId":"7"}`, `Expected the name 'userId', and there a string.`},
		{"misspelt", closed(`"query":`+text+`,"n":`+whole, `"query"`), closed(`"query":`+text+`,"n":{"type":"integer","maximum":9}`, `"query"`),
			`{"qeury":"x"}`, `{"query":"x"}`, `Expected the required name 'query' with the same value.`},
		{"a list now", closed(`"tag":`+text, `"tag"`), closed(`"tags":{"type":"array","items":`+text+`}`, `"tags"`), `{"tag":"x"}`, `{"tags":["x"]}`, ``},
		{"no number is made up", closed(`"lat":`+whole, `"lat"`), closed(`"latitude":{"type":"number"},"zoom":`+whole, `"latitude","zoom"`), `{"lat":1}`, ``, ``},
		{"digits as sent", closed(`"id":`+whole, `"id"`), closed(`"id":`+text, `"id"`),
			`{"id":12345678901234567890123}`, `{"id":"12345678901234567890123"}`, `You sent: 12345678901234567890123. Expected the same value as text, in quotes: "12345678901234567890123".`},
		{"a fraction as sent", closed(`"id":{"type":"number"},"v":`+text, `"id"`), closed(`"id":`+text+`,"w":{"type":"number"}`, `"id"`), `{"id":1.0}`, `{"id":"1.0"}`, `You sent: 1.0.`},
		{"the action", closed(`"action":{"enum":["get","drop"]},"id":`+text, `"action"`), closed(`"operation":{"enum":["get","drop"]},"id":`+text, `"operation"`),
			`{"action":"drop","id":"1"}`, `{"id":"1","operation":"drop"}`, `Expected the name 'operation' with the same value.`},
		{"the action, tolerated", `"properties":{"action":{"enum":["get","drop"]}},"required":["action"]`, `"properties":{"operation":{"enum":["get","drop"]}},"required":["operation"]`,
			`{"action":"drop"}`, `{"operation":"drop"}`, `You sent: the name 'action' instead.`},
		{"no action any more", closed(`"action":{"enum":["get","drop"]},"id":`+text, `"action"`), closed(`"id":`+text, `"id"`), `{"action":"drop","id":"1"}`, ``, ``},
	} {
		tool := func(schema string) string {
			switch {
			case strings.HasPrefix(schema, `"items"`):
				schema = `{"type":"object","properties":{` + schema + `}}`
			case !strings.HasPrefix(schema, "{"):
				schema = `{"type":"object",` + schema + `}`
			}
			return `{"name":"f","inputSchema":` + schema + `}`
		}
		h, tools := scene(t, contract(t, "1", tool(c.before)), contract(t, "2", tool(c.after)))
		v := h.Check(Call{Tool: tools["f"], Arguments: []byte(c.call)})
		e, ok := v.Envelope.(*envelope.ValidationError)
		if !ok {
			t.Fatalf("%s: %+v", c.name, v)
		}
		lines := ""
		for _, f := range e.Fields() {
			lines += f.Message + "\n"
		}
		if e.Example() != c.example || !strings.Contains(lines, c.line) {
			t.Errorf("%s: want the example %s and the line %q in\n%s", c.name, c.example, c.line, e.Format())
		}
	}
}

// A change that says where an argument went is shown although it is SAFE, and the removal names the place.
func TestMovesAreTold(t *testing.T) {
	t.Parallel()
	tool := func(properties string) string {
		return `{"name":"f","inputSchema":{"type":"object","properties":{"q":{"type":"string"},` + properties + `},"additionalProperties":false}}`
	}
	h, tools := scene(t, contract(t, "1", tool(`"limit":{"type":"integer"}`)), contract(t, "2", tool(`"options":{"type":"object","properties":{"limit":{"type":"integer"}}},"unrelated":{"type":"string"}`)))
	text := strings.ReplaceAll(h.Check(Call{Tool: tools["f"], Arguments: []byte(`{"limit":1}`)}).Envelope.Format(), "&quot;", `"`)
	for want, shown := range map[string]bool{
		`"limit" was removed; it is now at "options.limit"`: true, `<change severity="SAFE" field="/properties/options">`: true, "unrelated\" was": false,
	} {
		if strings.Contains(text, want) != shown {
			t.Errorf("%s is shown: %v\n%s", want, !shown, text)
		}
	}
}

// Nobody can tell which of two objects an argument went into.
func TestAmbiguousMove(t *testing.T) {
	t.Parallel()
	const in = `{"type":"object","properties":{"limit":{"type":"integer"}}}`
	tool := func(properties string) string {
		return `{"name":"f","inputSchema":{"type":"object","properties":{` + properties + `},"additionalProperties":false}}`
	}
	h, tools := scene(t, contract(t, "1", tool(`"limit":{"type":"integer"}`)), contract(t, "2", tool(`"page":`+in+`,"rows":`+in)))
	if text := h.Check(Call{Tool: tools["f"], Arguments: []byte(`{"limit":1}`)}).Envelope.Format(); strings.Contains(text, "now at") || strings.Contains(text, ".limit'") {
		t.Errorf("a guess:\n%s", text)
	}
}

// What the schema of a removed action's successor asks for is told, and a call made again is told more firmly, not less.
func TestGoneActionTellsArguments(t *testing.T) {
	t.Parallel()
	tool := func(action, more, required string) string {
		branch := func(name, more, required string) string {
			return `{"type":"object","properties":{"action":{"const":"` + name + `"}` + more + `},"required":["action"` + required + `],"additionalProperties":false}`
		}
		return `{"name":"b","inputSchema":{"type":"object","oneOf":[` + branch("create", `,"n":{"type":"string"}`, "") + `,` + branch(action, more, required) + `]}}`
	}
	call := []byte(`{"action":"void","id":"1"}`)
	h, tools := scene(t, contract(t, "1", tool("void", `,"id":{"type":"string"}`, `,"id"`)), contract(t, "2", tool("void_invoice", `,"invoice_id":{"type":"string"},"reason":{"type":"string"}`, `,"invoice_id"`)))
	first := h.Check(Call{Tool: tools["b"], Arguments: call}).Envelope.Format()
	for _, want := range []string{`set "action" to "void_invoice". It takes action, invoice_id, reason; required are action, invoice_id.`, `<detail key="invoice_id">required, a string</detail>`} {
		if !strings.Contains(strings.ReplaceAll(first, "&quot;", `"`), want) {
			t.Errorf("the text lacks %s:\n%s", want, first)
		}
	}
	again := h.Check(Call{Tool: tools["b"], Arguments: call}).Envelope.Recovery()
	if !strings.Contains(again, "failed before") || !strings.Contains(again, "call b.void_invoice in its place") || strings.Contains(again, "fields above") {
		t.Errorf("the call again: %s", again)
	}
	h, tools = scene(t, contract(t, "1", tool("void", `,"id":{"type":"string"}`, `,"id"`)), contract(t, "2", tool("void_invoice", `,"id":{"type":"string"}`, `,"id"`)))
	if text := h.Check(Call{Tool: tools["b"], Arguments: call}).Envelope.Recovery(); !strings.Contains(text, `set "action" to "void_invoice", and keep the other arguments.`) {
		t.Errorf("equal arguments: %s", text)
	}
}

// Whether a successor takes the same arguments is asked of its schema, whatever else is different.
func TestSameArguments(t *testing.T) {
	t.Parallel()
	tool := func(name, more, required string) string {
		return `{"name":"` + name + `","inputSchema":{"type":"object","properties":{"a":{"type":"number","description":"The ` + name + `"}` + more + `},"required":["a"` + required + `]}}`
	}
	for _, c := range []struct{ more, required, call, want string }{
		{`,"b":{"type":"string"}`, "", `{"a":1}`, "in its place with the same arguments."},
		{`,"b":{"type":"string"}`, `,"b"`, `{"a":1}`, "in its place. It takes a, b; required are a, b."},
		{"", "", `{"a":"x"}`, "in its place. It takes a; required are a."},
	} {
		h, tools := scene(t, contract(t, "1", tool("getAll", "", "")), contract(t, "2", tool("get_all", c.more, c.required)))
		v := h.Unknown("getAll", Call{Arguments: []byte(c.call)}, []*Tool{tools["get_all"]})
		if !strings.Contains(v.Envelope.Recovery(), c.want) {
			t.Errorf("%s %s: %s", c.more, c.call, v.Envelope.Recovery())
		}
		v = h.Unknown("getAll", Call{Arguments: []byte(c.call)}, []*Tool{tools["get_all"]})
		if !strings.Contains(v.Envelope.Recovery(), "failed before") || !strings.Contains(v.Envelope.Recovery(), c.want) {
			t.Errorf("again: %s", v.Envelope.Recovery())
		}
	}
}

// A value that only the baseline calls a secret is not shown either, nor one of a pair whose name says so.
func TestSecretsOfTheBaseline(t *testing.T) {
	t.Parallel()
	tool := func(blob, name string) string {
		return `{"name":"f","inputSchema":{"type":"object","properties":{"blob":` + blob + `,"` + name + `":{"type":"string"},"headers":{"type":"array"}},"required":["` + name + `"],"additionalProperties":false}}`
	}
	h, tools := scene(t, contract(t, "1", tool(`{"type":"string","writeOnly":true}`, "query")), contract(t, "2", tool(`{"type":"integer"}`, "query")))
	if text := h.Check(Call{Tool: tools["f"], Arguments: []byte(`{"query":"x","blob":"CANARY"}`)}).Envelope.Format(); strings.Contains(text, "CANARY") || !strings.Contains(text, "(hidden)") {
		t.Errorf("writeOnly before:\n%s", text)
	}
	h, tools = scene(t, contract(t, "1", tool(`{}`, "file_query")), contract(t, "2", tool(`{}`, "fileQuery")))
	for _, pair := range []string{`{"name":"Authorization","value":"CANARY"}`, `{"key":"X-Api-Key","values":["CANARY"]}`} {
		text := h.Check(Call{Tool: tools["f"], Arguments: []byte(`{"file_query":"x","headers":[` + pair + `]}`)}).Envelope.Format()
		if strings.Contains(text, "CANARY") || !strings.Contains(text, "fileQuery") {
			t.Errorf("%s:\n%s", pair, text)
		}
	}
}

// That undeclared names are refused now explains no value of the wrong type, and what is refused is not called accepted.
func TestClosingExplainsNames(t *testing.T) {
	t.Parallel()
	tool := func(schema string) string { return `{"name":"f","inputSchema":{"type":"object",` + schema + `}}` }
	h, tools := scene(t, contract(t, "1", tool(`"patternProperties":{"^x-":{"type":"string"}}`)), contract(t, "2", tool(`"patternProperties":{"^x-":{"type":"integer"}},"additionalProperties":false`)))
	changes := h.Check(Call{Tool: tools["f"], Arguments: []byte(`{"x-a":"1"}`)}).Envelope.Awareness().Changes
	if len(changes) == 0 || changes[0].Field != "/patternProperties/^x-/type" {
		t.Errorf("a wrong type is explained by %+v", changes)
	}
	changes = h.Check(Call{Tool: tools["f"], Arguments: []byte(`{"y":"1"}`)}).Envelope.Awareness().Changes
	if len(changes) == 0 || changes[0].Field != "/additionalProperties" {
		t.Errorf("an undeclared name is explained by %+v", changes)
	}
	h, tools = scene(t, contract(t, "1", tool(`"properties":{"mode":{"type":"string"}}`)), contract(t, "2", tool(`"properties":{},"additionalProperties":false`)))
	if text := h.Check(Call{Tool: tools["f"], Arguments: []byte(`{"mode":"x"}`)}).Envelope.Format(); strings.Contains(text, "still accepted") || !strings.Contains(text, "mode&quot; was removed") && !strings.Contains(text, `mode" was removed`) {
		t.Errorf("a refused name:\n%s", text)
	}
}
