package envelope

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// kindOf names the JSON type of a value of the plain tree, or "" for anything else.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case json.Number, float64, float32, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return "number"
	}
	return ""
}

// numberText writes a number of the plain tree.
func numberText(v any) string {
	switch n := v.(type) {
	case json.Number:
		if !json.Valid([]byte(n)) { // made by hand: it could hold anything
			return "a number"
		}
		return cut(string(n), 40)
	case float64:
		return strconv.FormatFloat(n, 'g', -1, 64)
	case float32:
		return strconv.FormatFloat(float64(n), 'g', -1, 32)
	}
	return fmt.Sprint(v)
}

// asInt reads a count such as minLength; ok is false for anything that is not a small whole number.
func asInt(v any) (n int, ok bool) {
	f, err := strconv.ParseFloat(numberText(v), 64)
	if kindOf(v) != "number" || err != nil || f != math.Trunc(f) || math.Abs(f) > 1e15 {
		return 0, false
	}
	return int(f), true
}

var kindNames = map[string]string{
	"string": "a string", "number": "a number", "integer": "a whole number", "boolean": "true or false", "array": "a list",
	"object": "an object", "null": "null",
}

// kindName names a JSON type in a sentence.
func kindName(kind string) string {
	if name, ok := kindNames[kind]; ok {
		return name
	}
	return "a value of the type in the schema"
}

// shown writes a value that was sent. Only scalars are shown; lists and objects hold the values of other fields, so they are
// described by their size, and objects by the names of their members too.
func shown(v any, secret bool, limit int) string {
	if secret {
		return concealed(v)
	}
	switch x := v.(type) {
	case string:
		return shownString(x, limit)
	case []any:
		return "a list of " + count(len(x), "item", "items")
	case map[string]any:
		if len(x) == 0 {
			return "an empty object"
		}
		return "an object with the names " + nameList(sortedKeys(x), 5, limit)
	case nil, bool:
		return jsonWord(x)
	}
	if kindOf(v) == "number" {
		return cut(numberText(v), limit)
	}
	return shownString(detailText(v), limit)
}

func jsonWord(v any) string {
	switch v {
	case nil:
		return "null"
	case true:
		return "true"
	}
	return "false"
}

func shownString(s string, limit int) string {
	text := s
	if len(text) > 8*limit+64 {
		text = strings.ToValidUTF8(text[:8*limit+64], "")
	}
	text = clean(scrub(text), limit)
	if utf8.RuneCountInString(s) > limit {
		return quote(text) + " (" + characters(s) + ")"
	}
	return quote(text)
}

func characters(s string) string { return count(utf8.RuneCountInString(s), "character", "characters") }

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// concealed describes a value by type and length only.
func concealed(v any) string {
	switch x := v.(type) {
	case string:
		return "a string of " + characters(x) + " (hidden)"
	case []any:
		return "a list of " + count(len(x), "item", "items") + " (hidden)"
	case map[string]any:
		return "an object (hidden)"
	case nil:
		return "null"
	}
	if kind := kindOf(v); kind != "" {
		return "a " + kind + " (hidden)"
	}
	return "a value (hidden)"
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// nameList quotes up to n names and counts the rest.
func nameList(names []string, n, limit int) string {
	return listed(names, n, func(s string) string { return quote(clean(s, limit)) })
}

func listed[T any](items []T, n int, text func(T) string) string {
	var b strings.Builder
	for i, it := range items {
		if i == n {
			fmt.Fprintf(&b, " and %d more", len(items)-n)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(text(it))
	}
	return b.String()
}

// schemaValue writes a value that stands in the schema: an option of an enum, a const.
func schemaValue(v any, limit int) string {
	switch x := v.(type) {
	case string:
		return quote(clean(x, limit))
	case []any, map[string]any:
		data, err := encodeJSON(conceal(x, 0))
		if err != nil {
			return kindName(kindOf(v))
		}
		return clean(data, 2*limit)
	}
	return shown(v, false, limit)
}

// conceal copies a tree with the values of secret-looking names replaced, to a bounded depth and width.
func conceal(v any, depth int) any {
	switch x := v.(type) {
	case map[string]any:
		if depth > 6 {
			return "…"
		}
		out := make(map[string]any, len(x))
		named := namesSecret(x)
		for i, k := range sortedKeys(x) {
			switch {
			case i >= 50:
			case secretName(k) || named && pairedValue(k):
				out[k] = concealed(x[k])
			default:
				out[k] = conceal(x[k], depth+1)
			}
		}
		return out
	case string:
		return scrub(x)
	case []any:
		if depth > 6 {
			return "…"
		}
		out := make([]any, 0, min(len(x), 50))
		for _, item := range x[:min(len(x), 50)] {
			out = append(out, conceal(item, depth+1))
		}
		return out
	}
	return v
}

// namesSecret reports whether an object is a pair whose name says that its value may be a secret: {"name":"Authorization","value":…}.
func namesSecret(m map[string]any) bool {
	for _, k := range []string{"name", "key", "header", "field"} {
		if s, ok := m[k].(string); ok && secretName(s) {
			return true
		}
	}
	return false
}

func pairedValue(name string) bool {
	return name == "value" || name == "values" || name == "val" || name == "content"
}

// whole reports whether conceal keeps all of a tree: nothing lies beyond its depth and width.
func whole(v any, depth int) bool {
	switch x := v.(type) {
	case map[string]any:
		if depth > 6 || len(x) > 50 {
			return false
		}
		for _, inner := range x {
			if !whole(inner, depth+1) {
				return false
			}
		}
	case []any:
		if depth > 6 || len(x) > 50 {
			return false
		}
		for _, inner := range x {
			if !whole(inner, depth+1) {
				return false
			}
		}
	}
	return true
}

// detailText writes any Go value for a detail: texts and errors as they are, structures as JSON without their secrets.
func detailText(v any) (text string) {
	defer func() {
		if recover() != nil {
			text = "a value that cannot be shown"
		}
	}()
	switch x := v.(type) {
	case string:
		return x
	case Safe:
		return string(x)
	case nil:
		return "null"
	case error:
		return scrub(limitBytes(x.Error(), maxScrub))
	case time.Time:
		return x.Format(time.RFC3339Nano)
	case fmt.Stringer:
		return x.String()
	}
	if k := kindOf(v); k == "number" || k == "boolean" {
		return fmt.Sprint(v)
	}
	data, err := encodeJSON(v)
	if err != nil {
		return "a value that cannot be shown"
	}
	var tree any
	d := json.NewDecoder(strings.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		return "a value that cannot be shown"
	}
	if s, ok := tree.(string); ok {
		return s
	}
	data, _ = encodeJSON(conceal(tree, 0))
	return data
}

// encodeJSON leaves "<", ">" and "&" to the XML escapes.
func encodeJSON(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

func limitBytes(s string, n int) string {
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "")
	}
	return s
}
