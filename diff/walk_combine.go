package diff

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

var combinatorNames = map[string]string{"anyOf": "any-of", "oneOf": "one-of", "allOf": "all-of"}

// shape compares schemas of which only one is a choice: a plain schema that became one branch of anyOf or oneOf, or the
// other way round, or anyOf against oneOf. As a keyword-by-keyword comparison would report that everything vanished, the
// whole is one edit, and the plain schema is walked beside the branch that continues it.
func (w *walker) shape(p pairing) bool {
	bk, rk := unionKeyword(p.b), unionKeyword(p.r)
	if bk == rk || bk != "" && rk != "" && !(pureUnion(p.b, bk) && pureUnion(p.r, rk)) {
		return false
	}
	if bk == "" && !pureUnion(p.r, rk) || rk == "" && !pureUnion(p.b, bk) {
		return false
	}
	w.replaceShape(p)
	bs, rs := []node{p.b}, []node{p.r}
	bScope, rScope := p.bScope, p.rScope
	if bk != "" {
		bs, bScope = p.b.branches(bk), exclude(p.bScope, bk)
	}
	if rk != "" {
		rs, rScope = p.r.branches(rk), exclude(p.rScope, rk)
	}
	matched, _, _ := matchBranches(bs, rs, w.sameDefs)
	if len(matched) == 0 && len(bs) == 1 && bk == "" {
		w.loseAll(p, rs)
	}
	for _, m := range matched {
		w.pair(pairing{bs[m[0]], rs[m[1]], bScope, rScope, true})
	}
	return true
}

// loseAll reports the properties of a plain object that no branch declares.
func (w *walker) loseAll(p pairing, branches []node) {
	for _, name := range canonjson.SortedKeys(mapOf(p.b.object()["properties"])) {
		if !slices.ContainsFunc(branches, func(n node) bool { return declares(n, name, "", true, 0) }) && !w.declared(p.rScope, name) {
			quiet := p
			quiet.quiet = true
			w.loseProperty(quiet, append(p.b.at[:len(p.b.at):len(p.b.at)], "properties", name), name, false, false)
		}
	}
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

// replaceShape names the edit by the types that came and went, which is what most such rewritings are about: a value that
// may be null now, or text as well as an object.
func (w *walker) replaceShape(p pairing) {
	was, is := p.b.types(), p.r.types()
	if was == nil {
		was = allTypes
	}
	if is == nil {
		is = allTypes
	}
	gone, come := typesMinus(was, is), typesMinus(is, was)
	s := subject(p.b.at)
	switch {
	case len(gone) == 0 && len(come) == 0:
		w.replace(p, "alternatives-changed", s+" is described by other alternatives")
	case len(come) == 0:
		w.replace(p, "type-narrowed", fmt.Sprintf("%s is no longer allowed to be %s", s, orList(gone)))
	case len(gone) == 0:
		w.replace(p, "type-widened", fmt.Sprintf("%s may be %s too", s, orList(come)))
	default:
		w.replace(p, "type-changed", fmt.Sprintf("%s was %s and is %s", s, orList(was), orList(is)))
	}
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
			text := fmt.Sprintf("%s has no %s any more", subject(p.b.at), keyword)
			if has(r, keyword) {
				text = fmt.Sprintf("%s has %s now", subject(p.b.at), keyword)
			}
			w.keywordEdit(p, "", verb(p, name, keyword), keyword, text)
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
				w.pair(pairing{p.b.child(keyword), p.r.child(keyword), exclude(p.bScope, keyword), exclude(p.rScope, keyword), p.quiet})
			}
		}
		return
	}
	w.groupEdit(p, "", verb(p, "conditional", "if"), subject(p.b.at)+" has another condition (if, then, else)", "if", "then", "else")
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
		w.pair(pairing{bs[m[0]], rs[m[1]], bScope, rScope, p.quiet})
	}
	if p.quiet {
		return
	}
	name, place := combinatorNames[keyword], append(p.b.at[:len(p.b.at):len(p.b.at)], keyword)
	for _, i := range gone {
		w.add(&edit{name: name + "-branch-removed", at: bs[i].at, before: bs[i].v,
			message: fmt.Sprintf("%s: a branch of %s was removed: %s", subject(p.b.at), keyword, describeBranch(bs[i])), ops: []op{{kind: remove, at: bs[i].at}}})
	}
	for _, i := range come {
		at := append(place[:len(place):len(place)], strconv.Itoa(i))
		w.add(&edit{name: name + "-branch-added", at: at, after: rs[i].v,
			message: fmt.Sprintf("%s: a branch of %s was added: %s", subject(p.b.at), keyword, describeBranch(rs[i])), ops: []op{{kind: push, at: place, value: rs[i].v}}})
		w.hiddenIn(rs[i], at)
	}
}

// describeBranch says in a few words which branch is meant.
func describeBranch(n node) string {
	target := n.resolve()
	m := target.object()
	for _, name := range canonjson.SortedKeys(mapOf(m["properties"])) {
		if values, ok := valuesOf(mapOf(mapOf(m["properties"])[name])); ok && len(values) == 1 {
			return fmt.Sprintf("%s %s", quote(name), show(values[0]))
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
		m.match(func(b, r node) bool {
			return canonjson.Equal(stripTexts(b.v), stripTexts(r.v)) && (sameDefs || !hasReference(b.v))
		})
		m.match(func(b, r node) bool { return sharesConstant(b.resolve(), r.resolve()) })
		m.match(func(b, r node) bool { return canonjson.Equal(stripTexts(b.resolve().v), stripTexts(r.resolve().v)) })
		for _, least := range []int{80, 50} {
			m.match(func(b, r node) bool { return branchLikeness(b.resolve(), r.resolve()) >= least })
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

func (m *branchMatcher) match(same func(b, r node) bool) {
	for i, b := range m.bs {
		for j, r := range m.rs {
			if !m.usedB[i] && !m.usedR[j] && same(b, r) {
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
