package envelope

import (
	"strconv"
	"unicode/utf8"
)

// keyword words one failed keyword: the problem, what to add to the value sent (its length, say), and what is expected.
func (x explainer) keyword(is Issue) (problem, extra, expected string) {
	hide := secret(is)
	switch n := x.bound(is.Expected); is.Keyword {
	case "enum":
		return "Not an allowed value", "", x.options(is, hide)
	case "const":
		if hide {
			return "Not the expected value", "", "the constant of the schema"
		}
		return "Not the expected value", "", schemaValue(is.Expected, x.limits.Value)
	case "minimum":
		if is.Schema["exclusiveMinimum"] == true { // draft 4
			return "Too small", "", "a number above " + n
		}
		return "Too small", "", "a number of at least " + n
	case "maximum":
		if is.Schema["exclusiveMaximum"] == true {
			return "Too large", "", "a number below " + n
		}
		return "Too large", "", "a number of at most " + n
	case "exclusiveMinimum":
		return "Too small", "", "a number above " + x.draft4(is, "minimum")
	case "exclusiveMaximum":
		return "Too large", "", "a number below " + x.draft4(is, "maximum")
	case "multipleOf", "divisibleBy":
		return "Not a multiple of " + n, "", "a multiple of " + n
	case "minLength":
		return "Too short", length(is.Received, hide, x.limits.Value), "at least " + x.counted(is.Expected, "character", "characters")
	case "maxLength":
		return "Too long", length(is.Received, hide, x.limits.Value), "at most " + x.counted(is.Expected, "character", "characters")
	case "pattern":
		return "Wrong form", "", "text that matches the pattern " + x.pattern(is.Expected) + x.declaredExample(is.Schema, hide)
	case "format":
		return formatProblem(is.Expected), "", formatExpected(is.Expected)
	case "contentEncoding", "contentMediaType", "contentSchema":
		return "Wrong content", "", "text that holds " + schemaValue(is.Expected, x.limits.Value) + " content"
	case "minItems":
		return "Too few items", "", "at least " + x.counted(is.Expected, "item", "items")
	case "maxItems":
		return "Too many items", "", "at most " + x.counted(is.Expected, "item", "items")
	case "uniqueItems":
		return "The list has equal items" + equalItems(is.Received), "", "a list in which all items differ"
	case "contains", "minContains":
		return "Too few items of the kind that the list must contain", "", "at least " + x.containsBound(is, "minContains", is.Keyword == "minContains") + " of which each is " + x.containsKind(is)
	case "maxContains":
		return "Too many items of one kind", "", "at most " + x.counted(is.Expected, "item", "items") + " of which each is " + x.containsKind(is)
	case "minProperties":
		return "Too few names in the object", "", "at least " + x.counted(is.Expected, "name", "names")
	case "maxProperties":
		return "Too many names in the object", "", "at most " + x.counted(is.Expected, "name", "names")
	case "additionalItems", "unevaluatedItems", "items", "prefixItems":
		return "Item not allowed at this place of the list", "", "a shorter list"
	case "not":
		inner, _ := is.Expected.(map[string]any)
		return "Value not allowed", "", x.allBut(inner, hide)
	case "false", "falseSchema", "false schema", "properties", "patternProperties":
		return "No value is allowed here", "", "nothing: leave it out"
	case "dependentSchemas", "dependencies":
		return "Does not fit together with another field", "", "what the schema asks for when that field is sent"
	case "if", "then", "else":
		return "Does not fit the other fields of the call", "", "what the schema asks for in this case"
	}
	return "Does not fit the schema (" + quote(clean(is.Keyword, 40)) + ")", "", x.expectation(is.Schema, hide)
}

// allBut says what is left when a schema excludes inner.
func (x explainer) allBut(inner map[string]any, hide bool) string {
	if list, ok := inner["required"].([]any); ok && len(list) > 0 && len(inner) == 1 {
		names := listed(list, 5, func(v any) string { return schemaValue(v, x.limits.Value) })
		if len(list) == 1 {
			return "an object without " + names
		}
		return "an object without all of " + names + " together"
	}
	if e := x.expectation(inner, hide); e != "a value" {
		return "anything but " + e
	}
	return "a value that the schema does not exclude"
}

func (x explainer) bound(v any) string {
	if kindOf(v) == "number" {
		return numberText(v)
	}
	return "the bound of the schema"
}

// draft4 returns the bound: draft 4 says true here and has the number beside it.
func (x explainer) draft4(is Issue, beside string) string {
	if is.Expected == true {
		return x.bound(is.Schema[beside])
	}
	return x.bound(is.Expected)
}

func (x explainer) counted(v any, one, many string) string {
	if n, ok := asInt(v); ok {
		return count(n, one, many)
	}
	return "the number of " + many + " in the schema"
}

// length says how long a text is; one that is hidden or cut says so already.
func length(v any, hide bool, limit int) string {
	if s, ok := v.(string); ok && !hide && utf8.RuneCountInString(s) <= limit {
		return characters(s)
	}
	return ""
}

func (x explainer) pattern(v any) string {
	s, _ := v.(string)
	return quote(clean(s, 2*maxName))
}

// declaredExample takes an example from the schema; none is made up.
func (x explainer) declaredExample(schema map[string]any, hide bool) string {
	list, _ := schema["examples"].([]any)
	if hide || len(list) == 0 || !scalar(list[0]) {
		return ""
	}
	return ", such as " + schemaValue(list[0], x.limits.Value)
}

func (x explainer) options(is Issue, hide bool) string {
	list, _ := is.Expected.([]any)
	if names, ok := is.Expected.([]string); ok {
		for _, n := range names {
			list = append(list, n)
		}
	}
	switch {
	case hide:
		return "one of the " + count(len(list), "value", "values") + " of the schema"
	case len(list) == 0:
		return "one of the values of the schema"
	case len(list) == 1:
		return schemaValue(list[0], x.limits.Value)
	}
	// Of a long list the nearest come first.
	if s, ok := is.Received.(string); ok {
		list = nearFirst(s, list)
	}
	return "one of " + listed(list, 10, func(v any) string { return schemaValue(v, x.limits.Value) })
}

func nearFirst(s string, list []any) []any {
	if len(list) <= 10 || len(s) > maxName {
		return list
	}
	var words []string
	for _, v := range list {
		if w, ok := v.(string); ok {
			words = append(words, w)
		}
	}
	near := nearest(s, words, 3)
	if len(near) == 0 {
		return list
	}
	taken := map[string]bool{}
	out := make([]any, 0, len(list))
	for _, w := range near {
		out, taken[w] = append(out, w), true
	}
	for _, v := range list {
		if w, ok := v.(string); !ok || !taken[w] {
			out = append(out, v)
		}
	}
	return out
}

// equalItems names the first two equal items of a list by their places, never by value.
func equalItems(v any) string {
	list, _ := v.([]any)
	seen := map[string]int{}
	for i, item := range list[:min(len(list), 200)] {
		text, err := encodeJSON(item)
		if err != nil {
			return ""
		}
		if j, ok := seen[text]; ok {
			return " (at " + strconv.Itoa(j) + " and " + strconv.Itoa(i) + ", counted from 0)"
		}
		seen[text] = i
	}
	return ""
}

func (x explainer) containsKind(is Issue) string {
	inner, ok := is.Schema["contains"].(map[string]any)
	if !ok {
		inner, _ = is.Expected.(map[string]any)
	}
	return x.expectation(inner, secret(is))
}

func (x explainer) containsBound(is Issue, key string, own bool) string {
	v := is.Schema[key]
	if own {
		v = is.Expected
	}
	if n, ok := asInt(v); ok {
		return count(n, "item", "items")
	}
	return "1 item"
}

// expectation describes a schema in a few words; "a value" when it says nothing that fits in few words.
func (x explainer) expectation(s map[string]any, hide bool) string {
	if !hide {
		if c, ok := s["const"]; ok {
			return schemaValue(c, x.limits.Value)
		}
		if list, ok := s["enum"].([]any); ok && len(list) > 0 {
			return x.options(Issue{Expected: list}, false)
		}
	}
	types := typeList(s["type"])
	if f, ok := s["format"].(string); ok && !hide && known(f) && len(types) <= 1 {
		return formatExpected(f)
	}
	if len(types) == 0 {
		if p, ok := s["pattern"].(string); ok && !hide {
			return "text that matches the pattern " + x.pattern(p)
		}
		return "a value"
	}
	text := kinds(types)
	if len(types) == 1 {
		text += x.details(s, types[0])
	}
	if hide {
		return text
	}
	return text + x.declaredExample(s, hide)
}

// details adds the bounds of a single type.
func (x explainer) details(s map[string]any, kind string) string {
	low, high, unit, units := "", "", "", ""
	switch kind {
	case "string":
		low, high, unit, units = "minLength", "maxLength", "character", "characters"
		if p, ok := s["pattern"].(string); ok {
			return " that matches the pattern " + x.pattern(p)
		}
	case "array":
		low, high, unit, units = "minItems", "maxItems", "item", "items"
	case "integer", "number":
		lo, hasLow := s["minimum"]
		hi, hasHigh := s["maximum"]
		hasLow, hasHigh = hasLow && kindOf(lo) == "number", hasHigh && kindOf(hi) == "number"
		switch {
		case hasLow && hasHigh:
			return " from " + numberText(lo) + " to " + numberText(hi)
		case hasLow:
			return " of at least " + numberText(lo)
		case hasHigh:
			return " of at most " + numberText(hi)
		}
		return ""
	default:
		return ""
	}
	lo, hasLow := asInt(s[low])
	hi, hasHigh := asInt(s[high])
	switch {
	case hasLow && hasHigh:
		return " of " + strconv.Itoa(lo) + " to " + count(hi, unit, units)
	case hasLow && lo > 0:
		return " of at least " + count(lo, unit, units)
	case hasHigh:
		return " of at most " + count(hi, unit, units)
	}
	return ""
}
