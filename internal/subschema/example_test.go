package subschema_test

import (
	"fmt"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/subschema"
)

func ExampleDecide() {
	compile := func(text string) *subschema.Schema {
		v, err := canonjson.Decode([]byte(text))
		if err != nil {
			panic(err)
		}
		s, err := subschema.Compile(v, "")
		if err != nil {
			panic(err)
		}
		return s
	}
	baseline := compile(`{"type":"object","properties":{"limit":{"type":"number"}},"required":["limit"]}`)
	revision := compile(`{"type":"object","properties":{"limit":{"type":"integer","minimum":1},"sort":{"type":"string"}},"required":["limit"]}`)

	r := subschema.Decide(baseline, revision, subschema.Options{})
	fmt.Printf("%v: %s\n", r.Verdict, canonjson.Append(nil, r.Witness))

	// The new name "sort" is free: it alone breaks nobody.
	wider := compile(`{"type":"object","properties":{"limit":{"type":"number"},"sort":{"type":"string"}}}`)
	fmt.Println(subschema.Decide(baseline, wider, subschema.Options{}).Verdict)
	fmt.Println(subschema.Decide(baseline, wider, subschema.Options{Strict: true}).Verdict)
	// Output:
	// incompatible: {"limit":0}
	// compatible
	// incompatible
}
