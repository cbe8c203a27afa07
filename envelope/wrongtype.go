package envelope

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// typeList reads the value of the keyword type.
func typeList(v any) []string {
	switch x := v.(type) {
	case string:
		return []string{x}
	case []string:
		return x
	case []any:
		var types []string
		for _, t := range x[:min(len(x), 16)] {
			if s, ok := t.(string); ok {
				types = append(types, s)
			}
		}
		return types
	}
	return nil
}

// kinds joins type names in a sentence: "a string or null".
func kinds(types []string) string {
	if len(types) == 0 {
		return "another type"
	}
	var b strings.Builder
	for i, t := range types {
		switch {
		case i == 0:
		case i == len(types)-1:
			b.WriteString(" or ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(kindName(t))
	}
	return b.String()
}

// wrongType explains a failed type, with what models really do: text in place of the value, null for "not used", one value
// for a list, an object around the value.
func (x explainer) wrongType(is Issue) []Field {
	want := typeList(is.Expected)
	if want == nil {
		want = typeList(is.Schema["type"])
	}
	hide := secret(is)
	name, sent := readablePath(is.Path), "nothing"
	if is.Sent {
		sent = shown(is.Received, hide, x.limits.Value)
	}
	if len(want) == 0 {
		return x.line(name, "Wrong type", sent, "a value of another type")
	}
	problem, expected := "Must be "+kinds(want), kinds(want)
	if e := x.expectation(is.Schema, hide); len(want) == 1 && is.Schema["type"] != nil && e != "a value" {
		expected = e
	}
	takes := func(v any) bool { return plainlyFits(is.Schema, v, 0) } // what may be advised
	wants := func(kind string) bool { return slices.Contains(want, kind) }
	switch v := is.Received.(type) {
	case nil:
		if is.Sent {
			return x.line(name, "Null is not allowed", "null", expected+ifElse(is.Needed, "", ", or leave it out if it is not used"))
		}
	case string:
		if p, s, e, ok := x.textFor(v, wants, is, hide); ok {
			if s != "" {
				sent = s
			}
			return x.line(name, p, sent, ifElse(e == "", expected, e))
		}
	case []any:
		if len(v) == 1 && fits(v[0], want) && takes(v[0]) {
			return x.line(name, problem+", not a list", sent, "the one item itself, without the list around it")
		}
	case map[string]any:
		if len(v) == 1 {
			for k, inner := range v {
				if fits(inner, want) && takes(inner) {
					if hide { // a name inside may be what must not be shown
						return x.line(name, problem+", not an object", sent, "the one value in it, without the object around it")
					}
					return x.line(name, problem+", not an object", sent, "the value of "+quote(clean(k, x.limits.Value))+" itself, without the object around it")
				}
			}
		}
	}
	got := kindOf(is.Received)
	switch {
	case !is.Sent:
	case wants("integer") && got == "number":
		expected = "a number without a fraction"
	case wants("string") && (got == "number" || got == "boolean"):
		text, whole := "", shown(is.Received, false, maxName)
		if !takes(whole) {
			return x.line(name, problem+", not "+gotName(got), sent, expected)
		}
		if !hide && len(whole) <= x.limits.Value {
			text = `: "` + whole + `"`
		}
		return x.line(name, problem+", not "+gotName(got), sent, "the same value as text, in quotes"+text)
	}
	if wants("array") && is.Sent && got != "array" {
		example := ""
		if !takes([]any{is.Received}) {
			return x.line(name, "Must be a list, also for one item", sent, x.lists(is, expected))
		}
		if !hide && scalar(is.Received) {
			if text, err := encodeJSON(is.Received); err == nil && len(text) <= x.limits.Value && plain(text) && scrub(text) == text {
				example = ": [" + text + "]"
			}
		}
		return x.line(name, "Must be a list, also for one item", sent, "a list with the value in it"+example)
	}
	return x.line(name, problem, sent, expected)
}

// lists says what the items of a list must be, where that is known.
func (x explainer) lists(is Issue, expected string) string {
	items, _ := is.Schema["items"].(map[string]any)
	if text := x.expectation(items, secret(is)); text != "a value" {
		return expected + " of which each item is " + text
	}
	return expected
}

// textFor explains text that spells a value of the wanted type. Nothing is expected that the schema refuses.
func (x explainer) textFor(s string, wants func(string) bool, is Issue, hide bool) (problem, sent, expected string, ok bool) {
	takes := func(v any) bool { return plainlyFits(is.Schema, v, 0) }
	trimmed := strings.TrimSpace(limitBytes(s, 1<<16))
	for _, kind := range []string{"object", "array"} {
		if !wants(kind) {
			continue
		}
		if v := parseText(trimmed); kindOf(v) == kind {
			expected = the(kind) + " without quotes around it"
			if !hide {
				expected += ", shaped like " + shape(v, 0)
			}
			return "This is JSON text, send " + the(kind) + " itself", "a string of " + characters(s) + " that holds JSON", expected, true
		}
	}
	number := wants("number") || wants("integer")
	if number && isNumber(trimmed, !wants("number")) {
		value := ""
		if !hide {
			value = ": " + cut(trimmed, x.limits.Value)
		}
		return "Must be " + ifElse(wants("number"), "a number", "a whole number") + ", not text", "", ifElse(takes(json.Number(trimmed)), "the number without quotes"+value, ""), true
	}
	if wants("boolean") {
		switch strings.ToLower(trimmed) {
		case "true", "yes", "on", "1":
			return "Must be true or false, not text", "", ifElse(hide || !takes(true), "", "true, without quotes"), true
		case "false", "no", "off", "0":
			return "Must be true or false, not text", "", ifElse(hide || !takes(false), "", "false, without quotes"), true
		}
	}
	switch strings.ToLower(trimmed) {
	case "null", "none", "undefined", "nil":
		if wants("null") {
			return "A word as text is not null", "", "null without quotes" + ifElse(is.Needed, "", ", or leave it out if it is not used"), true
		}
		if !is.Needed {
			return "A word for 'nothing' is not a value here", "", "no value: leave it out if it is not used", true
		}
	}
	return "", "", "", false
}

func gotName(kind string) string {
	if kind == "boolean" {
		return "a boolean"
	}
	return kindName(kind)
}

func the(kind string) string {
	if kind == "array" {
		return "the list"
	}
	return "the object"
}

func ifElse(cond bool, a, b string) string {
	if cond {
		return a
	}
	return b
}

func isNumber(s string, whole bool) bool {
	if s == "" || len(s) > 40 || strings.ContainsAny(s, "xXpP_iInN") {
		return false
	}
	f, err := strconv.ParseFloat(s, 64)
	return err == nil && json.Valid([]byte(s)) && (!whole || f == float64(int64(f)))
}

// parseText decodes a text that is a JSON object or array, or returns nil.
func parseText(s string) any {
	s = strings.TrimSpace(s)
	if len(s) < 2 || len(s) > 1<<16 || s[0] != '{' && s[0] != '[' {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		return nil
	}
	return v
}

// shape writes a value with types in place of its scalars, so that it can be shown whatever it holds.
func shape(v any, depth int) string {
	switch t := v.(type) {
	case map[string]any:
		if depth == 2 {
			return "{…}"
		}
		keys := sortedKeys(t)
		return "{" + listed(keys, 6, func(k string) string {
			return `"` + strings.ReplaceAll(clean(k, 40), `"`, `\"`) + `": ` + shape(t[k], depth+1)
		}) + "}"
	case []any:
		if len(t) == 0 {
			return "[]"
		}
		if depth == 2 {
			return "[…]"
		}
		if len(t) == 1 {
			return "[" + shape(t[0], depth+1) + "]"
		}
		return "[" + shape(t[0], depth+1) + ", …]"
	}
	return kindOf(v)
}

func scalar(v any) bool {
	k := kindOf(v)
	return k != "" && k != "array" && k != "object"
}

// fits reports whether v is of one of the types.
func fits(v any, types []string) bool {
	kind := kindOf(v)
	for _, t := range types {
		if t == kind && kind != "null" {
			return true
		}
		if t == "integer" && kind == "number" {
			if _, ok := asInt(v); ok {
				return true
			}
		}
	}
	return false
}
