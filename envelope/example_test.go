package envelope_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/fusionctl/fusionctl/envelope"
)

// An error says what went wrong, what to do next, and what can be called instead. It needs no final step to be an error.
func Example() {
	var err error = envelope.New(envelope.CodeNotFound, "No invoice with that ID").
		Suggest("List invoices first, then retry with a real ID").
		Actions("billing.list_invoices").
		Detail("requestedId", "inv_2026_9999").
		RetryAfter(30 * time.Second)
	fmt.Println(err)
	var e *envelope.ToolError
	if errors.As(err, &e) {
		fmt.Println(e.Format())
	}
	// Output:
	// NOT_FOUND: No invoice with that ID
	// <tool_error code="NOT_FOUND" severity="error">
	//   <message>No invoice with that ID</message>
	//   <recovery>List invoices first, then retry with a real ID</recovery>
	//   <available_actions>
	//     <action>billing.list_invoices</action>
	//   </available_actions>
	//   <details>
	//     <detail key="requestedId">inv_2026_9999</detail>
	//   </details>
	//   <retry_after>30 seconds</retry_after>
	// </tool_error>
}

// A ToolError never changes, so that a package variable can be refined by each call.
func ExampleToolError_Detail() {
	errGone := envelope.NotFound("The invoice was deleted")
	fmt.Println(errGone.Detail("id", 7).Detail("apiKey", "k-123456").Format())
	fmt.Println(len(errGone.AllDetails()))
	// Output:
	// <tool_error code="NOT_FOUND" severity="error">
	//   <message>The invoice was deleted</message>
	//   <recovery>List what exists first, then retry with a real ID.</recovery>
	//   <details>
	//     <detail key="id">7</detail>
	//     <detail key="apiKey">a string of 8 characters (hidden)</detail>
	//   </details>
	// </tool_error>
	// 0
}

// A warning rides on a result that is a success.
func ExampleDeprecated() {
	e := envelope.Deprecated("billing.get", "billing.get_invoice")
	fmt.Println(e.IsError())
	fmt.Println(e.Format())
	// Output:
	// false
	// <tool_error code="DEPRECATED" severity="warning">
	//   <message>'billing.get' is deprecated</message>
	//   <recovery>The call worked. Call 'billing.get_invoice' from now on.</recovery>
	//   <available_actions>
	//     <action>billing.get_invoice</action>
	//   </available_actions>
	// </tool_error>
}

// The nearest names come first.
func ExampleUnknownAction() {
	fmt.Println(envelope.UnknownAction("get_invoce", "create", "get_invoice").Recovery())
	// Output:
	// Call 'get_invoice' if that was meant, otherwise one of the available actions.
}

// Any validator can fill issues; each becomes one line.
func ExampleValidation() {
	schema := map[string]any{"properties": map[string]any{"customerId": map[string]any{"type": "string"}, "email": map[string]any{"type": "string"}}}
	e := envelope.Validation("billing.get_invoice",
		envelope.Issue{Path: "/email", Keyword: "format", Expected: "email", Received: "not-an-email", Sent: true},
		envelope.Issue{Path: "/items/2/price", Keyword: "type", Expected: "number", Received: "673", Sent: true},
		envelope.Issue{Keyword: "additionalProperties", Property: "customer_id", Received: map[string]any{"customer_id": "c1"}, Sent: true, Known: []string{"customerId", "email"}, Schema: schema},
		envelope.Issue{Path: "/password", Keyword: "minLength", Expected: json.Number("12"), Received: "hunter2", Sent: true},
	)
	fmt.Println(e.Format())
	// Output:
	// <validation_error action="billing.get_invoice">
	//   <field name="email">Invalid email format. You sent: 'not-an-email'. Expected a valid email address.</field>
	//   <field name="items[2].price">Must be a number, not text. You sent: '673'. Expected the number without quotes: 673.</field>
	//   <field name="customer_id">Unknown name. You sent: 'customer_id'. Expected the name 'customerId' with the same value.</field>
	//   <field name="password">Too short. You sent: a string of 7 characters (hidden). Expected at least 12 characters.</field>
	//   <recovery>Fix the fields above and call the tool again. Do not explain the error.</recovery>
	// </validation_error>
}

// Checks that no schema expresses have lines of their own.
func ExampleFields() {
	fmt.Println(envelope.Fields("calendar.find", envelope.Field{Name: "from", Message: "Must be before 'to'. You sent: 9. Expected a number below 5."}).Format())
	// Output:
	// <validation_error action="calendar.find">
	//   <field name="from">Must be before 'to'. You sent: 9. Expected a number below 5.</field>
	//   <recovery>Fix the fields above and call the tool again. Do not explain the error.</recovery>
	// </validation_error>
}

// What changed in the contract goes into the same turn.
func ExampleValidationError_WithAwareness() {
	fmt.Println(envelope.Validation("billing.get_invoice",
		envelope.Issue{Path: "/id", Keyword: "type", Expected: "string", Received: json.Number("7"), Sent: true}).
		WithAwareness(&envelope.ContractAwareness{
			Note: "The contract of billing.get_invoice changed since the version you were calibrated on.", ChangeCount: 1, MaxSeverity: "BREAKING",
			Changes: []envelope.ContractChange{{Severity: "BREAKING", Field: "/properties/id", Description: "the type changed", Before: "integer", After: "string"}},
		}).Format())
	// Output:
	// <validation_error action="billing.get_invoice">
	//   <field name="id">Must be a string, not a number. You sent: 7. Expected the same value as text, in quotes: "7".</field>
	//   <recovery>Fix the fields above and call the tool again. Do not explain the error.</recovery>
	//   <contract_awareness>
	//     <system_note>The contract of billing.get_invoice changed since the version you were calibrated on.</system_note>
	//     <change_count>1</change_count>
	//     <max_severity>BREAKING</max_severity>
	//     <contract_changes>
	//       <change severity="BREAKING" field="/properties/id">
	//         <description>the type changed</description>
	//         <before>integer</before>
	//         <after>string</after>
	//       </change>
	//     </contract_changes>
	//   </contract_awareness>
	// </validation_error>
}

// From decides what may leave the server, and who reads it.
func ExampleFrom() {
	for _, err := range []error{
		fmt.Errorf("get invoice: %w", envelope.NotFound("No invoice with that ID")),
		fmt.Errorf("read: %w", envelope.ResourceNotFound("file:///a.txt", "")),
		fmt.Errorf("query: %w", context.DeadlineExceeded),
		errors.New("dial postgres://app:pw1@db/bills: refused"),
	} {
		switch e := envelope.From(err).(type) {
		case envelope.Envelope:
			fmt.Println("to the model:", e)
		case *envelope.ProtocolError:
			fmt.Println("to the host:", e.Code, e.Message, e.Data)
		}
	}
	// Output:
	// to the model: NOT_FOUND: No invoice with that ID
	// to the host: -32602 Resource not found map[uri:file:///a.txt]
	// to the model: TIMEOUT: The call took longer than allowed
	// to the model: INTERNAL_ERROR: dial postgres://[hidden]@db/bills: refused
}

// A panic is an error for the model and a cause with a stack for the log.
func ExampleCall() {
	_, err := envelope.Call(func() (string, error) {
		var list []string
		return list[3], nil
	})
	fmt.Println(err)
	var p *envelope.PanicError
	fmt.Println(errors.As(err, &p), p)
	// Output:
	// INTERNAL_ERROR: The tool failed unexpectedly
	// true panic: runtime error: index out of range [3] with length 0
}

// A handler with a named result can do the same by itself.
func ExampleRecover() {
	handler := func() (err error) {
		defer envelope.Recover(&err, envelope.WithSafeMessage("The store is not available"))
		panic("lost connection to 10.0.0.7")
	}
	fmt.Println(handler())
	// Output:
	// INTERNAL_ERROR: The store is not available
}

// A client reads the text of a tool result back.
func ExampleAsError() {
	text := `<tool_error severity='error' code='CONFLICT'><message>Taken</message><recovery>Pick another name</recovery></tool_error>`
	var c *envelope.CallError
	if errors.As(envelope.AsError(text, true), &c) {
		fmt.Println(c.Code, c.Message, c.Recovery, c.Severity)
	}
	// Output:
	// CONFLICT Taken Pick another name error
}

// Parse finds an envelope in other text.
func ExampleParse() {
	e, err := envelope.Parse("note: " + envelope.Deprecated("a", "b").Format())
	fmt.Println(e, e.IsError(), err)
	_, err = envelope.Parse("all is well")
	fmt.Println(err)
	// Output:
	// DEPRECATED: 'a' is deprecated false <nil>
	// no envelope in the text
}
