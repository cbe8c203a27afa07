package validate

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// A step leads from a compiled schema to one that it applies.
type step struct {
	to   *jsonschema.Schema
	kind stepKind
	name string // properties: which; prefixItems: unused
	at   int    // prefixItems: which
}

type stepKind uint8

const (
	inPlace stepKind = iota // on the same value
	property
	everyProperty
	item
	everyItem
)

// steps lists what s applies, in an order that does not depend on map order. It is exact or too much, never too little:
// a dynamic reference may lead to each schema in targets.
func steps(s *jsonschema.Schema, dynamic func(*jsonschema.Schema) []*jsonschema.Schema) []step {
	var out []step
	add := func(kind stepKind, subs ...*jsonschema.Schema) {
		for _, sub := range subs {
			if sub != nil {
				out = append(out, step{to: sub, kind: kind})
			}
		}
	}
	add(inPlace, s.Ref, s.Not, s.If, s.Then, s.Else)
	add(inPlace, s.AllOf...)
	add(inPlace, s.AnyOf...)
	add(inPlace, s.OneOf...)
	if s.RecursiveRef != nil || s.DynamicRef != nil {
		add(inPlace, s.RecursiveRef, s.DynamicRef)
		if dynamic != nil {
			add(inPlace, dynamic(s)...)
		}
	}
	for _, name := range sortedNames(s.Properties) {
		out = append(out, step{to: s.Properties[name], kind: property, name: name})
	}
	for _, name := range sortedNames(s.DependentSchemas) {
		add(inPlace, s.DependentSchemas[name])
	}
	for _, name := range sortedNames(s.Dependencies) {
		if sub, ok := s.Dependencies[name].(*jsonschema.Schema); ok {
			add(inPlace, sub)
		}
	}
	var byPattern []*jsonschema.Schema
	for _, sub := range s.PatternProperties {
		byPattern = append(byPattern, sub)
	}
	slices.SortFunc(byPattern, func(a, b *jsonschema.Schema) int {
		if a.Location < b.Location {
			return -1
		}
		return 1
	})
	add(everyProperty, byPattern...)
	add(everyProperty, s.UnevaluatedProperties)
	if sub, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
		add(everyProperty, sub)
	}
	add(everyProperty, s.PropertyNames)
	return append(out, itemSteps(s)...)
}

func itemSteps(s *jsonschema.Schema) []step {
	var out []step
	add := func(sub any) {
		if sub, ok := sub.(*jsonschema.Schema); ok && sub != nil {
			out = append(out, step{to: sub, kind: everyItem})
		}
	}
	tuple := s.PrefixItems
	if items, ok := s.Items.([]*jsonschema.Schema); ok {
		tuple = items
	}
	for i, sub := range tuple {
		out = append(out, step{to: sub, kind: item, at: i})
	}
	add(s.Items)
	add(s.AdditionalItems)
	add(s.Items2020)
	add(s.Contains)
	add(s.UnevaluatedItems)
	return out
}

func sortedNames[V any](m map[string]V) []string {
	if len(m) == 0 {
		return nil
	}
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// A weigher counts the sub-schemas of a schema with its references expanded; a recursive reference counts once.
type weigher struct {
	limit int
	known map[*jsonschema.Schema]int // 0: being weighed
	loops bool
}

func (w *weigher) weigh(s *jsonschema.Schema) int {
	if n, ok := w.known[s]; ok {
		if n == 0 {
			w.loops = true
			return 1
		}
		return n
	}
	w.known[s] = 0
	total := 1 + len(s.Enum)/8 // enum members are compared one by one, which is cheaper than a schema
	for _, st := range steps(s, nil) {
		total += w.weigh(st.to)
		if total > w.limit {
			total = w.limit + 1
			break
		}
	}
	if s.RecursiveRef != nil || s.DynamicRef != nil {
		w.loops = true
	}
	w.known[s] = total
	return total
}

func (s *Schema) affordable(v any, nodes int) *Error {
	return nil
}
