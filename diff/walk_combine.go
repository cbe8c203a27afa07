package diff

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

var combinatorNames = map[string]string{"anyOf": "any-of", "oneOf": "one-of", "allOf": "all-of"}

// A shapeMatch is a plain schema on one side and the branch that continues it on the other.
type shapeMatch struct {
	keyword string // anyOf or oneOf, of the side that is a choice
	branch  int
	wraps   bool // the revision is the choice
}

// matchShape finds the branch of a choice that continues a plain schema. A keyword-by-keyword comparison would report that
// everything vanished.
func matchShape(p pairing, sameDefs bool) *shapeMatch {
	bk, rk := unionKeyword(p.b), unionKeyword(p.r)
	if (bk == "") == (rk == "") {
		return nil
	}
	if rk != "" && pureUnion(p.r, rk) {
		if matched, _, _ := matchBranches([]node{p.b}, p.r.branches(rk), sameDefs); len(matched) == 1 {
			return &shapeMatch{rk, matched[0][1], true}
		}
	}
	if bk != "" && pureUnion(p.b, bk) {
		if matched, _, _ := matchBranches(p.b.branches(bk), []node{p.r}, sameDefs); len(matched) == 1 {
			return &shapeMatch{bk, matched[0][0], false}
		}
	}
	return nil
}

// shape compares a plain schema with a choice in two steps: that the other branches came or went is one edit, and what
// changed in the branch that continues the plain schema is walked as usual.
func (w *walker) shape(p pairing, m *shapeMatch) {
	at := append(p.b.at[:len(p.b.at):len(p.b.at)], m.keyword)
	index := strconv.Itoa(m.branch)
	inner := p
	if m.wraps {
		inner.r, inner.rScope, inner.bNotes = p.r.child(m.keyword, index), exclude(p.rScope, m.keyword), nil
		ops := append(replaceOps(p.b, p.r), op{kind: set, at: append(at, index), value: assertionsOf(p.b), own: true})
		w.shapeEdit(p, p.b.types(), typesAround(p.r, m, p.b), ops)
	} else {
		inner.b, inner.bScope, inner.rNotes = p.b.child(m.keyword, index), exclude(p.bScope, m.keyword), nil
		ops := []op{{kind: set, at: at, value: []any{inner.b.v}, own: true}}
		if len(p.b.branches(m.keyword)) > 1 {
			e := w.shapeEdit(p, p.b.types(), narrowTypes(inner.b.types(), p.b.types()), ops)
			for i, branch := range p.b.branches(m.keyword) {
				if e != nil && i != m.branch {
					e.lost = append(e.lost, w.lostNames(p, branch)...)
				}
			}
		}
	}
	w.pair(inner)
}

func assertionsOf(n node) any {
	if m := n.object(); m != nil {
		return assertions(m)
	}
	return n.v
}

// typesAround are the types of a choice with one branch replaced by another schema.
func typesAround(n node, m *shapeMatch, instead node) []string {
	all := []string{}
	for i, b := range n.branches(m.keyword) {
		if i == m.branch {
			b = instead
		}
		types := b.types()
		if types == nil {
			return nil
		}
		all = append(all, types...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// otherChoice compares anyOf with oneOf, and a choice with a plain schema that none of its branches continues: the whole is
// one edit.
func (w *walker) otherChoice(p pairing) bool {
	bk, rk := unionKeyword(p.b), unionKeyword(p.r)
	if bk == rk || bk == "" && !pureUnion(p.r, rk) || rk == "" && !pureUnion(p.b, bk) ||
		bk != "" && rk != "" && !(pureUnion(p.b, bk) && pureUnion(p.r, rk)) {
		return false
	}
	if e := w.shapeEdit(p, p.b.types(), p.r.types(), replaceOps(p.b, p.r)); e != nil {
		e.lost = w.lostNames(p, p.b)
	}
	if bk == "" {
		return true
	}
	if rk != "" {
		matched, _, _ := matchBranches(p.b.branches(bk), p.r.branches(rk), w.sameDefs)
		for _, m := range matched {
			w.pair(pairing{b: p.b.branches(bk)[m[0]], r: p.r.branches(rk)[m[1]],
				bScope: exclude(p.bScope, bk), rScope: exclude(p.rScope, rk), quiet: true})
		}
	}
	return true
}

// lostNames lists the properties that a part of the baseline declares for the value at hand and nothing in the revision does.
func (w *walker) lostNames(p pairing, part node) []*edit {
	var lost []*edit
	for _, n := range declaredNodes(part, 0) {
		name := n.at[len(n.at)-1]
		if w.declared(p.rScope, name) || slices.ContainsFunc(lost, func(e *edit) bool { return e.names[0] == name }) {
			continue
		}
		lost = append(lost, &edit{name: "property-removed", at: n.at, before: n.v, floor: true, real: true, names: []string{name},
			message: w.subject(n.at) + " was removed"})
	}
	return lost
}

// declaredNodes are the schemas of the properties that a schema declares, by itself or in the schemas that it is made of.
func declaredNodes(n node, depth int) []node {
	n = n.resolve()
	m := n.object()
	if m == nil || depth > 16 {
		return nil
	}
	var out []node
	for _, name := range canonjson.SortedKeys(mapOf(m["properties"])) {
		if child := n.child("properties", name); child.v != false {
			out = append(out, child)
		}
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		for _, branch := range n.branches(keyword) {
			out = append(out, declaredNodes(branch, depth+1)...)
		}
	}
	for _, keyword := range []string{"then", "else"} {
		if has(m, keyword) {
			out = append(out, declaredNodes(n.child(keyword), depth+1)...)
		}
	}
	return out
}

// exclude is the scope of a branch: its surroundings without its alternatives.
func exclude(s scope, keyword string) scope {
	out := slices.Clone(s)
	out[len(out)-1].skip = keyword
	return out
}

func unionKeyword(n node) string {
	m := n.object()
	for _, k := range []string{"anyOf", "oneOf"} {
		if list, ok := m[k].([]any); ok && len(list) > 0 {
			return k
		}
	}
	return ""
}

// pureUnion reports whether a schema says nothing but its choice (and perhaps a type).
func pureUnion(n node, keyword string) bool {
	for k := range assertions(n.object()) {
		if k != keyword && k != "type" {
			return false
		}
	}
	return true
}

// shapeEdit names the edit by the types that came and went, which is what most such rewritings are about: a value that may
// be null now, or text as well as an object.
func (w *walker) shapeEdit(p pairing, was, is []string, ops []op) *edit {
	if p.quiet {
		return nil
	}
	if was == nil {
		was = allTypes
	}
	if is == nil {
		is = allTypes
	}
	gone, come := typesMinus(was, is), typesMinus(is, was)
	s := w.subject(p.b.at)
	name, message := "type-changed", fmt.Sprintf("%s was %s and is %s", s, orList(was), orList(is))
	switch {
	case len(gone) == 0 && len(come) == 0:
		name, message = "alternatives-changed", s+" is described by other alternatives"
	case len(come) == 0:
		name, message = "type-narrowed", fmt.Sprintf("%s is no longer allowed to be %s", s, orList(gone))
	case len(gone) == 0:
		name, message = "type-widened", fmt.Sprintf("%s may be %s too", s, orList(come))
	}
	return w.add(&edit{name: name, at: p.b.at, before: p.b.v, after: p.r.v, message: message, ops: ops, hint: w.nullHint(p, gone)})
}

// nullHint tells callers that lost null what to do instead.
func (w *walker) nullHint(p pairing, gone []string) string {
	if w.side == Input && slices.Contains(gone, "null") && len(p.b.at) > 1 && p.b.at[len(p.b.at)-2] == "properties" {
		return "leave the key out instead of sending null"
	}
	return ""
}

// combinators compares anyOf, oneOf, allOf, not and if.
func (w *walker) combinators(p pairing) {
	b, r := p.b.object(), p.r.object()
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		switch {
		case has(b, keyword) && has(r, keyword):
			w.branches(p, keyword)
		case has(b, keyword) || has(r, keyword):
			name := combinatorNames[keyword]
			text := fmt.Sprintf("%s has no %s any more", w.subject(p.b.at), keyword)
			if has(r, keyword) {
				text = fmt.Sprintf("%s has %s now", w.subject(p.b.at), keyword)
			}
			if e := w.keywordEdit(p, "", verb(p, name, keyword), keyword, text); e != nil && has(b, keyword) {
				for _, branch := range p.b.branches(keyword) {
					e.lost = append(e.lost, w.lostNames(p, branch)...)
				}
			}
		}
	}
	if p.differ("not") {
		w.keywordEdit(p, "", verb(p, "not", "not"), "not", w.keywordText(p, "not"))
	}
	w.conditional(p)
}

// conditional compares if, then and else. With an equal condition the consequences are compared as schemas of the same
// value; otherwise the three are one thing.
func (w *walker) conditional(p pairing) {
	if !p.differ("if", "then", "else") {
		return
	}
	b, r := p.b.object(), p.r.object()
	if has(b, "if") && has(r, "if") && canonjson.Equal(b["if"], r["if"]) && has(b, "then") == has(r, "then") && has(b, "else") == has(r, "else") {
		for _, keyword := range []string{"then", "else"} {
			if has(b, keyword) {
				w.pair(pairing{b: p.b.child(keyword), r: p.r.child(keyword), bScope: exclude(p.bScope, keyword), rScope: exclude(p.rScope, keyword), quiet: p.quiet})
			}
		}
		return
	}
	text := map[string]string{"conditional-added": "has a condition (if, then, else) now", "conditional-removed": "no longer has a condition (if, then, else)",
		"conditional-changed": "has another condition (if, then, else)"}
	name := verb(p, "conditional", "if")
	e := w.groupEdit(p, "", name, w.subject(p.b.at)+" "+text[name], "if", "then", "else")
	for _, keyword := range []string{"then", "else"} {
		if e != nil && has(b, keyword) {
			e.lost = append(e.lost, w.lostNames(p, p.b.child(keyword))...)
		}
	}
}

// branches compares the branches of one combinator: matched by meaning, never by position alone.
func (w *walker) branches(p pairing, keyword string) {
	bs, rs := p.b.branches(keyword), p.r.branches(keyword)
	bScope, rScope := p.bScope, p.rScope
	if keyword != "allOf" {
		bScope, rScope = exclude(bScope, keyword), exclude(rScope, keyword)
	}
	matched, gone, come := matchBranches(bs, rs, w.sameDefs)
	for _, m := range matched {
		w.pair(pairing{b: bs[m[0]], r: rs[m[1]], bScope: bScope, rScope: rScope, quiet: p.quiet})
	}
	if p.quiet {
		return
	}
	name, place := combinatorNames[keyword], append(p.b.at[:len(p.b.at):len(p.b.at)], keyword)
	for _, i := range gone {
		w.add(&edit{name: name + "-branch-removed", at: bs[i].at, before: bs[i].v, lost: w.lostNames(p, bs[i]),
			message: fmt.Sprintf("%s: a branch of %s was removed: %s", w.subject(p.b.at), keyword, describeBranch(bs[i])), ops: []op{{kind: remove, at: bs[i].at}}})
	}
	for _, i := range come {
		at := append(place[:len(place):len(place)], strconv.Itoa(i))
		w.add(&edit{name: name + "-branch-added", at: at, after: rs[i].v,
			message: fmt.Sprintf("%s: a branch of %s was added: %s", w.subject(p.b.at), keyword, describeBranch(rs[i])), ops: []op{{kind: push, at: place, value: rs[i].v}}})
	}
}

// describeBranch says in a few words which branch is meant.
func describeBranch(n node) string {
	target := n.resolve()
	m := target.object()
	for _, name := range canonjson.SortedKeys(mapOf(m["properties"])) {
		if values, ok := valuesOf(mapOf(mapOf(m["properties"])[name])); ok && len(values) == 1 {
			return fmt.Sprintf("%s is %s", quote(name), show(values[0]))
		}
	}
	if title, ok := m["title"].(string); ok {
		return quote(title)
	}
	if names := canonjson.SortedKeys(mapOf(m["properties"])); len(names) > 0 {
		return "an object with " + quoteList(names)
	}
	if types := target.types(); types != nil {
		return orList(types)
	}
	return show(n.v)
}

// matchBranches pairs the branches of two combinators: equal ones first, then those with the same constant under the same
// name, then the most alike, and at last a single one that is left on each side. It returns the pairs of indexes and what
// is left of either side.
func matchBranches(bs, rs []node, sameDefs bool) (matched [][2]int, gone, come []int) {
	m := branchMatcher{bs: bs, rs: rs, usedB: make([]bool, len(bs)), usedR: make([]bool, len(rs))}
	if len(bs)*len(rs) <= maxPairs {
		plainB, plainR := spellings(bs, false), spellings(rs, false)
		m.match(func(i, j int) bool { return plainB[i] == plainR[j] && (sameDefs || !hasReference(bs[i].v)) })
		m.match(func(i, j int) bool { return sharesConstant(bs[i].resolve(), rs[j].resolve()) })
		plainB, plainR = spellings(bs, true), spellings(rs, true)
		m.match(func(i, j int) bool { return plainB[i] == plainR[j] })
		for _, least := range []int{80, 50} {
			m.match(func(i, j int) bool { return branchLikeness(bs[i].resolve(), rs[j].resolve()) >= least })
		}
	}
	for i := range bs {
		if !m.usedB[i] {
			gone = append(gone, i)
		}
	}
	for j := range rs {
		if !m.usedR[j] {
			come = append(come, j)
		}
	}
	if len(gone) == 1 && len(come) == 1 && branchLikeness(bs[gone[0]].resolve(), rs[come[0]].resolve()) > 0 {
		m.pairs = append(m.pairs, [2]int{gone[0], come[0]})
		gone, come = nil, nil
	}
	return m.pairs, gone, come
}

type branchMatcher struct {
	bs, rs       []node
	usedB, usedR []bool
	pairs        [][2]int
}

// spellings are the branches without texts in canonical form, as they stand or as what they refer to.
func spellings(branches []node, resolved bool) []string {
	out := make([]string, len(branches))
	for i, b := range branches {
		if resolved {
			b = b.resolve()
		}
		out[i] = string(canonjson.Append(nil, stripTexts(b.v)))
	}
	return out
}

func (m *branchMatcher) match(same func(i, j int) bool) {
	for i := range m.bs {
		for j := range m.rs {
			if !m.usedB[i] && !m.usedR[j] && same(i, j) {
				m.usedB[i], m.usedR[j] = true, true
				m.pairs = append(m.pairs, [2]int{i, j})
			}
		}
	}
}

// sharesConstant reports whether two objects have the same single constant under one name.
func sharesConstant(b, r node) bool {
	was, is := mapOf(b.object()["properties"]), mapOf(r.object()["properties"])
	shared := false
	for name, schema := range was {
		x, okX := valuesOf(mapOf(schema))
		y, okY := valuesOf(mapOf(is[name]))
		if !okX || !okY || len(x) != 1 || len(y) != 1 {
			continue
		}
		if !canonjson.Equal(x[0], y[0]) {
			return false
		}
		shared = true
	}
	return shared
}

// branchLikeness is how like two branches are, 0 to 100: by type, then by property names or constants.
func branchLikeness(b, r node) int {
	was, is := b.types(), r.types()
	if was != nil && is != nil && len(was) > 0 && len(is) > 0 && !slices.ContainsFunc(was, func(t string) bool { return mayBe(is, t) }) {
		return 0
	}
	x, y := mapOf(b.object()["properties"]), mapOf(r.object()["properties"])
	if len(x)+len(y) == 0 {
		if !slices.Equal(was, is) {
			return 20
		}
		return 60
	}
	for name := range x {
		v, okV := valuesOf(mapOf(x[name]))
		u, okU := valuesOf(mapOf(y[name]))
		if okV && okU && len(v) == 1 && len(u) == 1 && !canonjson.Equal(v[0], u[0]) {
			return 0 // two different variants
		}
	}
	return max(1, wordLikeness(canonjson.SortedKeys(x), canonjson.SortedKeys(y)))
}
