package envelope_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/hooktest/foreign"
)

// whole names the elements that hold what the caller of the package wrote, as it is: it is his to say.
func whole(elements ...string) []string { return elements }

// Text from elsewhere stays in its place (reports S02, S04, S06), in each kind of envelope and at each place of it.
func TestForeignText(t *testing.T) {
	t.Parallel()
	for _, text := range foreign.Texts() {
		s := text.String()
		for _, c := range []struct {
			what  string
			e     envelope.Envelope
			whole []string
		}{
			{"tool error", envelope.New(envelope.Code(s), s).Suggest(s).Actions(s, s+"2").Detail(s, s).Detail("password "+s, s).RetryAfter(time.Second), whole("message", "recovery", "detail")},
			{"details", envelope.New("X", "m").Details(map[string]any{s: map[string]any{s: []any{s}}, "error": errors.New(s), "map": map[string]any{"token": s}}), whole("detail")},
			{"error", envelope.From(errors.New(s)).(envelope.Envelope), whole("message")},
			{"wrapped error", envelope.From(fmt.Errorf("%s: %w", s, envelope.NotFound(s))).(envelope.Envelope), whole("message")},
			{"safe message", envelope.From(errors.New(s), envelope.WithSafeMessage("The tool failed")).(envelope.Envelope), nil},
			{"unknown action", envelope.UnknownAction(s, s+"2", "b"), nil},
			{"unknown action without a near one", envelope.UnknownAction("a", s), nil},
			{"missing field", envelope.MissingField(s), whole("detail")},
			{"missing discriminator", envelope.MissingDiscriminator(s, s), nil},
			{"deprecated", envelope.Deprecated(s, s), nil},
			{"handoff", envelope.HandoffMismatch(s, s), nil},
			{"handoff to one that is down", envelope.HandoffUnavailable(s), nil},
			{"handoff in progress", envelope.HandoffInProgress(s, time.Second), nil},
			{"lines of one's own", envelope.Fields(s, envelope.Field{Name: s, Message: s}).Suggest(s), whole("field", "recovery")},
			{"example", envelope.Fields("a").WithExample(map[string]any{s: []any{s}}), nil},
			{"section", envelope.Validation(s).WithAwareness(section(s)), whole("system_note", "instructions", "description")},
			{"section of a tool error", envelope.NotFound("").WithAwareness(section(s)), whole("system_note", "instructions", "description")},
		} {
			foreign.Envelope(t, text.Name+", "+c.what, c.e.Format(), c.whole...)
			foreign.Harmless(t, text.Name+", "+c.what+", for a log", c.e.Error())
			checkProtocol(t, text.Name+", "+c.what, envelope.AsProtocol(c.e, s))
			again, err := envelope.Parse("Error: " + c.e.Format())
			if err != nil || again.Format() != c.e.Format() {
				t.Errorf("%s, %s: is read as %v, %v", text.Name, c.what, again, err)
			}
		}
		checkProtocol(t, text.Name, envelope.ResourceNotFound(s, s))
		foreign.Line(t, text.Name, envelope.Line(s, 100), 100)
		if e, err := envelope.Parse(s); err == nil { // as another server sent it
			foreign.Envelope(t, text.Name+", read", e.Format(), "message", "field", "recovery")
		}
		foreign.Harmless(t, text.Name+", the error of a client", envelope.AsError(s, true).Error())
	}
}

func section(s string) *envelope.ContractAwareness {
	return &envelope.ContractAwareness{Note: s, Instructions: s, MaxSeverity: s, Changes: []envelope.ContractChange{{Severity: s, Field: s, Description: s, Before: s, After: s}}}
}

// checkProtocol checks the JSON of an error for the host. Its URI is what was asked for, to the letter; all other texts are clean.
func checkProtocol(t *testing.T, what string, e *envelope.ProtocolError) {
	t.Helper()
	data, err := json.Marshal(e)
	if err != nil || !json.Valid(data) || strings.ContainsAny(string(data), "\r\n") {
		t.Errorf("%s: %v: not one line of JSON: %.300q", what, err, data)
	}
	foreign.Line(t, what+", protocol error", e.Message, 1000)
	if text, ok := e.Data.(map[string]any)["envelope"].(string); ok {
		foreign.Envelope(t, what+", data of a protocol error", text, "message", "recovery", "field", "detail", "system_note", "instructions", "description")
	}
}

// keywords are all that the lines of a validation error know, and one that they do not.
var keywords = strings.Fields(`required dependentRequired dependencies additionalProperties unevaluatedProperties undeclared propertyNames
	oneOf anyOf type enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format
	contentEncoding contentMediaType minItems maxItems uniqueItems contains minContains maxContains minProperties maxProperties
	additionalItems not false dependentSchemas if other`)

// Every line about every keyword, with the text as every part of the schema, of the arguments and of the names.
func TestForeignTextInLines(t *testing.T) {
	t.Parallel()
	for _, text := range foreign.Texts() {
		s := text.String()
		schemas := []map[string]any{
			{"const": s}, {"enum": []any{s, "b"}}, {"const": map[string]any{s: s}}, {"type": s}, {"type": "string", "pattern": s}, {"pattern": s},
			{"type": "string", "format": s, "examples": []any{s}}, {"type": "array", "contains": map[string]any{"const": s}, "minContains": json.Number("1")},
			{"required": []any{s, "b"}}, {"required": []any{s}}, nil,
		}
		var expected []any
		for _, schema := range schemas {
			expected = append(expected, map[string]any(schema))
		}
		expected = append(expected, s, []any{s}, []any{s, "b"}, map[string]any{s: s}, map[string]any{s: []any{s}}, json.Number(s), nil)
		received := []any{s, []any{s}, map[string]any{s: s}, map[string]any{s: map[string]any{s: 1}}, "[" + text.JSON + "]", `{"a":` + text.JSON + `}`, json.Number(s), nil}
		for _, keyword := range append(keywords, s) {
			var issues []envelope.Issue
			for i := range max(len(expected), len(received)) {
				issue := envelope.Issue{
					Path: "/" + s, Keyword: keyword, Expected: expected[i%len(expected)], Received: received[i%len(received)], Sent: true,
					Property: s, Known: []string{s + "2", "b"}, Schema: schemas[i%len(schemas)], Secret: i%9 == 8,
				}
				issue.Branches = [][]envelope.Issue{{{Path: "/" + s + "/type", Keyword: "const", Expected: s, Received: "x", Sent: true}}, {{Path: "/" + s + "/type", Keyword: "enum", Expected: []any{s + "2"}, Received: s, Sent: true}}}
				issues = append(issues, issue)
				if i%2 == 0 {
					issue.Property, issue.Branches = "", [][]envelope.Issue{{{Path: "/" + s, Keyword: "type", Expected: s, Received: s, Sent: true}}}
					issues = append(issues, issue)
				}
			}
			for len(issues) > 0 {
				n := min(5, len(issues))
				foreign.Envelope(t, text.Name+", "+keyword, envelope.Validation(s, issues[:n]...).Format())
				issues = issues[n:]
			}
			if t.Failed() {
				return
			}
		}
	}
}
