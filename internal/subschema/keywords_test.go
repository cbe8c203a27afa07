package subschema

import (
	"slices"
	"testing"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// vocabulary lists the keywords of each draft as its meta-schemas and texts have them.
var vocabulary = map[draft][]string{
	draft4: {"$schema", "id", "$ref", "title", "description", "default", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum",
		"maxLength", "minLength", "pattern", "additionalItems", "items", "maxItems", "minItems", "uniqueItems", "maxProperties", "minProperties",
		"required", "additionalProperties", "definitions", "properties", "patternProperties", "dependencies", "enum", "type", "format", "allOf",
		"anyOf", "oneOf", "not"},
	draft6: {"$id", "$schema", "$ref", "title", "description", "default", "examples", "multipleOf", "maximum", "exclusiveMaximum", "minimum",
		"exclusiveMinimum", "maxLength", "minLength", "pattern", "additionalItems", "items", "maxItems", "minItems", "uniqueItems", "contains",
		"maxProperties", "minProperties", "required", "additionalProperties", "definitions", "properties", "patternProperties", "dependencies",
		"propertyNames", "const", "enum", "type", "format", "allOf", "anyOf", "oneOf", "not"},
	draft7: {"$id", "$schema", "$ref", "$comment", "title", "description", "default", "readOnly", "writeOnly", "examples", "multipleOf", "maximum",
		"exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength", "pattern", "additionalItems", "items", "maxItems", "minItems",
		"uniqueItems", "contains", "maxProperties", "minProperties", "required", "additionalProperties", "definitions", "properties",
		"patternProperties", "dependencies", "propertyNames", "const", "enum", "type", "format", "contentMediaType", "contentEncoding", "if",
		"then", "else", "allOf", "anyOf", "oneOf", "not"},
	draft2019: {"$id", "$schema", "$anchor", "$ref", "$recursiveRef", "$recursiveAnchor", "$vocabulary", "$comment", "$defs", "additionalItems",
		"unevaluatedItems", "items", "contains", "additionalProperties", "unevaluatedProperties", "properties", "patternProperties",
		"dependentSchemas", "propertyNames", "if", "then", "else", "allOf", "anyOf", "oneOf", "not", "multipleOf", "maximum", "exclusiveMaximum",
		"minimum", "exclusiveMinimum", "maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "maxContains", "minContains",
		"maxProperties", "minProperties", "required", "dependentRequired", "const", "enum", "type", "title", "description", "default",
		"deprecated", "readOnly", "writeOnly", "examples", "format", "contentMediaType", "contentEncoding", "contentSchema", "definitions",
		"dependencies"},
	draft2020: {"$id", "$schema", "$ref", "$anchor", "$dynamicRef", "$dynamicAnchor", "$vocabulary", "$comment", "$defs", "prefixItems", "items",
		"contains", "additionalProperties", "properties", "patternProperties", "dependentSchemas", "propertyNames", "if", "then", "else", "allOf",
		"anyOf", "oneOf", "not", "unevaluatedItems", "unevaluatedProperties", "type", "const", "enum", "multipleOf", "maximum",
		"exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems",
		"maxContains", "minContains", "maxProperties", "minProperties", "required", "dependentRequired", "title", "description", "default",
		"deprecated", "readOnly", "writeOnly", "examples", "format", "contentEncoding", "contentMediaType", "contentSchema", "definitions",
		"dependencies"},
}

// TestKeywords compares the table with the vocabularies, in both directions.
func TestKeywords(t *testing.T) {
	for d, names := range vocabulary {
		for _, name := range names {
			if _, ok := known(name, d); !ok {
				t.Errorf("draft %d: keyword %s is missing from the table", d, name)
			}
		}
		for _, name := range canonjson.SortedKeys(keywords) {
			if _, ok := known(name, d); ok && !slices.Contains(names, name) {
				t.Errorf("draft %d: the table has %s, which that draft has not", d, name)
			}
		}
	}
}

// asserting has, for each keyword that asserts or applies, a schema in which it makes a difference, so that the table cannot
// promise what the translation does not do.
var asserting = map[string][2]string{
	"type": {`{"type":"null"}`, `1`}, "enum": {`{"enum":[1]}`, `2`}, "const": {`{"const":1}`, `2`}, "multipleOf": {`{"multipleOf":2}`, `1`},
	"maximum": {`{"maximum":1}`, `2`}, "minimum": {`{"minimum":1}`, `0`}, "exclusiveMaximum": {`{"exclusiveMaximum":1}`, `1`},
	"exclusiveMinimum": {`{"exclusiveMinimum":1}`, `1`}, "maxLength": {`{"maxLength":1}`, `"éé"`}, "minLength": {`{"minLength":2}`, `"é"`},
	"pattern": {`{"pattern":"a"}`, `"b"`}, "items": {`{"items":false}`, `[1]`}, "prefixItems": {`{"prefixItems":[false]}`, `[1]`},
	"additionalItems": {`{"$schema":"http://json-schema.org/draft-07/schema#","items":[true],"additionalItems":false}`, `[1,2]`},
	"contains":        {`{"contains":{"const":1}}`, `[2]`}, "minContains": {`{"contains":{"const":1},"minContains":2}`, `[1]`},
	"maxContains": {`{"contains":{"const":1},"maxContains":1}`, `[1,1]`}, "maxItems": {`{"maxItems":0}`, `[1]`}, "minItems": {`{"minItems":1}`, `[]`},
	"uniqueItems": {`{"uniqueItems":true}`, `[1,1]`}, "unevaluatedItems": {`{"prefixItems":[true],"unevaluatedItems":false}`, `[1,2]`},
	"properties": {`{"properties":{"a":false}}`, `{"a":1}`}, "patternProperties": {`{"patternProperties":{"a":false}}`, `{"ba":1}`},
	"additionalProperties": {`{"additionalProperties":false}`, `{"a":1}`}, "propertyNames": {`{"propertyNames":{"maxLength":1}}`, `{"ab":1}`},
	"required": {`{"required":["a"]}`, `{}`}, "maxProperties": {`{"maxProperties":0}`, `{"a":1}`}, "minProperties": {`{"minProperties":1}`, `{}`},
	"dependencies":      {`{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"]}}`, `{"a":1}`},
	"dependentRequired": {`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`}, "dependentSchemas": {`{"dependentSchemas":{"a":false}}`, `{"a":1}`},
	"unevaluatedProperties": {`{"unevaluatedProperties":false}`, `{"a":1}`}, "allOf": {`{"allOf":[false]}`, `1`}, "anyOf": {`{"anyOf":[false]}`, `1`},
	"oneOf": {`{"oneOf":[true,true]}`, `1`}, "not": {`{"not":true}`, `1`}, "if": {`{"if":{"const":1},"then":false}`, `1`},
	"then": {`{"if":true,"then":false}`, `1`}, "else": {`{"if":false,"else":false}`, `1`}, "$ref": {`{"$ref":"#/$defs/a","$defs":{"a":false}}`, `1`},
	"$dynamicRef":   {`{"$dynamicRef":"#/$defs/a","$defs":{"a":false}}`, `1`},
	"$recursiveRef": {`{"$schema":"https://json-schema.org/draft/2019-09/schema","type":"array","items":{"$recursiveRef":"#"}}`, `[1]`},
}

func TestAssertingKeywords(t *testing.T) {
	for _, name := range canonjson.SortedKeys(keywords) {
		k := keywords[name]
		c, ok := asserting[name]
		if want := k.treatment == asserted || k.treatment == applied; ok != want {
			t.Errorf("%s: the table of schemas has it: %v, want %v", name, ok, want)
			continue
		}
		if !ok {
			continue
		}
		s := mustCompile(t, mustDecode(t, c[0]))
		p := mustCompile(t, map[string]any{"const": mustDecode(t, c[1])})
		if r := Decide(p, s, Options{Strict: true}); r.Verdict != Incompatible || encode1(r.Witness) != encode1(mustDecode(t, c[1])) {
			t.Errorf("%s: const %s in %s: got %v %s", name, c[1], c[0], r.Verdict, r.Reason)
		}
	}
}

func TestSchemaErrors(t *testing.T) {
	for _, c := range []struct {
		schema  string
		kind    ErrorKind
		pointer string
	}{
		{`1`, IllegalSchema, ""}, {`{"type":"any"}`, IllegalSchema, "/type"}, {`{"required":true}`, IllegalSchema, "/required"},
		{`{"properties":null}`, IllegalSchema, "/properties"}, {`{"properties":{"a/b":{"minLength":-1}}}`, IllegalSchema, "/properties/a~1b/minLength"},
		{`{"$ref":"#/$defs/x"}`, DanglingRef, "/$ref"}, {`{"$defs":{"a":{"$ref":"#b"}}}`, DanglingRef, "/$defs/a/$ref"},
		{`{"$ref":"http://example.invalid/x"}`, RemoteRef, "/$ref"}, {`{"$ref":"file:///etc/hostname"}`, RemoteRef, "/$ref"},
		{`{"$schema":"http://example.invalid/x"}`, UnknownDialect, "/$schema"}, {`{"$ref":"#"}`, EndlessRef, ""},
		{`{"$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"not":{"$ref":"#/$defs/a"}}},"$ref":"#/$defs/a"}`, EndlessRef, ""},
		{`{"anyOf":[]}`, IllegalSchema, "/anyOf"}, {`{"multipleOf":0}`, IllegalSchema, "/multipleOf"}, {`{"required":["a","a"]}`, IllegalSchema, "/required/1"},
	} {
		_, err := Compile(mustDecode(t, c.schema), "")
		e, ok := err.(*SchemaError)
		if !ok || e.Kind != c.kind || e.Pointer != c.pointer {
			t.Errorf("Compile(%s) = %#v, want kind %d at %q", c.schema, err, c.kind, c.pointer)
		}
	}
}
