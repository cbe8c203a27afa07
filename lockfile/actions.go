package lockfile

import (
	"maps"
	"slices"

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
	// Schema is the input schema as it reads when the discriminator has this value: branches for other values are gone
	// and the discriminator is a constant. It shares parts with the tool's schema and must not be changed.
	Schema map[string]any
}

// usualNames are the properties that are discriminators by their name, the most telling first. Any other required property
// is one only when the branches of the schema depend on it: an enum called "format" or "unit" chooses no operation.
var usualNames = []string{"action", "operation", "method", "command", "op"}

// Actions finds the discriminator of an input schema. It is false for a tool that does one thing.
func Actions(inputSchema any) (Discriminator, bool) {
	root, ok := inputSchema.(map[string]any)
	if !ok {
		return Discriminator{}, false
	}
	r := resolver{root}
	root = r.object(root)
	if root == nil {
		return Discriminator{}, false
	}
	for _, name := range r.candidates(root) {
		if values := r.values(root, name); len(values) > 0 {
			return Discriminator{Property: name, Actions: r.actions(root, name, values)}, true
		}
	}
	return Discriminator{}, false
}

// A resolver follows references inside of one schema.
type resolver struct{ root map[string]any }

// object returns the schema that v is or refers to, nil when it is none or the reference leads nowhere or in a circle.
func (r resolver) object(v any) map[string]any {
	for range 32 {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		ref, ok := m["$ref"].(string)
		if !ok {
			return m
		}
		if ref == "" || ref[0] != '#' {
			return nil
		}
		if v, ok = canonjson.Lookup(r.root, ref[1:]); !ok {
			return nil
		}
	}
	return nil
}

func (r resolver) objects(v any) []map[string]any {
	list, _ := v.([]any)
	objects := make([]map[string]any, 0, len(list))
	for _, e := range list {
		if o := r.object(e); o != nil {
			objects = append(objects, o)
		}
	}
	return objects
}

// candidates are the names that may be discriminators, usual names first, then those on which branches depend.
func (r resolver) candidates(root map[string]any) []string {
	names := slices.Clone(usualNames)
	var others []string
	for _, keyword := range [...]string{"oneOf", "anyOf", "allOf"} {
		for _, branch := range r.objects(root[keyword]) {
			if condition := r.object(branch["if"]); condition != nil {
				branch = condition
			} else if keyword == "allOf" {
				continue
			}
			for name := range r.properties(branch) {
				others = append(others, name)
			}
		}
	}
	if condition := r.object(root["if"]); condition != nil {
		for name := range r.properties(condition) {
			others = append(others, name)
		}
	}
	slices.Sort(others)
	for _, name := range slices.Compact(others) {
		if !slices.Contains(names, name) && r.branchesDependOn(root, name) {
			names = append(names, name)
		}
	}
	return names
}

// branchesDependOn reports whether the property decides among branches: each oneOf or anyOf branch fixes it, or a
// condition asks for it.
func (r resolver) branchesDependOn(root map[string]any, name string) bool {
	for _, keyword := range [...]string{"oneOf", "anyOf"} {
		branches := r.objects(root[keyword])
		fixed := 0
		for _, branch := range branches {
			if len(r.constants(r.properties(branch)[name])) > 0 {
				fixed++
			}
		}
		if fixed > 1 && fixed == len(branches) {
			return true
		}
	}
	for _, branch := range append(r.objects(root["allOf"]), root) {
		if condition := r.object(branch["if"]); condition != nil && len(r.constants(r.properties(condition)[name])) > 0 {
			return true
		}
	}
	return false
}

// values are the constants that a required property may have, nil when it is not required or not made of constants.
func (r resolver) values(root map[string]any, name string) []string {
	own := r.constants(r.properties(root)[name])
	required := requires(root, name)
	if required && len(own) > 0 {
		return own
	}
	for _, keyword := range [...]string{"oneOf", "anyOf"} {
		var values []string
		branches := r.objects(root[keyword])
		for _, branch := range branches {
			constants := r.constants(r.properties(branch)[name])
			if len(constants) == 0 || !required && !requires(branch, name) {
				values = nil
				break
			}
			for _, c := range constants {
				if !slices.Contains(values, c) {
					values = append(values, c)
				}
			}
		}
		if len(values) > 0 {
			return values
		}
	}
	return nil
}

// actions narrows the schema to each value.
func (r resolver) actions(root map[string]any, name string, values []string) []Action {
	actions := make([]Action, len(values))
	for i, value := range values {
		actions[i] = Action{Name: value, Schema: r.narrow(root, name, value)}
	}
	return actions
}

func (r resolver) narrow(root map[string]any, name, value string) map[string]any {
	narrowed := maps.Clone(root)
	for _, keyword := range [...]string{"$defs", "definitions", "$schema", "$id"} { // root may have come out of a $ref
		if v, ok := r.root[keyword]; ok {
			narrowed[keyword] = v
		}
	}
	for _, keyword := range [...]string{"oneOf", "anyOf"} {
		list, ok := root[keyword].([]any)
		if !ok {
			continue
		}
		var kept []any
		for _, branch := range list {
			constants := r.constants(r.properties(r.object(branch))[name])
			if len(constants) == 0 || slices.Contains(constants, value) {
				kept = append(kept, branch)
			}
		}
		if len(kept) > 0 {
			narrowed[keyword] = kept
		}
	}
	properties := maps.Clone(r.properties(root))
	if properties == nil {
		properties = map[string]any{}
	}
	own := maps.Clone(r.object(properties[name]))
	if own == nil {
		own = map[string]any{}
	}
	delete(own, "enum")
	own["const"] = value
	properties[name] = own
	narrowed["properties"] = properties
	return narrowed
}

func (r resolver) properties(schema map[string]any) map[string]any {
	properties, _ := schema["properties"].(map[string]any)
	return properties
}

// constants are the values of a schema that is a const or an enum of strings, or a choice among such schemas.
func (r resolver) constants(v any) []string {
	schema := r.object(v)
	if schema == nil {
		return nil
	}
	if c, ok := schema["const"].(string); ok {
		return []string{c}
	}
	var values []string
	if enum, ok := schema["enum"].([]any); ok {
		for _, e := range enum {
			s, ok := e.(string)
			if !ok {
				return nil
			}
			values = append(values, s)
		}
		return values
	}
	for _, keyword := range [...]string{"oneOf", "anyOf"} {
		for _, branch := range r.objects(schema[keyword]) {
			c, ok := branch["const"].(string)
			if !ok {
				return nil
			}
			values = append(values, c)
		}
	}
	return values
}

func requires(schema map[string]any, name string) bool {
	required, _ := schema["required"].([]any)
	return slices.Contains(required, any(name))
}
