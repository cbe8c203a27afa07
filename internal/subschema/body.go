package subschema

import (
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// A body is one schema object being translated.
type body struct {
	*translator
	p     *place
	m     map[string]any
	s     scope
	draft draft
	out   []lit
}

func (b *body) has(key string) (any, bool) {
	v, ok := b.m[key]
	if !ok {
		return nil, false
	}
	_, ok = known(key, b.draft)
	return v, ok
}

func (b *body) put(l lit) { b.out = append(b.out, l) }

func (b *body) translate() lit {
	for _, key := range [...]string{"$ref", "$dynamicRef", "$recursiveRef"} {
		if v, ok := b.has(key); ok {
			b.put(b.ref(b.p, v.(string), key, b.s))
		}
	}
	b.scalars()
	b.numbers()
	b.counts()
	b.arrays()
	b.objects()
	b.dependencies()
	b.combinators()
	b.unevaluated()
	return b.all(b.out...)
}

func (b *body) scalars() {
	if v, ok := b.has("type"); ok {
		b.put(b.types(v))
	}
	if v, ok := b.has("enum"); ok {
		b.put(b.enum(v.([]any)))
	}
	if v, ok := b.has("const"); ok {
		b.put(b.constant(v))
	}
	if v, ok := b.has("pattern"); ok {
		b.put(b.add(node{kind: kPattern, text: v.(string)}))
	}
	if v, ok := b.has("format"); ok && b.formats {
		b.put(b.add(node{kind: kFormat, text: v.(string)}))
	}
}

func (b *body) types(v any) lit {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	mask, integer := 0, false
	for _, e := range list {
		mask |= typeNames[e.(string)]
		integer = integer || e == "integer"
	}
	l := b.add(node{kind: kType, n: mask})
	if integer && !slices.Contains(list, any("number")) {
		l = b.all(l, b.add(node{kind: kMultiple, num: big.NewRat(1, 1)}))
	}
	return l
}

func (t *translator) enum(values []any) lit {
	var scalars []any
	var parts []lit
	for _, v := range values {
		switch v.(type) {
		case nil, map[string]any, []any:
			parts = append(parts, t.constant(v))
		default:
			scalars = append(scalars, v)
		}
	}
	if len(scalars) > 0 {
		parts = append(parts, t.add(node{kind: kEnum, values: sortValues(scalars)}))
	}
	return t.either(parts...)
}

// sortValues sorts scalars by their canonical bytes, without doubles.
func sortValues(values []any) []any {
	type keyed struct {
		key   string
		value any
	}
	list := make([]keyed, len(values))
	for i, v := range values {
		list[i] = keyed{string(canonjson.Append(nil, v)), v}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].key < list[j].key })
	out := make([]any, 0, len(list))
	for i, k := range list {
		if i == 0 || k.key != list[i-1].key {
			out = append(out, k.value)
		}
	}
	return out
}

// An adder takes nodes: the translator, and later the graph of a decision.
type adder interface {
	add(node) lit
	all(...lit) lit
}

func (t *translator) constant(v any) lit { return constant(t, v) }

// constant is "equal to v". Arrays and objects are spelled out by their parts, so that no other part of the decision needs to
// know about constants that are not scalars.
func constant(a adder, v any) lit {
	switch v := v.(type) {
	case nil:
		return a.add(node{kind: kType, n: tNull})
	case []any:
		kids := make([]lit, len(v)+1)
		for i, e := range v {
			kids[i] = constant(a, e)
		}
		parts := []lit{a.add(node{kind: kType, n: tArray}), a.add(node{kind: kMaxItems, n: len(v)})}
		if len(v) > 0 {
			parts = append(parts, a.add(node{kind: kMinItems, n: len(v)}), a.add(node{kind: kItems, kids: kids}))
		}
		return a.all(parts...)
	case map[string]any:
		parts := []lit{a.add(node{kind: kType, n: tObject}), a.add(node{kind: kMaxProps, n: len(v)})}
		names := canonjson.SortedKeys(v)
		kids := make([]lit, 0, len(names)+1)
		for _, name := range names {
			kids = append(kids, constant(a, v[name]))
			parts = append(parts, a.add(node{kind: kHas, text: name}))
		}
		if len(names) > 0 {
			parts = append(parts, a.add(node{kind: kProps, names: names, kids: append(kids, litTrue)}))
		}
		return a.all(parts...)
	}
	return a.add(node{kind: kEnum, values: []any{v}})
}

// maxExponent bounds the numbers of schemas: beyond it exact arithmetic would need memory out of proportion to the text.
const maxExponent = 400

// rat reads a number, or reports false when it is out of proportion.
func rat(n json.Number) (*big.Rat, bool) {
	if i := strings.IndexAny(string(n), "eE"); i >= 0 {
		e, err := strconv.Atoi(strings.TrimPrefix(string(n[i+1:]), "+"))
		if err != nil || e > maxExponent || e < -maxExponent {
			return nil, false
		}
	}
	if len(n) > 1100 {
		return nil, false
	}
	return new(big.Rat).SetString(string(n))
}

func (b *body) number(k kind, v any, exclusive bool) {
	r, ok := rat(v.(json.Number))
	if !ok {
		b.put(b.add(node{kind: kUnknown, n: int(k), flag: exclusive, text: "a number beyond the bounds of this program: " + string(v.(json.Number))}))
		return
	}
	b.put(b.add(node{kind: k, num: r, flag: exclusive}))
}

func (b *body) numbers() {
	for _, side := range [...]struct {
		key, exclusive string
		kind           kind
	}{{"minimum", "exclusiveMinimum", kMin}, {"maximum", "exclusiveMaximum", kMax}} {
		flag := false
		if e, ok := b.has(side.exclusive); ok {
			if b.draft == draft4 {
				flag = e == true
			} else {
				b.number(side.kind, e, true)
			}
		}
		if v, ok := b.has(side.key); ok {
			b.number(side.kind, v, flag)
		}
	}
	if v, ok := b.has("multipleOf"); ok {
		b.number(kMultiple, v, false)
	}
}

// maxCount is the largest count that is taken literally.
const maxCount = 1 << 40

func count(v any) (int, bool) {
	r, ok := rat(v.(json.Number))
	if !ok || !r.IsInt() || !r.Num().IsInt64() || r.Num().Int64() > maxCount {
		return math.MaxInt, false
	}
	return int(r.Num().Int64()), true
}

var countKinds = [...]struct {
	key  string
	kind kind
}{{"minLength", kMinLength}, {"maxLength", kMaxLength}, {"minItems", kMinItems}, {"maxItems", kMaxItems},
	{"minProperties", kMinProps}, {"maxProperties", kMaxProps}}

func (b *body) counts() {
	for _, c := range countKinds {
		v, ok := b.has(c.key)
		if !ok {
			continue
		}
		n, ok := count(v)
		if !ok {
			b.put(b.add(node{kind: kUnknown, n: int(c.kind), text: "a count beyond the bounds of this program: " + string(v.(json.Number))}))
			continue
		}
		b.put(b.add(node{kind: c.kind, n: n}))
	}
	if v, ok := b.has("uniqueItems"); ok && v == true {
		b.put(b.add(node{kind: kUnique}))
	}
}

func (b *body) arrays() {
	kids, rest := b.positions()
	if len(kids) > 0 || rest != litTrue {
		b.put(b.add(node{kind: kItems, kids: append(kids, rest)}))
	}
	if _, ok := b.has("contains"); !ok {
		return
	}
	kid := b.child(b.p, b.s, "contains")
	least := 1
	if v, ok := b.has("minContains"); ok {
		least, _ = count(v)
	}
	if least > 0 { // nodes on a cycle are not simplified later: one that asks for nothing must not come into being
		b.put(b.add(node{kind: kCountMin, n: least, kids: []lit{kid}}))
	}
	if v, ok := b.has("maxContains"); ok {
		if most, ok := count(v); ok {
			b.put(b.add(node{kind: kCountMax, n: most, kids: []lit{kid}}))
		}
	}
}

// positions returns the schemas of the leading positions and of the rest.
func (b *body) positions() (kids []lit, rest lit) {
	rest = litTrue
	key, restKey := "prefixItems", "items"
	if b.draft != draft2020 {
		key, restKey = "items", "additionalItems"
		if v, ok := b.m["items"]; ok {
			if _, isList := v.([]any); !isList {
				return nil, b.child(b.p, b.s, "items")
			}
		} else {
			return nil, litTrue
		}
	}
	if list, ok := b.m[key].([]any); ok {
		for i := range list {
			kids = append(kids, b.child(b.p, b.s, key, strconv.Itoa(i)))
		}
	}
	if _, ok := b.m[restKey]; ok {
		rest = b.child(b.p, b.s, restKey)
	}
	return kids, rest
}

func (b *body) objects() {
	props, _ := b.m["properties"].(map[string]any)
	patterns, _ := b.m["patternProperties"].(map[string]any)
	_, additional := b.m["additionalProperties"]
	if len(props)+len(patterns) > 0 || additional {
		n := node{kind: kProps, flag: len(props) > 0, names: canonjson.SortedKeys(props), patterns: canonjson.SortedKeys(patterns)}
		for _, name := range n.names {
			n.kids = append(n.kids, b.child(b.p, b.s, "properties", name))
		}
		for _, pattern := range n.patterns {
			n.kids = append(n.kids, b.child(b.p, b.s, "patternProperties", pattern))
		}
		rest := litTrue
		if additional {
			rest = b.child(b.p, b.s, "additionalProperties")
		}
		n.kids = append(n.kids, rest)
		b.put(b.add(n))
	}
	if _, ok := b.has("propertyNames"); ok {
		b.put(b.add(node{kind: kNames, kids: []lit{b.child(b.p, b.s, "propertyNames")}}))
	}
	if v, ok := b.has("required"); ok {
		for _, name := range v.([]any) {
			b.put(b.add(node{kind: kHas, text: name.(string)}))
		}
	}
}

func (b *body) dependencies() {
	for _, key := range [...]string{"dependencies", "dependentRequired", "dependentSchemas"} {
		v, ok := b.has(key)
		if !ok {
			continue
		}
		m := v.(map[string]any)
		for _, name := range canonjson.SortedKeys(m) {
			var then []lit
			if list, ok := m[name].([]any); ok {
				for _, e := range list {
					then = append(then, b.add(node{kind: kHas, text: e.(string)}))
				}
			} else {
				then = []lit{b.child(b.p, b.s, key, name)}
			}
			b.put(b.either(b.isObjectWith(name).not(), b.all(then...)))
		}
	}
}

func (b *body) list(key string) (kids []lit, ok bool) {
	v, ok := b.has(key)
	if !ok {
		return nil, false
	}
	for i := range v.([]any) {
		kids = append(kids, b.child(b.p, b.s, key, strconv.Itoa(i)))
	}
	return kids, true
}

func (b *body) combinators() {
	if kids, ok := b.list("allOf"); ok {
		b.put(b.all(kids...))
	}
	if kids, ok := b.list("anyOf"); ok {
		b.put(b.either(kids...))
	}
	if kids, ok := b.list("oneOf"); ok {
		b.put(b.add(node{kind: kOne, kids: kids}))
	}
	if _, ok := b.has("not"); ok {
		b.put(b.child(b.p, b.s, "not").not())
	}
	if _, ok := b.has("if"); ok {
		yes, no := litTrue, litTrue
		if _, ok := b.has("then"); ok {
			yes = b.child(b.p, b.s, "then")
		}
		if _, ok := b.has("else"); ok {
			no = b.child(b.p, b.s, "else")
		}
		condition := b.child(b.p, b.s, "if") // also without then and else: it may declare names
		if yes != litTrue || no != litTrue {
			b.put(b.branch(condition, yes, no))
		}
	}
}
