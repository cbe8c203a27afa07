package subschema

import (
	"encoding/json"
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/validate"
)

// A generator makes random schemas from few names and numbers, so that keywords meet.
type generator struct {
	*rand.Rand
	dialect       string
	leaves, nests []string // the keywords to choose from
}

// focus narrows the keywords, so that those of one type meet more often.
func (g *generator) focus() {
	switch g.Intn(7) {
	case 0:
		g.leaves = []string{"type", "const", "enum", "required", "minProperties", "maxProperties", "dependentRequired", "minimum", "pattern"}
		g.nests = []string{"properties", "patternProperties", "additionalProperties", "propertyNames", "dependentSchemas", "not", "anyOf", "oneOf", "allOf",
			"unevaluatedProperties", "$ref"}
	case 1:
		g.leaves = []string{"type", "const", "enum", "minItems", "maxItems", "uniqueItems", "uniqueItems", "minimum", "multipleOf"}
		g.nests = []string{"items", "prefixItems", "contains", "minContains", "minContains", "not", "anyOf", "oneOf", "allOf", "unevaluatedItems", "$ref"}
	case 2:
		g.leaves = []string{"type", "enum", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "const"}
		g.nests = []string{"not", "anyOf", "oneOf", "allOf", "if", "properties", "items"}
	case 3:
		g.leaves = []string{"type", "const", "required", "minProperties", "maxProperties", "maxProperties", "dependentRequired"}
		g.nests = []string{"properties", "patternProperties", "patternProperties", "propertyNames", "propertyNames", "additionalProperties", "not", "not"}
	case 4:
		g.leaves = []string{"enum", "type", "minItems", "maxItems", "uniqueItems", "minItems", "uniqueItems"}
		g.nests = []string{"prefixItems", "items", "contains", "minContains", "minContains", "not", "not", "anyOf"}
	case 5:
		g.leaves = []string{"type", "const", "required", "required", "minProperties", "maxItems", "minItems"}
		g.nests = []string{"properties", "prefixItems", "items", "contains", "oneOf", "oneOf", "anyOf", "if", "dependentSchemas", "$ref", "allOf", "not",
			"additionalProperties", "unevaluatedProperties", "unevaluatedItems", "unevaluatedProperties"}
	default:
		g.leaves, g.nests = leafKeywords, deepKeywords
	}
}

func (g *generator) pick(list ...any) any { return list[g.Intn(len(list))] }

func num(s string) json.Number { return json.Number(s) }

var (
	genNames    = []any{"a", "b", "c", "ab", "zz"}
	genPatterns = []any{"^a", "b", "^[a-c]$", "^$", "a|z", "^.{2}", "[^b]", "^(ab)*$", "^\\d+$"}
	genTypes    = []any{"null", "boolean", "integer", "number", "string", "array", "object"}
)

func (g *generator) scalar() any {
	return g.pick(nil, true, false, num("0"), num("1"), num("2"), num("3"), num("1.5"), num("-1"), num("6"), "", "a", "b", "ab", "zz", "abc")
}

func (g *generator) value(depth int) any {
	if depth <= 0 || g.Intn(3) > 0 {
		return g.scalar()
	}
	if g.Intn(2) == 0 {
		list := make([]any, g.Intn(4))
		for i := range list {
			list[i] = g.value(depth - 1)
		}
		return list
	}
	m := map[string]any{}
	for range g.Intn(4) {
		m[g.pick(genNames...).(string)] = g.value(depth - 1)
	}
	return m
}

func (g *generator) old() bool { return strings.Contains(g.dialect, "draft-0") }

func (g *generator) schema(depth int) any {
	if g.Intn(12) == 0 && !strings.Contains(g.dialect, "draft-04") {
		return g.Intn(4) > 0
	}
	if g.Intn(9) == 0 {
		return map[string]any{"$ref": g.pick("#/definitions/x", "#/definitions/y")}
	}
	m := map[string]any{}
	for range 1 + g.Intn(3) {
		g.keyword(m, depth)
	}
	return m
}

func (g *generator) schemas(depth, most int) []any {
	list := make([]any, 1+g.Intn(most))
	for i := range list {
		list[i] = g.schema(depth)
	}
	return list
}

func (g *generator) small() json.Number { return num(strconv.Itoa(g.Intn(4))) }

func (g *generator) namesList() []any {
	list := slices.Clone(genNames)
	g.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:1+g.Intn(2)]
}

func (g *generator) schemaMap(keys []any, depth int) map[string]any {
	m := map[string]any{}
	for range 1 + g.Intn(3) {
		m[g.pick(keys...).(string)] = g.schema(depth)
	}
	return m
}

var leafKeywords = []string{"type", "type", "type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "required", "minProperties", "maxProperties", "dependentRequired"}
var deepKeywords = []string{"items", "prefixItems", "contains", "minContains", "properties", "properties", "patternProperties", "additionalProperties",
	"propertyNames", "dependentSchemas", "allOf", "anyOf", "oneOf", "not", "if", "unevaluatedProperties", "unevaluatedItems", "$ref"}

// keyword adds a random keyword.
func (g *generator) keyword(m map[string]any, depth int) {
	if g.leaves == nil {
		g.focus()
	}
	all := g.leaves
	if depth > 0 && g.Intn(5) < 3 {
		all = g.nests
	}
	key := all[g.Intn(len(all))]
	d, _ := draftOf(g.dialect)
	if _, ok := known(key, d); !ok {
		return
	}
	switch key {
	case "type":
		if g.Intn(3) == 0 {
			list := slices.Clone(genTypes)
			g.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			m[key] = list[:1+g.Intn(3)]
		} else {
			m[key] = g.pick(genTypes...)
		}
	case "enum":
		list := []any{}
		for range 1 + g.Intn(4) {
			v := g.value(1)
			if !slices.ContainsFunc(list, func(w any) bool { return canonjson.Equal(v, w) }) {
				list = append(list, v)
			}
		}
		m[key] = list
	case "const":
		m[key] = g.value(1)
	case "minimum", "maximum":
		m[key] = g.pick(num("0"), num("1"), num("1.5"), num("2"), num("-1"))
	case "exclusiveMinimum", "exclusiveMaximum":
		if d == draft4 {
			m[key] = g.Intn(2) == 0
			m["minimum"], m["maximum"] = g.small(), g.small()
		} else {
			m[key] = g.pick(num("0"), num("1"), num("1.5"), num("2"))
		}
	case "multipleOf":
		m[key] = g.pick(num("1"), num("2"), num("3"), num("0.5"), num("1.5"))
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		m[key] = g.small()
	case "pattern":
		m[key] = g.pick(genPatterns...)
	case "uniqueItems":
		m[key] = g.Intn(4) > 0
	case "required":
		m[key] = g.namesList()
	case "dependentRequired":
		m[key] = map[string]any{g.pick(genNames...).(string): g.namesList()}
	default:
		g.deep(m, key, depth-1, d)
	}
}

func (g *generator) deep(m map[string]any, key string, depth int, d draft) {
	switch key {
	case "items":
		if d != draft2020 && g.Intn(3) == 0 {
			m[key] = g.schemas(depth, 2)
			if g.Intn(2) == 0 {
				m["additionalItems"] = g.schema(depth)
			}
		} else {
			m[key] = g.schema(depth)
		}
	case "prefixItems", "allOf":
		m[key] = g.schemas(depth, 2)
	case "anyOf", "oneOf":
		m[key] = g.schemas(depth, 3)
	case "minContains":
		m["contains"] = g.schema(depth)
		m[key] = g.small()
		if g.Intn(2) == 0 {
			m["maxContains"] = g.small()
		}
	case "properties":
		m[key] = g.schemaMap(genNames, depth)
	case "patternProperties":
		m[key] = g.schemaMap(genPatterns, depth)
	case "dependentSchemas":
		m[key] = g.schemaMap(genNames, depth)
	case "if":
		m["if"], m["then"] = g.schema(depth), g.schema(depth)
		if g.Intn(2) == 0 {
			m["else"] = g.schema(depth)
		}
	case "$ref":
		if !g.old() || len(m) == 0 {
			m[key] = g.pick("#/definitions/x", "#/definitions/y")
		}
	case "propertyNames":
		m[key] = g.schema(min(depth, 1))
	default:
		m[key] = g.schema(depth)
	}
}

// root makes a schema with two definitions that may refer to each other.
func (g *generator) root(depth int) map[string]any {
	m := map[string]any{}
	for range 1 + g.Intn(3) {
		g.keyword(m, depth)
	}
	m["definitions"] = map[string]any{"x": g.schema(1 + g.Intn(2)), "y": g.schema(1)}
	if _, ok := m["$ref"]; ok && g.old() {
		return m
	}
	return m
}

// mutate changes one random place of a copy of v.
func (g *generator) mutate(v any) any {
	m, ok := canonjson.Clone(v).(map[string]any)
	if !ok || len(m) == 0 {
		return g.schema(1)
	}
	keys := canonjson.SortedKeys(m)
	switch g.Intn(4) {
	case 0:
		g.keyword(m, 1)
		return m
	case 1:
		if k := keys[g.Intn(len(keys))]; k != "definitions" {
			delete(m, k)
			if k == "if" {
				delete(m, "then")
				delete(m, "else")
			}
		}
		return m
	}
	g.inside(m, keys[g.Intn(len(keys))])
	return m
}

func (g *generator) inside(m map[string]any, key string) {
	d, _ := draftOf(g.dialect)
	k, _ := known(key, d)
	switch v := m[key].(type) {
	case map[string]any:
		if k.shape == schemaMap && len(v) > 0 {
			name := canonjson.SortedKeys(v)[g.Intn(len(v))]
			v[name] = g.mutate(v[name])
		} else if k.shape != nameListMap && k.shape != anyShape {
			m[key] = g.mutate(v)
		}
	case []any:
		if (k.shape == schemaList || k.shape == schemaOrList) && len(v) > 0 {
			i := g.Intn(len(v))
			v[i] = g.mutate(v[i])
		}
	default:
		if k.treatment == asserted && k.shape == countShape {
			m[key] = g.small()
		}
	}
}

var randomDialects = []string{validate.Draft2020, validate.Draft2020, validate.Draft2020, validate.Draft2019, validate.Draft7, validate.Draft6, validate.Draft4}

// smallValues is a fixed set of values from the same names and numbers.
var smallValues = sync.OnceValue(func() []any {
	g := &generator{Rand: rand.New(rand.NewSource(1))}
	seen := map[string]bool{}
	var out []any
	for len(out) < 500 {
		v := g.value(min(2, len(out)/60))
		key := string(canonjson.Append(nil, v))
		if !seen[key] {
			seen[key] = true
			out = append(out, v)
		}
		if len(seen) >= 16 && len(out) < 61 {
			out = append(out, v)
		}
	}
	return out
})
