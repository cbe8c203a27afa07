package diff

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// objects compares the keywords of objects.
func (w *walker) objects(p pairing) {
	if !mayBe(typeSet(p.b), "object") || !mayBe(typeSet(p.r), "object") {
		return
	}
	w.properties(p)
	w.patternProperties(p)
	if !w.otherRest(p) {
		for _, keyword := range []string{"additionalProperties", "unevaluatedProperties"} {
			w.rest(p, keyword)
		}
	}
	w.subSchema(p, "propertyNames", "property-names")
	if p.differ("minProperties", "maxProperties") {
		w.groupEdit(p, "count", w.boundName(p, "property-count", []string{"minProperties", "maxProperties"}, []string{"minProperties"}),
			w.boundText(p, []string{"minProperties", "maxProperties"}), "minProperties", "maxProperties")
	}
	for _, keyword := range []string{"dependentRequired", "dependentSchemas", "dependencies"} {
		if p.differ(keyword) {
			w.keywordEdit(p, "", verb(p, "dependency", keyword), keyword, w.keywordText(p, keyword))
		}
	}
}

// properties compares the declared properties and which of them are required.
func (w *walker) properties(p pairing) {
	b, r := p.b.object(), p.r.object()
	was, _ := b["properties"].(map[string]any)
	is, _ := r["properties"].(map[string]any)
	required := namesMap(b["required"])
	requires := namesMap(r["required"])
	var lost, gained []*edit
	for _, name := range unionKeys(was, is) {
		_, inBase := was[name]
		_, inRev := is[name]
		at := append(p.b.at[:len(p.b.at):len(p.b.at)], "properties", name)
		switch {
		case inBase && inRev && is[name] == false && was[name] != false:
			w.forbid(p, at, name, was[name])
		case inBase && inRev:
			w.walk(pairing{b: p.b.child("properties", name), r: p.r.child("properties", name), quiet: p.quiet})
		case inBase && was[name] == false:
			w.propertyEdit(p, &edit{name: "property-added", at: at, before: false, message: fmt.Sprintf("%s is no longer forbidden", w.subject(at)),
				ops: []op{{kind: remove, at: at}}})
		case inBase:
			if !w.declared(p.rScope, name) {
				lost = append(lost, w.loseProperty(p, at, name, required[name], requires[name]))
			}
		case is[name] == false:
			w.forbid(p, at, name, nil)
		case !w.declaredByName(p.bScope, name):
			gained = append(gained, w.gainProperty(p, at, name, requires[name]))
		}
	}
	w.required(p, lost, gained, required, requires)
	w.renameProperties(p, lost, gained)
}

func namesMap(v any) map[string]bool {
	names := map[string]bool{}
	for _, s := range stringsOf(v) {
		names[s] = true
	}
	return names
}

func (w *walker) propertyEdit(p pairing, e *edit) *edit {
	if !p.quiet {
		w.add(e)
	}
	return e
}

func (w *walker) forbid(p pairing, at []string, name string, before any) {
	e := &edit{name: "property-forbidden", at: at, before: before, after: false, message: fmt.Sprintf("%s may not be sent at all", w.subject(at)),
		ops: []op{{kind: set, at: at, value: false}}, floor: true, real: true, names: []string{name}}
	w.propertyEdit(p, e)
}

// loseProperty reports a property that the revision does not declare any more. It is told even below an edit that replaces
// everything: what set inclusion says about an open object does not cover it.
func (w *walker) loseProperty(p pairing, at []string, name string, wasRequired, isRequired bool) *edit {
	e := &edit{name: "property-removed", at: at, before: p.b.object()["properties"].(map[string]any)[name], floor: true, real: true, names: []string{name}}
	e.ops = []op{{kind: remove, at: at}}
	if wasRequired && !isRequired {
		e.ops = append(e.ops, op{kind: drop, at: append(p.b.at[:len(p.b.at):len(p.b.at)], "required"), value: name})
	}
	e.message = fmt.Sprintf("%s was removed", w.subject(at))
	if saysDeprecated(textOf(mapOf(e.before)["description"])) || mapOf(e.before)["deprecated"] == true {
		e.message += "; the baseline had marked it deprecated"
	}
	if p.quiet {
		e.ops = nil
	}
	return w.add(e)
}

func mapOf(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func (w *walker) gainProperty(p pairing, at []string, name string, isRequired bool) *edit {
	value := p.r.child("properties", name).v
	e := &edit{name: "property-added", at: at, after: value, real: true, names: []string{name}, ops: []op{{kind: set, at: at, value: value}}}
	e.message = fmt.Sprintf("the optional property %s was added", w.subject(at))
	if isRequired {
		e.name = "required-added"
		e.message = fmt.Sprintf("the property %s was added and is required", w.subject(at))
		e.ops = append(e.ops, op{kind: add, at: append(p.b.at[:len(p.b.at):len(p.b.at)], "required"), value: name})
		if d, ok := mapOf(value)["default"]; ok {
			e.hint = fmt.Sprintf("it has the default %s, which a validator does not fill in: make it optional", show(d))
		}
	}
	if !p.quiet {
		w.add(e)
	}
	return e
}

// required reports names that became required, or no longer are, and are no part of another edit.
func (w *walker) required(p pairing, lost, gained []*edit, required, requires map[string]bool) {
	if p.quiet {
		return
	}
	part := map[string]bool{}
	for _, e := range slices.Concat(lost, gained) {
		part[e.names[0]] = true
	}
	place := append(p.b.at[:len(p.b.at):len(p.b.at)], "required")
	before, after := p.b.object()["required"], p.r.object()["required"]
	for _, name := range unionKeys(required, requires) {
		s := w.subject(append(p.b.at[:len(p.b.at):len(p.b.at)], "properties", name))
		switch {
		case required[name] == requires[name]:
		case requires[name] && (!part[name] || slices.ContainsFunc(lost, func(e *edit) bool { return e.names[0] == name })):
			e := w.add(&edit{name: "required-added", at: place, before: before, after: after, message: s + " is required now",
				ops: []op{{kind: add, at: place, value: name}}, names: []string{name}})
			if d, ok := mapOf(p.r.child("properties", name).v)["default"]; ok {
				e.hint = fmt.Sprintf("it has the default %s, which a validator does not fill in: make it optional", show(d))
			}
		case required[name] && !part[name]:
			w.add(&edit{name: "required-removed", at: place, before: before, after: after, message: s + " is optional now",
				ops: []op{{kind: drop, at: place, value: name}}, names: []string{name}})
		}
	}
}

// patternProperties compares the schemas for names that match a pattern.
func (w *walker) patternProperties(p pairing) {
	was := mapOf(p.b.object()["patternProperties"])
	is := mapOf(p.r.object()["patternProperties"])
	for _, pattern := range unionKeys(was, is) {
		at := append(p.b.at[:len(p.b.at):len(p.b.at)], "patternProperties", pattern)
		switch {
		case has(was, pattern) && has(is, pattern):
			w.walk(pairing{b: p.b.child("patternProperties", pattern), r: p.r.child("patternProperties", pattern), quiet: p.quiet})
		case has(was, pattern):
			w.propertyEdit(p, &edit{name: "pattern-properties-removed", at: at, before: was[pattern],
				message: fmt.Sprintf("the schema for names that match %s was removed", quote(pattern)), ops: []op{{kind: remove, at: at}}})
		default:
			w.propertyEdit(p, &edit{name: "pattern-properties-added", at: at, after: is[pattern],
				message: fmt.Sprintf("a schema for names that match %s was added", quote(pattern)), ops: []op{{kind: set, at: at, value: is[pattern]}}})
		}
	}
}

// otherRest reports that undeclared names are refused by the other of the two keywords, which differ in what counts as declared.
func (w *walker) otherRest(p pairing) bool {
	const additional, unevaluated = "additionalProperties", "unevaluatedProperties"
	b, r := p.b.object(), p.r.object()
	by := func(m map[string]any) string {
		switch {
		case m[additional] == false && !has(m, unevaluated):
			return additional
		case m[unevaluated] == false && !has(m, additional):
			return unevaluated
		}
		return ""
	}
	was, is := by(b), by(r)
	if was == is || was == "" || is == "" {
		return false
	}
	how := map[string]string{additional: "properties and patternProperties beside it declare", unevaluated: "any part of the schema declares"}
	text := fmt.Sprintf("%s refuses names by %s now, which knows what %s", w.subject(p.b.at), is, how[is])
	w.groupEdit(p, "rest", map[string]string{additional: "object-closed", unevaluated: "object-opened"}[is], text, additional, unevaluated)
	return true
}

// rest compares what is said about undeclared names. Absent means that anything is allowed.
func (w *walker) rest(p pairing, keyword string) {
	b, r := p.b.object(), p.r.object()
	if !has(b, keyword) && !has(r, keyword) {
		return
	}
	bn, rn := p.b.child(keyword), p.r.child(keyword)
	was, is := open(bn, has(b, keyword)), open(rn, has(r, keyword))
	s := w.subject(p.b.at)
	switch {
	case was == is && was != typedRest: // another spelling, which the verdict on the whole knows
	case is == closedRest:
		w.keywordEdit(p, "", "object-closed", keyword, fmt.Sprintf("%s no longer tolerates undeclared names%s", s, declaredList(r)))
	case was == closedRest:
		w.keywordEdit(p, "", "object-opened", keyword, s+" tolerates undeclared names now")
	case was == typedRest && is == typedRest:
		w.walk(pairing{b: bn, r: rn, quiet: p.quiet})
	case is == typedRest:
		w.keywordEdit(p, "", "undeclared-narrowed", keyword, s+" limits the values under undeclared names")
	default:
		if e := w.keywordEdit(p, "", "undeclared-widened", keyword, s+" no longer limits the values under undeclared names"); e != nil {
			e.lost = w.lostNames(pairing{}, bn)
		}
	}
}

func declaredList(m map[string]any) string {
	names := canonjson.SortedKeys(mapOf(m["properties"]))
	if len(names) == 0 {
		return ", and declares none"
	}
	return "; declared are " + quoteList(names)
}

type restKind uint8

const (
	openRest restKind = iota
	closedRest
	typedRest
)

func open(n node, present bool) restKind {
	if !present {
		return openRest
	}
	switch v := n.v.(type) {
	case bool:
		if !v {
			return closedRest
		}
		return openRest
	case map[string]any:
		if m, ok := stripTexts(v).(map[string]any); ok && len(m) == 0 {
			return openRest
		}
	}
	return typedRest
}

// subSchema compares a keyword that holds one schema for something other than a value of the instance.
func (w *walker) subSchema(p pairing, keyword, name string) {
	if !p.differ(keyword) {
		return
	}
	w.keywordEdit(p, "", verb(p, name, keyword), keyword, w.keywordText(p, keyword))
}

// declared reports whether a schema around this place of the instance says something about the name: by name, by a
// pattern, or by a typed additionalProperties.
func (w *walker) declared(s scope, name string) bool {
	return slices.ContainsFunc(s, func(part scopePart) bool { return declares(part.n, name, part.skip, true, 0) })
}

// declaredByName is declared without patterns and additionalProperties.
func (w *walker) declaredByName(s scope, name string) bool {
	return slices.ContainsFunc(s, func(part scopePart) bool { return declares(part.n, name, part.skip, false, 0) })
}

func declares(n node, name, skip string, patterns bool, depth int) bool {
	n = n.resolve()
	m := n.object()
	if m == nil || depth > 16 {
		return false
	}
	if v, ok := mapOf(m["properties"])[name]; ok && v != false {
		return true
	}
	if ref, ok := m["$ref"].(string); ok {
		if target, found := n.follow(ref); found && declares(target, name, "", patterns, depth+1) {
			return true
		}
	}
	if patterns && declaresByPattern(n, m, name) {
		return true
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		if keyword == skip {
			continue
		}
		for _, branch := range n.branches(keyword) {
			if declares(branch, name, "", patterns, depth+1) {
				return true
			}
		}
	}
	for _, keyword := range []string{"then", "else"} {
		if has(m, keyword) && keyword != skip && declares(n.child(keyword), name, "", patterns, depth+1) {
			return true
		}
	}
	for _, trigger := range canonjson.SortedKeys(mapOf(m["dependentSchemas"])) {
		if declares(n.child("dependentSchemas", trigger), name, "", patterns, depth+1) {
			return true
		}
	}
	return false
}

func declaresByPattern(n node, m map[string]any, name string) bool {
	for pattern, v := range mapOf(m["patternProperties"]) {
		if v == false {
			continue
		}
		if expression, err := regexp.Compile(pattern); err == nil && expression.MatchString(name) {
			return true
		}
	}
	for _, keyword := range []string{"additionalProperties", "unevaluatedProperties"} {
		if has(m, keyword) && open(n.child(keyword), true) == typedRest {
			return true
		}
	}
	return false
}

// hasPrefixPath reports whether path begins with prefix.
func hasPrefixPath(path, prefix []string) bool {
	return len(path) >= len(prefix) && strings.Join(path[:len(prefix)], "\x00") == strings.Join(prefix, "\x00")
}
