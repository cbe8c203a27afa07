package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// typeKeyword compares the sets of types.
func (w *walker) typeKeyword(p pairing) {
	if !p.differ("type") {
		return
	}
	was, is := typeSet(p.b), typeSet(p.r)
	gone, come := typesMinus(was, is), typesMinus(is, was)
	s := w.subject(p.b.at)
	switch {
	case len(gone) == 0 && len(come) == 0:
		w.keywordEdit(p, "type", "type-changed", "type", s+" names its types otherwise")
	case !has(p.r.object(), "type") && limits(p.r.object()):
		w.keywordEdit(p, "type", "type-changed", "type", s+" names no type of its own any more")
	case !has(p.b.object(), "type") && limits(p.b.object()):
		w.keywordEdit(p, "type", "type-changed", "type", s+" names a type of its own now")
	case len(come) == 0:
		if e := w.keywordEdit(p, "type", "type-narrowed", "type", fmt.Sprintf("%s is no longer allowed to be %s", s, orList(gone))); e != nil {
			e.hint = w.nullHint(p, gone)
		}
	case len(gone) == 0:
		w.keywordEdit(p, "type", "type-widened", "type", fmt.Sprintf("%s may be %s too", s, orList(come)))
	default:
		w.keywordEdit(p, "type", "type-changed", "type", fmt.Sprintf("%s was %s and is %s", s, orList(was), orList(is)))
	}
}

// limits reports whether a schema without a type may limit the types all the same.
func limits(m map[string]any) bool {
	return slices.ContainsFunc([]string{"enum", "const", "allOf", "anyOf", "oneOf", "not", "if", "$ref", "$dynamicRef"}, func(k string) bool { return has(m, k) })
}

// typeSet is what the keyword type says, all types when it is absent.
func typeSet(n node) []string {
	switch t := n.object()["type"].(type) {
	case string:
		return []string{t}
	case []any:
		return stringsOf(t)
	}
	return allTypes
}

// typesMinus lists the types of a that are not allowed by b. "integer" is covered by "number"; a number that is limited to
// integers has lost its fractions.
func typesMinus(a, b []string) []string {
	var out []string
	for _, t := range a {
		switch {
		case allowsType(b, t):
		case t == "number" && slices.Contains(b, "integer"):
			out = append(out, "a fraction")
		default:
			out = append(out, t)
		}
	}
	if slices.Contains(out, "integer") && slices.Contains(out, "number") {
		out = slices.DeleteFunc(out, func(t string) bool { return t == "integer" })
	}
	return out
}

var articles = map[string]string{"array": "an array", "integer": "an integer", "object": "an object", "string": "a string",
	"number": "a number", "boolean": "a boolean"}

// orList writes types as a sentence does: "a string or null".
func orList(types []string) string {
	if len(types) == len(allTypes) {
		return "anything"
	}
	words := make([]string, len(types))
	for i, t := range types {
		words[i] = t
		if w, ok := articles[t]; ok {
			words[i] = w
		}
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// values compares enum and const, which both limit a schema to constants.
func (w *walker) values(p pairing) {
	if !p.differ("enum", "const") || p.quiet {
		return
	}
	was, bOK := valuesOf(p.b.object())
	is, rOK := valuesOf(p.r.object())
	s := w.subject(p.b.at)
	switch {
	case !bOK:
		w.groupEdit(p, "values", "enum-added", fmt.Sprintf("%s is limited to %s", s, showList(is)), "enum", "const")
		return
	case !rOK:
		w.groupEdit(p, "values", "enum-removed", fmt.Sprintf("%s is no longer limited to %s", s, showList(was)), "enum", "const")
		return
	}
	gone, come := valuesMinus(was, is), valuesMinus(is, was)
	if len(gone) > 0 && len(come) > 0 && len(gone) == len(was) {
		if e := w.groupEdit(p, "values", "enum-changed", fmt.Sprintf("%s was %s and is %s", s, oneOfWords(was), oneOfWords(is)), "enum", "const"); e != nil {
			e.hint = valueRename(gone, come)
		}
		return
	}
	kept := valuesMinus(was, gone)
	if len(gone) > 0 {
		e := w.valueEdit(p, "enum-narrowed", fmt.Sprintf("%s no longer %s %s", s, w.takes(), showList(gone)), kept)
		e.names = textsOf(gone)
		e.hint = valueRename(gone, come)
	}
	if len(come) > 0 {
		e := w.valueEdit(p, "enum-widened", fmt.Sprintf("%s %s %s too", s, w.takes(), showList(come)), append(slices.Clone(was), come...))
		e.names = textsOf(come)
	}
}

// takes is the verb for a value that fits: a call is accepted, a result is allowed.
func (w *walker) takes() string {
	if w.side == Output {
		return "allows"
	}
	return "accepts"
}

// valueEdit makes the list of constants this one.
func (w *walker) valueEdit(p pairing, name, message string, values []any) *edit {
	b, r := p.b.object(), p.r.object()
	keyword := "enum"
	if has(b, "const") {
		keyword = "const"
	}
	at := func(k string) []string { return append(p.b.at[:len(p.b.at):len(p.b.at)], k) }
	after := r["enum"]
	if has(r, "const") {
		after = r["const"]
	}
	e := &edit{name: name, at: at(keyword), before: b[keyword], after: after, message: message, node: p.b.at, keyword: "values"}
	e.ops = []op{{kind: remove, at: at("const")}, {kind: set, at: at("enum"), value: values}}
	return w.add(e)
}

// valuesMinus lists the values of a that are not in b.
func valuesMinus(a, b []any) []any {
	in := make(map[string]bool, len(b))
	for _, v := range b {
		in[string(canonjson.Append(nil, v))] = true
	}
	var out []any
	for _, v := range a {
		if !in[string(canonjson.Append(nil, v))] {
			out = append(out, v)
		}
	}
	return out
}

func textsOf(values []any) []string { return stringsOf(any(values)) }

// valueRename pairs one removed and one added constant.
func valueRename(gone, come []any) string {
	if len(gone) == 1 && len(come) == 1 && !Contrary(textOf(gone[0]), textOf(come[0])) {
		return fmt.Sprintf("%s may be the new name of %s", show(come[0]), show(gone[0]))
	}
	var parts []string
	for _, b := range bestPairs(textsOf(gone), textsOf(come), func(r, a string) (int, string) { return nameLikeness(r, a), "" }) {
		parts = append(parts, fmt.Sprintf("%s may be the new name of %s (score %d of 100)", quote(b.added), quote(b.removed), b.score))
	}
	return strings.Join(parts, "; ")
}

// numbers compares the keywords of numbers.
func (w *walker) numbers(p pairing) {
	bounds := []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
	if p.differ(bounds...) {
		w.groupEdit(p, "range", w.boundName(p, "range", bounds, []string{"minimum", "exclusiveMinimum"}), w.boundText(p, bounds), bounds...)
		if text := w.boundText(p, bounds); !p.quiet && strings.Contains(text, "9007199254740991 was added") {
			w.edits[len(w.edits)-1].hint = "9007199254740991 is the largest safe integer of JavaScript: schema generators add it by themselves"
		}
	}
	if p.differ("multipleOf") {
		w.keywordEdit(p, "multiple", verb(p, "multiple-of", "multipleOf"), "multipleOf", w.keywordText(p, "multipleOf"))
	}
}

// strings compares the keywords of strings but format, which is an annotation.
func (w *walker) strings(p pairing) {
	if p.differ("minLength", "maxLength") {
		w.groupEdit(p, "length", w.boundName(p, "length", []string{"minLength", "maxLength"}, []string{"minLength"}),
			w.boundText(p, []string{"minLength", "maxLength"}), "minLength", "maxLength")
	}
	if p.differ("pattern") {
		w.keywordEdit(p, "pattern", verb(p, "pattern", "pattern"), "pattern", w.keywordText(p, "pattern"))
	}
}

// verb completes a rule name by what happened to a keyword.
func verb(p pairing, name, keyword string) string {
	switch {
	case !has(p.b.object(), keyword):
		return name + "-added"
	case !has(p.r.object(), keyword):
		return name + "-removed"
	}
	return name + "-changed"
}

func (w *walker) keywordText(p pairing, keyword string) string {
	b, r := p.b.object(), p.r.object()
	s := w.subject(p.b.at)
	switch {
	case !has(b, keyword):
		return fmt.Sprintf("%s has %s %s now", s, keyword, show(r[keyword]))
	case !has(r, keyword):
		return fmt.Sprintf("%s no longer has %s %s", s, keyword, show(b[keyword]))
	}
	return fmt.Sprintf("%s had %s %s and has %s", s, keyword, show(b[keyword]), show(r[keyword]))
}

// boundName tells by the bounds whether a range got narrower, wider, or neither.
func (w *walker) boundName(p pairing, name string, keywords, lower []string) string {
	b, r := p.b.object(), p.r.object()
	narrower, wider := false, false
	for _, k := range keywords {
		isLower := slices.Contains(lower, k)
		switch order, ok := compareNumbers(b[k], r[k]); {
		case has(b, k) == has(r, k) && canonjson.Equal(b[k], r[k]):
		case !has(b, k):
			narrower = true
		case !has(r, k):
			wider = true
		case !ok:
			narrower, wider = true, true
		case order < 0 == isLower:
			narrower = true
		default:
			wider = true
		}
	}
	switch {
	case narrower && !wider:
		return name + "-narrowed"
	case wider && !narrower:
		return name + "-widened"
	}
	return name + "-changed"
}

func (w *walker) boundText(p pairing, keywords []string) string {
	var parts []string
	b, r := p.b.object(), p.r.object()
	for _, k := range keywords {
		switch {
		case has(b, k) == has(r, k) && canonjson.Equal(b[k], r[k]):
		case !has(b, k):
			parts = append(parts, fmt.Sprintf("%s %s was added", k, show(r[k])))
		case !has(r, k):
			parts = append(parts, fmt.Sprintf("%s %s was removed", k, show(b[k])))
		default:
			parts = append(parts, fmt.Sprintf("%s went from %s to %s", k, show(b[k]), show(r[k])))
		}
	}
	return w.subject(p.b.at) + ": " + strings.Join(parts, ", ")
}
