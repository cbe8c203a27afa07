package proxy

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/internal/capture"
	"github.com/fusionctl/fusionctl/internal/hooktest"
)

// What was measured of the SDKs, the validator and real servers before all this was written, one entry for each test that
// had to be carried over. The doors are both Go SDKs and the proxy, each in both eras and over both transports.
func TestMeasured(t *testing.T) {
	for _, entry := range []struct {
		name string
		test func(t *testing.T)
	}{
		{"1 wire form in both eras", wireForm},
		{"2 widened, narrowed and replaced tools", replacedTools},
		{"3 numbers, depth, fan-out, patterns, refs: no panic, soon over, the call passes", hostileInputs},
		{"4 the same text 200 times", sameText},
		{"5 stdio proxy is transparent", TestStdioIsTransparent},
		{"5 HTTP proxy: SSE with progress, JSON, 400 becomes 200", TestHTTPAnswers},
		{"5 unknown tool and task call are untouched", TestUntouched},
		{"6 each wording of a refusal", refusalWordings},
		{"7 lock: silent legacy server, banner, empty cursor, dropped tool, 2^53+1, grandchild", lockedServers},
	} {
		t.Run(entry.name, entry.test)
	}
}

var (
	staleBook = hooktest.Args{"city": "Rome", "days": 2}
	rightBook = hooktest.Args{"city": "Rome", "nights": 2}
)

// The proxy's servers here do not validate, so that there the stale call passes: it explains failures only.
func wireForm(t *testing.T) {
	eachDoor(t, hooktest.V1(), hooktest.V2(), nil, func(t *testing.T, o *opened) {
		texts, res := o.Call(t, "find", hooktest.Args{"query": "x"}) // checks content and resultType on the wire
		hooktest.CheckGone(t, texts, res.IsError)
		texts, res = o.Call(t, "book", staleBook)
		if o.hook.Mode() == awareness.Enforce {
			hooktest.CheckHealed(t, texts, res.IsError)
		}
		if texts, res = o.Call(t, "book", rightBook); res.IsError || len(texts) != 1 || texts[0] != "done" {
			t.Errorf("the right call: %q", texts)
		}
	})
}

func replacedTools(t *testing.T) {
	eachDoor(t, hooktest.V1(), hooktest.V2(), []awareness.Option{awareness.Repeats(false)}, func(t *testing.T, o *opened) {
		if o.add == nil {
			return // its tools cannot be replaced while it runs; TestServerReplaced and TestListChanged are about that
		}
		enforces := o.hook.Mode() == awareness.Enforce
		o.Call(t, "book", staleBook)
		o.add(hooktest.BookWide)
		if texts, res := o.Call(t, "book", staleBook); res.IsError || texts[0] != "done" {
			t.Errorf("refused after the tool was widened: %q", texts)
		}
		var callers sync.WaitGroup
		stop := make(chan struct{})
		callers.Go(func() { hooktest.Churn(stop, o.add, func(string) {}) })
		for range 40 {
			texts, res, err := o.Try("same", hooktest.Args{"n": 1})
			if err != nil || res.IsError || texts[0] != "done" {
				t.Errorf("a good call: %q, %v", texts, err)
				break
			}
			if texts, res, err = o.Try("book", staleBook); err != nil || res.IsError && !strings.HasPrefix(texts[0], "<validation_error") {
				t.Errorf("a stale call: %q, %v", texts, err)
				break
			}
		}
		close(stop)
		callers.Wait()
		o.add(hooktest.BookWide)
		if texts, res := o.Call(t, "book", staleBook); res.IsError || texts[0] != "done" {
			t.Errorf("refused after the tool was widened again: enforces %v, %q", enforces, texts)
		}
	})
}

// hostiles are definitions and arguments that broke, or hung, something that was measured.
var hostiles = map[string]struct{ schema, arguments string }{
	"exponent":            {`{"type":"object","properties":{"n":{"type":"integer","maximum":5}}}`, `{"n":1e1000001}`},
	"negative exponent":   {`{"type":"object","properties":{"n":{"type":"integer"}}}`, `{"n":1e-1000001}`},
	"2000 digits":         {`{"type":"object","properties":{"n":{"multipleOf":0.1}}}`, `{"n":` + strings.Repeat("7", 2000) + `}`},
	"exponent in schema":  {`{"type":"object","properties":{"n":{"maximum":1e1000001}}}`, `{"n":5}`},
	"depth of schema":     {`{"type":"object","properties":{"n":` + strings.Repeat(`{"items":`, 900) + `{}` + strings.Repeat(`}`, 900) + `}}`, `{"n":5}`},
	"depth of arguments":  {`{"type":"object","properties":{"n":{"type":"string"}}}`, `{"n":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`},
	"fan-out":             {`{"type":"object","properties":{"n":{"$ref":"#/$defs/d0"}},"$defs":{` + fanOut(40) + `}}`, `{"n":5}`},
	"look-ahead":          {`{"type":"object","properties":{"n":{"type":"string","pattern":"^(?=.*a)b+$"}}}`, `{"n":"c"}`},
	"back reference":      {`{"type":"object","properties":{"n":{"type":"string","pattern":"^(a+)\\1$"}}}`, `{"n":"c"}`},
	"unicode property":    {`{"type":"object","properties":{"n":{"type":"string","pattern":"^\\p{Extended_Pictographic}$"}}}`, `{"n":"c"}`},
	"key pattern":         {`{"type":"object","patternProperties":{"^(?!x)":{"type":"string"}},"additionalProperties":false}`, `{"n":"c"}`},
	"file reference":      {`{"type":"object","properties":{"n":{"$ref":"file:///etc/hostname"}}}`, `{"n":5}`},
	"network reference":   {`{"type":"object","properties":{"n":{"$ref":"http://metadata.invalid/latest/"}}}`, `{"n":5}`},
	"dangling reference":  {`{"type":"object","properties":{"n":{"$ref":"#/$defs/none"}}}`, `{"n":5}`},
	"type any":            {`{"type":"object","properties":{"n":{"type":"any"}}}`, `{"n":5}`},
	"required true":       {`{"type":"object","properties":{"n":{"required":true}}}`, `{"n":5}`},
	"properties null":     {`{"type":"object","properties":null}`, `{"n":5}`},
	"duplicate required":  {`{"type":"object","required":["n","n"]}`, `{"n":5}`},
	"unknown dialect":     {`{"$schema":"http://example.invalid/schema","type":"object","required":["m"]}`, `{"n":5}`},
	"duplicate keys":      {`{"type":"object","properties":{"n":{"type":"integer"}}}`, `{"n":"x","n":5}`},
	"format":              {`{"type":"object","properties":{"n":{"type":"string","format":"email"}}}`, `{"n":"no mail"}`},
	"recursion":           {`{"type":"object","properties":{"n":{"$ref":"#"}},"required":["n"]}`, `{"n":{"n":{"n":1e999999999}}}`},
	"a megabyte of names": {`{"type":"object","properties":{"n":{"enum":["` + strings.Repeat("x", 1<<20) + `"]}}}`, `{}`},
}

func fanOut(n int) string {
	var defs []string
	for i := range n {
		defs = append(defs, fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+1))
	}
	return strings.Join(append(defs, fmt.Sprintf(`"d%d":{}`, n)), ",")
}

// alone are those of them that no SDK can serve.
var alone = map[string]bool{"exponent in schema": true, "a megabyte of names": true}

func hostileInputs(t *testing.T) {
	base, live := hooktest.V1(), hooktest.V2()
	for _, name := range slices.Sorted(maps.Keys(hostiles)) {
		h := hostiles[name]
		before := fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object","properties":{"n":{"type":"boolean"}}}}`, toolNamed(name))
		now := fmt.Sprintf(`{"name":%q,"inputSchema":%s}`, toolNamed(name), h.schema)
		if !alone[name] {
			base, live = append(base, before), append(live, now)
		}
		best := time.Hour
		for range 5 {
			hook := hooktest.Hook(t, []string{before})
			begun := time.Now()
			if definition, err := hook.Learn([]byte(now)); err == nil {
				if v := hook.Check(awareness.Call{Tool: definition, Arguments: []byte(h.arguments)}); v.Envelope != nil {
					t.Errorf("%s: refused: %s", name, v.Envelope.Format())
				}
			}
			best = min(best, time.Since(begun))
		}
		if most := 10 * time.Millisecond; best > most && len(now) < 1<<20 {
			t.Errorf("%s: took %v, want less than %v", name, best, most)
		}
	}
	// What the SDKs cannot read they refuse themselves, with the hook and without.
	without := map[string]string{}
	ask := func(t *testing.T, o *opened, each func(name, answer string)) {
		for name, h := range hostiles {
			if !alone[name] {
				texts, res, err := o.Try(toolNamed(name), json.RawMessage(h.arguments))
				each(name, fmt.Sprintf("%q, error %v, %v", texts, res != nil && res.IsError, err))
			}
		}
		if texts, res := o.Call(t, "book", rightBook); res.IsError || texts[0] != "done" {
			t.Errorf("a good call after all that: %q", texts)
		}
	}
	eachDoor(t, base, live, []awareness.Option{awareness.WithMode(awareness.Observe)}, func(t *testing.T, o *opened) {
		passed := 0
		ask(t, o, func(name, answer string) {
			without[lastOf(t.Name())+name] = answer
			if strings.HasPrefix(answer, `["done"]`) {
				passed++
			}
		})
		if most := len(hostiles) - len(alone); passed < most-4 {
			t.Errorf("%d of %d calls pass without the hook: the test is about nothing", passed, most)
		}
	})
	eachDoor(t, base, live, nil, func(t *testing.T, o *opened) {
		ask(t, o, func(name, answer string) {
			if want := without[lastOf(t.Name())+name]; answer != want {
				t.Errorf("%s: %s, want %s", name, answer, want)
			}
		})
	})
}

// lastOf is the last part of a test's name, without the number that makes it unique.
func lastOf(name string) string {
	name, _, _ = strings.Cut(name[strings.LastIndex(name, "/")+1:], "#")
	return name
}

func toolNamed(name string) string { return strings.ReplaceAll(name, " ", "_") }

func sameText(t *testing.T) {
	first := ""
	for range 200 {
		hook := hooktest.Hook(t, hooktest.V1())
		tool, err := hook.Learn([]byte(hooktest.BookV2))
		if err != nil {
			t.Fatal(err)
		}
		text := hook.Check(awareness.Call{Tool: tool, Arguments: []byte(`{"zz":1,"yy":2,"days":"x","city":5}`)}).Envelope.Format()
		if first == "" {
			first = text
		}
		if text != first {
			t.Fatalf("%s\nthen\n%s", first, text)
		}
	}
}

// refusalWordings sends a stale call and what servers in various languages say of it through the rewriter.
func refusalWordings(t *testing.T) {
	const replaced, kept, untouched = 1, 2, 0 // texts in the answer
	call := callOf("7", "search", stale)
	for name, c := range map[string]struct {
		answer string
		texts  int
	}{
		"TypeScript 1.32":                      {answerOf("7", toolError("MCP error -32602: Input validation error: Invalid arguments for tool search: Invalid input: expected string, received undefined at subject")), replaced},
		"TypeScript 1.32, task call":           {faultOf("7", -32602, "MCP error -32602: Invalid task creation result: []"), replaced},
		"TypeScript 1.32, unknown tool":        {answerOf("7", toolError("MCP error -32602: Tool nope not found")), kept}, // of a tool that is listed: not about the name
		"TypeScript 2.4":                       {answerOf("7", toolError("Input validation error: Invalid arguments for tool search: subject: Invalid input: expected string, received undefined")), replaced},
		"TypeScript 2.4, protocol error":       {faultOf("7", -32602, "Invalid tools/call request: []"), replaced},
		"TypeScript up to 1.20":                {faultOf("7", -32602, "MCP error -32602: Invalid arguments for tool search: []"), replaced},
		"Python 1.29, low level":               {answerOf("7", toolError("Input validation error: 'subject' is a required property")), replaced},
		"Python FastMCP":                       {answerOf("7", toolError("Error executing tool search: 1 validation error for searchArguments\nsubject\n  Field required")), replaced},
		"Python 2, low level":                  {answerOf("7", `{"content":[{"type":"text","text":"ok"}]}`), untouched},
		"go-sdk 1.8":                           {answerOf("7", toolError(`validating "arguments": validating root: required: missing properties: ["subject"]`)), replaced},
		"mcp-go 1.2":                           {answerOf("7", toolError("input schema validation failed: <root>: &{Missing:[subject]}")), replaced},
		"mcp-go, handler":                      {answerOf("7", toolError(`required argument "subject" not found`)), replaced},
		"Rust 3.1":                             {answerOf("7", toolError("failed to deserialize parameters: missing field `subject`")), replaced},
		"Rust up to 1.0":                       {faultOf("7", -32602, "failed to deserialize parameters: missing field `subject`"), replaced},
		"Java 2.0":                             {answerOf("7", toolError("Tool (search) input validation failed: Validation failed: JSON schema validation errors: [x]")), replaced},
		"C#":                                   {answerOf("7", toolError("An error occurred invoking 'search'.")), kept},
		"Kotlin":                               {answerOf("7", toolError("Error executing tool search: no subject")), kept},
		"Ruby, missing":                        {answerOf("7", toolError("Missing required arguments: subject")), replaced},
		"Ruby, invalid":                        {answerOf("7", toolError("Invalid arguments: subject")), replaced},
		"PHP":                                  {faultOf("7", -32602, "Invalid parameters for tool 'search': Property '/subject': missing"), replaced},
		"fastmcp for Python":                   {answerOf("7", toolError("2 validation errors for call[search]\nsubject\n  Missing required argument")), replaced},
		"fastmcp for TypeScript":               {faultOf("7", -32602, "MCP error -32602: Tool 'search' parameter validation failed: subject: Required. Please check the parameter types and values according to the tool's schema."), replaced},
		"Swift":                                {answerOf("7", toolError("Invalid params: subject")), replaced},
		"a field of the protocol is missing":   {faultOf("7", -32602, `missing required _meta field "io.modelcontextprotocol/clientCapabilities"`), untouched},
		"an envelope of a hook in the server":  {answerOf("7", toolError(`<validation_error action="search"><field name="subject">Missing.</field><recovery>Fix it.</recovery></validation_error>`)), untouched},
		"an envelope beside other text blocks": {answerOf("7", `{"content":[{"type":"text","text":"no"},{"type":"text","text":"<tool_error code=\"NOT_FOUND\"><message>m</message></tool_error>"}],"isError":true}`), untouched},
	} {
		t.Run(name, func(t *testing.T) {
			out := exchanged(t, knowing(t, hook(t), searchV2, list), call, c.answer)
			if c.texts == untouched {
				if out != nil {
					t.Fatalf("rewritten: %s", out)
				}
				return
			}
			m := read(t, out)
			if len(m.texts) != c.texts || !renamed(m.texts[c.texts-1]) {
				t.Errorf("%d texts, want %d: %s", len(m.texts), c.texts, out)
			}
		})
	}
}

// lockable makes the test binary a server of the former era that says nothing to what it does not know.
func lockable(kind string) {
	fmt.Println("Server is starting up") // a banner where messages belong
	if kind == "grandchild" {
		child := exec.Command(os.Args[0], "hold")
		child.Stderr = os.Stderr
		if child.Start() != nil {
			os.Exit(9)
		}
	}
	cursor := ""
	if kind == "empty cursor" {
		cursor = `,"nextCursor":""`
	}
	in := json.NewDecoder(os.Stdin)
	for {
		var r struct {
			ID     json.RawMessage
			Method string
		}
		if in.Decode(&r) != nil {
			return
		}
		switch r.Method {
		case "initialize":
			fmt.Println(answerOf(string(r.ID), `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}`))
		case "tools/list":
			fmt.Println(answerOf(string(r.ID), `{"tools":[`+
				`{"name":"exact","inputSchema":{"type":"object","properties":{"n":{"maximum":9007199254740993}}},"execution":{"taskSupport":"optional"}},`+
				`{"name":"marked","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"not a header!"}}}}]`+cursor+`}`))
		}
	}
}

func lockedServers(t *testing.T) {
	for _, kind := range []string{"silent", "grandchild", "empty cursor"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			begun := time.Now()
			result, err := capture.Capture(t.Context(), capture.Source{
				Name: "old", Command: []string{os.Args[0], "lockable", kind}, Env: map[string]string{fakeEnv: byArguments},
			}, capture.Options{Timeout: 20 * time.Second})
			if kind == "empty cursor" {
				if err == nil || !strings.Contains(err.Error(), "empty cursor") {
					t.Errorf("error %v, want one that tells of the cursor", err)
				}
				return
			}
			if err != nil || result.Server == nil {
				t.Fatalf("after %v: %v", time.Since(begun), err)
			}
			exact, err := json.Marshal(result.Server.Tools["exact"].InputSchema())
			if err != nil || !strings.Contains(string(exact), "9007199254740993") {
				t.Errorf("the number became %s, %v", exact, err)
			}
			if result.Server.Tools["marked"] == nil || result.Server.ProtocolVersion != hooktest.Before {
				t.Errorf("tools %v of revision %s, want both, of %s", result.Server.Tools, result.Server.ProtocolVersion, hooktest.Before)
			}
			if took := time.Since(begun); took > 40*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}
