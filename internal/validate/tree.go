package validate

import (
	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// A tree gives the places of a value an identity, which maps and slices do not have.
type tree struct {
	keys    []string // sorted
	members map[string]*tree
	items   []*tree
	secret  bool
}

func newTree(v any) *tree {
	t := &tree{}
	switch v := v.(type) {
	case map[string]any:
		t.keys = canonjson.SortedKeys(v)
		t.members = make(map[string]*tree, len(v))
		for k, e := range v {
			t.members[k] = newTree(e)
		}
	case []any:
		t.items = make([]*tree, len(v))
		for i, e := range v {
			t.items[i] = newTree(e)
		}
	}
	return t
}

// follow calls visit for the places to which s applies st, until visit returns false.
func (t *tree) follow(s *jsonschema.Schema, st step, visit func(*tree) bool) {
	switch st.kind {
	case inPlace:
		visit(t)
	case property:
		if m, ok := t.members[st.name]; ok {
			visit(m)
		}
	case item:
		if st.at < len(t.items) {
			visit(t.items[st.at])
		}
	case itemsFrom:
		for i := st.at; i < len(t.items); i++ {
			if !visit(t.items[i]) {
				return
			}
		}
	case names:
		name := &tree{}
		for range t.keys {
			if !visit(name) {
				return
			}
		}
	default:
		for _, k := range t.keys {
			if applies(s, st, k) && !visit(t.members[k]) {
				return
			}
		}
	}
}

func applies(s *jsonschema.Schema, st step, name string) bool {
	switch st.kind {
	case matching:
		return st.re.MatchString(name)
	case undeclared:
		if _, ok := s.Properties[name]; ok {
			return false
		}
		for re := range s.PatternProperties {
			if re.MatchString(name) {
				return false
			}
		}
	}
	return true
}

func (t *tree) child(token string) *tree {
	if t.members != nil {
		return t.members[token]
	}
	if i, ok := itemIndex(token); ok && i < len(t.items) {
		return t.items[i]
	}
	return nil
}

// holdsSecret reports whether the value at tokens is secret, lies in a secret one or contains one.
func (t *tree) holdsSecret(tokens []string) bool {
	for _, token := range tokens {
		if t.secret {
			return true
		}
		if t = t.child(token); t == nil {
			return false
		}
	}
	return t.containsSecret()
}

func (t *tree) containsSecret() bool {
	if t.secret {
		return true
	}
	for _, m := range t.members {
		if m.containsSecret() {
			return true
		}
	}
	for _, i := range t.items {
		if i.containsSecret() {
			return true
		}
	}
	return false
}
