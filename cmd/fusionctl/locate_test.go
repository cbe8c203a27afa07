package main

import (
	"testing"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/lockfile"
)

func TestLocator(t *testing.T) {
	t.Parallel()
	const text = `{
  "servers": {
    "billing": {
      "tools": {
        "a/b": {
          "description": "x"
        }
      }
    }
  }
}
`
	changes := func(pointers ...string) (all []diff.Change) {
		for _, p := range pointers {
			all = append(all, diff.Change{Pointer: p})
		}
		return all
	}
	r := diff.Report{Diffs: []diff.ContractDiff{
		{Server: "billing", Kind: lockfile.KindTool, Name: "a/b", Changes: changes("/description", "/inputSchema/properties/gone")},
		{Server: "billing", Kind: lockfile.KindTool, Name: "gone", Changes: changes("")},
		{Server: "gone", Kind: lockfile.KindServer, Changes: changes("/instructions")},
	}}
	locate := locator([]byte(text), r)
	for _, c := range []struct {
		server        string
		kind          lockfile.Kind
		name, pointer string
		line, column  int
	}{
		{"billing", lockfile.KindTool, "a/b", "/description", 6, 11},
		{"billing", lockfile.KindTool, "a/b", "/inputSchema/properties/gone", 5, 9},
		{"billing", lockfile.KindTool, "gone", "", 4, 7},
		{"gone", lockfile.KindServer, "", "/instructions", 2, 3},
	} {
		line, column := locate(c.server, c.kind, c.name, c.pointer)
		if line != c.line || column != c.column {
			t.Errorf("place of %q %q %q = %d:%d, want %d:%d", c.server, c.name, c.pointer, line, column, c.line, c.column)
		}
	}
	if locator(nil, r) != nil {
		t.Error("a side without a text has places")
	}
}
