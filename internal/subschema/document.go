package subschema

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// A document is a schema with the places of its sub-schemas, resources and anchors. A place is a JSON pointer from the
// root, also inside of embedded resources.
type document struct {
	root      any
	places    map[string]*place // every sub-schema
	resources map[string]*resource
	dynamic   bool // $dynamicRef or $recursiveRef occurs: dynamic scopes must be followed
}

type place struct {
	pointer  string
	value    any
	resource *resource
}

// A resource is the root schema or an embedded one with an $id of its own.
type resource struct {
	pointer string
	base    *url.URL
	draft   draft
	anchors map[string]string // plain names to pointers
	dynamic map[string]bool   // which of them are dynamic anchors
	rec     bool              // $recursiveAnchor is true
}

// madeUp is the base of schemas without an absolute $id.
var madeUp = &url.URL{Scheme: "mem", Host: "", Path: "/schema"}

func newDocument(root any, d draft) (*document, *SchemaError) {
	doc := &document{root: root, places: map[string]*place{}, resources: map[string]*resource{}}
	r := &resource{base: madeUp, draft: d, anchors: map[string]string{}, dynamic: map[string]bool{}}
	doc.resources[madeUp.String()] = r
	if err := doc.scan(root, "", r); err != nil {
		return nil, err
	}
	return doc, nil
}

func illegal(pointer, format string, args ...any) *SchemaError {
	return &SchemaError{IllegalSchema, pointer, fmt.Sprintf(format, args...)}
}

// scan records the schema at pointer and all below it, and checks the shape of each keyword.
func (doc *document) scan(v any, pointer string, r *resource) *SchemaError {
	if len(doc.places) > maxPlaces {
		return &SchemaError{SchemaTooLarge, "", fmt.Sprintf("more than %d sub-schemas", maxPlaces)}
	}
	m, ok := v.(map[string]any)
	if !ok {
		if _, ok := v.(bool); !ok || r.draft == draft4 {
			return illegal(pointer, "a schema is an object or a boolean (draft-04: an object)")
		}
		doc.places[pointer] = &place{pointer, v, r}
		return nil
	}
	_, isRef := m["$ref"].(string)
	alone := isRef && r.draft&upTo7 != 0
	if !alone {
		var err *SchemaError
		if r, err = doc.identify(m, pointer, r); err != nil {
			return err
		}
	}
	doc.places[pointer] = &place{pointer, v, r}
	if r.draft == draft4 && !alone {
		for key, needs := range map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"} {
			if m[key] != nil && m[needs] == nil {
				return illegal(pointer, "%s without %s", key, needs)
			}
		}
	}
	for _, key := range canonjson.SortedKeys(m) {
		k, ok := known(key, r.draft)
		if !ok || alone && key != "$ref" && k.shape != schemaMap {
			continue
		}
		if err := doc.scanKeyword(key, k.shape, m[key], pointer+"/"+canonjson.EscapeToken(key), r); err != nil {
			return err
		}
	}
	return nil
}

// identify registers the $id and anchors of a schema and returns the resource it belongs to.
func (doc *document) identify(m map[string]any, pointer string, r *resource) (*resource, *SchemaError) {
	d := r.draft
	uri, foreign := m["$schema"].(string)
	if foreign && pointer != "" {
		var ok bool
		if d, ok = draftOf(uri); !ok {
			if _, named := m["$id"]; named || m["id"] != nil && r.draft == draft4 {
				return nil, &SchemaError{UnknownDialect, pointer + "/$schema", unknownDialect(uri)}
			}
			d = r.draft
		}
	}
	key := "$id"
	if d == draft4 {
		key = "id"
	}
	if id, ok := m[key].(string); ok {
		u, err := url.Parse(id)
		if err != nil {
			return nil, illegal(pointer+"/"+key, "not a URI reference")
		}
		if strings.HasPrefix(id, "#") {
			if r.draft&upTo7 != 0 {
				r.anchors[u.Fragment] = pointer
			}
		} else {
			base := *r.base.ResolveReference(u)
			base.Fragment, base.RawFragment = "", ""
			if pointer != "" || base.String() != r.base.String() {
				r = &resource{pointer: pointer, base: &base, draft: d, anchors: map[string]string{}, dynamic: map[string]bool{}}
				if pointer == "" {
					doc.resources[madeUp.String()] = r
				}
				doc.resources[base.String()] = r
			}
			if u.Fragment != "" && r.draft&upTo7 != 0 {
				r.anchors[u.Fragment] = pointer
			}
		}
	}
	if a, ok := m["$anchor"].(string); ok && r.draft&since2019 != 0 {
		r.anchors[a] = pointer
	}
	if a, ok := m["$dynamicAnchor"].(string); ok && r.draft == draft2020 {
		r.anchors[a] = pointer
		r.dynamic[a] = true
	}
	if b, ok := m["$recursiveAnchor"].(bool); ok && b && r.draft == draft2019 && pointer == r.pointer {
		r.rec = true
	}
	return r, nil
}

func (doc *document) scanKeyword(key string, s shape, v any, pointer string, r *resource) *SchemaError {
	switch s {
	case schemaShape:
		return doc.scan(v, pointer, r)
	case schemaOrBool:
		if _, ok := v.(bool); ok {
			doc.places[pointer] = &place{pointer, v, r}
			return nil
		}
		return doc.scan(v, pointer, r)
	case schemaOrList:
		if list, ok := v.([]any); ok {
			if r.draft == draft2020 {
				return illegal(pointer, "%s must be a schema", key)
			}
			return doc.scanList(list, pointer, r)
		}
		return doc.scan(v, pointer, r)
	case schemaList:
		list, ok := v.([]any)
		if !ok || len(list) == 0 {
			return illegal(pointer, "%s must be a non-empty array of schemas", key)
		}
		return doc.scanList(list, pointer, r)
	case schemaMap, dependencyMap, nameListMap:
		return doc.scanMap(key, s, v, pointer, r)
	}
	if key == "$dynamicRef" || key == "$recursiveRef" {
		doc.dynamic = true
	}
	return checkShape(key, s, v, pointer, r.draft)
}

func (doc *document) scanList(list []any, pointer string, r *resource) *SchemaError {
	for i, v := range list {
		if err := doc.scan(v, pointer+"/"+strconv.Itoa(i), r); err != nil {
			return err
		}
	}
	return nil
}

func (doc *document) scanMap(key string, s shape, v any, pointer string, r *resource) *SchemaError {
	m, ok := v.(map[string]any)
	if !ok {
		return illegal(pointer, "%s must be an object", key)
	}
	for _, name := range canonjson.SortedKeys(m) {
		at := pointer + "/" + canonjson.EscapeToken(name)
		list, isList := m[name].([]any)
		var err *SchemaError
		switch {
		case s == nameListMap || s == dependencyMap && isList:
			if !isList {
				return illegal(at, "want an array of names")
			}
			err = checkNames(list, at)
		default:
			err = doc.scan(m[name], at, r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkShape checks a value without sub-schemas.
func checkShape(key string, s shape, v any, pointer string, d draft) *SchemaError {
	ok, want := true, ""
	switch s {
	case numberShape:
		_, ok = v.(json.Number)
		want = "a number"
	case positiveShape:
		n, isNumber := v.(json.Number)
		ok = isNumber && n[0] != '-' && n != "0"
		want = "a number above 0"
	case countShape:
		n, isNumber := v.(json.Number)
		ok = isNumber && isCount(n)
		want = "an integer from 0"
	case boolShape:
		_, ok = v.(bool)
		want = "a boolean"
	case boundShape:
		if d == draft4 {
			_, ok = v.(bool)
			want = "a boolean"
		} else {
			_, ok = v.(json.Number)
			want = "a number"
		}
	case stringShape, patternShape:
		_, ok = v.(string)
		want = "a string"
	case arrayShape:
		_, ok = v.([]any)
		want = "an array"
	case nameList:
		list, isList := v.([]any)
		if isList {
			return checkNames(list, pointer)
		}
		ok, want = false, "an array of names"
	case typeShape:
		ok = isType(v)
		want = "one of " + typeList + ", or a non-empty array of different ones"
	}
	if !ok {
		return illegal(pointer, "%s must be %s, and is %s", key, want, excerpt(v))
	}
	return nil
}

// excerpt shows a value in a message, its start when it is long.
func excerpt(v any) string {
	const most = 60
	data := canonjson.Append(nil, v)
	if text := []rune(string(data[:min(len(data), 4*most)])); len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(data)
}

func checkNames(list []any, pointer string) *SchemaError {
	seen := map[string]bool{}
	for i, v := range list {
		s, ok := v.(string)
		if !ok || seen[s] {
			return illegal(pointer+"/"+strconv.Itoa(i), "names must be different strings")
		}
		seen[s] = true
	}
	return nil
}

func isCount(n json.Number) bool {
	return n[0] != '-' && !strings.ContainsRune(string(n), '.') && !strings.Contains(string(n), "e-")
}

const typeList = "null, boolean, number, integer, string, array, object"

var typeNames = map[string]int{"null": tNull, "boolean": tBoolean, "number": tNumber, "integer": tNumber, "string": tString,
	"array": tArray, "object": tObject}

func isType(v any) bool {
	if s, ok := v.(string); ok {
		return typeNames[s] != 0
	}
	list, ok := v.([]any)
	seen := map[string]bool{}
	for _, e := range list {
		s, isText := e.(string)
		ok = ok && isText && typeNames[s] != 0 && !seen[s]
		seen[s] = true
	}
	return ok && len(list) > 0
}
