package diff

import (
	"encoding/json"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/subschema"
)

// An edit below nothing but properties and items, without a reference or a combinator on the way, can be judged by the two
// small schemas at its place: what the place allows less, the whole allows less, and the other way round. That costs a
// fraction of judging the whole with the edit, and it gets an answer where the whole is too large for one. A value that
// separates the small schemas is built into a value of the whole and confirmed there.

// A localPair is the baseline's schema at the place of an edit, and the same with the edit.
type localPair struct{ base, edited *schema }

// local judges an edit at its place. It is false when the place is not that simple or no answer was found.
func (j *judge) local(e *edit) (outcome, localPair, bool) {
	small, ok := j.localSchemas(e)
	if !ok {
		return outcome{}, localPair{}, false
	}
	producer, consumer := small.base, small.edited
	if j.side == Output {
		producer, consumer = consumer, producer
	}
	o := j.decide(producer, consumer, unchecked)
	switch o.verdict {
	case compatible:
		return o, small, true
	case incompatible:
		root := node{j.base, nil, j.base}
		if j.side == Output {
			root = node{j.rev, nil, j.rev}
		}
		value, built := j.build(root, e.node, o.witness)
		if built && j.confirmed(value, j.r) {
			return outcome{verdict: incompatible, witness: value}, small, true
		}
	}
	return outcome{}, localPair{}, false
}

// localSchemas cuts the two small schemas out.
func (j *judge) localSchemas(e *edit) (localPair, bool) {
	if len(e.ops) == 0 || len(e.node) == 0 {
		return localPair{}, false
	}
	place := node{j.base, nil, j.base}
	for i := 0; i < len(e.node); i++ {
		m := mapOf(place.v)
		if m == nil || has(m, "$ref") || has(m, "$dynamicRef") {
			return localPair{}, false
		}
		switch {
		case e.node[i] == "properties" && i+1 < len(e.node):
			place = place.child("properties", e.node[i+1])
			i++
		case e.node[i] == "items" && mapOf(m["items"]) != nil:
			place = place.child("items")
		default:
			return localPair{}, false
		}
	}
	was := place.v
	is := was
	for _, o := range e.ops {
		if o.own || !hasPrefixPath(o.at, e.node) || !j.walk.sameDefs && hasReference(o.value) {
			return localPair{}, false
		}
		is = o.applyAt(is, o.at[len(e.node):], o.value)
	}
	pair := localPair{j.compile(j.withDefinitions(was)), j.compile(j.withDefinitions(is))}
	return pair, pair.base.err == nil && pair.edited.err == nil
}

// withDefinitions makes a document of a part of the baseline's.
func (j *judge) withDefinitions(part any) any { return document(j.base, part) }

func document(root, part any) any {
	m, ok := part.(map[string]any)
	if !ok {
		return part
	}
	out := without(m, nil)
	for _, keyword := range []string{"$schema", "$defs", "definitions"} {
		if v, ok := mapOf(root)[keyword]; ok && !has(out, keyword) {
			out[keyword] = v
		}
	}
	return out
}

// build makes a value of a schema that has the given value at a place below it. The other parts that the schema requires
// are samples of their schemas. What it builds may be wrong; the caller confirms it.
func (j *judge) build(n node, path []string, value any) (any, bool) {
	if len(path) == 0 {
		return value, true
	}
	m := mapOf(n.v)
	if path[0] == "items" {
		item, ok := j.build(n.child("items"), path[1:], value)
		count := 1
		if least, known := number(m["minItems"]); known && least.IsInt() && least.Num().IsInt64() {
			count = int(max(1, min(least.Num().Int64(), 100)))
		}
		list := make([]any, count)
		for i := range list {
			list[i] = item
		}
		return list, ok
	}
	inner, ok := j.build(n.child("properties", path[1]), path[2:], value)
	if !ok {
		return nil, false
	}
	object := map[string]any{path[1]: inner}
	for _, name := range stringsOf(m["required"]) {
		if has(object, name) {
			continue
		}
		if object[name], ok = j.sample(n.child("properties", name)); !ok {
			return nil, false
		}
	}
	return object, true
}

// sample is some value of a schema.
func (j *judge) sample(n node) (any, bool) {
	if n.v == nil {
		return json.Number("0"), true
	}
	key := canonjson.Pointer(n.at...)
	if v, ok := j.samples[key]; ok {
		return v, true
	}
	compiled, err := subschema.Compile(document(n.root, n.v), "")
	if err != nil {
		return nil, false
	}
	v, found, _ := subschema.Sample(compiled, subschema.Options{Steps: j.c.o.Steps, AssertFormat: j.c.o.AssertFormat})
	if !found {
		return nil, false
	}
	if j.samples == nil {
		j.samples = map[string]any{}
	}
	j.samples[key] = v
	return v, true
}
