package validate

import (
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// Most schemas say nothing that draft-07 would read otherwise than 2019-09 and 2020-12 do. The library takes less than half
// of the time to compile them as draft-07: it checks each schema against one meta-schema instead of six vocabularies, and
// does not look for dynamic anchors, which for each sub-schema goes over all others. So the copy of such a schema says
// draft-07, with definitions for $defs. Where the library refuses that copy, the schema is compiled as what it is.

// common reports whether draft-07 reads the document as its own dialect does: the same values are valid, and what is not
// legal in one is not legal in the other.
func (d *document) common() bool {
	if d.version < 2019 || d.scattered {
		return false
	}
	for _, n := range d.order {
		if !d.commonNode(n) {
			return false
		}
	}
	return true
}

func (d *document) commonNode(n *node) bool {
	_, ref := n.m["$ref"]
	if ref {
		if _, plain := d.pointerRef(n, "$ref"); !plain {
			return false
		}
	}
	for keyword, v := range n.m {
		switch use := commonKeywords[keyword]; use {
		case unknown:
			if strings.HasPrefix(keyword, "$") {
				return false
			}
		case differs:
			return false
		case asserts:
			if ref {
				return false // draft-07 ignores what stands beside a reference
			}
		}
		switch v := v.(type) {
		case []any:
			if keyword == "items" || keyword == "enum" && !distinct(v) {
				return false // draft-07 has tuples of this form, and wants values that differ
			}
		case map[string]any:
		default:
			if keyword == "definitions" || keyword == "$defs" {
				return false
			}
		}
		if isAnnotation, right := annotation(keyword, v); isAnnotation && !right {
			return false
		}
	}
	_, old := n.m["definitions"]
	_, now := n.m["$defs"]
	return !old || !now
}

// A use is how draft-07 and the newer dialects agree about a keyword.
type use uint8

const (
	unknown use = iota // to all of them
	differs
	asserts // the same everywhere
	remarks // says nothing about values
)

var commonKeywords = map[string]use{
	"$schema": remarks, "$defs": remarks, "definitions": remarks, "$ref": remarks,
	"title": remarks, "description": remarks, "default": remarks, "examples": remarks, "$comment": remarks,
	"deprecated": remarks, "readOnly": remarks, "writeOnly": remarks,

	"type": asserts, "enum": asserts, "const": asserts, "format": asserts,
	"minimum": asserts, "maximum": asserts, "exclusiveMinimum": asserts, "exclusiveMaximum": asserts, "multipleOf": asserts,
	"minLength": asserts, "maxLength": asserts, "pattern": asserts,
	"items": asserts, "contains": asserts, "minItems": asserts, "maxItems": asserts, "uniqueItems": asserts,
	"properties": asserts, "patternProperties": asserts, "additionalProperties": asserts, "propertyNames": asserts,
	"required": asserts, "minProperties": asserts, "maxProperties": asserts,
	"allOf": asserts, "anyOf": asserts, "oneOf": asserts, "not": asserts, "if": asserts, "then": asserts, "else": asserts,

	"dependencies": differs, "dependentRequired": differs, "dependentSchemas": differs, "additionalItems": differs,
	"prefixItems": differs, "minContains": differs, "maxContains": differs,
	"unevaluatedItems": differs, "unevaluatedProperties": differs,
	"contentEncoding": differs, "contentMediaType": differs, "contentSchema": differs,
	"regexProperties": differs, // a word of the library's own
}

// annotation reports whether a keyword only says something to readers, and whether its value is of the right type.
func annotation(keyword string, v any) (is, right bool) {
	switch keyword {
	case "title", "description", "$comment":
		_, right = v.(string)
	case "examples":
		_, right = v.([]any)
	case "deprecated", "readOnly", "writeOnly":
		_, right = v.(bool)
	case "default":
		right = true
	default:
		return false, false
	}
	return true, right
}

// maxDistinct bounds the values of an enum that are compared with one another, by the library too.
const maxDistinct = 256

func distinct(values []any) bool {
	if len(values) == 0 || len(values) > maxDistinct {
		return false
	}
	seen := make(map[string]bool, len(values))
	for _, v := range values {
		key := string(canonjson.Append(nil, v)) // 1 and 1.0 are one value
		if seen[key] {
			return false
		}
		seen[key] = true
	}
	return true
}

// asDraft7 turns the copy of a schema, below the node at pointer, into one of draft-07. Annotations are left out.
func (r *rewriter) asDraft7(n *node, m map[string]any, to string) {
	for keyword, v := range m {
		if is, _ := annotation(keyword, v); is {
			delete(m, keyword)
		}
	}
	if defs, ok := m["$defs"]; ok {
		delete(m, "$defs")
		from, dest := n.pointer+"/$defs", to+"/definitions"
		r.move(from, dest)
		m["definitions"] = r.copyPosition(defs, named, from, dest)
	}
}
