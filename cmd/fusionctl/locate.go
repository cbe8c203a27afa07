package main

import (
	"strings"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// members are the names of the kinds in a lockfile.
var members = map[lockfile.Kind]string{
	lockfile.KindTool: "tools", lockfile.KindPrompt: "prompts", lockfile.KindResource: "resources", lockfile.KindTemplate: "resourceTemplates",
}

// itemPointer is the place of an item in a lockfile.
func itemPointer(server string, kind lockfile.Kind, name string) string {
	if member := members[kind]; member != "" {
		return canonjson.Pointer("servers", server, member, name)
	}
	return canonjson.Pointer("servers", server)
}

// locator finds lines and columns of the report's changes in the text of a lockfile; without a text there are none. The text
// is read once, when the first place is asked for.
func locator(text []byte, r diff.Report) func(server string, kind lockfile.Kind, name, pointer string) (line, column int) {
	if text == nil {
		return nil
	}
	var places map[string]canonjson.Place
	return func(server string, kind lockfile.Kind, name, pointer string) (line, column int) {
		if places == nil {
			places = locateChanges(text, r)
		}
		// What is gone has no place of its own: the nearest thing around it stands for it.
		for at := itemPointer(server, kind, name) + pointer; at != ""; at = parent(at) {
			if p, ok := places[at]; ok {
				return p.Line, p.Column
			}
		}
		return 1, 1
	}
}

func parent(pointer string) string { return pointer[:strings.LastIndexByte(pointer, '/')] }

// locateChanges finds the places of all changes and of everything around them.
func locateChanges(text []byte, r diff.Report) map[string]canonjson.Place {
	wanted := map[string]bool{}
	for _, d := range r.Diffs {
		item := itemPointer(d.Server, d.Kind, d.Name)
		for _, c := range d.Changes {
			for at := item + c.Pointer; at != "" && !wanted[at]; at = parent(at) {
				wanted[at] = true
			}
		}
	}
	return canonjson.LocateAll(text, canonjson.SortedKeys(wanted)...)
}
