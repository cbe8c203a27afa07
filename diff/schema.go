package diff

import (
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// compareToolSchemas compares the input and the output schema of a tool.
func compareToolSchemas(c *collector, base, rev *lockfile.Entry) {
	if !canonjson.Equal(base.InputSchema(), rev.InputSchema()) {
		compareSchemas(c, Input, "/inputSchema", base.InputSchema(), rev.InputSchema())
		compareRoot(c, base.InputSchema(), rev.InputSchema())
	}
	b, r := base.OutputSchema(), rev.OutputSchema()
	switch {
	case canonjson.Equal(b, r):
	case b == nil:
		c.add("tool-output-schema-added", "/outputSchema", nil, r, "an output schema was added")
	case r == nil:
		c.add("tool-output-schema-removed", "/outputSchema", b, nil, "the output schema was removed: readers lose their contract")
	default:
		compareSchemas(c, Output, "/outputSchema", b, r)
	}
}

// compareRoot reports a combinator that was put at the root of an input schema. Large model providers refuse a tool, and
// with it the whole list, when its arguments are described by a choice at the root.
func compareRoot(c *collector, base, rev any) {
	for _, keyword := range []string{"oneOf", "anyOf", "allOf"} {
		if !has(mapOf(base), keyword) && has(mapOf(rev), keyword) {
			c.add("tool-root-combinator-added", "/inputSchema/"+keyword, nil, mapOf(rev)[keyword],
				"the input schema has %s at its root now, which several model providers refuse", keyword)
		}
	}
}
