package envelope

import (
	"slices"
	"unicode/utf8"
)

// belongs says where the value of an undeclared name belongs now.
func (x explainer) belongs(is Issue) string {
	if len(is.Moved) > 1 || is.Moved[0].From != is.Path+"/"+escapeToken(is.Property) {
		return "these values elsewhere: " + listed(is.Moved, 5, func(m Move) string {
			return quote(readablePath(m.From)) + " as " + quote(readablePath(m.To))
		})
	}
	m := is.Moved[0]
	name := quote(readablePath(m.To))
	if near := beside(is); near != "" {
		name = quote(clean(near, maxName))
	}
	if plainlyFits(m.Schema, m.Value, 0) {
		return "the name " + name + " with the same value"
	}
	if text := x.expectation(m.Schema, is.Secret || secretPath(m.From) || secretPath(m.To)); text != "a value" {
		return "the name " + name + ", and there " + text
	}
	return "the name " + name + " for it"
}

// sentAs says under which names a missing value was sent.
func (x explainer) sentAs(moves []Move) string {
	names := "the name "
	if len(moves) > 1 {
		names = "the names "
	}
	return names + listed(moves, 5, func(m Move) string { return quote(readablePath(m.From)) }) + " instead"
}

// plainlyFits reports whether a schema surely accepts a value. It reads only what can be read at a glance; nil accepts all.
func plainlyFits(schema map[string]any, v any, depth int) bool {
	if depth > maxDepth {
		return false
	}
	kind := kindOf(v)
	for keyword, bound := range schema {
		if !plainlyKeeps(keyword, bound, v, kind, depth) {
			return false
		}
	}
	return true
}

func plainlyKeeps(keyword string, bound, v any, kind string, depth int) bool {
	switch keyword {
	case "title", "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly", "$comment", "x-secret", "x-sensitive":
		return true
	case "type":
		types := typeList(bound)
		return fits(v, types) || kind == "null" && slices.Contains(types, "null")
	case "enum":
		list, _ := bound.([]any)
		for _, option := range list {
			if scalar(v) && scalar(option) && sameScalar(option, v) {
				return true
			}
		}
		return false
	case "const":
		return scalar(v) && scalar(bound) && sameScalar(bound, v)
	case "minLength", "maxLength":
		s, text := v.(string)
		n, ok := asInt(bound)
		return !text || ok && within(float64(utf8.RuneCountInString(s)), keyword, float64(n))
	case "pattern", "format", "contentEncoding", "contentMediaType":
		return kind != "string"
	case "minimum", "maximum":
		if kind != "number" {
			return true
		}
		order, ok := compare(v, bound)
		return ok && (keyword == "minimum" && order >= 0 || keyword == "maximum" && order <= 0)
	case "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return kind != "number"
	case "minItems", "maxItems", "items":
		list, ok := v.([]any)
		if !ok {
			return true
		}
		if n, ok := asInt(bound); ok && keyword != "items" {
			return within(float64(len(list)), keyword, float64(n))
		}
		items, ok := bound.(map[string]any)
		for _, item := range list {
			if !ok || !plainlyFits(items, item, depth+1) {
				return false
			}
		}
		return true
	case "anyOf":
		branches, _ := bound.([]any)
		for _, branch := range branches {
			if m, ok := branch.(map[string]any); ok && plainlyFits(m, v, depth+1) {
				return true
			}
		}
		return false
	case "properties", "required", "additionalProperties":
		return kind != "object"
	}
	return false
}

// within reports whether n keeps a bound, least or most by the beginning of its keyword.
func within(n float64, keyword string, bound float64) bool {
	if keyword[:3] == "min" {
		return n >= bound
	}
	return n <= bound
}
