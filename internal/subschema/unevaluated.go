package subschema

import (
	"slices"
	"strconv"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// unevaluatedProperties and unevaluatedItems depend on which of the sub-schemas beside them hold. They are translated
// into a tree of conditions over the outcomes of these sub-schemas, whose leaves are plain kProps and kItems nodes. That
// is exact and needs nothing new in the algebra; the price is a leaf for each combination of outcomes.

// maxLeaves bounds the combinations of outcomes that one keyword may depend on. The branches of one oneOf exclude each other, so
// that a union of many branches costs a leaf for each branch only.
const maxLeaves = 512

// A choice is one branch of one oneOf.
type choice struct{ group, branch int }

// An evaluation says what a sub-schema looks at when it holds.
type evaluation struct {
	cond     lit // the outcome it depends on; litTrue when it always counts
	all      bool
	names    []string
	patterns []string
	prefix   int
	match    lit // items that satisfy it are evaluated (contains of 2020-12)
	path     []choice
}

func (b *body) unevaluated() {
	if _, ok := b.has("unevaluatedProperties"); ok {
		c := collector{translator: b.translator, properties: true}
		c.object(b.p, b.s, litTrue, true)
		b.put(b.outcomes(c.found, b.child(b.p, b.s, "unevaluatedProperties"), unevaluatedMembers))
	}
	if _, ok := b.has("unevaluatedItems"); ok {
		c := collector{translator: b.translator}
		c.object(b.p, b.s, litTrue, true)
		b.put(b.outcomes(c.found, b.child(b.p, b.s, "unevaluatedItems"), unevaluatedPositions))
	}
}

// A collector walks the applicators that act on the same value.
type collector struct {
	*translator
	properties bool
	found      []evaluation
	depth      int
	path       []choice // the branches of oneOf that lead here
	groups     int
}

// object collects what the schema at p evaluates. own is set for the schema that holds the keyword itself.
func (c *collector) object(p *place, s scope, cond lit, own bool) {
	m, ok := p.value.(map[string]any)
	if !ok || c.err != nil {
		return
	}
	if c.depth++; c.depth > 200 { // only an endless reference gets here, and it is reported elsewhere
		c.fail(&SchemaError{EndlessRef, p.pointer, "a reference leads back to itself on the same value"})
		return
	}
	defer func() { c.depth-- }()
	if own {
		s = c.enter(p, s)
	}
	b := &body{translator: c.translator, p: p, m: m, s: s, draft: p.resource.draft}
	if c.properties {
		c.members(b, cond, own)
	} else {
		c.positions(b, cond, own)
	}
	c.applicators(b, cond)
}

func (c *collector) members(b *body, cond lit, own bool) {
	props, _ := b.m["properties"].(map[string]any)
	patterns, _ := b.m["patternProperties"].(map[string]any)
	e := evaluation{cond: cond, match: litFalse, path: slices.Clone(c.path), names: canonjson.SortedKeys(props), patterns: canonjson.SortedKeys(patterns)}
	_, e.all = b.m["additionalProperties"]
	if _, ok := b.has("unevaluatedProperties"); ok && !own {
		e.all = true
	}
	if e.all || len(e.names)+len(e.patterns) > 0 {
		c.found = append(c.found, e)
	}
}

func (c *collector) positions(b *body, cond lit, own bool) {
	e := evaluation{cond: cond, match: litFalse, path: slices.Clone(c.path)}
	if b.draft == draft2020 {
		list, _ := b.m["prefixItems"].([]any)
		e.prefix = len(list)
		_, e.all = b.m["items"]
		if _, ok := b.m["contains"]; ok {
			e.match = b.child(b.p, b.s, "contains")
		}
	} else if v, ok := b.m["items"]; ok {
		list, isList := v.([]any)
		e.prefix, e.all = len(list), !isList
		if _, ok := b.m["additionalItems"]; ok && isList {
			e.all = true
		}
	}
	if _, ok := b.has("unevaluatedItems"); ok && !own {
		e.all = true
	}
	if e.all || e.prefix > 0 || e.match != litFalse {
		c.found = append(c.found, e)
	}
}

func (c *collector) applicators(b *body, cond lit) {
	under := func(l lit) lit {
		if cond == litTrue {
			return l
		}
		return c.all(cond, l)
	}
	for _, key := range [...]string{"$ref", "$dynamicRef", "$recursiveRef"} {
		if v, ok := b.has(key); ok {
			if q, anchor, err := c.doc.resolve(b.p, v.(string), key); err == nil && q != nil {
				q = c.dynamicTarget(q, anchor, key, b.s)
				c.object(q, c.enter(q, b.s), cond, false)
			}
		}
	}
	walk := func(cond lit, tokens ...string) {
		q := c.at(b.p, tokens...)
		c.object(q, c.enter(q, b.s), cond, false)
	}
	if list, ok := b.m["allOf"].([]any); ok {
		for i := range list {
			walk(cond, "allOf", strconv.Itoa(i))
		}
	}
	for _, key := range [...]string{"anyOf", "oneOf"} {
		list, _ := b.m[key].([]any)
		c.groups++
		group, outer := c.groups, c.path
		for i := range list {
			if key == "oneOf" {
				c.path = append(slices.Clip(outer), choice{group, i})
			}
			walk(under(b.child(b.p, b.s, key, strconv.Itoa(i))), key, strconv.Itoa(i))
		}
		c.path = outer
	}
	if _, ok := b.has("if"); ok {
		test := b.child(b.p, b.s, "if")
		walk(under(test), "if")
		if _, ok := b.has("then"); ok {
			walk(under(test), "then")
		}
		if _, ok := b.has("else"); ok {
			walk(under(test.not()), "else")
		}
	}
	for _, key := range [...]string{"dependentSchemas", "dependencies"} {
		m, _ := b.m[key].(map[string]any)
		for _, name := range canonjson.SortedKeys(m) {
			if _, isList := m[name].([]any); !isList {
				walk(under(b.isObjectWith(name)), key, name)
			}
		}
	}
}

// A tree builds the conditions of one unevaluated keyword.
type tree struct {
	*body
	rest   lit
	leaf   func(*body, []evaluation, lit) lit
	leaves int
}

// outcomes builds the tree of conditions; leaf makes the node for one combination of outcomes.
func (b *body) outcomes(found []evaluation, rest lit, leaf func(*body, []evaluation, lit) lit) lit {
	t := &tree{body: b, rest: rest, leaf: leaf}
	var always, open []evaluation
	for _, e := range found {
		if e.cond == litTrue {
			always = append(always, e)
		} else {
			open = append(open, e)
		}
	}
	l := t.build(always, open)
	if t.leaves > maxLeaves {
		return b.add(node{kind: kUnknown, text: "an unevaluated keyword over more than " + strconv.Itoa(maxLeaves) + " combinations of conditional sub-schemas",
			patterns: describe(found), kids: append(conditions(found), rest)})
	}
	return l
}

// build settles the first open condition both ways.
func (t *tree) build(set, open []evaluation) lit {
	if t.leaves > maxLeaves || slices.ContainsFunc(set, func(e evaluation) bool { return e.all }) {
		return litTrue
	}
	if len(open) == 0 {
		t.leaves++
		return t.leaf(t.body, set, t.rest)
	}
	first := open[0]
	yes, no := slices.Clip(set), slices.Clip(set)
	var openYes, openNo []evaluation
	for _, e := range open {
		switch {
		case e.cond == first.cond:
			yes = append(yes, e)
		case e.cond == first.cond.not():
			no = append(no, e)
		default:
			if !exclude(first.path, e.path) {
				openYes = append(openYes, e)
			}
			openNo = append(openNo, e)
		}
	}
	return t.branch(first.cond, t.build(yes, openYes), t.build(no, openNo))
}

// exclude reports whether two paths take different branches of one oneOf. The tree stands beside that oneOf in a conjunction, so
// that what it says where two branches hold does not matter.
func exclude(a, b []choice) bool {
	for _, x := range a {
		for _, y := range b {
			if x.group == y.group && x.branch != y.branch {
				return true
			}
		}
	}
	return false
}

func unevaluatedMembers(b *body, set []evaluation, rest lit) lit {
	n := node{kind: kProps}
	for _, e := range set {
		n.names = append(n.names, e.names...)
		n.patterns = append(n.patterns, e.patterns...)
	}
	slices.Sort(n.names)
	slices.Sort(n.patterns)
	n.names, n.patterns = slices.Compact(n.names), slices.Compact(n.patterns)
	n.kids = make([]lit, len(n.names)+len(n.patterns), len(n.names)+len(n.patterns)+1)
	n.kids = append(n.kids, rest)
	return b.add(n)
}

func unevaluatedPositions(b *body, set []evaluation, rest lit) lit {
	prefix := 0
	for _, e := range set {
		prefix = max(prefix, e.prefix)
		if e.match != litFalse {
			rest = b.either(rest, e.match)
		}
	}
	return b.add(node{kind: kItems, kids: append(make([]lit, prefix, prefix+1), rest)})
}

// conditions and describe spell out evaluations, so that an unmodelled keyword equals only itself.
func conditions(found []evaluation) []lit {
	var out []lit
	for _, e := range found {
		out = append(out, e.cond, e.match)
	}
	return out
}

func describe(found []evaluation) []string {
	var out []string
	for _, e := range found {
		out = append(out, strconv.FormatBool(e.all), strconv.Itoa(e.prefix), strconv.Itoa(len(e.names)))
		out = append(append(out, e.names...), e.patterns...)
	}
	return out
}
