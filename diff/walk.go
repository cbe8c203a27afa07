package diff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// The walk goes through two schemas together, one pair of sub-schemas after the other, and names each difference as an
// edit. It follows references on both sides and remembers the pairs that it has seen, so that it ends on circles and does
// not expand definitions that use one another. It decides nothing: an edit that the verdict finds harmless is harmless,
// and a difference that the walk does not see is caught by the verdict on the whole schemas.

// maxPairsWalked bounds the walk; beyond it the whole schemas are judged without attribution.
const maxPairsWalked = 20_000

type walker struct {
	side       Side
	formats    bool // format is an assertion
	base, rev  any
	sameDefs   bool // equal definitions: equal references mean equal schemas
	seen       map[string]bool
	edits      []*edit
	inline     []op // what every edit here begins with: references of the baseline replaced by a copy of their target
	overflowed bool
}

// A scope is what speaks about one place of the instance beside the schema at hand: the schemas around it that apply to
// the same value. A property that moves from one to another is not removed.
type scope []scopePart

type scopePart struct {
	n    node
	skip string // a keyword of n whose branches are alternatives to where we are
}

// A pairing is one pair of sub-schemas with their surroundings.
type pairing struct {
	b, r           node
	bScope, rScope scope
	quiet          bool           // an edit above replaces all of this: only annotations and lost names are told
	bNotes, rNotes map[string]any // annotations of a choice whose branch is compared here
}

func walkSchemas(side Side, base, rev any, formats bool) *walker {
	w := &walker{side: side, formats: formats, base: base, rev: rev, seen: map[string]bool{}}
	w.sameDefs = canonjson.Equal(definitions(base), definitions(rev))
	b, r := node{base, nil, base}, node{rev, nil, rev}
	w.walk(pairing{b: b, r: r})
	return w
}

// definitions are the parts of a document that only references reach.
func definitions(schema any) any {
	m, _ := schema.(map[string]any)
	out := map[string]any{}
	for _, k := range []string{"$defs", "definitions"} {
		if v, ok := m[k]; ok {
			out[k] = v
		}
	}
	return out
}

// walk compares a pair whose values stand at a new place of the instance.
func (w *walker) walk(p pairing) {
	p.bScope, p.rScope = nil, nil
	w.pair(p)
}

func (w *walker) pair(p pairing) {
	equal := canonjson.Equal(p.b.v, p.r.v) && (w.sameDefs || !hasReference(p.b.v))
	if equal && p.bNotes == nil && p.rNotes == nil {
		return
	}
	bNotes, rNotes := overlay(p.bNotes, annotated(p.b)), overlay(p.rNotes, annotated(p.r))
	inlined := len(w.inline)
	defer func() { w.inline = w.inline[:inlined] }()
	outer := p
	p.b, p.r = w.follow(p.b, p.r)
	if len(w.inline) > maxInlined {
		w.overflowed = true
		return
	}
	p.bNotes, p.rNotes = nil, nil
	match := matchShape(p, w.sameDefs)
	if match == nil {
		w.annotations(outer, bNotes, rNotes)
	} else {
		p.bNotes, p.rNotes = bNotes, rNotes
	}
	if equal || canonjson.Equal(p.b.v, p.r.v) && (w.sameDefs || !hasReference(p.b.v)) || !w.first(p) {
		return
	}
	p.bScope = append(p.bScope[:len(p.bScope):len(p.bScope)], scopePart{n: p.b})
	p.rScope = append(p.rScope[:len(p.rScope):len(p.rScope)], scopePart{n: p.r})
	switch {
	case p.b.object() == nil || p.r.object() == nil:
		w.booleans(p)
	case match != nil:
		w.shape(p, match)
	default:
		w.keywords(p)
	}
}

// overlay gives the annotations of a branch with those of the choice around it below them.
func overlay(below, above map[string]any) map[string]any {
	if below == nil {
		return above
	}
	out := make(map[string]any, len(below)+len(above))
	for k, v := range below {
		out[k] = v
	}
	for k, v := range above {
		out[k] = v
	}
	return out
}

// first reports whether a pair is met for the first time.
func (w *walker) first(p pairing) bool {
	key := strings.Join(p.b.at, "\x00") + "\x01" + strings.Join(p.r.at, "\x00")
	if p.quiet {
		key += "\x02"
	}
	if len(w.seen) >= maxPairsWalked {
		w.overflowed = true
		return false
	}
	seen := w.seen[key]
	w.seen[key] = true
	return !seen
}

// maxInlined bounds the references of the baseline that are compared as if their targets stood there, one within the other: a
// definition that contains itself would be unrolled for ever, at a new place each time.
const maxInlined = 32

// follow resolves both sides. Where both are references the definition is what changed. Where only the baseline's is one,
// this place has left the definition, and other users of it are not concerned: the target is compared as if it stood here.
func (w *walker) follow(b, r node) (node, node) {
	bTarget, rTarget := b.resolve(), r.resolve()
	if slices.Equal(bTarget.at, b.at) || !slices.Equal(rTarget.at, r.at) {
		return bTarget, rTarget
	}
	w.inline = append(w.inline[:len(w.inline):len(w.inline)], op{kind: set, at: b.at, value: bTarget.v, own: true})
	return node{b.root, b.at, bTarget.v}, rTarget
}

// booleans compares a pair of which one schema is false, or no schema at all.
func (w *walker) booleans(p pairing) {
	if p.quiet || canonjson.Equal(p.b.v, p.r.v) {
		return
	}
	w.add(&edit{name: "type-changed", at: p.b.at, before: p.b.v, after: p.r.v, message: "the schema changed",
		ops: []op{{kind: set, at: p.b.at, value: p.r.v}}})
}

// keywords compares two schemas that are objects, keyword family by keyword family.
func (w *walker) keywords(p pairing) {
	first := len(w.edits)
	if w.reference(p) || w.otherChoice(p) {
		return
	}
	w.dynamicReferences(p)
	w.typeKeyword(p)
	w.values(p)
	w.numbers(p)
	w.strings(p)
	w.arrays(p)
	w.objects(p)
	w.combinators(p)
	if !p.quiet {
		w.mergeNode(p, first)
	}
}

// reference compares schemas that hold a reference beside other keywords, or one that leads nowhere.
func (w *walker) reference(p pairing) bool {
	b, r := p.b.object(), p.r.object()
	if !has(b, "$ref") && !has(r, "$ref") {
		return false
	}
	if bRef, ok := b["$ref"].(string); ok && has(r, "$ref") && !p.quiet {
		// The same kind of schema on both sides: the targets are compared, then what stands beside the references.
		bTarget, bOK := p.b.follow(bRef)
		rTarget, rOK := p.r.follow(textOf(r["$ref"]))
		if bOK && rOK {
			w.pair(pairing{b: bTarget, r: rTarget, bScope: p.bScope, rScope: p.rScope, quiet: p.quiet})
			return false
		}
	}
	w.replace(p, "reference-changed", w.referenceText(p, "$ref"))
	return true
}

// dynamicReferences compares the references whose target depends on how the schema was reached. They are not followed: a
// change of what they lead to shows in the verdict on the whole.
func (w *walker) dynamicReferences(p pairing) {
	for _, keyword := range []string{"$dynamicRef", "$recursiveRef"} {
		if p.differ(keyword) {
			w.keywordEdit(p, "", "reference-changed", keyword, w.referenceText(p, keyword))
		}
	}
}

func (w *walker) referenceText(p pairing, keyword string) string {
	b, r := p.b.object(), p.r.object()
	s := w.subject(p.b.at)
	switch {
	case !has(b, keyword):
		return fmt.Sprintf("%s refers to %s now", s, show(r[keyword]))
	case !has(r, keyword):
		return fmt.Sprintf("%s no longer refers to %s", s, show(b[keyword]))
	}
	return fmt.Sprintf("%s referred to %s and refers to %s", s, show(b[keyword]), show(r[keyword]))
}

// replace reports the whole schema as one edit, and looks inside only for texts and lost names.
func (w *walker) replace(p pairing, name, message string) {
	if p.quiet {
		return
	}
	b, r := assertions(p.b.object()), assertions(p.r.object())
	if canonjson.Equal(b, r) {
		return
	}
	w.add(&edit{name: name, at: p.b.at, before: p.b.v, after: p.r.v, message: message, ops: replaceOps(p.b, p.r), lost: w.lostNames(p, p.b)})
}

// assertions are the members of a schema that say which values are accepted.
func assertions(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		if !isAnnotation(k) && k != "$defs" && k != "definitions" {
			out[k] = v
		}
	}
	return out
}

// replaceOps gives the baseline's schema all assertions of the revision's, and leaves its annotations alone.
func replaceOps(b, r node) []op {
	was, is := assertions(b.object()), assertions(r.object())
	var ops []op
	for _, k := range unionKeys(was, is) {
		at := append(b.at[:len(b.at):len(b.at)], k)
		switch {
		case !has(is, k):
			ops = append(ops, op{kind: remove, at: at})
		case !canonjson.Equal(was[k], is[k]) || hasReference(is[k]):
			ops = append(ops, op{kind: set, at: at, value: is[k]})
		}
	}
	return ops
}

func (w *walker) add(e *edit) *edit {
	if len(e.ops) > 0 {
		e.ops = slices.Concat(w.inline, e.ops)
	}
	w.edits = append(w.edits, e)
	return e
}

// keywordEdit reports that one keyword changed, with the obvious operation.
func (w *walker) keywordEdit(p pairing, family, name, keyword, message string) *edit {
	if p.quiet {
		return nil
	}
	b, r := p.b.object(), p.r.object()
	at := append(p.b.at[:len(p.b.at):len(p.b.at)], keyword)
	e := &edit{name: name, at: at, before: b[keyword], after: r[keyword], message: message, node: p.b.at, keyword: family}
	if has(r, keyword) {
		e.ops = []op{{kind: set, at: at, value: r[keyword]}}
	} else {
		e.ops = []op{{kind: remove, at: at}}
	}
	return w.add(e)
}

// groupEdit reports that keywords which belong together changed as one.
func (w *walker) groupEdit(p pairing, family, name, message string, keywords ...string) *edit {
	if p.quiet {
		return nil
	}
	b, r := p.b.object(), p.r.object()
	e := &edit{name: name, at: p.b.at, message: message, node: p.b.at, keyword: family}
	before, after := map[string]any{}, map[string]any{}
	changed := []string{}
	for _, k := range keywords {
		if has(b, k) {
			before[k] = b[k]
		}
		if has(r, k) {
			after[k] = r[k]
		}
		at := append(p.b.at[:len(p.b.at):len(p.b.at)], k)
		switch {
		case has(b, k) == has(r, k) && canonjson.Equal(b[k], r[k]):
			continue
		case has(r, k):
			e.ops = append(e.ops, op{kind: set, at: at, value: r[k]})
		default:
			e.ops = append(e.ops, op{kind: remove, at: at})
		}
		changed = append(changed, k)
	}
	if len(changed) == 1 {
		k := changed[0]
		e.at = append(p.b.at[:len(p.b.at):len(p.b.at)], k)
		e.before, e.after = b[k], r[k]
	} else {
		e.before, e.after = textlessMap(before), textlessMap(after)
	}
	return w.add(e)
}

// differ reports whether one of the keywords differs between the two.
func (p pairing) differ(keywords ...string) bool {
	b, r := p.b.object(), p.r.object()
	return slices.ContainsFunc(keywords, func(k string) bool {
		return has(b, k) != has(r, k) || !canonjson.Equal(b[k], r[k])
	})
}

// mergeNode makes one edit of the edits of one schema whose type was rewritten: type, format, minimum and the rest of one
// property that changed together are one thing.
func (w *walker) mergeNode(p pairing, first int) {
	var own, rest []*edit
	typeChanged := false
	for _, e := range w.edits[first:] {
		if e.node != nil && slices.Equal(e.node, p.b.at) && e.keyword != "" {
			own = append(own, e)
			typeChanged = typeChanged || e.keyword == "type"
		} else {
			rest = append(rest, e)
		}
	}
	if !typeChanged || len(own) < 2 {
		return
	}
	merged := *own[slices.IndexFunc(own, func(e *edit) bool { return e.keyword == "type" })]
	merged.at, merged.before, merged.after, merged.ops = p.b.at, p.b.v, p.r.v, slices.Clone(w.inline)
	for _, e := range own {
		merged.ops = append(merged.ops, e.ops[len(w.inline):]...)
		if e.message != merged.message {
			merged.message += ", and " + withoutSubject(e.message, w.subject(p.b.at))
		}
	}
	w.edits = append(append(w.edits[:first:first], rest...), &merged)
}

// withoutSubject is the rest of a message that begins with the name of what it is about.
func withoutSubject(message, subject string) string {
	if rest, ok := strings.CutPrefix(message, subject); ok {
		return strings.TrimLeft(rest, ": ")
	}
	return message
}

// key names a place of the baseline for messages: the last name on the way that a reader knows, "limit" for
// properties/limit/anyOf/0. Told is false when no name is on the way; a name may be empty.
func placeName(at []string) (name string, told bool) {
	for i := 0; i < len(at); i++ {
		switch at[i] {
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			if i+1 < len(at) {
				i++
				if at[i-1] == "properties" && told {
					name += "."
				}
				told = true
				switch at[i-1] {
				case "properties":
					name += at[i]
				case "patternProperties":
					name += "[" + at[i] + "]"
				case "$defs", "definitions":
					name = at[i]
				}
			}
		case "items", "prefixItems", "contains":
			if i+1 < len(at) {
				if _, err := strconv.Atoi(at[i+1]); err == nil {
					name, told = name+"["+at[i+1]+"]", true
					i++
					continue
				}
			}
			name, told = name+"[]", true
		case "additionalProperties":
			name, told = name+"[*]", true
		}
	}
	return name, told
}

// subject starts a message: "limit", or the word for all of it.
func (w *walker) subject(at []string) string {
	if name, told := placeName(at); told {
		return quote(name)
	}
	if w.side == Output {
		return "the result"
	}
	return "the call"
}
