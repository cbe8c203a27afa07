package diff

import (
	"slices"
	"testing"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// TestPointersLead: each pointer of a change leads somewhere in the baseline or in the revision, over all cases of the tests.
func TestPointersLead(t *testing.T) {
	check := func(name string, r Report, base, rev *lockfile.File) {
		t.Helper()
		for _, d := range r.Diffs {
			b, v := base.Servers[d.Server].Entries(d.Kind)[d.Name], rev.Servers[d.Server].Entries(d.Kind)[d.Name]
			for _, c := range d.Changes {
				ok := c.Pointer == "" || d.Kind == lockfile.KindServer
				for _, e := range []*lockfile.Entry{b, v} {
					ok = ok || e != nil && leads(e.Fields(), c.Pointer)
				}
				if !ok {
					t.Errorf("%s: %s leads nowhere: %s", name, c.Pointer, c.Message)
				}
			}
		}
	}
	for _, c := range readCases(t) {
		base, rev := c.file(t, c.base), c.file(t, c.rev)
		check(c.id, Compare(base, rev, Options{}), base, rev)
		check(c.id+" back", Compare(rev, base, Options{}), rev, base)
	}
	cases := slices.Concat(inputCases, outputCases, []schemaCase{
		{"default in a branch", p(`{"anyOf":[{"type":"string"},{"type":"null"}],"default":null}`), p(`{"type":"string"}`), ""},
		{"title of a definition", `{"type":"object","properties":{"x":{"$ref":"#/$defs/X"}},"$defs":{"X":{"type":"string","title":"X"}}}`, p(`{"type":"string"}`), ""},
		{"bound behind a reference", p(`{"type":"string"}`), `{"type":"object","properties":{"x":{"anyOf":[{"$ref":"#/$defs/X"},{"type":"null"}]}},"$defs":{"X":{"type":"string","minLength":1}}}`, ""},
		{"property behind a reference", p(`{"type":"object","properties":{"a":{}}}`), `{"type":"object","properties":{"x":{"$ref":"#/$defs/X"}},"$defs":{"X":{"type":"object","properties":{"b":{}}}}}`, ""},
		{"format in a branch", p(`{"type":["string","null"]}`), p(`{"anyOf":[{"type":"string","format":"date"},{"type":"null"}]}`), ""},
	})
	for _, c := range cases {
		for _, side := range []Side{Input, Output} {
			for _, pair := range [][2]string{{c.base, c.rev}, {c.rev, c.base}} {
				file := func(text string) *lockfile.File {
					fields := map[string]any{"inputSchema": map[string]any{"type": "object"}}
					fields[string(side)+"Schema"] = decode(t, text)
					return &lockfile.File{Servers: map[string]*lockfile.Server{"s": {Tools: map[string]*lockfile.Entry{"t": lockfile.EntryOf(fields)}}}}
				}
				base, rev := file(pair[0]), file(pair[1])
				check(c.name, Compare(base, rev, Options{}), base, rev)
			}
		}
	}
	e := lockfile.EntryOf(decode(t, `{"inputSchema":{"type":"object","properties":{"x":{"$ref":"#/properties/x"}}}}`).(map[string]any))
	if at, left := settle(e.Fields(), canonjson.Tokens("/inputSchema/properties/x/type")); left != 1 {
		t.Errorf("a circle leads to %v", at)
	}
}
