package lockfile

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// effective writes the schema of each action, or gives all of them the whole one when that is too much work.
func effective(root map[string]any, name string, values []string) []Action {
	actions := make([]Action, len(values))
	n := narrower{resolver: newResolver(root), name: name, known: map[uintptr][]string{}}
	for i, value := range values {
		n.value = value
		actions[i] = Action{Name: value, Schema: n.action()}
		if n.steps <= 0 {
			for i, value := range values {
				actions[i] = Action{Name: value, Schema: root}
			}
			break
		}
	}
	return actions
}

// A narrower writes a schema for one value of a property.
type narrower struct {
	*resolver
	name, value string
	known       map[uintptr][]string // values of branches, by the branch
}

func (n *narrower) action() map[string]any {
	root := n.root
	for range maxDepth { // what stands beside $ref would not count in older drafts
		target, _ := n.target(root)
		if object(target) == nil {
			break
		}
		root = n.inline(maps.Clone(root), object(target))
	}
	schema, _ := n.schema(root, 0).(map[string]any)
	schema = maps.Clone(schema)
	delete(schema, "discriminator") // OpenAPI's hint to tools lists all branches
	n.fix(schema)
	prune(schema)
	return schema
}

// allowed are the values that the property may have in a branch, nil for any.
func (n *narrower) allowed(branch any, depth int) []string {
	m, ok := branch.(map[string]any)
	if n.steps--; !ok {
		return nil
	}
	key := identity(m)
	values, ok := n.known[key]
	if !ok {
		values = n.values(branch, n.name, depth)
		n.known[key] = values
	}
	return values
}

// schema drops what other values need. What does not change is returned as it is.
func (n *narrower) schema(v any, depth int) any {
	schema, ok := v.(map[string]any)
	if n.steps--; !ok || depth > maxDepth || n.steps <= 0 {
		return v
	}
	narrowed := schema
	edit := func() map[string]any { // copy before the first change
		if sameMap(narrowed, schema) {
			narrowed = maps.Clone(schema)
		}
		return narrowed
	}
	if target, ok := n.target(schema); ok {
		if changed := n.schema(target, depth+1); !same(changed, target) {
			narrowed = n.inline(edit(), object(changed))
		}
		if n.refAlone {
			return narrowed
		}
	}
	for _, keyword := range [...]string{"oneOf", "anyOf"} {
		if branches := list(schema[keyword]); len(branches) > 0 {
			if kept := n.branches(branches, depth); kept != nil {
				edit()[keyword] = kept
			}
		}
	}
	if members := list(narrowed["allOf"]); len(members) > 0 {
		if kept, changed := n.members(members, depth); changed {
			setList(edit(), "allOf", kept)
		}
	}
	if _, ok := schema["if"]; ok {
		if consequence, decided := n.decide(schema); decided {
			delete(edit(), "if")
			delete(narrowed, "then")
			delete(narrowed, "else")
			if consequence != nil && consequence != true {
				setList(narrowed, "allOf", append(slices.Clone(list(narrowed["allOf"])), n.schema(consequence, depth+1)))
			}
		}
	}
	return narrowed
}

// branches keeps those in which the property may have the value. Nil means that nothing changes; so does a list of which
// nothing would be kept: the schema contradicts itself, and that should stay visible.
func (n *narrower) branches(branches []any, depth int) []any {
	var kept []any
	changed := false
	for _, branch := range branches {
		if values := n.allowed(branch, depth+1); values != nil && !slices.Contains(values, n.value) {
			changed = true
			continue
		}
		narrowed := n.schema(branch, depth+1)
		changed = changed || !same(narrowed, branch)
		kept = append(kept, narrowed)
	}
	if !changed {
		return nil
	}
	return kept
}

// members narrows each member of allOf and drops conditions that do not concern the value.
func (n *narrower) members(members []any, depth int) (kept []any, changed bool) {
	for _, member := range members {
		narrowed := n.schema(member, depth+1)
		changed = changed || !same(narrowed, member)
		if m, ok := narrowed.(map[string]any); ok && len(m) == 0 {
			changed = true
			continue
		}
		kept = append(kept, narrowed)
	}
	return kept, changed
}

// decide evaluates a condition that looks at the discriminator only. It returns the schema that then applies, nil for none.
func (n *narrower) decide(schema map[string]any) (consequence any, decided bool) {
	values := n.decides(schema["if"], n.name)
	if values == nil {
		return nil, false
	}
	if slices.Contains(values, n.value) {
		return schema["then"], true
	}
	return schema["else"], true
}

// fix makes the property a constant. Where the schema speaks of it at the top it does so there; else in a part of its own,
// unless the branches have said it.
func (n *narrower) fix(schema map[string]any) {
	properties := object(schema["properties"])
	own, ok := properties[n.name]
	if !ok {
		if values := n.values(schema, n.name, 0); len(values) == 1 {
			return
		}
		part := map[string]any{"properties": map[string]any{n.name: map[string]any{"const": n.value}}}
		setList(schema, "allOf", append(slices.Clone(list(schema["allOf"])), part))
		return
	}
	fixed := map[string]any{}
	for _, part := range n.parts(own, 0) {
		for _, branches := range unions(part) {
			for _, branch := range branches { // what is said of this value alone: its title, its description
				if slices.Equal(n.constants(branch, 0), []string{n.value}) {
					addMissing(fixed, object(branch))
				}
			}
		}
		addMissing(fixed, part)
	}
	for _, keyword := range [...]string{"enum", "oneOf", "anyOf", "allOf", "$ref"} {
		delete(fixed, keyword)
	}
	fixed["const"] = n.value
	properties = maps.Clone(properties)
	properties[n.name] = fixed
	schema["properties"] = properties
}

func addMissing(to, from map[string]any) {
	for keyword, v := range from {
		if _, ok := to[keyword]; !ok {
			to[keyword] = v
		}
	}
}

// inline puts a schema in place of the $ref beside which schema has other keywords: in the same object when no keyword
// stands in both, else in allOf.
func (n *narrower) inline(schema, target map[string]any) map[string]any {
	delete(schema, "$ref")
	if n.refAlone {
		maps.DeleteFunc(schema, func(keyword string, _ any) bool {
			return keyword != "$schema" && keyword != "definitions" && keyword != "$defs"
		})
	}
	for keyword := range target {
		if _, ok := schema[keyword]; ok {
			setList(schema, "allOf", append(slices.Clone(list(schema["allOf"])), any(target)))
			return schema
		}
	}
	maps.Copy(schema, target)
	return schema
}

func setList(schema map[string]any, keyword string, members []any) {
	if len(members) == 0 {
		delete(schema, keyword)
		return
	}
	schema[keyword] = members
}

// same reports whether v was returned unchanged, by identity: narrowing copies before it changes.
func same(a, b any) bool {
	m, ok := a.(map[string]any)
	if !ok {
		return true // a boolean schema never changes
	}
	return sameMap(m, object(b))
}

func sameMap(a, b map[string]any) bool { return identity(a) == identity(b) }

// identity tells maps apart, for which Go has no operator. It is compared only, and only while the maps are held.
func identity(m map[string]any) uintptr { return reflect.ValueOf(m).Pointer() }

// prune drops definitions that nothing refers to, so that a change of another action's definition does not show. A schema
// with anchors or identifiers of its own is left alone: they may be what a reference means.
func prune(schema map[string]any) {
	used, ok := usedDefinitions(schema)
	if !ok {
		return
	}
	for _, section := range [...]string{"$defs", "definitions"} {
		definitions, ok := schema[section].(map[string]any)
		if !ok {
			continue
		}
		kept := map[string]any{}
		for name, v := range definitions {
			if used[section+"/"+name] {
				kept[name] = v
			}
		}
		if schema[section] = kept; len(kept) == 0 {
			delete(schema, section)
		}
	}
}

// usedDefinitions follows all references from the schema itself. It is not ok when one is not a plain pointer.
func usedDefinitions(schema map[string]any) (used map[string]bool, ok bool) {
	used = map[string]bool{}
	itself := maps.Clone(schema)
	for _, keyword := range [...]string{"$defs", "definitions", "$id", "id"} { // its own identifier does not matter
		delete(itself, keyword)
	}
	queue := []any{itself}
	for len(queue) > 0 {
		v := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		switch v := v.(type) {
		case []any:
			queue = append(queue, v...)
		case map[string]any:
			if hasAnchor(v) {
				return nil, false
			}
			for _, e := range v {
				queue = append(queue, e)
			}
			ref, isText := v["$ref"].(string)
			if !isText {
				continue
			}
			section, name, plain := definition(ref)
			if !plain {
				return nil, false
			}
			if key := section + "/" + name; section != "" && !used[key] {
				used[key] = true
				queue = append(queue, object(schema[section])[name])
			}
		}
	}
	return used, true
}

func hasAnchor(schema map[string]any) bool {
	for _, keyword := range [...]string{"$id", "id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef"} {
		if _, ok := schema[keyword].(string); ok {
			return true
		}
	}
	return false
}

// definition returns the definition into which a reference leads, "" for one that leads elsewhere into the schema. It is not
// ok when the reference might lead into a definition without saying so.
func definition(ref string) (section, name string, ok bool) {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok || pointer != "" && pointer[0] != '/' || strings.Contains(pointer, "%") {
		return "", "", false
	}
	tokens := canonjson.Tokens(pointer)
	if len(tokens) == 0 || tokens[0] != "$defs" && tokens[0] != "definitions" {
		return "", "", true
	}
	if len(tokens) == 1 {
		return "", "", false
	}
	return tokens[0], tokens[1], true
}
