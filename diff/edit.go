package diff

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// An edit is one difference that the walk over two schemas found. Applying it alone to the baseline's schema gives the
// schema by which it is judged.
type edit struct {
	name    string   // rule id without its side: "enum-narrowed"
	at      []string // place in the baseline's schema, or in the revision's for what is new
	before  any
	after   any
	message string // what happened, without the verdict
	hint    string
	heirs   []string // the names that may have taken the place of a removed one
	ops     []op
	real    bool // a declared property came or went: a change even when both schemas accept the same
	floor   bool // the rule's own severity holds even where the schemas accept the same
	plain   bool // an annotation: the rule's own severity is all, no verdict is asked for

	node    []string // instance location's schema in the baseline, for merging what belongs together
	keyword string   // keyword family, for merging: "type", "range", …
	lost    []*edit  // properties that only the removed part declared; told unless their removal is proven to be refused
	names   []string // removed or added names (enum values that are texts), for actions
}

// An op is one step of an edit.
type op struct {
	kind  opKind
	at    []string // place in the baseline's schema
	value any      // set, push: in terms of the revision, whose references it may hold; add, drop: a name
	own   bool     // set: in terms of the baseline
}

type opKind uint8

const (
	set    opKind = iota // give the member or element at the place this value, making objects on the way
	remove               // take the member or element away
	push                 // append to the array at the place, making it
	add                  // add a name to the array at the place, making it
	drop                 // take a name out of the array at the place; an empty array goes
)

// revisionKey is where the revision is put into a schema that an edit of it was applied to, so that references which came
// with the edit lead where they led. No real definition has a name like this.
const revisionKey = "fusionctl revision"

// apply gives the baseline's schema with the edit. It is false when the edit cannot be judged alone: references into the
// revision that are not plain pointers would change their meaning.
func (e *edit) apply(base, rev any, sameDefinitions bool) (any, bool) {
	out := base
	foreign := false
	for _, o := range e.ops {
		value := o.value
		if (o.kind == set || o.kind == push) && !o.own {
			if !sameDefinitions && hasReference(value) {
				moved, ok := moveReferences(value)
				if !ok {
					return nil, false
				}
				value, foreign = moved, true
			}
		}
		out = o.applyAt(out, o.at, value)
	}
	if !foreign {
		return out, true
	}
	root, ok := out.(map[string]any)
	moved, movable := moveReferences(withoutIdentity(rev))
	if !ok || !movable {
		return nil, false
	}
	return op{kind: set}.applyAt(root, []string{"$defs", revisionKey}, moved), true
}

// withoutIdentity is a schema without what only a whole document has.
func withoutIdentity(schema any) any {
	m, ok := schema.(map[string]any)
	if !ok {
		return schema
	}
	return without(m, []string{"$schema", "$id", "id"})
}

// applyAt copies what lies on the way to the place and shares the rest.
func (o op) applyAt(v any, at []string, value any) any {
	if len(at) == 0 {
		return o.change(v, value)
	}
	switch c := v.(type) {
	case []any:
		i, err := strconv.Atoi(at[0])
		if err != nil || i < 0 || i >= len(c) {
			return v
		}
		if len(at) == 1 && o.kind == remove {
			return slices.Delete(slices.Clone(c), i, i+1)
		}
		out := slices.Clone(c)
		out[i] = o.applyAt(c[i], at[1:], value)
		return out
	case map[string]any:
		return o.member(c, at, value)
	default: // absent, or a boolean schema that becomes an object
		return o.member(map[string]any{}, at, value)
	}
}

func (o op) member(m map[string]any, at []string, value any) any {
	out := make(map[string]any, len(m)+1)
	for k, v := range m {
		out[k] = v
	}
	if len(at) == 1 && o.kind == remove {
		delete(out, at[0])
		return out
	}
	changed := o.applyAt(m[at[0]], at[1:], value)
	if list, ok := changed.([]any); ok && o.kind == drop && len(list) == 0 {
		delete(out, at[0])
		return out
	}
	out[at[0]] = changed
	return out
}

func (o op) change(v, value any) any {
	list, _ := v.([]any)
	switch o.kind {
	case push:
		return append(slices.Clone(list), value)
	case add:
		if slices.ContainsFunc(list, func(e any) bool { return canonjson.Equal(e, o.value) }) {
			return v
		}
		return append(slices.Clone(list), o.value)
	case drop:
		kept := make([]any, 0, len(list))
		for _, e := range list {
			if !canonjson.Equal(e, o.value) {
				kept = append(kept, e)
			}
		}
		return kept
	}
	return value
}

// hasReference reports whether a schema, wherever, holds a reference or an anchor.
func hasReference(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			switch k {
			case "$ref", "$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor":
				return true
			}
			if hasReference(e) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, hasReference)
	}
	return false
}

// moveReferences rewrites references of the revision to lead below revisionKey. It fails on anything but pointers.
func moveReferences(v any) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			text, isText := e.(string)
			switch {
			case k == "$ref" && isText:
				if text != "#" && !strings.HasPrefix(text, "#/") {
					return nil, false
				}
				out[k] = "#/$defs/" + strings.ReplaceAll(revisionKey, " ", "%20") + text[1:]
				continue
			case (k == "$dynamicRef" || k == "$recursiveRef" || k == "$anchor" || k == "$dynamicAnchor" || k == "$id") && isText:
				return nil, false
			}
			moved, ok := moveReferences(e)
			if !ok {
				return nil, false
			}
			out[k] = moved
		}
		return out, true
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			moved, ok := moveReferences(e)
			if !ok {
				return nil, false
			}
			out[i] = moved
		}
		return out, true
	}
	return v, true
}
