package diff

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/regular"
	"github.com/fusionctl/fusionctl/internal/subschema"
	"github.com/fusionctl/fusionctl/internal/validate"
)

// The decision procedure reads what it needs of a schema. A client that checks a schema against its meta-schema sees more:
// a pattern that is no regular expression, a description that is no text. Such a client drops the tool.

// A form is what the meta-schema asks of the value of a keyword.
type form struct {
	what string
	fits func(v any) bool
}

var (
	textForm   = form{"a string", func(v any) bool { _, ok := v.(string); return ok }}
	flagForm   = form{"a boolean", func(v any) bool { _, ok := v.(bool); return ok }}
	listForm   = form{"an array", func(v any) bool { _, ok := v.([]any); return ok }}
	schemaForm = form{"a schema: an object or a boolean", isSchema}
	mapForm    = form{"an object of schemas", func(v any) bool { m, ok := v.(map[string]any); return ok && allSchemas(m) }}
	tupleForm  = form{"a non-empty array of schemas", isTuple}
	countForm  = form{"an integer from 0", isCount}
	namesForm  = form{"an object of arrays of names", isNameLists}
)

// noteForms are the keywords that say nothing about acceptance, which the decision procedure does not look at.
var noteForms = map[string]form{
	"title": textForm, "description": textForm, "$comment": textForm, "contentEncoding": textForm, "contentMediaType": textForm,
	"examples": listForm, "deprecated": flagForm, "readOnly": flagForm, "writeOnly": flagForm,
}

// newForms are the keywords that older dialects do not know. A schema without $schema that is not legal in 2020-12 is read as
// one of those, because of an array under items or the like; that does not excuse what no dialect that knows the keyword
// takes.
var newForms = map[string]form{
	"if": schemaForm, "then": schemaForm, "else": schemaForm, "contains": schemaForm, "propertyNames": schemaForm,
	"unevaluatedItems": schemaForm, "unevaluatedProperties": schemaForm, "contentSchema": schemaForm,
	"$defs": mapForm, "dependentSchemas": mapForm, "dependentRequired": namesForm, "prefixItems": tupleForm,
	"minContains": countForm, "maxContains": countForm, "$anchor": textForm, "$dynamicAnchor": textForm, "$dynamicRef": textForm,
}

func isSchema(v any) bool {
	switch v.(type) {
	case bool, map[string]any:
		return true
	}
	return false
}

func allSchemas(m map[string]any) bool {
	for _, v := range m {
		if !isSchema(v) {
			return false
		}
	}
	return true
}

func isTuple(v any) bool {
	list, _ := v.([]any)
	for _, e := range list {
		if !isSchema(e) {
			return false
		}
	}
	return len(list) > 0
}

func isCount(v any) bool {
	n, ok := v.(json.Number)
	r, exact := number(n)
	return ok && exact && r.IsInt() && r.Sign() >= 0
}

func isNameLists(v any) bool {
	m, ok := v.(map[string]any)
	for _, list := range m {
		names, isList := list.([]any)
		ok = ok && isList && len(stringsOf(names)) == len(names)
	}
	return ok
}

// malformed says which keyword of a schema has a value that the meta-schema refuses and the decision procedure does not look
// at, "" when none has.
func malformed(schema any) string {
	_, named := mapOf(schema)["$schema"].(string)
	if sound(schema, !named) {
		if named {
			return ""
		}
		return unread(schema)
	}
	problem := ""
	visitSchemas(node{root: schema, v: schema}, func(n node) bool {
		problem = n.fault(!named)
		return problem == ""
	})
	return problem
}

// unread says what is wrong in the parts that were not read because the schema, which names no dialect, was taken for one of
// an older dialect: its definitions under $defs, its conditions.
func unread(schema any) string {
	s, err := subschema.Compile(schema, "")
	if err != nil || s.Dialect() == validate.Draft2020 {
		return ""
	}
	problem := ""
	visitSchemas(node{root: schema, v: schema}, func(n node) bool {
		for _, part := range n.newParts() {
			var e *subschema.SchemaError
			if _, err := subschema.Compile(part.v, ""); errors.As(err, &e) && e.Kind == subschema.IllegalSchema {
				problem = "at " + canonjson.Pointer(part.at...) + e.Pointer + ": " + e.Problem
				return false
			}
		}
		return true
	})
	return problem
}

// newParts are the schemas under keywords that older dialects do not know.
func (n node) newParts() []node {
	var out []node
	m := n.object()
	for _, keyword := range canonjson.SortedKeys(m) {
		if _, isNew := newForms[keyword]; !isNew {
			continue
		}
		switch v := m[keyword].(type) {
		case map[string]any:
			if oneSchema[keyword] {
				out = append(out, n.child(keyword))
			} else if mapOfSchemas[keyword] {
				for _, name := range canonjson.SortedKeys(v) {
					out = append(out, n.child(keyword, name))
				}
			}
		case []any:
			for i := range v {
				out = append(out, n.child(keyword, strconv.Itoa(i)))
			}
		}
	}
	return out
}

// sound reports whether no schema in a tree has a fault, without the places and the order that malformed needs.
func sound(schema any, free bool) bool {
	m := mapOf(schema)
	for keyword, v := range m {
		if !keywordFits(keyword, v, free) || !soundBelow(keyword, v, free) {
			return false
		}
	}
	return true
}

func soundBelow(keyword string, v any, free bool) bool {
	switch v := v.(type) {
	case map[string]any:
		if oneSchema[keyword] {
			return sound(v, free)
		}
		if mapOfSchemas[keyword] {
			for _, e := range v {
				if !sound(e, free) {
					return false
				}
			}
		}
	case []any:
		if listOfSchemas[keyword] {
			for _, e := range v {
				if !sound(e, free) {
					return false
				}
			}
		}
	}
	return true
}

// formOf is what the value of a keyword must look like; free is true where no dialect is named.
func formOf(keyword string, free bool) (form, bool) {
	f, known := noteForms[keyword]
	if !known && free {
		f, known = newForms[keyword]
	}
	return f, known
}

func keywordFits(keyword string, v any, free bool) bool {
	if f, known := formOf(keyword, free); known && !f.fits(v) {
		return false
	}
	switch keyword {
	case "pattern":
		return regular.Check(textOf(v)) == nil
	case "patternProperties":
		for pattern := range mapOf(v) {
			if regular.Check(pattern) != nil {
				return false
			}
		}
	}
	return true
}

// visitSchemas visits a schema and all schemas inside of it, definitions too, until visit returns false.
func visitSchemas(n node, visit func(node) bool) bool {
	if n.object() == nil {
		return true
	}
	if !visit(n) {
		return false
	}
	below := n.children()
	for _, keyword := range []string{"$defs", "definitions"} {
		for _, name := range canonjson.SortedKeys(mapOf(n.object()[keyword])) {
			below = append(below, n.child(keyword, name))
		}
	}
	for _, child := range below {
		if !visitSchemas(child, visit) {
			return false
		}
	}
	return true
}

// fault is the first malformed keyword of one schema.
func (n node) fault(free bool) string {
	m := n.object()
	for _, keyword := range canonjson.SortedKeys(m) {
		if keywordFits(keyword, m[keyword], free) {
			continue
		}
		place := "at " + canonjson.Pointer(append(n.at[:len(n.at):len(n.at)], keyword)...) + ": "
		if f, known := formOf(keyword, free); known {
			return place + fmt.Sprintf("%s must be %s", keyword, f.what)
		}
		patterns := canonjson.SortedKeys(mapOf(m[keyword]))
		if keyword == "pattern" {
			patterns = []string{textOf(m[keyword])}
		}
		for _, pattern := range patterns {
			if err := regular.Check(pattern); err != nil {
				_, why, _ := strings.Cut(err.Error(), ": ")
				return place + fmt.Sprintf("%s is no regular expression of ECMA-262 (%s)", quote(pattern), why)
			}
		}
	}
	return ""
}
