package validate

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// extKeyword carries, in the copy of a schema that the library compiles, what the library cannot say by itself:
//
//	pattern     the ECMA-262 pattern for the backtracking engine
//	nothing     true where enum is empty, which allows no value; the library takes it for no enum
//	names       key of patternProperties in the copy → ECMA-262 pattern
//	additional  false, true, or the key of patternProperties in the copy that holds the schema of additionalProperties
const extKeyword = "x-fusionctl-ecma"

// neverMatches is the start of a key of patternProperties that no name matches: a place where the library compiles a
// schema without applying it.
const neverMatches = `[^\x00-\x{10FFFF}]`

// sizeKeywords are read by the library through a float into an int; a larger limit than any value can reach is exact.
var sizeKeywords = []string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains"}

const sizeLimit = 1<<31 - 1

// A rewriter makes the copy of a schema that the library compiles.
type rewriter struct {
	doc      *document
	ecma     bool // backtracking patterns are enforced
	patterns map[string]*pattern
	// backtracking: some pattern needs watch
	backtracking bool
	watch        stopwatch
	dropped      []string
	renames      map[string]string // pointer in the copy → pointer in the original, where they part
	moved        map[string]string // the other way round
	refs         []movedRef
	shrunk       bool // names or items may count as unevaluated that are not
	draft7       bool // the copy is of draft-07, see common
}

type movedRef struct {
	m      map[string]any
	base   string
	target string
}

func rewrite(doc *document, dialect string, ecma, draft7 bool) (any, *rewriter) {
	r := &rewriter{doc: doc, ecma: ecma, draft7: draft7, patterns: map[string]*pattern{}, renames: map[string]string{}, moved: map[string]string{}}
	r.markLoose()
	root := r.copy(doc.root, "", "")
	for _, ref := range r.refs {
		if to := r.inCopy(ref.target); to != ref.target {
			ref.m["$ref"] = "#" + libraryPointer(strings.TrimPrefix(to, r.inCopy(ref.base)))
		}
	}
	if m, ok := root.(map[string]any); ok {
		m["$schema"] = dialect
		delete(m, "$vocabulary") // means something in meta-schemas only
	}
	slices.Sort(r.dropped)
	r.dropped = slices.Compact(r.dropped)
	return root, r
}

// markLoose finds what cannot be enforced as written. Where that makes names or items unevaluated, unevaluatedProperties and
// unevaluatedItems go everywhere, which is a looseness of its own.
func (r *rewriter) markLoose() {
	loose := false
	for _, n := range r.doc.order {
		if r.unenforced(n) {
			n.loose, loose = true, true
		}
	}
	if !loose {
		return
	}
	r.doc.loosen()
	r.shrunk = slices.ContainsFunc(r.doc.order, r.shrinks)
	if !r.shrunk {
		return
	}
	for _, n := range r.doc.order {
		_, names := n.m["unevaluatedProperties"]
		_, items := n.m["unevaluatedItems"]
		n.loose = n.loose || names || items
	}
	r.doc.loosen()
}

func libraryPointer(pointer string) string {
	var b strings.Builder
	for _, t := range canonjson.Tokens(pointer) {
		b.WriteString("/" + libraryToken(t))
	}
	return b.String()
}

func (r *rewriter) pattern(text string) *pattern {
	p, ok := r.patterns[text]
	if !ok {
		p = translate(text)
		switch {
		case !r.ecma:
			p.backtrack = nil
		case p.backtrack != nil:
			r.backtracking, p.watch = true, &r.watch
		}
		r.patterns[text] = p
	}
	return p
}

// unenforced reports whether n itself holds a pattern that will not be enforced.
func (r *rewriter) unenforced(n *node) bool {
	if r.doc.refOnly(n.m) {
		return false
	}
	if text, ok := n.m["pattern"].(string); ok {
		if !r.pattern(text).expressible() {
			return true
		}
	}
	return r.looseNames(n)
}

func (r *rewriter) looseNames(n *node) bool {
	names, _ := n.m["patternProperties"].(map[string]any)
	for name := range names {
		if !r.pattern(name).expressible() {
			return true
		}
	}
	return false
}

// shrinks reports whether the copy of n evaluates fewer names or items than n.
func (r *rewriter) shrinks(n *node) bool {
	return r.looseNames(n) || r.doc.looseUnder(n, "if")
}

func (r *rewriter) drop(n *node, keyword string) {
	r.dropped = append(r.dropped, n.pointer+"/"+keyword)
}

// inCopy maps a pointer of the original to the copy.
func (r *rewriter) inCopy(pointer string) string { return follow(r.moved, pointer) }

// inOriginal maps a pointer of the copy to the original.
func (r *rewriter) inOriginal(pointer string) string { return follow(r.renames, pointer) }

// follow replaces the longest prefix of pointer that moves knows.
func follow(moves map[string]string, pointer string) string {
	if len(moves) == 0 {
		return pointer
	}
	for p := pointer; p != ""; p = p[:strings.LastIndexByte(p, '/')] {
		if to, ok := moves[p]; ok {
			return to + pointer[len(p):]
		}
	}
	return pointer
}

func (r *rewriter) move(from, to string) {
	r.moved[from] = to
	r.renames[to] = from
}

// copy returns the copy of the value at pointer of the original, which will stand at pointer to of the copy. Values that
// are no schemas are shared with the original.
func (r *rewriter) copy(v any, pointer, to string) any {
	n := r.doc.nodes[pointer]
	if n == nil {
		return r.copyData(v, pointer, to)
	}
	m := make(map[string]any, len(n.m)+1)
	for k, e := range n.m {
		m[k] = e
	}
	delete(m, extKeyword)
	delete(m, "contentEncoding") // the library asserts them in draft-07
	delete(m, "contentMediaType")
	for _, k := range sizeKeywords {
		if size, ok := m[k].(json.Number); ok && beyond(size, sizeLimit) {
			m[k] = json.Number(strconv.Itoa(sizeLimit))
		}
	}
	if target, ok := r.doc.pointerRef(n, "$ref"); ok {
		r.refs = append(r.refs, movedRef{m, n.base, target})
	}
	ext := map[string]any{}
	r.copyPattern(n, m, ext)
	if values, ok := m["enum"].([]any); ok && len(values) == 0 && !r.doc.refOnly(n.m) {
		ext["nothing"] = true
	}
	r.relax(n, m)
	skip := map[string]bool{"patternProperties": true, "$schema": true} // copied below, once: copying twice doubles per level
	skip["additionalProperties"] = r.backtracks(n)
	skip["oneOf"] = r.doc.looseUnder(n, "oneOf")
	if r.draft7 {
		r.asDraft7(n, m, to)
		skip["definitions"] = true
	}
	r.copyKids(n, m, to, skip)
	r.copyNames(n, m, ext, to)
	r.loosenOneOf(n, m, to)
	if len(ext) > 0 {
		m[extKeyword] = ext
	}
	return m
}

// copyData descends to the schemas in places of the author's choice.
func (r *rewriter) copyData(v any, pointer, to string) any {
	if !r.leadsToSchema(pointer) {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for _, k := range canonjson.SortedKeys(v) {
			t := "/" + canonjson.EscapeToken(k)
			m[k] = r.copy(v[k], pointer+t, to+t)
		}
		return m
	case []any:
		a := make([]any, len(v))
		for i, e := range v {
			t := "/" + strconv.Itoa(i)
			a[i] = r.copy(e, pointer+t, to+t)
		}
		return a
	}
	return v
}

func (r *rewriter) leadsToSchema(pointer string) bool {
	if !r.doc.scattered {
		return false
	}
	prefix := pointer + "/"
	for _, n := range r.doc.order {
		if strings.HasPrefix(n.pointer, prefix) {
			return true
		}
	}
	return false
}

func (r *rewriter) copyPattern(n *node, m, ext map[string]any) {
	text, ok := m["pattern"].(string)
	if !ok {
		return
	}
	p := r.pattern(text)
	switch {
	case p.native:
		m["pattern"] = p.goText
		return
	case r.doc.refOnly(n.m):
	case p.backtrack != nil:
		ext["pattern"] = text
	default:
		r.drop(n, "pattern")
	}
	delete(m, "pattern")
}

// relax removes what would refuse more because something below n refuses less.
func (r *rewriter) relax(n *node, m map[string]any) {
	remove := func(keyword string) {
		if v, ok := m[keyword]; ok && v != true {
			delete(m, keyword)
			r.drop(n, keyword)
		}
	}
	if r.doc.looseUnder(n, "not") {
		remove("not")
	}
	if r.doc.looseUnder(n, "if") {
		remove("if")
		remove("then")
		remove("else")
	}
	if r.doc.looseUnder(n, "contains") {
		remove("maxContains")
	}
	if r.looseNames(n) {
		remove("additionalProperties")
	}
	if r.shrunk {
		remove("unevaluatedProperties")
		remove("unevaluatedItems")
	}
}

// backtracks reports whether a key of patternProperties needs the backtracking engine.
func (r *rewriter) backtracks(n *node) bool {
	names, _ := n.m["patternProperties"].(map[string]any)
	for name := range names {
		if r.pattern(name).backtrack != nil {
			return !r.doc.refOnly(n.m)
		}
	}
	return false
}

func (r *rewriter) copyKids(n *node, m map[string]any, to string, skip map[string]bool) {
	for k, v := range m {
		if skip[k] {
			continue
		}
		t := "/" + canonjson.EscapeToken(k)
		at, dest := n.pointer+t, to+t
		if p, ok := positions[k]; ok && p.since <= r.doc.version {
			m[k] = r.copyPosition(v, p.shape, at, dest)
		} else {
			m[k] = r.copyData(v, at, dest)
		}
	}
}

func (r *rewriter) copyPosition(v any, s shape, at, dest string) any {
	switch v := v.(type) {
	case []any:
		a := make([]any, len(v))
		for i, e := range v {
			t := "/" + strconv.Itoa(i)
			a[i] = r.copy(e, at+t, dest+t)
		}
		return a
	case map[string]any:
		if s&one != 0 {
			return r.copy(v, at, dest)
		}
		m := make(map[string]any, len(v))
		for k, e := range v {
			t := "/" + canonjson.EscapeToken(k)
			m[k] = r.copy(e, at+t, dest+t)
		}
		return m
	}
	return v
}

// copyNames copies patternProperties. Where a key needs the backtracking engine, all keys of the object and
// additionalProperties go through the extension, because the library's additionalProperties cannot see what it matches.
func (r *rewriter) copyNames(n *node, m, ext map[string]any, to string) {
	names, ok := m["patternProperties"].(map[string]any)
	if !ok {
		return
	}
	keys := canonjson.SortedKeys(names)
	ignored := r.doc.refOnly(n.m)
	backtrack := r.backtracks(n)
	copied, byKey := make(map[string]any, len(names)+1), map[string]any{}
	place := func(key, suffix string, v any) {
		from, dest := n.pointer+suffix, to+"/patternProperties/"+canonjson.EscapeToken(key)
		if from != dest {
			r.move(from, dest)
		}
		copied[key] = r.copy(v, from, dest)
	}
	for i, k := range keys {
		p := r.pattern(k)
		never := neverMatches + strconv.Itoa(i)
		suffix := "/patternProperties/" + canonjson.EscapeToken(k)
		switch {
		case !p.expressible() || ignored:
			if !ignored {
				r.dropped = append(r.dropped, n.pointer+suffix)
			}
			place(never, suffix, names[k])
		case backtrack:
			byKey[never] = k
			place(never, suffix, names[k])
		default:
			key := p.goText
			for copied[key] != nil {
				key += "(?:)" // two spellings of one language
			}
			place(key, suffix, names[k])
		}
	}
	m["patternProperties"] = copied
	if !backtrack {
		return
	}
	ext["names"] = byKey
	switch v := n.m["additionalProperties"].(type) {
	case bool:
		if _, kept := m["additionalProperties"]; kept {
			ext["additional"] = v
		}
	case map[string]any:
		if _, kept := m["additionalProperties"]; kept {
			key := neverMatches + "additional"
			ext["additional"] = key
			place(key, "/additionalProperties", v)
		}
	}
	delete(m, "additionalProperties")
}

// loosenOneOf makes anyOf of a oneOf whose branches may accept too much: none matching is still a refusal, two matching
// may be none.
func (r *rewriter) loosenOneOf(n *node, m map[string]any, to string) {
	branches, ok := m["oneOf"].([]any)
	if !ok || !r.doc.looseUnder(n, "oneOf") {
		return
	}
	r.drop(n, "oneOf")
	delete(m, "oneOf")
	from, dest := n.pointer+"/oneOf", to+"/anyOf"
	if _, taken := m["anyOf"]; taken {
		all, _ := m["allOf"].([]any)
		dest = fmt.Sprintf("%s/allOf/%d/anyOf", to, len(all))
		r.renames[strings.TrimSuffix(dest, "/anyOf")] = n.pointer
		m["allOf"] = append(slices.Clip(all), map[string]any{})
	}
	r.move(from, dest)
	copied := make([]any, len(branches))
	original, _ := n.m["oneOf"].([]any)
	for i, b := range original {
		t := "/" + strconv.Itoa(i)
		copied[i] = r.copy(b, from+t, dest+t)
	}
	if strings.HasPrefix(dest, to+"/anyOf") {
		m["anyOf"] = copied
		return
	}
	all := m["allOf"].([]any)
	all[len(all)-1] = map[string]any{"anyOf": copied}
}

func beyond(n json.Number, limit int64) bool {
	v, ok := new(big.Rat).SetString(string(n))
	return ok && v.Cmp(new(big.Rat).SetInt64(limit)) > 0
}
