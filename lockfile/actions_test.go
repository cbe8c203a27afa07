package lockfile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
		{`{"properties":{"action":{"type":"string"}},"required":["action"],"allOf":[{"if":{"properties":{"action":{"const":"a"}}},"then":{"required":["x"]}},{"if":{"properties":{"action":{"enum":["b","c"]}},"required":["action"]},"then":{"required":["y"]}}]}`, "action: a b c"},
		{`{"properties":{"action":{"type":"string"}},"required":["action"],"if":{"properties":{"action":{"const":"a"}}},"then":{"required":["x"]},"else":{"if":{"properties":{"action":{"const":"b"}}},"then":{"required":["y"]}}}`, "action: a b"},
		// in allOf, behind references with keywords beside them, nested branches
		{`{"allOf":[{"properties":{"action":{"enum":["a","b"]}}},{"required":["action"]}]}`, "action: a b"},
		{`{"properties":{"action":{"description":"d","$ref":"#/$defs/A"}},"required":["action"],"$defs":{"A":{"anyOf":[{"const":"a"},{"enum":["b","a"]}]}}}`, "action: a b"},
		{`{"properties":{"action":{"allOf":[{"$ref":"#/definitions/A"}]}},"required":["action"],"definitions":{"A":{"enum":["a"]}}}`, "action: a"},
		{`{"oneOf":[{"allOf":[{"$ref":"#/$defs/B"},{"properties":{"t":{"const":"x"}}}]},{"allOf":[{"$ref":"#/$defs/B"},{"properties":{"t":{"const":"y"}}}]}],"$defs":{"B":{"required":["t"]}}}`, "t: x y"},
		{`{"anyOf":[{"oneOf":[{"properties":{"t":{"const":"x"}},"required":["t"]},{"properties":{"t":{"const":"y"}},"required":["t"]}]},{"properties":{"t":{"const":"z"}},"required":["t"]}]}`, "t: x y z"},
		{`{"properties":{"t":{"enum":["x","y","z"]}},"required":["t"],"oneOf":[{"properties":{"t":{"const":"y"}}},{"properties":{"t":{"const":"x"}}}]}`, "t: x y"},
		// the property that tells branches apart, not one that is the same in all or overlaps
		{`{"oneOf":[{"properties":{"api":{"const":"2"},"t":{"const":"x"}},"required":["api","t"]},{"properties":{"api":{"const":"2"},"t":{"const":"y"}},"required":["api","t"]}]}`, "t: x y"},
		{`{"oneOf":[{"properties":{"a":{"enum":["1","2"]},"t":{"const":"x"}},"required":["a","t"]},{"properties":{"a":{"enum":["2","3"]},"t":{"const":"y"}},"required":["a","t"]}]}`, "t: x y"},
		{`{"oneOf":[{"properties":{"z":{"const":"1"},"method":{"const":"x"}},"required":["z","method"]},{"properties":{"z":{"const":"2"},"method":{"const":"y"}},"required":["z","method"]}]}`, "method: x y"},
		// a reference at the root
		{`{"type":"object","$ref":"#/$defs/R","$defs":{"R":{"oneOf":[{"properties":{"t":{"const":"x"}},"required":["t"]},{"properties":{"t":{"const":"y"}},"required":["t"]}]}}}`, "t: x y"},
		{`{"$ref":"#/$defs/R","$defs":{"R":{"properties":{"action":{"enum":["a"]}},"required":["action"]}}}`, "action: a"},
		// no discriminator
		{`{"properties":{"action":{"enum":["list","get"]}}}`, ""},                       // not required
		{`{"properties":{"format":{"enum":["json","xml"]}},"required":["format"]}`, ""}, // chooses no operation
		{`{"properties":{"action":{"type":"string"}},"required":["action"]}`, ""},
		{`{"properties":{"action":{"enum":["a",1]}},"required":["action"]}`, ""},
		{`{"oneOf":[{"properties":{"k":{"const":"x"}},"required":["k"]},{"required":["z"]}]}`, ""},
		{`{"$ref":"#/$defs/R","$defs":{"R":{"$ref":"#/$defs/R"}}}`, ""},
		{`{"$ref":"other.json"}`, ""},
		{`{"properties":{"unit":{"enum":["C","F"]},"format":{"const":"json"}},"required":["unit","format"]}`, ""},
		{`{"properties":{"country":{"type":"string"}},"required":["country"],"if":{"properties":{"country":{"const":"US"}}},"then":{"required":["zip"]}}`, ""}, // any country will do
		{`{"properties":{"mode":{"enum":["a","b"]},"x":{}},"required":["mode"],"if":{"properties":{"mode":{"const":"a"},"x":{"const":1}}},"then":{"required":["y"]}}`, ""},
		{`{"properties":{"action":{"enum":["a",null]}},"required":["action"]}`, ""},
		{`{"properties":{"action":{"enum":[]}},"required":["action"]}`, ""},
		{`{"properties":{"action":{"const":"a","enum":["b"]}},"required":["action"]}`, ""}, // nothing is allowed
		{`{"properties":{"type":{"const":"a"}},"required":["type"],"oneOf":[{"properties":{"type":{"const":"a"}}}]}`, ""},
		{`{"oneOf":[{"properties":{"k":{"const":"x"}}},{"properties":{"k":{"const":"y"}},"required":["k"]}]}`, ""}, // optional in one branch
		{`[]`, ""},
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
	for _, test := range []struct{ name, schema, action, want string }{
		{"branches",
			`{"type":"object","properties":{"k":{"enum":["x","y"],"description":"d"}},"required":["k"],
			"oneOf":[{"properties":{"k":{"const":"x"},"a":{}},"required":["a"]},{"properties":{"k":{"const":"y"}}}]}`, "x",
			`{"oneOf":[{"properties":{"a":{},"k":{"const":"x"}},"required":["a"]}],"properties":{"k":{"const":"x","description":"d"}},"required":["k"],"type":"object"}`},
		{"several values of one branch",
			`{"required":["k"],"oneOf":[{"properties":{"k":{"enum":["x","y"]}}},{"properties":{"k":{"const":"z"}}}]}`, "y",
			`{"allOf":[{"properties":{"k":{"const":"y"}}}],"oneOf":[{"properties":{"k":{"enum":["x","y"]}}}],"required":["k"]}`},
		{"conditions",
			`{"properties":{"action":{"enum":["x","y"]},"a":{}},"required":["action"],"allOf":[
			{"if":{"properties":{"action":{"const":"x"}},"required":["action"]},"then":{"required":["a"]}},
			{"if":{"properties":{"action":{"const":"y"}}},"then":{"required":["b"]},"else":{"maxProperties":2}},
			{"if":{"properties":{"a":{"const":1}}},"then":{"required":["c"]}}]}`, "x",
			`{"allOf":[{"allOf":[{"required":["a"]}]},{"allOf":[{"maxProperties":2}]},{"if":{"properties":{"a":{"const":1}}},"then":{"required":["c"]}}],` +
				`"properties":{"a":{},"action":{"const":"x"}},"required":["action"]}`},
		{"a condition that does not concern the action is gone",
			`{"properties":{"action":{"enum":["x","y"]}},"required":["action"],"if":{"properties":{"action":{"const":"y"}}},"then":{"required":["b"]}}`, "x",
			`{"properties":{"action":{"const":"x"}},"required":["action"]}`},
		{"along else",
			`{"properties":{"action":{"enum":["x","y","z"]}},"required":["action"],"if":{"properties":{"action":{"const":"y"}}},"then":{"required":["b"]},
			"else":{"if":{"properties":{"action":{"const":"x"}}},"then":{"required":["a"]},"else":false}}`, "x",
			`{"allOf":[{"allOf":[{"required":["a"]}]}],"properties":{"action":{"const":"x"}},"required":["action"]}`},
		{"what is said of the value",
			`{"properties":{"action":{"description":"d","oneOf":[{"const":"x","title":"X"},{"const":"y","title":"Y"}]}},"required":["action"]}`, "y",
			`{"properties":{"action":{"const":"y","description":"d","title":"Y"}},"required":["action"]}`},
		{"definitions of others are gone, and the list of all branches",
			`{"oneOf":[{"$ref":"#/$defs/X"},{"$ref":"#/$defs/Y"}],"discriminator":{"propertyName":"k","mapping":{"x":"#/$defs/X","y":"#/$defs/Y"}},
			"$defs":{"X":{"properties":{"k":{"const":"x"},"s":{"$ref":"#/$defs/S"}},"required":["k"]},"Y":{"properties":{"k":{"const":"y"}},"required":["k"]},"S":{"type":"string"}}}`, "x",
			`{"$defs":{"S":{"type":"string"},"X":{"properties":{"k":{"const":"x"},"s":{"$ref":"#/$defs/S"}},"required":["k"]}},"oneOf":[{"$ref":"#/$defs/X"}]}`},
		{"a reference at the root",
			`{"type":"object","$ref":"#/$defs/R","$defs":{"R":{"type":"object","properties":{"action":{"$ref":"#/$defs/A"}},"required":["action"],"anyOf":[
			{"properties":{"action":{"const":"x"}}},{"properties":{"action":{"const":"y"}}}]},"A":{"enum":["x","y"]}}}`, "x",
			`{"$defs":{"A":{"enum":["x","y"]}},"allOf":[{"anyOf":[{"properties":{"action":{"const":"x"}}}],"properties":{"action":{"$ref":"#/$defs/A"}},"required":["action"],"type":"object"}],"type":"object"}`},
		{"anchors keep definitions",
			`{"properties":{"action":{"enum":["x","y"]},"a":{"$ref":"#A"}},"required":["action"],"$defs":{"A":{"$anchor":"A"},"B":{}}}`, "x",
			`{"$defs":{"A":{"$anchor":"A"},"B":{}},"properties":{"a":{"$ref":"#A"},"action":{"const":"x"}},"required":["action"]}`},
	} {
		schema := decode(t, test.schema)
		before := string(canonjson.Append(nil, schema))
		d, _ := Actions(schema)
		got := ""
		for _, a := range d.Actions {
			if a.Name == test.action {
				got = string(canonjson.Append(nil, a.Schema))
			}
		}
		if got != test.want {
			t.Errorf("%s: schema of %s (-want +got):\n%s", test.name, test.action, cmp.Diff(test.want, got))
		}
		if string(canonjson.Append(nil, schema)) != before {
			t.Errorf("%s: the tool's schema was changed", test.name)
		}
	}
}

// TestActionsBounded: schemas made to explode end soon and say the same each time.
func TestActionsBounded(t *testing.T) {
	t.Parallel()
	var doubling, wide, values, branches strings.Builder
	for i := range 40 {
		fmt.Fprintf(&doubling, `"d%d":{"oneOf":[{"$ref":"#/$defs/d%d"},{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}]},`, i, i+1, i+1, i+1)
	}
	for i := range 3000 {
		fmt.Fprintf(&wide, `"p%d":{"const":"a"},`, i)
		fmt.Fprintf(&values, `"a%d",`, i)
		fmt.Fprintf(&branches, `{"properties":{"action":{"const":"a%d"},"x%d":{}},"required":["action"]},`, i, i)
	}
	one := `{"properties":{` + wide.String() + `"q":{}}}`
	for name, text := range map[string]string{
		"doubling":        `{"$ref":"#/$defs/d0","$defs":{` + doubling.String() + `"d40":{"properties":{"k":{"const":"x"}},"required":["k"]}}}`,
		"circle":          `{"allOf":[{"$ref":"#"},{"$ref":"#"}],"properties":{"action":{"enum":["a"]}},"required":["action"]}`,
		"wide":            `{"oneOf":[` + strings.Repeat(one+",", 30) + one + `]}`,
		"many values":     `{"properties":{"action":{"enum":[` + values.String() + `"z"]}},"required":["action"]}`,
		"many branches":   `{"oneOf":[` + branches.String() + `{"properties":{"action":{"const":"z"}},"required":["action"]}]}`,
		"deep conditions": strings.Repeat(`{"properties":{"action":{"enum":["a","b"]}},"required":["action"],"if":{"properties":{"action":{"const":"a"}}},"else":`, 400) + `{}` + strings.Repeat(`}`, 400),
	} {
		schema := decode(t, text)
		first, _ := Actions(schema)
		again, _ := Actions(schema)
		if len(first.Actions) != len(again.Actions) {
			t.Errorf("%s: %d actions, then %d", name, len(first.Actions), len(again.Actions))
		}
		for i := range min(len(first.Actions), 3) {
			if a, b := canonjson.Digest(first.Actions[i].Schema), canonjson.Digest(again.Actions[i].Schema); a != b {
				t.Errorf("%s: action %d has two schemas", name, i)
			}
		}
		t.Logf("%s: %s, %d actions", name, first.Property, len(first.Actions))
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
