package main

import (
	"encoding/json"
	"testing"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/realservers"
)

// An edit changes a clone of an object schema at one of its properties, and reports whether it could.
type edit struct {
	what string
	do   func(schema, properties map[string]any, name string) bool
}

// edits are what the authors of servers do to a schema from one release to the next.
var edits = []edit{
	{"made required", func(schema, _ map[string]any, name string) bool {
		list, _ := schema["required"].([]any)
		for _, e := range list {
			if e == name {
				return false
			}
		}
		schema["required"] = append(list, name)
		return true
	}},
	{"removed", func(schema, properties map[string]any, name string) bool {
		delete(properties, name)
		var kept []any
		list, _ := schema["required"].([]any)
		for _, e := range list {
			if e != name {
				kept = append(kept, e)
			}
		}
		schema["required"] = append([]any{}, kept...)
		return true
	}},
	{"null too", onType(func(p map[string]any, kind string) bool {
		p["type"] = []any{kind, "null"}
		return p["enum"] == nil && p["const"] == nil
	})},
	{"shorter enum", func(_, properties map[string]any, name string) bool {
		p, _ := properties[name].(map[string]any)
		list, _ := p["enum"].([]any)
		if len(list) < 2 {
			return false
		}
		p["enum"] = list[:len(list)-1]
		return true
	}},
	{"bounded", onType(func(p map[string]any, kind string) bool {
		keyword, ok := map[string]string{"string": "maxLength", "array": "maxItems", "integer": "maximum", "number": "maximum"}[kind]
		if ok && p[keyword] == nil {
			p[keyword] = json.Number("50")
			return true
		}
		return false
	})},
	{"patterned", onType(func(p map[string]any, kind string) bool {
		if kind != "string" || p["pattern"] != nil {
			return false
		}
		p["pattern"] = "^[a-z0-9_-]+$"
		return true
	})},
	{"in a union", func(_, properties map[string]any, name string) bool {
		properties[name] = map[string]any{"anyOf": []any{properties[name], map[string]any{"type": "boolean"}}}
		return true
	}},
	{"closed", func(schema, _ map[string]any, _ string) bool {
		if schema["additionalProperties"] == false {
			return false
		}
		schema["additionalProperties"] = false
		return true
	}},
}

func onType(do func(p map[string]any, kind string) bool) func(_, properties map[string]any, name string) bool {
	return func(_, properties map[string]any, name string) bool {
		p, _ := properties[name].(map[string]any)
		kind, ok := p["type"].(string)
		return ok && do(p, kind)
	}
}

// edited makes pairs of the input schemas of the newest releases: each edit once for every other tool, at the first property that allows
// it, in both directions.
func edited(tb testing.TB) (pairs []pair) {
	newest := map[string]realservers.Release{}
	for _, r := range realservers.Releases(tb) {
		newest[r.Package] = r // the last is the newest
	}
	for _, name := range canonjson.SortedKeys(newest) {
		tools := newest[name].Server.Tools
		for i, tool := range canonjson.SortedKeys(tools) {
			if i%2 == 1 {
				continue // the tools of one server are much alike
			}
			schema := plain(tools[tool].InputSchema())
			for _, e := range edits {
				if now := apply(e, schema); now != nil {
					name := name + " " + tool + ", " + e.what
					pairs = append(pairs, newPair(setEdited, name, schema, now), newPair(setEdited, name+", back", now, schema))
				}
			}
		}
	}
	return pairs
}

func apply(e edit, schema any) any {
	m, _ := schema.(map[string]any)
	properties, _ := m["properties"].(map[string]any)
	for _, name := range canonjson.SortedKeys(properties) {
		now := canonjson.Clone(m).(map[string]any)
		if e.do(now, now["properties"].(map[string]any), name) {
			return now
		}
	}
	return nil
}
