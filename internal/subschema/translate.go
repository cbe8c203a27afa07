package subschema

import (
	"slices"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// A scope is the dynamic scope as far as it matters: for each dynamic anchor the outermost place that has it. The anchor
// of $recursiveAnchor is named by a NUL.
type scope map[string]string

func (s scope) key() string {
	if len(s) == 0 {
		return ""
	}
	var b strings.Builder
	for _, k := range canonjson.SortedKeys(s) {
		b.WriteString(k + "\x01" + s[k] + "\x02")
	}
	return b.String()
}

// enter adds what the resource of p declares and no outer one has declared.
func (t *translator) enter(p *place, s scope) scope {
	if !t.doc.dynamic {
		return nil
	}
	r := p.resource
	out := s
	set := func(name, pointer string) {
		if _, ok := out[name]; ok {
			return
		}
		fresh := make(scope, len(out)+1)
		for k, v := range out {
			fresh[k] = v
		}
		fresh[name] = pointer
		out = fresh
	}
	for name := range r.dynamic {
		set(name, r.anchors[name])
	}
	if r.rec {
		set("\x00", r.pointer)
	}
	return out
}

// A translator writes the raw graph: one node for each keyword of each place, once for each dynamic scope.
type translator struct {
	doc     *document
	formats bool
	raw     []node
	memo    map[string]lit
	err     *SchemaError
}

func translate(doc *document, formats bool) (compiled, *SchemaError) {
	t := &translator{doc: doc, formats: formats, memo: map[string]lit{}, raw: []node{{kind: kTrue}}}
	root := t.schema(doc.places[""], nil)
	for _, pointer := range canonjson.SortedKeys(doc.places) { // unused definitions may dangle as well
		t.checkRefs(doc.places[pointer])
	}
	if t.err == nil {
		t.findLoops()
	}
	if t.err != nil {
		return compiled{}, t.err
	}
	return canonical(t.raw, root), nil
}

func (t *translator) fail(err *SchemaError) {
	if t.err == nil {
		t.err = err
	}
}

func (t *translator) checkRefs(p *place) {
	m, _ := p.value.(map[string]any)
	if ref, ok := m["$ref"].(string); ok {
		if _, _, err := t.doc.resolve(p, ref, "$ref"); err != nil {
			t.fail(err)
		}
	}
}

func (t *translator) add(n node) lit {
	t.raw = append(t.raw, n)
	return lit((len(t.raw) - 1) << 1)
}

func (t *translator) all(kids ...lit) lit {
	if len(kids) == 0 {
		return litTrue
	}
	if len(kids) == 1 {
		return kids[0]
	}
	return t.add(node{kind: kAll, kids: slices.Clone(kids)})
}

func (t *translator) either(kids ...lit) lit {
	neg := make([]lit, len(kids))
	for i, k := range kids {
		neg[i] = k.not()
	}
	return t.all(neg...).not()
}

func (t *translator) branch(cond, yes, no lit) lit {
	return t.all(t.either(cond.not(), yes), t.either(cond, no))
}

func (t *translator) isObjectWith(name string) lit {
	return t.all(t.add(node{kind: kType, n: tObject}), t.add(node{kind: kHas, text: name}))
}

// schema translates a place, once for each scope. While it is being translated it is known by a link.
func (t *translator) schema(p *place, s scope) lit {
	if t.err != nil {
		return litTrue
	}
	s = t.enter(p, s)
	key := p.pointer + "\x00" + s.key()
	if l, ok := t.memo[key]; ok {
		return l
	}
	if len(t.memo) > maxPlaces {
		t.fail(&SchemaError{SchemaTooLarge, "", "too many dynamic scopes"})
		return litTrue
	}
	link := t.add(node{kind: kLink, kids: []lit{litTrue}})
	t.memo[key] = link
	t.raw[link.node()].kids[0] = t.body(p, s)
	return link
}

func (t *translator) child(p *place, s scope, tokens ...string) lit {
	return t.schema(t.at(p, tokens...), s)
}

func (t *translator) at(p *place, tokens ...string) *place {
	pointer := p.pointer
	for _, token := range tokens {
		pointer += "/" + canonjson.EscapeToken(token)
	}
	return t.doc.places[pointer]
}

func (t *translator) body(p *place, s scope) lit {
	m, ok := p.value.(map[string]any)
	if !ok {
		if p.value == true {
			return litTrue
		}
		return litFalse
	}
	d := p.resource.draft
	if ref, ok := m["$ref"].(string); ok && d&upTo7 != 0 {
		return t.ref(p, ref, "$ref", s)
	}
	b := &body{translator: t, p: p, m: m, s: s, draft: d}
	return b.translate()
}

func (t *translator) ref(p *place, ref, keyword string, s scope) lit {
	q, anchor, err := t.doc.resolve(p, ref, keyword)
	if err != nil {
		t.fail(err)
		return litTrue
	}
	if q == nil {
		return t.add(node{kind: kUnknown, text: "a reference to a standard meta-schema: " + ref})
	}
	return t.schema(t.dynamicTarget(q, anchor, keyword, s), s)
}

// dynamicTarget replaces the target of a dynamic reference by the outermost one of the scope.
func (t *translator) dynamicTarget(q *place, anchor, keyword string, s scope) *place {
	switch {
	case keyword == "$dynamicRef" && anchor != "" && q.resource.dynamic[anchor]:
		if pointer, ok := s[anchor]; ok {
			return t.doc.places[pointer]
		}
	case keyword == "$recursiveRef" && q.resource.rec:
		if pointer, ok := s["\x00"]; ok {
			return t.doc.places[pointer]
		}
	}
	return q
}

// findLoops reports references that come back without consuming a part of the value: $ref: "#" and its kin.
func (t *translator) findLoops() {
	state := make([]byte, len(t.raw)) // 1: on the path, 2: done
	var visit func(v int32) bool
	visit = func(v int32) bool {
		if state[v] != 0 {
			return state[v] == 2
		}
		n := &t.raw[v]
		if n.kind == kLink || n.kind == kAll || n.kind == kOne {
			state[v] = 1
			for _, k := range n.kids {
				if !visit(k.node()) {
					return false
				}
			}
		}
		state[v] = 2
		return true
	}
	for v := range t.raw {
		if !visit(int32(v)) {
			t.fail(&SchemaError{EndlessRef, "", "a reference leads back to itself on the same value"})
			return
		}
	}
}
