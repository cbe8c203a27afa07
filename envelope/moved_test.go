package envelope

import (
	"encoding/json"
	"strings"
	"testing"
)

// What a line advises is not refused by the schema that it is about.
func TestAdviceFits(t *testing.T) {
	t.Parallel()
	schema := func(text string) map[string]any {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		var m map[string]any
		if err := d.Decode(&m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	wrongType := func(received any, s string, needed bool) Issue {
		m := schema(s)
		return Issue{Path: "/v", Keyword: "type", Expected: m["type"], Received: received, Sent: true, Schema: m, Needed: needed}
	}
	for _, c := range []struct {
		issue       Issue
		want, avoid string
	}{
		{wrongType(true, `{"type":"string","enum":["on","off"]}`, false), "Expected one of 'on', 'off'.", "same value"},
		{wrongType(true, `{"type":"string"}`, false), `Expected the same value as text, in quotes: "true".`, "one of"},
		{wrongType(json.Number("12345"), `{"type":"string","maxLength":3}`, false), "Expected a string of at most 3 characters.", "same value"},
		{wrongType(json.Number("1"), `{"type":"string","pattern":"^A"}`, false), "Expected a string that matches the pattern '^A'.", "same value"},
		{wrongType("5", `{"type":"integer","minimum":10}`, false), "Expected a whole number of at least 10.", "without quotes"},
		{wrongType("50", `{"type":"integer","minimum":10}`, false), "Expected the number without quotes: 50.", "at least"},
		{wrongType("yes", `{"type":"boolean","const":false}`, false), "Expected false.", "Expected true"},
		{wrongType("x", `{"type":"array","items":{"type":"integer"}}`, false), "Expected a list of which each item is a whole number.", `["x"]`},
		{wrongType("x", `{"type":"array","items":{"type":"string"}}`, false), `Expected a list with the value in it: ["x"].`, "each item"},
		{wrongType([]any{"z"}, `{"type":"string","enum":["a"]}`, false), "Expected 'a'.", "the one item"},
		{wrongType(nil, `{"type":"string"}`, true), "Expected a string.", "leave it out"},
		{wrongType(nil, `{"type":"string"}`, false), "or leave it out if it is not used.", "\x00"},
		{wrongType("none", `{"type":"integer"}`, true), "Expected a whole number.", "leave it out"},
		{wrongType("none", `{"type":"integer"}`, false), "leave it out if it is not used.", "\x00"},
		{Issue{Path: "/v", Keyword: "oneOf", Received: "x", Sent: true, Branches: [][]Issue{
			{wrongType("x", `{"type":"integer"}`, false)}, {wrongType("x", `{"type":"array","items":{"type":"integer"}}`, false)},
		}}, "Expected a whole number or a list.", `["x"]`},
	} {
		line := Validation("f", c.issue).Fields()[0].Message
		if !strings.Contains(line, c.want) || strings.Contains(line, c.avoid) {
			t.Errorf("want %q, not %q: %s", c.want, c.avoid, line)
		}
	}
}

// One missing name was meant by one sender at most, a short one by none, and a secret by no plain name.
func TestMeantOnce(t *testing.T) {
	t.Parallel()
	undeclared := func(name string, known ...string) Issue {
		return Issue{Keyword: "additionalProperties", Property: name, Known: known}
	}
	for _, c := range []struct {
		issues []Issue
		want   []string
	}{
		{[]Issue{undeclared("a", "x", "y"), undeclared("b", "x", "y")}, []string{"", ""}},
		{[]Issue{undeclared("qry", "query"), undeclared("queery", "query")}, []string{"", "query"}},
		{[]Issue{undeclared("password", "passwords", "a"), undeclared("api_key", "api_keyid")}, []string{"passwords", ""}},
		{[]Issue{undeclared("topic", "topics"), {Keyword: "additionalProperties", Property: "old", Known: []string{"topics"}, Moved: []Move{{From: "/old", To: "/topics"}}}}, []string{"", "topics"}},
	} {
		for i, is := range c.issues {
			if got := Meant(is, c.issues); got != c.want[i] {
				t.Errorf("%s means %q, want %q", is.Property, got, c.want[i])
			}
		}
	}
}
