package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// annotationKeywords say nothing about which values are accepted. Format is one of them where the standard only annotates.
var annotationKeywords = []string{
	"$comment", "$id", "$schema", "id", "contentEncoding", "contentMediaType", "contentSchema", "default", "deprecated",
	"description", "examples", "format", "readOnly", "title", "writeOnly",
}

// assertionKeywords are the keywords that the verdict judges; everything in neither list is unknown to the standard.
var assertionKeywords = []string{
	"$ref", "$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$defs", "definitions", "$vocabulary",
	"type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"minLength", "maxLength", "pattern", "items", "prefixItems", "additionalItems", "unevaluatedItems", "contains",
	"minContains", "maxContains", "minItems", "maxItems", "uniqueItems", "properties", "patternProperties",
	"additionalProperties", "unevaluatedProperties", "propertyNames", "required", "minProperties", "maxProperties",
	"dependentRequired", "dependentSchemas", "dependencies", "allOf", "anyOf", "oneOf", "not", "if", "then", "else",
}

var isAssertion = setOf(assertionKeywords)

// isAnnotation reports whether a keyword says nothing about which values are accepted.
func isAnnotation(keyword string) bool { return !isAssertion[keyword] }

func setOf(names []string) map[string]bool {
	out := make(map[string]bool, len(names))
	for _, n := range names {
		out[n] = true
	}
	return out
}

// annotated collects the annotations of a schema, those of a reference's target below those beside the reference.
func annotated(n node) map[string]any {
	out := map[string]any{}
	for range 64 {
		m, ok := n.v.(map[string]any)
		if !ok {
			return out
		}
		for k, v := range m {
			if _, seen := out[k]; !seen && isAnnotation(k) {
				out[k] = v
			}
		}
		ref, ok := m["$ref"].(string)
		if !ok {
			return out
		}
		if n, ok = n.follow(ref); !ok {
			return out
		}
	}
	return out
}

// effective adds to the annotations of a schema those of its only part: the one branch that is not null, or the only element
// of an allOf. Where the other side has no such parts, they are about the very same values.
func effective(n, other node, notes map[string]any) map[string]any {
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		if has(n.object(), keyword) && !has(other.object(), keyword) {
			if part, ok := n.onlyPart(keyword); ok {
				notes = overlay(annotated(part), notes)
			}
		}
	}
	return notes
}

// onlyPart is the only branch of a combinator, null aside where it is a choice.
func (n node) onlyPart(keyword string) (node, bool) {
	var parts []node
	for _, branch := range n.branches(keyword) {
		if keyword == "allOf" || !slices.Equal(branch.types(), []string{"null"}) {
			parts = append(parts, branch)
		}
	}
	if len(parts) != 1 {
		return node{}, false
	}
	return parts[0], true
}

// annotations compares what two schemas say beside acceptance, keyword by keyword.
func (w *walker) annotations(p pairing, was, is map[string]any) {
	b, r := p.b.resolve(), p.r.resolve()
	was, is = effective(b, r, was), effective(r, b, is)
	for _, keyword := range unionKeys(was, is) {
		if has(was, keyword) == has(is, keyword) && canonjson.Equal(was[keyword], is[keyword]) {
			continue
		}
		w.annotation(p, keyword, was, is)
	}
}

func (w *walker) annotation(p pairing, keyword string, was, is map[string]any) {
	at := append(p.b.at[:len(p.b.at):len(p.b.at)], keyword)
	before, after := was[keyword], is[keyword]
	s := w.subject(p.b.at)
	e := &edit{at: at, before: before, after: after, plain: true, keyword: keyword, node: p.b.at}
	switch keyword {
	case "description":
		w.text(p, e, textOf(before), textOf(after))
		return
	case "title", "$comment":
		if onlyHidden(textOf(before), textOf(after)) {
			return
		}
		e.name, e.message = "title-changed", fmt.Sprintf("the %s of %s %s", keyword, s, describeRewording(textOf(before), textOf(after)))
	case "default":
		e.name = verbOf(has(was, keyword), has(is, keyword), "default")
		if !has(was, keyword) && after == nil {
			e.name = "default-null-added"
		}
		e.message = fmt.Sprintf("the default of %s %s", s, describeValue(was, is, keyword))
	case "format":
		e.name = "format-changed"
		if !knownFormat(textOf(before)) && !knownFormat(textOf(after)) {
			e.name = "format-respelled"
		}
		e.message = fmt.Sprintf("the format of %s %s", s, describeValue(was, is, keyword))
		if w.formats && !p.quiet {
			e.plain, e.floor, e.keyword = false, true, ""
			e.ops = []op{{kind: set, at: at, value: after}}
			if !has(is, keyword) {
				e.ops = []op{{kind: remove, at: at}}
			}
		}
	case "deprecated":
		if after != true && before != true {
			e.name, e.message = "title-changed", fmt.Sprintf("%s is still not deprecated", s)
			break
		}
		e.name, e.message = "deprecated", s+" is marked deprecated"
		if after != true {
			e.name, e.message = "deprecation-removed", s+" is no longer marked deprecated"
		}
	case "examples", "example":
		e.name, e.message = "examples-changed", fmt.Sprintf("the list of examples of %s %s", s, describeValue(was, is, keyword))
	case "readOnly", "writeOnly":
		e.name, e.message = "access-changed", fmt.Sprintf("%s of %s %s", keyword, s, describeValue(was, is, keyword))
	case "contentEncoding", "contentMediaType", "contentSchema":
		e.name, e.message = "content-changed", fmt.Sprintf("%s of %s %s", keyword, s, describeValue(was, is, keyword))
	case "$schema", "$id", "id":
		e.name, e.message = "dialect-changed", fmt.Sprintf("%s %s", keyword, describeValue(was, is, keyword))
	default:
		w.unknown(p, e, keyword, s, was, is)
	}
	w.add(e)
}

// unknown reports a keyword that the standard does not know. One that starts with x- is for other tools; any other may be
// meant as an assertion.
func (w *walker) unknown(p pairing, e *edit, keyword, s string, was, is map[string]any) {
	e.name = "keyword-changed"
	if strings.HasPrefix(keyword, "x-") || keyword == "discriminator" && harmlessDiscriminator(p, was, is) {
		e.name = "extension-changed"
	}
	if strings.EqualFold(keyword, "x-mcp-header") && w.side == Input {
		w.header(e, s, was, is)
		return
	}
	e.message = fmt.Sprintf("%s of %s, which is no keyword of JSON Schema, %s", quote(keyword), s, describeValue(was, is, keyword))
}

// harmlessDiscriminator reports whether the discriminator of OpenAPI says on either side nothing that the branches do not
// say by themselves: https://spec.openapis.org/oas/v3.1.1.html#discriminator-object. A generator adds it, and its mapping
// follows the names of definitions.
func harmlessDiscriminator(p pairing, was, is map[string]any) bool {
	return repeatsBranches(p.b.resolve(), was["discriminator"]) && repeatsBranches(p.r.resolve(), is["discriminator"])
}

// repeatsBranches reports whether a discriminator is absent, or maps each value to the branch that asks for it.
func repeatsBranches(n node, discriminator any) bool {
	m := mapOf(discriminator)
	if discriminator == nil {
		return true
	}
	property := textOf(m["propertyName"])
	for value, ref := range mapOf(m["mapping"]) {
		target, ok := n.follow(textOf(ref))
		values, known := valuesOf(mapOf(mapOf(target.object()["properties"])[property]))
		if !ok || !known || !slices.ContainsFunc(values, func(v any) bool { return v == value }) {
			return false
		}
	}
	return property != ""
}

// header reports the mark of a parameter that is sent as a header too over HTTP, where a request without it is refused:
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http.
func (w *walker) header(e *edit, s string, was, is map[string]any) {
	e.name = verbOf(has(was, e.keyword), has(is, e.keyword), "header")
	before, after := quote("Mcp-Param-"+textOf(e.before)), quote("Mcp-Param-"+textOf(e.after))
	switch {
	case !has(was, e.keyword):
		e.message = fmt.Sprintf("over HTTP %s must be sent as the header %s too", s, after)
	case !has(is, e.keyword):
		e.message = fmt.Sprintf("%s need not be sent as the header %s any more", s, before)
	default:
		e.message = fmt.Sprintf("over HTTP the header of %s was %s and is %s", s, before, after)
	}
}

// describeValue says how an annotation changed.
func describeValue(was, is map[string]any, keyword string) string {
	switch {
	case !has(was, keyword):
		return "was added: " + show(is[keyword])
	case !has(is, keyword):
		return "was removed: " + show(was[keyword])
	}
	return fmt.Sprintf("was %s and is %s", show(was[keyword]), show(is[keyword]))
}

// text reports the wording of a description.
func (w *walker) text(p pairing, e *edit, before, after string) {
	s := w.subject(p.b.at)
	if onlyHidden(before, after) {
		return
	}
	switch {
	case after == "":
		e.name, e.message = "description-removed", fmt.Sprintf("the description of %s was removed: %s", s, quote(before))
	case classifyText(before, after) == textRespelt:
		e.name, e.message = "description-respelled", fmt.Sprintf("the description of %s changed in white space, letter case or punctuation only", s)
	case classifyText(before, after) == textEqual:
		return
	default:
		e.name, e.message = "description-changed", fmt.Sprintf("the description of %s %s", s, describeRewording(before, after))
		if _, added := wordDiff(before, after); orders(added) {
			e.hint = "the added text reads like an instruction to the model"
		}
	}
	if saysDeprecated(after) && !saysDeprecated(before) {
		w.add(&edit{name: "deprecated", at: e.at, before: e.before, after: e.after, plain: true,
			message: fmt.Sprintf("%s is marked deprecated by its description", s)})
	}
	w.add(e)
}

// knownFormat reports whether validators are known to check the format: those of the standard, and those of OpenAPI that
// common validators add. Names of number types in some language are checked by none; the type and the bounds say it.
func knownFormat(format string) bool {
	switch format {
	case "date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6", "uri",
		"uri-reference", "iri", "iri-reference", "uuid", "uri-template", "json-pointer", "relative-json-pointer", "regex",
		"byte", "binary", "password", "url", "color", "phone", "ip", "cuid", "cuid2", "ulid", "base64", "base64url", "jwt":
		return true
	}
	return false
}
