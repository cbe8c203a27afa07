package diff

import (
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// compareToolSchemas compares the input and the output schema of a tool.
func compareToolSchemas(c *collector, base, rev *lockfile.Entry) {
	if !canonjson.Equal(base.InputSchema(), rev.InputSchema()) {
		c.add("input-undecided", "/inputSchema", base.InputSchema(), rev.InputSchema(), "the input schema changed; whether old calls still fit was not decided")
	}
	b, r := base.OutputSchema(), rev.OutputSchema()
	switch {
	case canonjson.Equal(b, r):
	case b == nil:
		c.add("output-schema-added", "/outputSchema", nil, r, "an output schema was added")
	case r == nil:
		c.add("output-schema-removed", "/outputSchema", b, nil, "the output schema was removed: readers lose their contract")
	default:
		c.add("output-undecided", "/outputSchema", b, r, "the output schema changed; whether old readers still understand it was not decided")
	}
}
