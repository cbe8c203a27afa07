package proxy

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fusionctl/fusionctl/awareness"
)

const (
	refusal = `MCP error -32602: Input validation error: Invalid arguments for tool search`
	modern  = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"search","arguments":` + stale + `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`
)

// One row for each kind of answer that passes untouched.
func TestUntouched(t *testing.T) {
	t.Parallel()
	staleCall, rightCall := callOf("7", "search", stale), callOf("7", "search", right)
	for _, c := range []struct{ name, call, answer string }{
		{"success, arguments that do not fit", staleCall, answerOf("7", `{"content":[{"type":"text","text":"ok"}]}`)},
		{"success that says so", staleCall, answerOf("7", `{"content":[],"isError":false}`)},
		{"success that speaks of errors", staleCall, answerOf("7", `{"content":[{"type":"text","text":"{\"isError\":true}"}]}`)},
		{"success with isError deeper", staleCall, answerOf("7", `{"content":[],"structuredContent":{"isError":true}}`)},
		{"success beside an error that is null", staleCall, `{"jsonrpc":"2.0","id":7,"error":null,"result":{"content":[]}}`},
		{"input required", staleCall, answerOf("7", `{"resultType":"input_required","inputRequests":{}}`)},
		{"task handle", staleCall, answerOf("7", `{"task":{"taskId":"1","status":"working"}}`)},
		{"tool error, other wording, right arguments", rightCall, answerOf("7", toolError("disk full"))},
		{"protocol error, right arguments", rightCall, faultOf("7", -32602, refusal)},
		{"protocol error of another code", staleCall, faultOf("7", -32000, "no")},
		{"protocol error of the protocol", staleCall, faultOf("7", -32602, `missing or invalid _meta field "io.modelcontextprotocol/clientCapabilities"`)},
		{"call as a task", strings.Replace(staleCall, `"params":{`, `"params":{"task":{"ttl":1},`, 1), answerOf("7", toolError(refusal))},
		{"inner envelope", staleCall, answerOf("7", toolError(`<validation_error action="search"><field name="x">no</field></validation_error>`))},
		{"inner envelope as a further block", staleCall, answerOf("7", `{"content":[{"type":"text","text":"disk full"},{"type":"text","text":"<validation_error action=\"search\"><field name=\"x\">no</field></validation_error>"}],"isError":true}`)},
		{"inner envelope in a protocol error", staleCall, faultOf("7", -32602, `<validation_error action="search"><field name="x">no</field></validation_error>`)},
		{"unknown tool, tool error", callOf("7", "nope", `{}`), answerOf("7", toolError("MCP error -32602: Tool nope not found"))},
		{"unknown tool, protocol error", callOf("7", "nope", `{}`), faultOf("7", -32602, `unknown tool "nope"`)},
		{"tool that is not listed, another failure", callOf("7", "list_all", `{}`), answerOf("7", toolError("rate limit"))},
		{"tool that is not listed, bad arguments", callOf("7", "list_all", `{}`), faultOf("7", -32602, "Invalid arguments for tool list_all: q")},
		{"other id", staleCall, answerOf("8", toolError(refusal))},
		{"id as text", staleCall, answerOf(`"7"`, toolError(refusal))},
		{"batch", "[" + staleCall + "]", "[" + answerOf("7", toolError(refusal)) + "]"},
		{"not JSON", staleCall, "Server running on stdio"},
		{"broken JSON", staleCall, answerOf("7", toolError(refusal))[:60]},
		{"empty", staleCall, ""},
		{"request of the server with the same id", staleCall, `{"jsonrpc":"2.0","id":7,"method":"roots/list"}`},
		{"content is no list", staleCall, answerOf("7", `{"content":"bad","isError":true}`)},
		{"error is no object", staleCall, `{"jsonrpc":"2.0","id":7,"error":"bad"}`},
		{"another method", strings.Replace(staleCall, "tools/call", "tools/run", 1), answerOf("7", toolError(refusal))},
		{"no id", strings.Replace(staleCall, `"id":7,`, "", 1), answerOf("null", toolError(refusal))},
	} {
		r := knowing(t, hook(t), searchV2, list)
		if out := exchanged(t, r, c.call, c.answer); out != nil {
			t.Errorf("%s: rewritten to %s", c.name, out)
		}
	}
}

// One row for each kind of answer that is rewritten.
func TestRewritten(t *testing.T) {
	t.Parallel()
	staleCall := callOf("7", "search", stale)
	image := `{"content":[{"type":"image","data":"AA==","mimeType":"image/png"},{"type":"text","text":"disk full"}],"isError":true,"structuredContent":{"n":12345678901234567890}}`
	for _, c := range []struct {
		name, call, answer string
		texts              []func(string) bool
		resultType         string
	}{
		{"known wording is replaced", staleCall, answerOf("7", toolError(refusal)), []func(string) bool{renamed}, ""},
		{"other wording is kept", staleCall, answerOf("7", toolError("disk full")), []func(string) bool{is("disk full"), renamed}, ""},
		{"other content is kept", staleCall, answerOf("7", image), []func(string) bool{is(""), is("disk full"), renamed}, ""},
		{"no content", staleCall, answerOf("7", `{"isError":true}`), []func(string) bool{renamed}, ""},
		{"protocol error", staleCall, faultOf("7", -32602, "Invalid arguments"), []func(string) bool{renamed}, ""},
		{"internal error keeps its words", staleCall, faultOf("7", -32603, "database is down"), []func(string) bool{is("database is down"), renamed}, ""},
		{"internal error in a known wording", staleCall, faultOf("7", -32603, refusal), []func(string) bool{renamed}, ""},
		{"protocol error, new era", modern, faultOf("7", -32602, "Invalid arguments"), []func(string) bool{renamed}, "complete"},
		{"tool error, new era", modern, answerOf("7", `{"content":[{"type":"text","text":"no"}],"isError":true,"resultType":"complete"}`), []func(string) bool{is("no"), renamed}, "complete"},
		{"error that is null", staleCall, `{"jsonrpc":"2.0","id":7,"error":null,"result":` + toolError(refusal) + `}`, []func(string) bool{renamed}, ""},
		{"tool that the baseline knew, protocol error", callOf("7", "list_all", `{}`), faultOf("7", -32602, `unknown tool "list_all"`), []func(string) bool{gone}, ""},
		{"tool that the baseline knew, no such method", callOf("7", "list_all", `{}`), faultOf("7", -32601, "Unknown tool: list_all"), []func(string) bool{gone}, ""},
		{"tool that the baseline knew, tool error", callOf("7", "list_all", `{}`), answerOf("7", toolError("MCP error -32602: Tool list_all not found")), []func(string) bool{gone}, ""},
		{"arguments are not an object", callOf("7", "search", `[1]`), faultOf("7", -32602, "Invalid tools/call request: []"), []func(string) bool{noObject}, ""},
		{"arguments are not an object, internal error", callOf("7", "search", `"x"`), faultOf("7", -32603, `[{"code":"invalid_type"}]`), []func(string) bool{is(`[{"code":"invalid_type"}]`), noObject}, ""},
		{"escaped slash", strings.Replace(staleCall, "tools/call", `tools\/call`, 1), answerOf("7", toolError(refusal)), []func(string) bool{renamed}, ""},
		{"white space", " \t" + strings.ReplaceAll(staleCall, ",", " ,\n ") + " \r\n", "\n" + strings.ReplaceAll(answerOf("7", toolError(refusal)), `,"`, ",\n\t\"") + "\r\n", []func(string) bool{renamed}, ""},
	} {
		r := knowing(t, hook(t), searchV2, list)
		out := exchanged(t, r, c.call, c.answer)
		if out == nil {
			t.Errorf("%s: untouched", c.name)
			continue
		}
		m := read(t, out)
		if string(m.ID) != "7" || m.Result.ResultType != c.resultType || len(m.texts) != len(c.texts) {
			t.Errorf("%s: %s", c.name, out)
			continue
		}
		for i, fits := range c.texts {
			if !fits(m.texts[i]) {
				t.Errorf("%s: text %d is %s", c.name, i, m.texts[i])
			}
		}
		if c.answer == answerOf("7", image) && string(m.Result.Structured) != `{"n":12345678901234567890}` {
			t.Errorf("%s: structured content is %s", c.name, m.Result.Structured)
		}
		if again := exchanged(t, r, c.call, string(out)); again != nil {
			t.Errorf("%s: a second proxy rewrote what the first one said: %s", c.name, again)
		}
	}
}

func noObject(text string) bool {
	return strings.HasPrefix(text, `<validation_error action="search">`) && strings.Contains(text, "Must be an object")
}

func is(want string) func(string) bool { return func(got string) bool { return got == want } }

// Known wording with arguments that fit the listed schema: the server knows better, and what changed may still help.
func TestRefusedThoughFitting(t *testing.T) {
	t.Parallel()
	out := exchanged(t, knowing(t, hook(t), searchV2, list), callOf("7", "search", right), answerOf("7", toolError(refusal)))
	m := read(t, out)
	if len(m.texts) != 1 || !strings.Contains(m.texts[0], refusal) || !strings.Contains(m.texts[0], "<contract_awareness>") {
		t.Errorf("the answer is %s", out)
	}
	same := NewRewriter(hook(t))
	same = knowing(t, same.hook, searchV1, list)
	if out := exchanged(t, same, callOf("7", "search", stale), answerOf("7", toolError(refusal))); out != nil {
		t.Errorf("an unchanged contract: %s", out)
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	for call, answer := range map[string]string{
		`"ü"`: `"\u00fc"`, `"\u00fc"`: `"ü"`, `"a\/b"`: `"a/b"`, `"\"}"`: `"\"}"`, "-1": "-1", "1e2": "1e2", `"a\\"`: `"a\\"`, `"1"`: `"1"`,
	} {
		out := exchanged(t, knowing(t, hook(t), searchV2, list), callOf(call, "search", stale), answerOf(answer, toolError(refusal)))
		if out == nil {
			t.Errorf("id %s answered as %s: untouched", call, answer)
			continue
		}
		if m := read(t, out); string(m.ID) != answer {
			t.Errorf("id %s answered as %s: became %s", call, answer, m.ID)
		}
	}
}

// Two open calls with one id: nobody can tell whose answer comes first.
func TestDuplicateID(t *testing.T) {
	t.Parallel()
	r := knowing(t, hook(t), searchV2, list)
	r.ClientMessage([]byte(callOf("7", "search", right)))
	for range 2 {
		if out := exchanged(t, r, callOf("7", "search", stale), answerOf("7", toolError("disk full"))); out != nil {
			t.Errorf("rewritten: %s", out)
		}
		r.ClientMessage([]byte(callOf("7", "search", right)))
	}
	r.ServerMessage([]byte(answerOf("7", `{}`)))
	if out := exchanged(t, r, callOf("7", "search", stale), answerOf("7", toolError(refusal))); out == nil {
		t.Error("an id that is free again: untouched")
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	r := knowing(t, hook(t), searchV2, list)
	r.ClientMessage([]byte(callOf(`"a/b"`, "search", stale)))
	out := exchanged(t, r, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a\/b"}}`, answerOf(`"a/b"`, toolError(refusal)))
	if out != nil || !r.calls.empty() {
		t.Errorf("a cancelled call was kept: %s", out)
	}
}

func TestPendingIsBounded(t *testing.T) {
	t.Parallel()
	r := knowing(t, hook(t), searchV2, list)
	for i := range maxPending + 100 {
		r.ClientMessage([]byte(callOf(fmt.Sprint(i), "search", stale)))
	}
	if n := len(r.calls.byID); n != maxPending {
		t.Errorf("%d calls are remembered", n)
	}
	if out, _ := r.ServerMessage([]byte(answerOf("5", toolError(refusal)))); out != nil {
		t.Error("a forgotten call was explained")
	}
	if out, _ := r.ServerMessage([]byte(answerOf("105", toolError(refusal)))); out == nil {
		t.Error("the oldest remembered call was not explained")
	}
	big := `{"topic":"` + strings.Repeat("x", maxArguments-100) + `"}`
	for i := range 2 * maxHeld / maxArguments {
		r.ClientMessage([]byte(callOf(fmt.Sprintf(`"big %d"`, i), "search", big)))
	}
	held := 0
	for _, p := range r.calls.byID {
		held += p.size()
	}
	if held > maxHeld || held != r.calls.held {
		t.Errorf("%d bytes are held, %d counted", held, r.calls.held)
	}
	for i := range 2 * maxHeld / maxArguments {
		r.ServerMessage([]byte(answerOf(fmt.Sprintf(`"big %d"`, i), `{}`)))
	}
	for i := range 100_000 {
		exchanged(t, r, callOf(fmt.Sprint(i+maxPending), "search", right), answerOf(fmt.Sprint(i+maxPending), `{}`))
	}
	if n := len(r.calls.queue); n > 2*maxPending {
		t.Errorf("the queue holds %d", n)
	}
}

func TestObserve(t *testing.T) {
	t.Parallel()
	var events []awareness.Event
	h := hook(t, awareness.WithMode(awareness.Observe), awareness.OnEvent(func(e awareness.Event) { events = append(events, e) }))
	r := knowing(t, h, searchV2, list)
	for _, answer := range []string{answerOf("7", toolError(refusal)), faultOf("7", -32602, "no"), answerOf("7", `{"content":[]}`)} {
		if out := exchanged(t, r, callOf("7", "search", stale), answer); out != nil {
			t.Errorf("rewritten: %s", out)
		}
	}
	exchanged(t, r, callOf("7", "list_all", `{}`), faultOf("7", -32602, "unknown tool"))
	exchanged(t, r, callOf("7", "search", right), answerOf("7", `{"content":[]}`))
	if c := h.Counts(); c.Observed != 4 || c.Stale != 4 || c.Unknown != 1 || c.Enriched != 0 {
		t.Errorf("counts %+v", c)
	}
	if len(events) != 4 || !slices.Contains(events[2].Causes(), awareness.ShownChange{Rule: "input-property-removed", Field: "/properties/topic", Cause: true}) {
		t.Errorf("events %+v", events)
	}
}

// Messages that fail cost little, messages that pass almost nothing.
func TestAllocations(t *testing.T) {
	h := hook(t)
	r := knowing(t, h, searchV2, list)
	call, success := []byte(callOf("7", "search", right)), []byte(answerOf("7", `{"content":[{"type":"text","text":"ok"}],"isError":false}`))
	other := []byte(`{"jsonrpc":"2.0","id":9,"method":"resources/read","params":{"uri":"file:///x"}}`)
	if n := testing.AllocsPerRun(100, func() { r.ClientMessage(other); r.ServerMessage(success) }); n != 0 {
		t.Errorf("messages of no interest cost %v allocations", n)
	}
	if n := testing.AllocsPerRun(100, func() { r.ClientMessage(call); r.ServerMessage(success) }); n > 6 {
		t.Errorf("a call and its success cost %v allocations", n)
	}
	r.ClientMessage(call)
	notification := []byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":7}}`)
	if n := testing.AllocsPerRun(100, func() { r.ServerMessage(notification) }); n != 0 {
		t.Errorf("a notification during a call costs %v allocations", n)
	}
}

func BenchmarkRewriter(b *testing.B) {
	r := knowing(b, hook(b), searchV2, list)
	r.catalog.now = func() time.Time { return time.Unix(0, 0) }
	r.catalog.at = time.Unix(0, 0)
	for _, c := range []struct{ name, answer string }{
		{"success", answerOf("7", `{"content":[{"type":"text","text":"ok"}]}`)},
		{"success of 1 MB", answerOf("7", `{"content":[{"type":"text","text":"`+strings.Repeat("a line of text\\n", 1<<16)+`"}]}`)},
		{"failure", answerOf("7", toolError(refusal))},
	} {
		call, answer := []byte(callOf("7", "search", stale)), []byte(c.answer)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(answer)))
			for b.Loop() {
				r.ClientMessage(call)
				r.ServerMessage(answer)
			}
		})
	}
}
