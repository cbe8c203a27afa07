package validate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// An index is what explaining an error needs to know of a schema. It is built at the first invalid value.
type index struct {
	schema  *Schema
	base    string // the address of the document, up to and with #
	steps   map[*jsonschema.Schema][]step
	at      map[string]*jsonschema.Schema // by location
	secrets map[*jsonschema.Schema]bool   // schemas of values that must not be shown
}

func newIndex(s *Schema) *index {
	x := &index{schema: s, steps: map[*jsonschema.Schema][]step{}, at: map[string]*jsonschema.Schema{}, secrets: map[*jsonschema.Schema]bool{}}
	x.base, _, _ = strings.Cut(s.compiled.Location, "#")
	x.base += "#"
	queue := []*jsonschema.Schema{s.compiled}
	for len(queue) > 0 {
		c := queue[0]
		queue = queue[1:]
		if _, ok := x.steps[c]; ok {
			continue
		}
		list := steps(c)
		x.steps[c], x.at[c.Location] = list, c
		if m := x.raw(c.Location); m != nil && secretSchema(m) {
			x.secrets[c] = true
		}
		for _, st := range list {
			queue = append(queue, st.to)
		}
	}
	return x
}

// secretSchema reports whether a schema says that its value must not be shown.
func secretSchema(m map[string]any) bool {
	return m["writeOnly"] == true || m["format"] == "password"
}

// stepsOf is safe for concurrent use: a schema is never added after newIndex.
func (x *index) stepsOf(s *jsonschema.Schema) []step { return x.steps[s] }

// pointer turns a location of the library into a pointer of the original schema; false: it is in another document.
func (x *index) pointer(location string) (string, bool) {
	fragment, ok := strings.CutPrefix(location, x.base)
	if !ok {
		return "", false
	}
	return x.schema.rewriter.inOriginal(canonjson.Pointer(libraryTokens(fragment)...)), true
}

// raw returns the object schema at a location of the library.
func (x *index) raw(location string) map[string]any {
	pointer, ok := x.pointer(location)
	if !ok {
		return nil
	}
	return x.schema.object(pointer)
}

func (s *Schema) object(pointer string) map[string]any {
	v, _ := canonjson.Lookup(s.root, pointer)
	m, _ := v.(map[string]any)
	return m
}

// markSecrets marks the places of a value that some schema calls secret, whatever branch it stands in.
func (x *index) markSecrets(t *tree) {
	seen := map[pair]bool{}
	var walk func(s *jsonschema.Schema, t *tree)
	walk = func(s *jsonschema.Schema, t *tree) {
		if p := (pair{s, t}); seen[p] || len(seen) >= maxPairs {
			return
		} else {
			seen[p] = true
		}
		t.secret = t.secret || x.secrets[s]
		for _, st := range x.steps[s] {
			if st.kind != names {
				t.follow(s, st, func(t *tree) bool { walk(st.to, t); return true })
			}
		}
	}
	walk(x.schema.compiled, t)
}

// declared lists the names that s and what it applies in place declare, sorted.
func (x *index) declared(s *jsonschema.Schema) []string {
	found := map[string]bool{}
	seen := map[*jsonschema.Schema]bool{}
	var walk func(s *jsonschema.Schema)
	walk = func(s *jsonschema.Schema) {
		if seen[s] {
			return
		}
		seen[s] = true
		for name, sub := range s.Properties {
			if sub.Always == nil || *sub.Always {
				found[name] = true
			}
		}
		for _, st := range x.steps[s] {
			if st.kind == inPlace && st.to != s.Not && st.to != s.If {
				walk(st.to)
			}
		}
	}
	if s != nil {
		walk(s)
	}
	return canonjson.SortedKeys(found)
}

// discriminates reports whether value has the one value that a branch demands for some member, and for no member another.
func (x *index) discriminates(branch *jsonschema.Schema, value any) bool {
	m, ok := value.(map[string]any)
	if !ok {
		return false
	}
	matched := false
	for _, s := range x.inPlaceOf(branch) {
		for name, sub := range s.Properties {
			sent, has := m[name]
			for _, sub := range x.inPlaceOf(sub) {
				want, single := sole(sub)
				if !single || !has {
					continue
				}
				if !canonjson.Equal(want, sent) {
					return false
				}
				matched = true
			}
		}
	}
	return matched
}

// inPlaceOf returns s and what it demands of the same value through $ref and allOf.
func (x *index) inPlaceOf(s *jsonschema.Schema) []*jsonschema.Schema {
	out := []*jsonschema.Schema{s}
	for i := 0; i < len(out) && len(out) < 64; i++ {
		for _, sub := range append([]*jsonschema.Schema{out[i].Ref}, out[i].AllOf...) {
			if sub != nil && !slices.Contains(out, sub) {
				out = append(out, sub)
			}
		}
	}
	return out
}

// sole returns the only value that s allows by const or by an enum of one.
func sole(s *jsonschema.Schema) (any, bool) {
	switch {
	case len(s.Constant) == 1:
		return s.Constant[0], true
	case len(s.Enum) == 1:
		return s.Enum[0], true
	}
	return nil, false
}

func itemIndex(token string) (int, bool) {
	i, err := strconv.Atoi(token)
	return i, err == nil && i >= 0
}
