package awareness

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// contract makes a lockfile with one server out of tool definitions.
func contract(t testing.TB, version string, definitions ...string) *lockfile.File {
	t.Helper()
	s := &lockfile.Server{Info: map[string]any{"name": "billing", "version": version}}
	for _, text := range definitions {
		tree, err := canonjson.Decode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		key, e, err := lockfile.NewEntry(lockfile.KindTool, tree.(map[string]any))
		if err != nil {
			t.Fatal(err)
		}
		s.SetEntry(lockfile.KindTool, key, e)
	}
	return &lockfile.File{Servers: map[string]*lockfile.Server{"billing": s}}
}

// scene is a hook with a baseline and the live tools.
func scene(t testing.TB, base, live *lockfile.File, opts ...Option) (*Hook, map[string]*Tool) {
	t.Helper()
	h, err := New(FromLockfile(base), opts...)
	if err != nil {
		t.Fatal(err)
	}
	tools := map[string]*Tool{}
	for name, e := range live.Servers["billing"].Tools {
		tools[name] = h.LearnEntry(name, e)
	}
	return h, tools
}

const (
	searchV1 = `{"name":"search","inputSchema":{"type":"object","properties":{"topic":{"type":"string"},"max":{"type":"integer"}},"required":["topic"],"additionalProperties":false}}`
	searchV2 = `{"name":"search","inputSchema":{"type":"object","properties":{"subject":{"type":"string"},"max":{"type":"integer"},"lang":{"enum":["en","de"]}},"required":["subject"],"additionalProperties":false}}`
)

func TestStaleCall(t *testing.T) {
	t.Parallel()
	h, tools := scene(t, contract(t, "1.0.0", searchV1), contract(t, "2.0.0", searchV2))
	v := h.Check(Call{Tool: tools["search"], Arguments: []byte(`{"topic":"x","max":3}`)})
	if v.Status != Invalid || !v.Stale || v.Envelope == nil {
		t.Fatalf("verdict %+v", v)
	}
	text := v.Envelope.Format()
	for _, want := range []string{
		`<validation_error action="search">`, "<contract_awareness>", `right under version "1.0.0"`,
		"<max_severity>BREAKING</max_severity>", `use "subject" in its place`, `"subject":"x"`,
	} {
		if !strings.Contains(strings.ReplaceAll(text, "&quot;", `"`), want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	if v := h.Check(Call{Tool: tools["search"], Arguments: []byte(`{"subject":"x"}`)}); v.Status != Valid || v.Envelope != nil {
		t.Errorf("a right call: %+v", v)
	}
	t.Log(text)
}

func TestPlainMistake(t *testing.T) {
	t.Parallel()
	h, tools := scene(t, contract(t, "1.0.0", searchV1), contract(t, "2.0.0", searchV2))
	v := h.Check(Call{Tool: tools["search"], Arguments: []byte(`{"subject":"x","max":"three"}`)})
	if v.Status != Invalid || v.Stale {
		t.Fatalf("verdict %+v", v)
	}
	if text := v.Envelope.Format(); !strings.Contains(text, "not right under the earlier contract either") {
		t.Errorf("the text does not tell a plain mistake:\n%s", text)
	}
	same, tools := scene(t, contract(t, "1.0.0", searchV1), contract(t, "1.0.0", searchV1))
	v = same.Check(Call{Tool: tools["search"], Arguments: []byte(`{}`)})
	if v.Envelope == nil || v.Envelope.Awareness() != nil {
		t.Errorf("an unchanged contract: %+v", v)
	}
}

func TestGone(t *testing.T) {
	t.Parallel()
	listAll := `{"name":"list_all","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}}}`
	list := `{"name":"list","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}}}`
	h, tools := scene(t, contract(t, "1", listAll), contract(t, "2", list))
	live := []*Tool{tools["list"]}
	v := h.Unknown("list_all", Call{Arguments: []byte(`{"q":"x"}`)}, live)
	if v.Status != Gone || v.Envelope == nil {
		t.Fatalf("verdict %+v", v)
	}
	text := v.Envelope.Format()
	for _, want := range []string{`code="UNKNOWN_ACTION"`, "<action>list</action>", "with the same arguments", "<contract_awareness>"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	if v := h.Unknown("never_was", Call{}, live); v.Envelope != nil {
		t.Errorf("a name that nobody knew: %+v", v)
	}
}

func TestGoneAction(t *testing.T) {
	t.Parallel()
	tool := func(actions string) string {
		return `{"name":"billing","inputSchema":{"type":"object","properties":{"action":{"enum":[` + actions + `]},"id":{"type":"string"}},"required":["action"]}}`
	}
	h, tools := scene(t, contract(t, "1", tool(`"create","void_invoice"`)), contract(t, "2", tool(`"create","createMany","invoice_void"`)))
	v := h.Check(Call{Tool: tools["billing"], Arguments: []byte(`{"action":"void_invoice"}`)})
	if v.Status != Gone || !v.Stale {
		t.Fatalf("verdict %+v", v)
	}
	text := v.Envelope.Format()
	for _, want := range []string{"UNKNOWN_ACTION", "<action>billing.invoice_void</action>", "billing.void_invoice"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
}

func TestOlderBaselines(t *testing.T) {
	t.Parallel()
	v0 := `{"name":"search","inputSchema":{"type":"object","properties":{"q":{"type":"string"}},"required":["q"],"additionalProperties":false}}`
	h, tools := scene(t, contract(t, "1.0.0", searchV1), contract(t, "2.0.0", searchV2), Older(FromLockfile(contract(t, "0.9.0", v0))))
	v := h.Check(Call{Tool: tools["search"], Arguments: []byte(`{"q":"x"}`)})
	if !v.Stale || v.Baseline != 1 || !strings.Contains(v.Envelope.Format(), "0.9.0") {
		t.Errorf("verdict %+v\n%s", v, v.Envelope.Format())
	}
}

func TestRepeats(t *testing.T) {
	t.Parallel()
	h, tools := scene(t, contract(t, "1", searchV1), contract(t, "2", searchV2))
	call := Call{Tool: tools["search"], Arguments: []byte(`{"topic":"x"}`), Caller: "a"}
	texts := map[string]bool{}
	for range 3 {
		texts[h.Check(call).Envelope.Format()] = true
	}
	if len(texts) != 3 {
		t.Errorf("%d different texts in three calls, want 3", len(texts))
	}
	call.Caller = "b"
	if !texts[h.Check(call).Envelope.Format()] {
		t.Error("the first call of another caller got another text")
	}
	if got := h.Counts(); got.Refused != 4 || got.Stale != 4 || got.Repeated != 2 {
		t.Errorf("counts %+v", got)
	}
}

func TestModes(t *testing.T) {
	t.Parallel()
	base, live := contract(t, "1", searchV1), contract(t, "2", searchV2)
	bad := []byte(`{"topic":"x"}`)
	h, tools := scene(t, base, live, WithMode(Enrich))
	if v := h.Check(Call{Tool: tools["search"], Arguments: bad}); v.Envelope != nil || v.Status != Valid {
		t.Errorf("Check in mode enrich: %+v", v)
	}
	v := h.Explain(Call{Tool: tools["search"], Arguments: bad, ServerText: "Input validation error: nope"})
	if v.Envelope == nil || !v.Replace {
		t.Errorf("a known refusal: %+v", v)
	}
	v = h.Explain(Call{Tool: tools["search"], Arguments: bad, ServerText: "boom"})
	if v.Envelope == nil || v.Replace {
		t.Errorf("another error: %+v", v)
	}
	if v := h.Explain(Call{Tool: tools["search"], Arguments: []byte(`{"subject":"x"}`), ServerText: "boom"}); v.Envelope != nil {
		t.Errorf("another error of a right call: %+v", v)
	}
	if v := h.Explain(Call{Tool: tools["search"], Arguments: bad, ServerText: v.Envelope.Format()}); v.Envelope != nil {
		t.Errorf("an envelope of an inner hook: %+v", v)
	}
	v = h.Explain(Call{Tool: tools["search"], Arguments: []byte(`{"subject":"x"}`), ServerText: "Input validation error: subject too short"})
	if v.Envelope == nil || !strings.Contains(v.Envelope.Format(), "subject too short") {
		t.Errorf("a refusal that the schema does not explain: %+v", v)
	}
	h, tools = scene(t, base, live, WithMode(Observe))
	if v := h.Check(Call{Tool: tools["search"], Arguments: bad}); v.Envelope != nil || h.Counts().Observed != 1 {
		t.Errorf("mode observe: %+v", v)
	}
}

// TestFailsOpen: what cannot be judged passes.
func TestFailsOpen(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"not":`, 300) + `{}` + strings.Repeat(`}`, 300)
	for _, test := range []struct{ schema, arguments string }{
		{`{"type":"object","properties":{"n":{"type":"integer"}}}`, `{"n":1e1000001}`},
		{`{"type":"object","properties":{"n":{"type":"integer"}}}`, `{"n":` + strings.Repeat("9", 2000) + `}`},
		{`{"type":"object","properties":{"n":{"type":"any"}}}`, `{"n":1}`},
		{`{"type":"object","properties":{"n":{"$ref":"file:///etc/hostname"}}}`, `{"n":1}`},
		{`{"type":"object","properties":{"n":` + deep + `}}`, `{"n":1}`},
		{`{"type":"object","required":["a"]}`, `{"a`},
		{`{"type":"object","required":["a"]}`, strings.Repeat("[", 100000)},
	} {
		h, tools := scene(t, contract(t, "1"), contract(t, "2", `{"name":"x","inputSchema":`+test.schema+`}`))
		v := h.Check(Call{Tool: tools["x"], Arguments: []byte(test.arguments)})
		if v.Envelope != nil || v.Status != Skipped || h.Counts().FailedOpen != 1 {
			t.Errorf("%.80s with %.40s: %+v", test.schema, test.arguments, v)
		}
	}
	h, tools := scene(t, contract(t, "1"), contract(t, "2", `{"name":"x","inputSchema":{"type":"object","properties":{"p":{"type":"string","pattern":"(?=a)a"}}}}`))
	if v := h.Check(Call{Tool: tools["x"], Arguments: []byte(`{"p":"b"}`)}); v.Envelope != nil {
		t.Errorf("a look-ahead refused a call: %+v", v)
	}
	for _, none := range []string{"", "null", " {} "} {
		if v := h.Check(Call{Tool: tools["x"], Arguments: []byte(none)}); v.Status != Valid {
			t.Errorf("arguments %q: %+v", none, v)
		}
	}
	if v := h.Check(Call{Tool: tools["x"], Arguments: []byte(`{"p":1,"p":"b"}`)}); v.Status != Valid {
		t.Errorf("duplicate keys: %+v", v)
	}
}

func TestWarning(t *testing.T) {
	t.Parallel()
	open := `{"name":"x","inputSchema":{"type":"object","properties":{"maxDepth":{"type":"integer"}}}}`
	h, tools := scene(t, contract(t, "1"), contract(t, "2", open), Undeclared(true))
	e := h.Warning(Call{Tool: tools["x"], Arguments: []byte(`{"depth":1}`)})
	if e == nil || e.IsError() || !strings.Contains(e.Format(), "maxDepth") {
		t.Errorf("warning %v", e)
	}
	if e := h.Warning(Call{Tool: tools["x"], Arguments: []byte(`{"maxDepth":1}`)}); e != nil {
		t.Errorf("warning %v", e)
	}
}

// TestDeterministic: the same call gives the same text.
func TestDeterministic(t *testing.T) {
	t.Parallel()
	first := ""
	for range 50 {
		h, tools := scene(t, contract(t, "1", searchV1), contract(t, "2", searchV2))
		text := h.Check(Call{Tool: tools["search"], Arguments: []byte(`{"topic":1,"a":1,"b":2,"max":"x"}`)}).Envelope.Format()
		if first == "" {
			first = text
		}
		if text != first {
			t.Fatalf("%s\n%s", first, text)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	h, tools := scene(t, contract(t, "1", searchV1), contract(t, "2", searchV2), WithMode(Enrich))
	call := Call{Tool: tools["search"], Arguments: []byte(`{"subject":"x"}`)}
	if n := testing.AllocsPerRun(100, func() { h.Check(call) }); n != 0 {
		t.Errorf("%v allocations on the path of a call in mode enrich", n)
	}
}

// In mode Enforce a good call costs what its validation costs, whether the tool changed or not.
func TestGoodCallCostsItsValidation(t *testing.T) {
	h, tools := scene(t, contract(t, "1", searchV1, `{"name":"same","inputSchema":{"type":"object","required":["subject"]}}`),
		contract(t, "2", searchV2, `{"name":"same","inputSchema":{"type":"object","required":["subject"]}}`))
	arguments := []byte(`{"subject":"x"}`)
	for name, tool := range tools {
		validation := testing.AllocsPerRun(100, func() {
			tree, err := readArguments(arguments)
			if err != nil {
				t.Fatal(err)
			}
			if ok, err := tool.fits(tree); !ok || err != nil {
				t.Fatal(ok, err)
			}
		})
		if n := testing.AllocsPerRun(100, func() { h.Check(Call{Tool: tool, Arguments: arguments}) }); n > validation {
			t.Errorf("%s: %v allocations, the validation has %v", name, n, validation)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"MCP error -32602: Input validation error: Invalid arguments for tool echo: Invalid input: expected string, received number at message",
		"Input validation error: Invalid arguments for tool echo: message: Invalid input: expected string, received number",
		"MCP error -32602: Invalid arguments for tool NAME: [zod issues]",
		"Input validation error: 'x' is a required property",
		"Error executing tool NAME: 1 validation error for NAMEArguments\nx\n  Field required",
		`validating "arguments": validating root: required: missing properties: ["city"]`,
		"input schema validation failed: /city: &{Got:number Want:[string]}",
		"failed to deserialize parameters: missing field `x`",
		"Tool (NAME) input validation failed: Validation failed: JSON schema validation errors: [x]",
		"Missing required arguments: a, b", "Invalid arguments: x",
		"Invalid parameters for tool 'NAME': Property '/x': bad",
		"MCP error -32602: Tool 'NAME' parameter validation failed: x: required. Please check the parameter types and values according to the tool's schema.",
		"Invalid params: x",
	} {
		if !IsRefusal(text) {
			t.Errorf("%q is not known as a refusal", text)
		}
	}
	for _, text := range []string{"", "An error occurred invoking 'NAME'.", "Tool nope not found", "disk full", "Error executing tool NAME: boom"} {
		if IsRefusal(text) {
			t.Errorf("%q is taken for a refusal", text)
		}
	}
}

func TestSourceErrors(t *testing.T) {
	t.Parallel()
	two := contract(t, "1", searchV1)
	two.Servers["other"] = two.Servers["billing"]
	for want, source := range map[string]Source{
		"2 servers":         FromLockfile(two),
		"no lockfile":       FromLockfile(nil),
		"no source":         {},
		"reading lockfile":  FromFile("does-not-exist.lock"),
		"the file is empty": FromBytes(nil),
	} {
		if _, err := New(source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New: %v, want %q", err, want)
		}
	}
	if _, err := New(FromLockfile(two), Server("other")); err != nil {
		t.Error(err)
	}
}

func ExampleHook_Check() {
	base := contract(&testing.T{}, "1.0.0", searchV1)
	hook, err := New(FromLockfile(base), WithExample(false))
	if err != nil {
		fmt.Println(err)
		return
	}
	tool, _ := hook.Learn([]byte(searchV2))
	verdict := hook.Check(Call{Tool: tool, Arguments: []byte(`{"topic":"invoices"}`)})
	fmt.Println(verdict.Status == Invalid, verdict.Stale)
	// Output: true true
}
