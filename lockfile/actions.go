package lockfile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// A Discriminator is the required property by whose value a tool chooses among its actions.
type Discriminator struct {
	Property string
	Actions  []Action // in the order of the schema
}

// An Action is one operation of a tool; its full name is the tool's, a dot, and Name.
type Action struct {
	Name string
	// Schema is the input schema as it reads when the discriminator has this value: the property is a constant, branches and
	// conditions for other values are gone, and so are definitions that nothing refers to any more. Two actions whose schemas
	// are equal take the same arguments. It shares parts with the tool's schema and must not be changed. When there are too
	// many actions and branches to write all this out, it is the tool's whole schema.
	//
	// It is written for comparing, not for sending: a reference to the whole schema ("#") means the narrowed one.
	Schema map[string]any
}

// usualNames are the properties that are discriminators by their name, the most telling first. Any other required property
// is one only when the branches of the schema depend on it: an enum called "format" or "unit" chooses no operation.
var usualNames = []string{"action", "operation", "method", "command", "op"}

// Actions finds the discriminator of an input schema. It is false for a tool that does one thing.
//
// The discriminator is a required property of the arguments themselves whose values are strings that the schema lists: in an
// enum, in constants of its own branches (oneOf, anyOf), in constants of the branches of the whole schema, or in the
// conditions of if and then; each of them also behind a $ref or inside of allOf. Under another name than the usual ones
// (action, operation, method, command) it counts only when branches or conditions depend on it.
func Actions(inputSchema any) (Discriminator, bool) {
	root, ok := inputSchema.(map[string]any)
	if !ok {
		return Discriminator{}, false
	}
	r := newResolver(root)
	for _, name := range r.candidates() {
		values := r.values(root, name, 0)
		if values == nil && slices.Contains(usualNames, name) {
			values = r.conditionValues(name) // others are possible, but these are the ones that do something
		}
		if len(values) == 0 || !r.requires(root, name, 0) || r.steps <= 0 {
			continue
		}
		return Discriminator{Property: name, Actions: effective(root, name, values)}, true
	}
	return Discriminator{}, false
}

// maxDepth bounds nested references, branches, allOf and else; real schemas need three, chains of else a few more.
const maxDepth = 64

// A resolver looks through one schema. Its steps bound the work on schemas made to explode: when none are left, it finds
// nothing more, on every machine at the same place.
type resolver struct {
	root       map[string]any
	steps      int
	refAlone   bool                // up to draft-07, what stands beside $ref is ignored
	conditions map[string][]string // results of conditionValues
}

func newResolver(root map[string]any) *resolver {
	dialect, _ := root["$schema"].(string)
	return &resolver{
		root:       root,
		steps:      1_000_000,
		refAlone:   strings.Contains(dialect, "json-schema.org/draft-0"),
		conditions: map[string][]string{},
	}
}

// parts returns the schemas that all apply where v stands: v itself, what it refers to, and the members of its allOf.
func (r *resolver) parts(v any, depth int) []map[string]any {
	schema, ok := v.(map[string]any)
	if r.steps--; !ok || depth > maxDepth || r.steps <= 0 {
		return nil
	}
	var parts []map[string]any
	target, refers := r.target(schema)
	if !refers || !r.refAlone {
		parts = append(parts, schema)
	}
	if refers {
		parts = append(parts, r.parts(target, depth+1)...)
	}
	if refers && r.refAlone {
		return parts
	}
	for _, member := range list(schema["allOf"]) {
		parts = append(parts, r.parts(member, depth+1)...)
	}
	return parts
}

// target is what the schema's $ref leads to inside of the root.
func (r *resolver) target(schema map[string]any) (any, bool) {
	ref, ok := schema["$ref"].(string)
	if !ok || ref == "" || ref[0] != '#' {
		return nil, false
	}
	return canonjson.Lookup(r.root, ref[1:])
}

// unions are the branches from which a value must choose: one list for each oneOf and anyOf of a schema.
func unions(schema map[string]any) [][]any {
	var all [][]any
	for _, keyword := range [...]string{"oneOf", "anyOf"} {
		if branches := list(schema[keyword]); len(branches) > 0 {
			all = append(all, branches)
		}
	}
	return all
}

// values are the strings that a property of an object may have by its schema, nil when other values are possible.
func (r *resolver) values(schema any, name string, depth int) []string {
	var values []string
	for _, part := range r.parts(schema, depth) {
		values = both(values, r.constants(object(part["properties"])[name], depth+1))
		for _, branches := range unions(part) {
			values = both(values, r.union(branches, func(branch any) []string { return r.values(branch, name, depth+1) }))
		}
	}
	return values
}

// constants are the values of a schema that is a const or an enum of strings, or a choice among such schemas; nil when other
// values are possible.
func (r *resolver) constants(schema any, depth int) []string {
	var values []string
	for _, part := range r.parts(schema, depth) {
		if c, ok := part["const"].(string); ok {
			values = both(values, []string{c})
		}
		values = both(values, texts(part["enum"]))
		for _, branches := range unions(part) {
			values = both(values, r.union(branches, func(branch any) []string { return r.constants(branch, depth+1) }))
		}
	}
	return values
}

// union joins what each branch allows; one branch that allows anything allows anything.
func (r *resolver) union(branches []any, of func(branch any) []string) []string {
	var values []string
	seen := map[string]bool{}
	for _, branch := range branches {
		allowed := of(branch)
		if len(allowed) == 0 {
			return nil
		}
		for _, v := range allowed {
			if !seen[v] {
				seen[v] = true
				values = append(values, v)
			}
		}
	}
	return values
}

// both keeps what two constraints allow. Nil is no constraint.
func both(a, b []string) []string {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	allowed := make(map[string]bool, len(b))
	for _, v := range b {
		allowed[v] = true
	}
	kept := []string{}
	for _, v := range a {
		if allowed[v] {
			kept = append(kept, v)
		}
	}
	return kept
}

// requires reports whether a schema demands the property, in each branch if need be.
func (r *resolver) requires(schema any, name string, depth int) bool {
	for _, part := range r.parts(schema, depth) {
		if slices.Contains(list(part["required"]), any(name)) {
			return true
		}
		for _, branches := range unions(part) {
			if !slices.ContainsFunc(branches, func(branch any) bool { return !r.requires(branch, name, depth+1) }) {
				return true
			}
		}
	}
	return false
}

// candidates are the names that may be discriminators: the usual ones, then those on which branches or conditions depend,
// the one that tells most first.
func (r *resolver) candidates() []string {
	weights := map[string]int{}
	for _, part := range r.parts(r.root, 0) {
		for _, branches := range unions(part) {
			for name := range r.names(branches[0], 0) { // all branches must fix it, so the first does
				weights[name] = max(weights[name], r.weight(branches, name))
			}
		}
		for name := range object(object(part["if"])["properties"]) {
			if values := r.conditionValues(name); len(values) > 0 {
				weights[name] = max(weights[name], len(values))
			}
		}
	}
	var others []string
	for name, weight := range weights {
		if weight > 0 && !slices.Contains(usualNames, name) {
			others = append(others, name)
		}
	}
	slices.SortFunc(others, func(a, b string) int {
		return cmp.Or(weights[b]-weights[a], cmp.Compare(a, b))
	})
	return append(slices.Clone(usualNames), others...)
}

// names are the properties that a branch speaks of.
func (r *resolver) names(branch any, depth int) map[string]bool {
	names := map[string]bool{}
	for _, part := range r.parts(branch, depth) {
		for name := range object(part["properties"]) {
			names[name] = true
		}
		for _, branches := range unions(part) {
			if depth < maxDepth {
				for name := range r.names(branches[0], depth+1) {
					names[name] = true
				}
			}
		}
	}
	return names
}

// weight is the number of values by which a property tells branches apart: 0 when it does not. A property with the same
// constant in each branch, a protocol version say, tells nothing; one whose values overlap tells less than one where
// they do not.
func (r *resolver) weight(branches []any, name string) int {
	if len(branches) < 2 {
		return 0
	}
	seen := map[string]int{}
	overlap := false
	for _, branch := range branches {
		values := r.values(branch, name, 0)
		if len(values) == 0 {
			return 0
		}
		for _, v := range values {
			seen[v]++
			overlap = overlap || seen[v] > 1
		}
	}
	distinct := 0
	for _, n := range seen {
		if n < len(branches) {
			distinct++
		}
	}
	if overlap {
		return distinct
	}
	return distinct + 1_000_000
}

// conditionValues are the constants for which conditions of the schema ask, when these ask for the property alone.
func (r *resolver) conditionValues(name string) []string {
	if values, ok := r.conditions[name]; ok {
		return values
	}
	var values []string
	seen := map[string]bool{}
	for _, part := range r.parts(r.root, 0) {
		schema := part
		for range maxDepth { // along else
			condition := schema["if"]
			if condition == nil {
				break
			}
			for _, v := range r.decides(condition, name) {
				if !seen[v] {
					seen[v] = true
					values = append(values, v)
				}
			}
			schema = object(schema["else"])
		}
	}
	r.conditions[name] = values
	return values
}

// decides returns the values for which a condition holds, nil when it also looks at something else.
func (r *resolver) decides(condition any, name string) []string {
	schema, ok := condition.(map[string]any)
	if !ok {
		return nil
	}
	for keyword, v := range schema {
		switch keyword {
		case "properties":
			if properties := object(v); len(properties) != 1 || properties[name] == nil {
				return nil
			}
		case "required":
			if slices.ContainsFunc(list(v), func(other any) bool { return other != name }) {
				return nil
			}
		case "type":
			if v != "object" {
				return nil
			}
		case "title", "description", "$comment":
		default:
			return nil
		}
	}
	return r.constants(object(schema["properties"])[name], 0)
}

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// texts are the members of an enum, each once; nil when one is no string.
func texts(v any) []string {
	var all []string
	seen := map[string]bool{}
	for _, e := range list(v) {
		s, ok := e.(string)
		if !ok {
			return nil
		}
		if !seen[s] {
			seen[s] = true
			all = append(all, s)
		}
	}
	return all
}
