package suite

import (
	"slices"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// derive makes the groups of draft-04, draft-06 and 2019-09 from official ones of a neighbouring draft.
func derive(groups []Group) []Group {
	var out []Group
	for _, g := range groups {
		if g.Source != "official" || strings.Contains(g.File, "Remote") || g.File == "format.json" {
			continue
		}
		var drafts []string
		if g.Draft == Draft7 {
			drafts = []string{Draft4, Draft6}
		} else {
			drafts = []string{Draft2019}
		}
		for _, draft := range drafts {
			d := deriver{from: g.Dialect, to: dialects[draft], draft: draft, ok: true}
			schema := d.schema(g.Schema)
			if !d.ok {
				continue
			}
			n := g
			n.Draft, n.Dialect, n.Source, n.Schema = draft, d.to, "derived", schema
			out = append(out, n)
		}
	}
	return out
}

type deriver struct {
	from, to, draft string
	ok              bool
}

// later lists the keywords that a draft does not know; a group that uses one stays with its own draft.
var later = map[string][]string{
	Draft4: {"const", "contains", "propertyNames", "if", "then", "else", "examples", "$comment", "readOnly", "writeOnly",
		"contentEncoding", "contentMediaType"},
	Draft6:    {"if", "then", "else", "$comment", "readOnly", "writeOnly", "contentEncoding", "contentMediaType"},
	Draft2019: {"$dynamicRef", "$dynamicAnchor", "$vocabulary"},
}

// maps lists the keywords whose members are schemas by name.
var maps = []string{"properties", "patternProperties", "definitions", "$defs", "dependentSchemas", "dependencies"}

// data lists the keywords whose value is data.
var data = []string{"const", "enum", "default", "examples", "required", "dependentRequired"}

// schema translates a schema and notes when that is not possible.
func (d *deriver) schema(v any) any {
	switch v := v.(type) {
	case bool:
		d.ok = d.ok && d.draft != Draft4
		return v
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = d.schema(e)
		}
		return out
	case map[string]any:
		return d.object(v)
	}
	return v
}

func (d *deriver) object(m map[string]any) any {
	out := map[string]any{}
	for _, k := range canonjson.SortedKeys(m) {
		v := m[k]
		if slices.Contains(later[d.draft], k) {
			d.ok = false
		}
		switch {
		case slices.Contains(data, k):
			out[k] = v
		case slices.Contains(maps, k):
			named, ok := v.(map[string]any)
			if !ok {
				out[k] = v
				continue
			}
			copied := map[string]any{}
			for name, e := range named {
				if list, ok := e.([]any); ok && k == "dependencies" {
					copied[name] = list
					d.ok = d.ok && (d.draft != Draft4 || len(list) > 0) // draft-04 wants at least one name
					continue
				}
				copied[name] = d.schema(e)
			}
			out[k] = copied
		case k == "$schema" || k == "$ref":
			s, _ := v.(string)
			if strings.TrimSuffix(s, "#") == strings.TrimSuffix(d.from, "#") {
				v = d.to
			} else if k == "$ref" && (strings.Contains(s, "prefixItems") || strings.Contains(s, "/items")) {
				d.ok = false
			}
			out[k] = v
		case k == "additionalProperties" || k == "additionalItems":
			if _, flag := v.(bool); flag {
				out[k] = v
			} else {
				out[k] = d.schema(v)
			}
		default:
			out[k] = d.schema(v)
			if _, flag := v.(bool); flag && (k == "uniqueItems" || k == "$recursiveAnchor") {
				out[k] = v
			}
		}
	}
	return d.rename(out)
}

func (d *deriver) rename(m map[string]any) any {
	switch d.draft {
	case Draft4:
		if id, ok := m["$id"]; ok {
			m["id"] = id
			delete(m, "$id")
		}
		for exclusive, bound := range map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"} {
			if v, ok := m[exclusive]; ok {
				_, both := m[bound]
				d.ok = d.ok && !both
				m[bound], m[exclusive] = v, true
			}
		}
		if list, ok := m["required"].([]any); ok && len(list) == 0 {
			d.ok = false
		}
	case Draft2019:
		if _, ok := m["unevaluatedItems"]; ok {
			_, contains := m["contains"]
			d.ok = d.ok && !contains && !mentions(m, "contains") // contains evaluates items since 2020-12 only
		}
		if tuple, ok := m["prefixItems"]; ok {
			if rest, ok := m["items"]; ok {
				m["additionalItems"] = rest
			}
			m["items"] = tuple
			delete(m, "prefixItems")
		}
	}
	return m
}

func mentions(v any, key string) bool {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if k == key || mentions(e, key) {
				return true
			}
		}
	case []any:
		for _, e := range v {
			if mentions(e, key) {
				return true
			}
		}
	}
	return false
}
