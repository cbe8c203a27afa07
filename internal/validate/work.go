package validate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// A step leads from a compiled schema to one that it applies.
type step struct {
	to   *jsonschema.Schema
	kind stepKind
	name string         // property
	re   *regexp.Regexp // matching
	at   int            // item, itemsFrom
}

type stepKind uint8

const (
	inPlace    stepKind = iota // on the same value
	property                   // on the member name
	matching                   // on the members whose name matches re
	undeclared                 // on members that neither properties nor patternProperties name
	names                      // on the names
	anyName                    // on members that only the extension can tell
	item                       // on the item at
	itemsFrom                  // on the items from at on
)

// steps lists what s applies, in an order that does not depend on map order. Where it is not exact it lists too much;
// only what a dynamic reference reaches through the scope is missing.
func steps(s *jsonschema.Schema) []step {
	var out []step
	add := func(kind stepKind, subs ...*jsonschema.Schema) {
		for _, sub := range subs {
			if sub != nil {
				out = append(out, step{to: sub, kind: kind})
			}
		}
	}
	add(inPlace, s.Ref, s.RecursiveRef, s.DynamicRef, s.Not, s.If, s.Then, s.Else)
	add(inPlace, s.AllOf...)
	add(inPlace, s.AnyOf...)
	add(inPlace, s.OneOf...)
	for _, name := range sortedNames(s.DependentSchemas) {
		add(inPlace, s.DependentSchemas[name])
	}
	for _, name := range sortedNames(s.Dependencies) {
		if sub, ok := s.Dependencies[name].(*jsonschema.Schema); ok {
			add(inPlace, sub)
		}
	}
	for _, name := range sortedNames(s.Properties) {
		out = append(out, step{to: s.Properties[name], kind: property, name: name})
	}
	out = append(out, patternSteps(s)...)
	add(undeclared, s.UnevaluatedProperties)
	if sub, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
		add(undeclared, sub)
	}
	add(names, s.PropertyNames)
	return append(out, itemSteps(s)...)
}

func patternSteps(s *jsonschema.Schema) []step {
	var out []step
	for re, sub := range s.PatternProperties {
		kind := matching
		if strings.HasPrefix(re.String(), neverMatches) {
			kind = anyName
		}
		out = append(out, step{to: sub, kind: kind, re: re})
	}
	slices.SortFunc(out, func(a, b step) int { return strings.Compare(a.re.String(), b.re.String()) })
	return out
}

func itemSteps(s *jsonschema.Schema) []step {
	var out []step
	tuple := s.PrefixItems
	if items, ok := s.Items.([]*jsonschema.Schema); ok {
		tuple = items
	}
	for i, sub := range tuple {
		out = append(out, step{to: sub, kind: item, at: i})
	}
	add := func(sub any, at int) {
		if sub, ok := sub.(*jsonschema.Schema); ok && sub != nil {
			out = append(out, step{to: sub, kind: itemsFrom, at: at})
		}
	}
	add(s.Items, 0)
	add(s.AdditionalItems, len(tuple))
	add(s.Items2020, len(tuple))
	add(s.UnevaluatedItems, len(tuple))
	add(s.Contains, 0)
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

// own is what a schema costs apart from its sub-schemas: enum members are compared one by one.
func own(s *jsonschema.Schema) int { return 1 + len(s.Enum)/8 }

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
	w.loops = w.loops || s.RecursiveRef != nil || s.DynamicRef != nil
	total := own(s)
	for _, st := range steps(s) {
		total = min(total+w.weigh(st.to), w.limit+1)
	}
	w.known[s] = total
	return total
}

// maxPairs bounds the memory that counting the work may take.
const maxPairs = 300_000

// affordable refuses a validation that would take more than Bounds.Work evaluations of a sub-schema. The library cannot
// be interrupted, and a recursive schema that reaches the same member in two ways makes it double the work per level.
func (s *Schema) affordable(v any, nodes int) *Error {
	if !s.loops && nodes <= s.bounds.Work/s.weight {
		return nil
	}
	c := counter{index: s.index(), limit: s.bounds.Work, known: map[pair]int{}}
	if c.count(s.compiled, newTree(v)) > s.bounds.Work {
		return &Error{Kind: ErrBounds, Problem: fmt.Sprintf("judging the value would take more than %d steps", s.bounds.Work)}
	}
	return nil
}

type pair struct {
	schema *jsonschema.Schema
	value  *tree
}

type counter struct {
	index *index
	limit int
	known map[pair]int
}

// count returns how many evaluations validating value with s takes, at most limit+1. A pair met again below itself on the
// same value counts nothing: the library stops there with an error.
func (c *counter) count(s *jsonschema.Schema, value *tree) int {
	p := pair{s, value}
	if n, ok := c.known[p]; ok {
		return n
	}
	if len(c.known) >= maxPairs {
		return c.limit + 1
	}
	c.known[p] = 0
	total := own(s)
	for _, st := range c.index.stepsOf(s) {
		value.follow(s, st, func(v *tree) bool {
			total = min(total+c.count(st.to, v), c.limit+1)
			return total <= c.limit
		})
		if total > c.limit {
			break
		}
	}
	c.known[p] = total
	return total
}
