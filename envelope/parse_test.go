package envelope

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestParseForeign reads what other implementations write.
func TestParseForeign(t *testing.T) {
	t.Parallel()
	want := New(CodeNotFound, "No <b> & c").Suggest("Do it").Actions("a.b", "c").Detail("k", "v").RetryAfter(30 * time.Second)
	for name, text := range map[string]string{
		"one line":          `<tool_error code="NOT_FOUND" severity="error"><message>No &lt;b> &amp; c</message><recovery>Do it</recovery><available_actions><action>a.b</action><action>c</action></available_actions><details><detail key="k">v</detail></details><retry_after>30 seconds</retry_after></tool_error>`,
		"attribute order":   `<tool_error  severity = 'error'  x code='NOT_FOUND' ><message>No &lt;b&gt; &#38; c</message><recovery>Do it</recovery><available_actions>a.b, c</available_actions><details><k>v</k></details><retry_after>30</retry_after></tool_error>`,
		"no severity":       "<tool_error code=NOT_FOUND>\n\t<message>\n  No <![CDATA[<b> &]]> c\n</message><recovery a=\"b\">Do it</recovery ><available_actions><action>a.b</action>,<action>c</action></available_actions><details><detail key='k'>v</detail></details><retry_after>30s</retry_after></tool_error>",
		"other order, more": `<!-- <message>no</message> --><tool_error severity="fatal" code="NOT_FOUND"><retry_after>0.5 minutes</retry_after><trace><message2/></trace><!-- <message>no</message> --><details><detail key="k">v</detail></details><available_actions><action>a.b</action><action>c</action></available_actions><recovery>Do it</recovery><message>No <b> & c</message></tool_error>`,
		"never closed":      `x <tool_error code="NOT_FOUND"><message>No <b> & c</message><recovery>Do it</recovery><available_actions><action>a.b</action><action>c</action></available_actions><details><detail key="k">v</detail></details><retry_after>30000 ms</retry_after>`,
		"second candidate":  `A <tool_error> is read by a model. <tool_errors><tool_error code="NOT_FOUND"><message>No <b> & c</message><recovery>Do it</recovery><available_actions>a.b,c</available_actions><details><detail key="k">v</detail></details><retry_after>30 s</retry_after></tool_error>`,
	} {
		got, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(Envelope(want), got, same); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestParseForeignValidation(t *testing.T) {
	t.Parallel()
	got, err := Parse(`Error: <validation_error action='a.b'><contract_awareness><system_note>n</system_note><action>a.b</action><change_count>3</change_count>` +
		`<max_severity>BREAKING</max_severity><contract_changes><change field="/x" severity="RISKY"><after>2</after><before>1</before><description>d</description></change></contract_changes>` +
		`</contract_awareness><field type="x" name="id">m &quot;q&quot;</field><field name="n"/><recovery>r</recovery></validation_error> trailing`)
	want := Fields("a.b", Field{"id", `m "q"`}, Field{"n", ""}).Suggest("r").WithAwareness(&ContractAwareness{Note: "n", ChangeCount: 3, MaxSeverity: "BREAKING",
		Changes: []ContractChange{{"RISKY", "/x", "d", "1", "2"}}})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(Envelope(want), got, same); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestParseNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "plain", "<tool_error", "<tool_error>", "<tool_error></tool_error>", "<tool_error/>", "<validation_error>", "<tool_errors code='x'/>", "<", "<tool_error code=", `<tool_error code="`,
		strings.Repeat("<tool_error ", 30000), strings.Repeat("<tool_error>", 30000), strings.Repeat("<validation_error>", 30000)} {
		if e, err := Parse(text); !errors.Is(err, ErrNoEnvelope) || e != nil {
			t.Errorf("Parse(%.40q) = %v, %v", text, e, err)
		}
	}
}

func TestReadDuration(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]time.Duration{
		"30 seconds": 30 * time.Second, "1 second": time.Second, "5": 5 * time.Second, "2 min": 2 * time.Minute, "1 hour": time.Hour, "1500ms": 2 * time.Second, "0.2": time.Second,
		"": 0, "soon": 0, "-5": 0, "5 days": 0, "1..2": 0, "99999999999999999999": 0, "9223372036": 9223372036 * time.Second,
	} {
		if got := readDuration(in); got != want {
			t.Errorf("readDuration(%q) = %v, want %v", in, got, want)
		}
	}
}

func TestAsError(t *testing.T) {
	t.Parallel()
	text := "The server said: " + UnknownAction("lst", "list").Critical().Format() + " bye"
	var c *CallError
	if !errors.As(AsError(text, true), &c) {
		t.Fatal("no CallError")
	}
	if c.Code != CodeUnknownAction || c.Severity != SeverityCritical || c.Recovery != "Call 'list' if that was meant, otherwise one of the available actions." ||
		len(c.AvailableActions) != 1 || c.AvailableActions[0] != "list" || !strings.HasPrefix(c.Raw, "<tool_error ") || !strings.HasSuffix(c.Raw, "</tool_error>") {
		t.Errorf("%+v", c)
	}
	var inner *ToolError
	if !errors.As(c, &inner) || inner.Code() != CodeUnknownAction {
		t.Error("the envelope is not in the chain")
	}
	if err := AsError(text, false); err != nil {
		t.Errorf("an envelope quoted in a success: %v", err)
	}
	if err := AsError(NotFound("x").Format()+"\n", false); err == nil {
		t.Error("an error that forgot isError passed as a success")
	}
	if err := AsError(Deprecated("a", "b").Format(), false); err != nil {
		t.Errorf("a warning is an error: %v", err)
	}
	if err := AsError("boom", true); err == nil || err.Error() != "boom" {
		t.Error(err)
	}
	if err := AsError("fine", false); err != nil {
		t.Error(err)
	}
	if err := AsError(Validation("a", repeated(2)...).Format(), true); err == nil || err.Error() != "VALIDATION_ERROR: items[0]: Too small. You sent: 0. Expected a number of at least 1." {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	for _, file := range []string{"testdata/tool_errors.golden", "testdata/validation_errors.golden"} {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for section := range strings.SplitSeq(string(data), "-- ") {
			if _, text, ok := strings.Cut(section, " --\n"); ok {
				f.Add(text)
			}
		}
	}
	f.Add(`<tool_error code='x'><message><![CDATA[a]]></message><details><k a="<">v</details><retry_after>1.5 m`)
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Parse(text)
		_ = AsError(text, true)
		if err != nil {
			return
		}
		// What was read is written well, and from then on stays.
		out := e.Format()
		wellFormed(t, out)
		back, err := Parse(out)
		if err != nil {
			t.Fatalf("Parse(Format(Parse(%q))): %v", text, err)
		}
		if again := back.Format(); again != out {
			t.Fatalf("Format is not stable: %q, then %q", out, again)
		}
	})
}

func FuzzEncode(f *testing.F) {
	f.Add("NOT_FOUND", "message", "recovery", "a.b", "key", "value", int64(30))
	f.Add("", "]]>", "\u202e", "</action>", "'\"<>&", "\x00\xff", int64(-1))
	f.Fuzz(func(t *testing.T, code, message, recovery, action, key, value string, wait int64) {
		wide := Limits{Bytes: 1 << 20}
		e := New(Code(code), message).Suggest(recovery).Actions(action).Detail(key, value).RetryAfter(time.Duration(wait)).Limit(wide)
		v := wide.Validation(action, Issue{Path: "/" + key, Keyword: code, Expected: message, Received: value, Sent: true, Property: recovery, Known: []string{key, action}},
			Issue{Path: key, Keyword: "type", Expected: action, Received: value, Sent: true})
		for _, x := range []Envelope{e, v} {
			text := x.Format()
			wellFormed(t, text)
			back, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(x, back, same); d != "" {
				t.Fatalf("(-want +got):\n%s", d)
			}
		}
	})
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_ = New(CodeNotFound, "No invoice with that ID").Suggest("List invoices first, then retry with a real ID").Format()
	}
}

func BenchmarkNewFull(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_ = New(CodeNotFound, "No invoice with that ID").Suggest("List invoices first, then retry with a real ID").Actions("billing.list_invoices").
			Detail("requestedId", "inv_2026_9999").RetryAfter(30 * time.Second).Format()
	}
}

func BenchmarkParse(b *testing.B) {
	text := New(CodeNotFound, "No invoice with that ID").Suggest("List invoices first, then retry with a real ID").Actions("billing.list_invoices").
		Detail("requestedId", "inv_2026_9999").RetryAfter(30 * time.Second).Format()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseValidationWithAwareness(b *testing.B) {
	text := Validation("billing.get_invoice", repeated(3)...).WithAwareness(twoChanges).Format()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHugeCall(b *testing.B) {
	issues := hugeCall()
	b.ReportAllocs()
	for b.Loop() {
		_ = Validation("t", issues...).Format()
	}
}

func TestAllocations(t *testing.T) { // not parallel: it counts allocations
	if n := testing.AllocsPerRun(100, func() { _ = New(CodeNotFound, "No invoice with that ID").Suggest("List invoices first").Format() }); n > 6 {
		t.Errorf("a plain tool error costs %v allocations, want at most 6", n)
	}
}
