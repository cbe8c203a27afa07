package diff

import (
	"fmt"
	"strconv"
)

// arrays compares the keywords of arrays.
func (w *walker) arrays(p pairing) {
	if !mayBe(typeSet(p.b), "array") || !mayBe(typeSet(p.r), "array") {
		return
	}
	w.tuple(p)
	w.elements(p)
	if p.differ("minItems", "maxItems") {
		w.groupEdit(p, "items-count", w.boundName(p, "items-count", []string{"minItems", "maxItems"}, []string{"minItems"}),
			w.boundText(p, []string{"minItems", "maxItems"}), "minItems", "maxItems")
	}
	if p.differ("uniqueItems") {
		s := w.subject(p.b.at)
		if p.r.object()["uniqueItems"] == true {
			w.keywordEdit(p, "", "unique-items-added", "uniqueItems", s+" must not hold equal items now")
		} else {
			w.keywordEdit(p, "", "unique-items-removed", "uniqueItems", s+" may hold equal items")
		}
	}
	if p.differ("contains", "minContains", "maxContains") {
		w.groupEdit(p, "", verb(p, "contains", "contains"), w.subject(p.b.at)+" asks for other items that it must contain",
			"contains", "minContains", "maxContains")
	}
	w.subSchema(p, "unevaluatedItems", "unevaluated-items")
}

// tupleKeyword is where a schema lists its items by position: prefixItems, or items before 2020-12.
func tupleKeyword(m map[string]any) string {
	if _, ok := m["items"].([]any); ok {
		return "items"
	}
	return "prefixItems"
}

// tuple compares items by position.
func (w *walker) tuple(p pairing) {
	b, r := p.b.object(), p.r.object()
	bk, rk := tupleKeyword(b), tupleKeyword(r)
	was, _ := b[bk].([]any)
	is, _ := r[rk].([]any)
	if len(was)+len(is) == 0 {
		return
	}
	if bk != rk && len(was) > 0 && len(is) > 0 || len(was) == 0 || len(is) == 0 {
		w.groupEdit(p, "", verbOf(len(was) > 0, len(is) > 0, "tuple"), w.subject(p.b.at)+" lists its items by position otherwise",
			"prefixItems", "items", "additionalItems")
		return
	}
	for i := range max(len(was), len(is)) {
		index := strconv.Itoa(i)
		at := append(p.b.at[:len(p.b.at):len(p.b.at)], bk, index)
		place := append(p.b.at[:len(p.b.at):len(p.b.at)], bk)
		switch {
		case i < len(was) && i < len(is):
			w.walk(pairing{b: p.b.child(bk, index), r: p.r.child(rk, index), quiet: p.quiet})
		case i < len(was):
			w.propertyEdit(p, &edit{name: "tuple-position-removed", at: at, before: was[i],
				message: fmt.Sprintf("position %d of %s was removed", i, w.subject(p.b.at)), ops: []op{{kind: remove, at: at}}})
		default:
			w.propertyEdit(p, &edit{name: "tuple-position-added", at: at, after: is[i],
				message: fmt.Sprintf("position %d of %s was added", i, w.subject(p.b.at)), ops: []op{{kind: push, at: place, value: is[i]}}})
		}
	}
	if bk == "items" {
		w.oneForAll(p, "additionalItems")
	}
}

func verbOf(was, is bool, name string) string {
	switch {
	case !was:
		return name + "-added"
	case !is:
		return name + "-removed"
	}
	return name + "-changed"
}

// elements compares the schema that all items share.
func (w *walker) elements(p pairing) {
	b, r := p.b.object(), p.r.object()
	_, bList := b["items"].([]any)
	_, rList := r["items"].([]any)
	if !bList && !rList {
		w.oneForAll(p, "items")
	}
}

func (w *walker) oneForAll(p pairing, keyword string) {
	b, r := p.b.object(), p.r.object()
	switch {
	case has(b, keyword) && has(r, keyword):
		w.walk(pairing{b: p.b.child(keyword), r: p.r.child(keyword), quiet: p.quiet})
	case has(b, keyword):
		text := fmt.Sprintf("the items of %s are no longer limited", w.subject(p.b.at))
		if has(r, "prefixItems") {
			text += " by one schema for all"
		}
		e := w.keywordEdit(p, "", "items-widened", keyword, text)
		if e != nil {
			e.lost = w.lostNames(pairing{}, p.b.child(keyword))
		}
	case has(r, keyword):
		w.keywordEdit(p, "", "items-narrowed", keyword, fmt.Sprintf("the items of %s are limited now", w.subject(p.b.at)))
	}
}
