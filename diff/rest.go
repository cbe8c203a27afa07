package diff

import (
	"slices"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// reportRest sees to it that two definitions that differ have a change: what none of the other rules tells has no effect that
// they know.
func reportRest(c *collector, base, rev *lockfile.Entry) {
	if c.diff.Kind == lockfile.KindTool {
		restOfSchema(c, Input, base.InputSchema(), rev.InputSchema())
		restOfSchema(c, Output, base.OutputSchema(), rev.OutputSchema())
	}
	if len(c.diff.Changes) > 0 || base.Equal(rev) {
		return
	}
	at := differentPlace(base.Fields(), rev.Fields())
	before, _ := canonjson.Lookup(any(base.Fields()), canonjson.Pointer(at...))
	after, _ := canonjson.Lookup(any(rev.Fields()), canonjson.Pointer(at...))
	if len(at) == 0 {
		before, after = nil, nil
	}
	what := "the definition"
	if len(at) > 0 {
		what = quote(joinPath(at))
	}
	c.add(c.prefix()+"-respelled", canonjson.Pointer(at...), before, after, "%s is written otherwise, which no rule gives a meaning", what)
}

// restOfSchema reports a schema of which nothing was told as another spelling.
func restOfSchema(c *collector, side Side, base, rev any) {
	prefix := "/" + string(side) + "Schema"
	if canonjson.Equal(base, rev) || slices.ContainsFunc(c.diff.Changes, func(c Change) bool {
		return c.Pointer == prefix || strings.HasPrefix(c.Pointer, prefix+"/")
	}) {
		return
	}
	j := &judge{c: c, side: side, prefix: prefix, base: base, rev: rev}
	j.respelled([]*edit{{at: differentPlace(base, rev)}})
}

// differentPlace is the way to the smallest part that holds all differences of two values.
func differentPlace(base, rev any) []string {
	b, r := mapOf(base), mapOf(rev)
	if b == nil || r == nil {
		return nil
	}
	var different []string
	for _, name := range unionKeys(b, r) {
		if has(b, name) != has(r, name) || !canonjson.Equal(b[name], r[name]) {
			different = append(different, name)
		}
	}
	switch {
	case len(different) != 1:
		return nil
	case !has(b, different[0]) || !has(r, different[0]):
		return different
	}
	return append(different, differentPlace(b[different[0]], r[different[0]])...)
}
