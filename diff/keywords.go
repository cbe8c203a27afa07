package diff

// How the keywords of JSON Schema hold sub-schemas. Drafts differ in details; the walk needs only the shape.
var (
	// oneSchema are the keywords whose value is a schema.
	oneSchema = map[string]bool{
		"additionalProperties": true, "unevaluatedProperties": true, "propertyNames": true,
		"items": true, "additionalItems": true, "unevaluatedItems": true, "contains": true,
		"not": true, "if": true, "then": true, "else": true, "contentSchema": true,
	}
	// listOfSchemas are the keywords whose value is an array of schemas; items is one in the older drafts.
	listOfSchemas = map[string]bool{"allOf": true, "anyOf": true, "oneOf": true, "prefixItems": true, "items": true}
	// mapOfSchemas are the keywords whose value is an object of schemas; dependencies may hold arrays of names as well.
	mapOfSchemas = map[string]bool{
		"properties": true, "patternProperties": true, "dependentSchemas": true, "dependencies": true,
		"$defs": true, "definitions": true,
	}
	// displayWords say nothing about which values are accepted and are not read for meaning.
	displayWords = map[string]bool{"title": true, "$comment": true, "description": true, "examples": true, "example": true}
)

// mapSchema rebuilds a schema with keep applied to each member of each (sub-)schema.
func mapSchema(schema any, keep func(keyword string) bool) any {
	m, ok := schema.(map[string]any)
	if !ok {
		return schema
	}
	out := make(map[string]any, len(m))
	for keyword, v := range m {
		if !keep(keyword) {
			continue
		}
		out[keyword] = mapKeyword(keyword, v, keep)
	}
	return out
}

func mapKeyword(keyword string, v any, keep func(string) bool) any {
	switch v := v.(type) {
	case map[string]any:
		switch {
		case oneSchema[keyword]:
			return mapSchema(v, keep)
		case mapOfSchemas[keyword]:
			out := make(map[string]any, len(v))
			for name, e := range v {
				out[name] = mapSchema(e, keep)
			}
			return out
		}
	case []any:
		if listOfSchemas[keyword] {
			out := make([]any, len(v))
			for i, e := range v {
				out[i] = mapSchema(e, keep)
			}
			return out
		}
	}
	return v
}

// stripTexts is a schema without titles, descriptions, comments and examples.
func stripTexts(schema any) any {
	return mapSchema(schema, func(keyword string) bool { return !displayWords[keyword] })
}
