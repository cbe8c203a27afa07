package validate

import (
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// The dialects, by the canonical form of their $schema.
const (
	Draft4    = "http://json-schema.org/draft-04/schema#"
	Draft6    = "http://json-schema.org/draft-06/schema#"
	Draft7    = "http://json-schema.org/draft-07/schema#"
	Draft2019 = "https://json-schema.org/draft/2019-09/schema"
	Draft2020 = "https://json-schema.org/draft/2020-12/schema"
)

// ladder is tried in turn where $schema is absent: the MCP specification says 2020-12 (SEP-1613), older servers publish
// array-form items or a boolean exclusiveMinimum without saying so.
var ladder = []string{Draft2020, Draft7, Draft4}

// version orders the dialects.
func version(dialect string) int {
	switch dialect {
	case Draft4:
		return 4
	case Draft6:
		return 6
	case Draft7:
		return 7
	case Draft2019:
		return 2019
	}
	return 2020
}

// CanonicalDialect returns the canonical form of a $schema value: http and https, with and without an empty fragment, are
// the same. It reports false for a dialect that is not known.
func CanonicalDialect(uri string) (string, bool) {
	u := strings.TrimSuffix(strings.TrimSuffix(uri, "/"), "#")
	u = strings.TrimPrefix(strings.TrimPrefix(u, "http://"), "https://")
	if u == "json-schema.org/schema" { // the newest
		return Draft2020, true
	}
	for _, d := range []string{Draft4, Draft6, Draft7, Draft2019, Draft2020} {
		if strings.HasSuffix(strings.TrimSuffix(d, "#"), "://"+u) {
			return d, u != ""
		}
	}
	return "", false
}

// dialectsOf lists the dialects to try for a schema.
func dialectsOf(root any, o Options) ([]string, *Error) {
	uri := o.Dialect
	if m, ok := root.(map[string]any); ok {
		if v, ok := m["$schema"]; ok {
			s, ok := v.(string)
			if !ok || s == "" {
				return nil, &Error{Kind: ErrDialect, Pointer: "/$schema", Problem: "want a URI"}
			}
			uri = s
		}
	}
	if uri == "" {
		return ladder, nil
	}
	d, ok := CanonicalDialect(uri)
	if !ok {
		return nil, &Error{Kind: ErrDialect, Problem: quote(uri)}
	}
	return []string{d}, nil
}

// olderForm reports whether a schema uses a keyword in a form that only the drafts up to d have. Without such a sign an
// illegal schema is not tried as an older draft, which would accept it by ignoring the keyword.
func olderForm(root any, d string) bool {
	for _, n := range newDocument(root, 2020).order {
		if d == Draft4 {
			_, low := n.m["exclusiveMinimum"].(bool)
			_, high := n.m["exclusiveMaximum"].(bool)
			if low || high {
				return true
			}
			continue
		}
		_, tuple := n.m["items"].([]any)
		id, _ := n.m["$id"].(string)
		if tuple || strings.HasPrefix(id, "#") {
			return true
		}
	}
	return false
}

// shape says where a keyword holds sub-schemas.
type shape uint8

const (
	one   shape = 1 << iota // a schema
	list                    // an array of schemas
	named                   // an object of schemas
)

type position struct {
	shape shape
	since int
}

// positions lists the keywords that hold sub-schemas, with the first draft that knows them. Keywords that a draft has
// dropped stay in, because references may still point into them.
var positions = map[string]position{
	"definitions":           {named, 4},
	"not":                   {one, 4},
	"allOf":                 {list, 4},
	"anyOf":                 {list, 4},
	"oneOf":                 {list, 4},
	"properties":            {named, 4},
	"additionalProperties":  {one, 4},
	"patternProperties":     {named, 4},
	"items":                 {one | list, 4},
	"additionalItems":       {one, 4},
	"dependencies":          {named, 4},
	"propertyNames":         {one, 6},
	"contains":              {one, 6},
	"if":                    {one, 7},
	"then":                  {one, 7},
	"else":                  {one, 7},
	"$defs":                 {named, 2019},
	"dependentSchemas":      {named, 2019},
	"unevaluatedProperties": {one, 2019},
	"unevaluatedItems":      {one, 2019},
	"contentSchema":         {one, 2019},
	"prefixItems":           {list, 2020},
}

var positionKeywords = canonjson.SortedKeys(positions)
