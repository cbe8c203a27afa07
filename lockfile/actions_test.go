package lockfile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

func TestActions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ schema, want string }{
		// an enum under a usual name
		{`{"properties":{"action":{"enum":["list","get"]}},"required":["action"]}`, "action: list get"},
		{`{"properties":{"method":{"const":"get"}},"required":["method"]}`, "method: get"},
		{`{"properties":{"action":{"$ref":"#/$defs/A"}},"required":["action"],"$defs":{"A":{"enum":["a","b"]}}}`, "action: a b"},
		{`{"properties":{"operation":{"oneOf":[{"const":"a","title":"A"},{"const":"b"}]}},"required":["operation"]}`, "operation: a b"},
		// constants of branches, under any name
		{`{"oneOf":[{"properties":{"kind":{"const":"a"}},"required":["kind"]},{"properties":{"kind":{"const":"b"}},"required":["kind"]}]}`, "kind: a b"},
		{`{"required":["kind"],"anyOf":[{"properties":{"kind":{"enum":["a","c"]}}},{"properties":{"kind":{"const":"b"}}}]}`, "kind: a c b"},
		{`{"oneOf":[{"$ref":"#/$defs/X"},{"$ref":"#/$defs/Y"}],"$defs":{"X":{"properties":{"k":{"const":"x"}},"required":["k"]},"Y":{"properties":{"k":{"const":"y"}},"required":["k"]}}}`, "k: x y"},
		// conditions
		{`{"properties":{"mode":{"enum":["a","b"]}},"required":["mode"],"if":{"properties":{"mode":{"const":"a"}}},"then":{"required":["x"]}}`, "mode: a b"},
		{`{"properties":{"mode":{"enum":["a","b"]}},"required":["mode"],"allOf":[{"if":{"properties":{"mode":{"const":"a"}}},"then":{"required":["x"]}}]}`, "mode: a b"},
		// a reference at the root
		{`{"$ref":"#/$defs/R","$defs":{"R":{"properties":{"action":{"enum":["a"]}},"required":["action"]}}}`, "action: a"},
		// no discriminator
		{`{"properties":{"action":{"enum":["list","get"]}}}`, ""},                       // not required
		{`{"properties":{"format":{"enum":["json","xml"]}},"required":["format"]}`, ""}, // chooses no operation
		{`{"properties":{"action":{"type":"string"}},"required":["action"]}`, ""},
		{`{"properties":{"action":{"enum":["a",1]}},"required":["action"]}`, ""},
		{`{"oneOf":[{"properties":{"k":{"const":"x"}},"required":["k"]},{"required":["z"]}]}`, ""},
		{`{"$ref":"#/$defs/R","$defs":{"R":{"$ref":"#/$defs/R"}}}`, ""},
		{`{"$ref":"other.json"}`, ""},
		{`true`, ""},
	} {
		schema, err := canonjson.Decode([]byte(test.schema))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if d, ok := Actions(schema); ok {
			got = d.Property + ":"
			for _, a := range d.Actions {
				got += " " + a.Name
			}
		}
		if got != test.want {
			t.Errorf("Actions(%s) = %q, want %q", test.schema, got, test.want)
		}
	}
}

func TestActionSchema(t *testing.T) {
	t.Parallel()
	schema := decode(t, `{"type":"object","properties":{"k":{"enum":["x","y"],"description":"d"}},"required":["k"],
		"oneOf":[{"properties":{"k":{"const":"x"},"a":{}},"required":["a"]},{"properties":{"k":{"const":"y"}}}]}`)
	before := string(canonjson.Append(nil, schema))
	d, ok := Actions(schema)
	if !ok || len(d.Actions) != 2 {
		t.Fatalf("%v, %v", d, ok)
	}
	got := string(canonjson.Append(nil, d.Actions[0].Schema))
	want := `{"oneOf":[{"properties":{"a":{},"k":{"const":"x"}},"required":["a"]}],"properties":{"k":{"const":"x","description":"d"}},"required":["k"],"type":"object"}`
	if got != want {
		t.Errorf("schema of x is %s, want %s", got, want)
	}
	if string(canonjson.Append(nil, schema)) != before {
		t.Error("the tool's schema was changed")
	}
}

func ExampleActions() {
	schema, _ := canonjson.Decode([]byte(`{
		"type": "object",
		"properties": {"action": {"enum": ["list", "get"]}, "id": {"type": "string"}},
		"required": ["action"]
	}`))
	if d, ok := Actions(schema); ok {
		var names []string
		for _, a := range d.Actions {
			names = append(names, "billing."+a.Name)
		}
		fmt.Println(d.Property, strings.Join(names, " "))
	}
	// Output: action billing.list billing.get
}
