package validate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// maxIssues bounds the issues of one validation, those in branches included.
const maxIssues = 1000

// Validate returns why v does not satisfy the schema, nothing when it does. The issues are sorted by path, keyword and
// property, and there are at most 1,000. An error means the same as for [Schema.Valid].
//
// Where an issue is about a member (required, dependentRequired, additionalProperties, unevaluatedProperties,
// propertyNames), Path is the object and Property the member. What is missing was not sent; else Received is the object,
// while Secret speaks of the member.
// "false" is the keyword of a value whose schema is false. Of contains, minContains and maxContains the keyword is the one
// that the schema has.
func (s *Schema) Validate(v any) ([]envelope.Issue, error) {
	defer s.begin()()
	invalid, failure := s.run(v)
	if failure != nil {
		return nil, failure
	}
	if invalid == nil {
		return nil, nil
	}
	c := collector{index: s.index(), schema: s, value: v, left: maxIssues}
	if len(c.index.secrets) > 0 {
		c.tree = newTree(v)
		c.index.markSecrets(c.tree)
	}
	return c.issues(invalid), nil
}

// HoldsSecret reports whether some part of v stands where the schema marks values as secret, in whatever branch. When that
// cannot be told, it is true.
func (s *Schema) HoldsSecret(v any) (secret bool) {
	defer s.begin()()
	defer func() {
		if recover() != nil { // a pattern that took too long
			secret = true
		}
	}()
	x := s.index()
	if len(x.secrets) == 0 {
		return false
	}
	if _, err := s.bounds.measureValue(v); err != nil {
		return true
	}
	t := newTree(v)
	x.markSecrets(t)
	return t.containsSecret()
}

// A collector turns the library's tree of errors into issues.
type collector struct {
	index  *index
	schema *Schema
	value  any
	tree   *tree // nil: nothing is secret
	left   int
}

// A leaf is an error of the library with the places it speaks of.
type leaf struct {
	err     *jsonschema.ValidationError
	path    []string // of the value
	keyword string
	pointer string // of the keyword in the original schema
	foreign bool   // the keyword stands in a meta-schema
}

func (c *collector) issues(root *jsonschema.ValidationError) []envelope.Issue {
	var leaves []leaf
	c.leaves(root, &leaves)
	slices.SortFunc(leaves, compareLeaves)
	leaves = slices.CompactFunc(leaves, func(a, b leaf) bool { return compareLeaves(a, b) == 0 })
	var out []envelope.Issue
	for _, l := range leaves {
		if c.left <= 0 {
			break
		}
		out = append(out, c.expand(l)...)
	}
	slices.SortStableFunc(out, func(a, b envelope.Issue) int {
		return cmp.Or(comparePaths(canonjson.Tokens(a.Path), canonjson.Tokens(b.Path)), strings.Compare(a.Keyword, b.Keyword), strings.Compare(a.Property, b.Property))
	})
	return slices.CompactFunc(out, func(a, b envelope.Issue) bool {
		return a.Property != "" && a.Path == b.Path && a.Keyword == b.Keyword && a.Property == b.Property
	})
}

// leaves gathers the errors that say something: those without causes, and unions, whose causes are alternatives.
func (c *collector) leaves(e *jsonschema.ValidationError, out *[]leaf) {
	l := c.locate(e)
	union := e.Message != "" && (l.keyword == "oneOf" || l.keyword == "anyOf" || l.keyword == "contains" || l.keyword == "minContains")
	if len(e.Causes) == 0 || union {
		*out = append(*out, l)
		return
	}
	for _, cause := range e.Causes {
		c.leaves(cause, out)
	}
}

func (c *collector) locate(e *jsonschema.ValidationError) leaf {
	l := leaf{err: e, path: libraryTokens(e.InstanceLocation)}
	pointer, ok := c.index.pointer(e.AbsoluteKeywordLocation)
	if !ok {
		_, fragment, _ := strings.Cut(e.AbsoluteKeywordLocation, "#")
		pointer, l.foreign = canonjson.Pointer(libraryTokens(fragment)...), true
	}
	l.pointer = pointer
	tokens := canonjson.Tokens(pointer)
	if len(tokens) == 0 {
		l.keyword = "false" // nothing but a root that is false has no keyword
		return l
	}
	l.keyword = tokens[len(tokens)-1]
	if n := len(tokens); n >= 3 && (tokens[n-3] == "dependentRequired" || tokens[n-3] == "dependencies") && len(e.Causes) == 0 {
		if _, number := itemIndex(l.keyword); number {
			l.keyword, l.pointer = tokens[n-3], canonjson.Pointer(tokens[:n-2]...)
		}
	}
	if e.Message == "not allowed" {
		l.keyword = falseKeyword(l.keyword, tokens)
	}
	if l.keyword == "minContains" && c.index.schema.object(parent(l.pointer))["minContains"] == nil {
		l.keyword, l.pointer = "contains", parent(l.pointer)+"/contains"
	}
	return l
}

// falseKeyword names the keyword whose schema is false, where that says more than "false".
func falseKeyword(last string, tokens []string) string {
	if n := len(tokens); n >= 2 && positions[tokens[n-2]].shape&named != 0 {
		return "false" // a property that happens to have the name of a keyword
	}
	switch last {
	case "unevaluatedProperties", "unevaluatedItems", "items", "additionalItems", "propertyNames":
		return last
	}
	return "false"
}

func parent(pointer string) string {
	if i := strings.LastIndexByte(pointer, '/'); i >= 0 {
		return pointer[:i]
	}
	return ""
}

func compareLeaves(a, b leaf) int {
	return cmp.Or(
		comparePaths(a.path, b.path), strings.Compare(a.keyword, b.keyword), strings.Compare(a.pointer, b.pointer),
		strings.Compare(a.err.AbsoluteKeywordLocation, b.err.AbsoluteKeywordLocation),
	)
}

// comparePaths orders paths as a reader expects them: parents first, items by number.
func comparePaths(a, b []string) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] == b[i] {
			continue
		}
		x, xok := itemIndex(a[i])
		y, yok := itemIndex(b[i])
		if xok && yok && x != y {
			return cmp.Compare(x, y)
		}
		return strings.Compare(a[i], b[i])
	}
	return cmp.Compare(len(a), len(b))
}
