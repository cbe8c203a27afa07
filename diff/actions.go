package diff

import (
	"fmt"
	"slices"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// maxActionChanges is to how many actions one change is attributed one by one; beyond it, it is told once for the tool.
const maxActionChanges = 3

// An actionMap knows which parts of an input schema belong to which action.
type actionMap struct {
	property  string
	base, rev map[string]any // effective schema by action
	place     map[string]string
	ok        bool
}

// findActions reads the actions of both sides. Without a discriminator on both, changes are those of the whole tool.
func (j *judge) findActions() actionMap {
	if j.side != Input {
		return actionMap{}
	}
	b, okBase := lockfile.Actions(j.base)
	r, okRev := lockfile.Actions(j.rev)
	if !okBase || !okRev || b.Property != r.Property {
		return actionMap{}
	}
	m := actionMap{property: b.Property, base: byAction(b), rev: byAction(r), ok: true, place: map[string]string{}}
	m.places(node{j.base, nil, j.base})
	return m
}

func byAction(d lockfile.Discriminator) map[string]any {
	out := make(map[string]any, len(d.Actions))
	for _, a := range d.Actions {
		out[a.Name] = a.Schema
	}
	return out
}

// places notes which branches of the root belong to one action: those that fix the discriminator to one constant, and the
// consequences of a condition that asks for one.
func (m actionMap) places(root node) {
	for _, keyword := range []string{"oneOf", "anyOf", "allOf"} {
		for _, branch := range root.branches(keyword) {
			target := branch.resolve()
			if name := m.constant(target); name != "" {
				m.place[canonjson.Pointer(branch.at...)] = name
				m.place[canonjson.Pointer(target.at...)] = name
			}
			if name := m.constant(target.child("if").resolve()); name != "" {
				m.place[canonjson.Pointer(target.child("then").at...)] = name
			}
		}
	}
	if name := m.constant(root.child("if").resolve()); name != "" {
		m.place[canonjson.Pointer("then")] = name
	}
}

// constant is the one value to which a schema fixes the discriminator, "" when it does not.
func (m actionMap) constant(n node) string {
	values, ok := valuesOf(mapOf(mapOf(n.object()["properties"])[m.property]))
	if !ok || len(values) != 1 {
		return ""
	}
	return textOf(values[0])
}

// at is the action to which a place of the baseline belongs, "" for the whole tool.
func (m actionMap) at(path []string) string {
	if !m.ok {
		return ""
	}
	for n := len(path); n > 0; n-- {
		if name, ok := m.place[canonjson.Pointer(path[:n]...)]; ok {
			return name
		}
	}
	return ""
}

// A part is a change as one action sees it.
type part struct {
	action string
	proof  any
	proven bool
}

// split says which actions a ruling concerns: one part for the whole tool, or one for each of a few actions.
func (m actionMap) split(j *judge, r *ruling) []part {
	whole := part{proof: r.proof, proven: r.proven}
	if !m.ok {
		return []part{whole}
	}
	if name := m.at(r.at); name != "" {
		whole.action = name
		return []part{whole}
	}
	applied := j.alone(r.edit)
	if applied == nil {
		return []part{whole}
	}
	d, ok := lockfile.Actions(applied.value)
	if !ok || d.Property != m.property {
		return []part{whole}
	}
	after := byAction(d)
	var concerned []string
	for _, name := range canonjson.SortedKeys(m.base) {
		if schema, ok := after[name]; !ok || !canonjson.Equal(reachable(m.base[name]), reachable(schema)) {
			concerned = append(concerned, name)
		}
	}
	if len(concerned) == 0 || len(concerned) == len(m.base) || len(concerned) > maxActionChanges {
		return []part{whole}
	}
	if !r.proven {
		parts := make([]part, len(concerned))
		for i, name := range concerned {
			parts[i] = part{action: name}
		}
		return parts
	}
	return m.proofs(j, concerned, after, whole)
}

// proofs looks for a counterexample in each action. An action without one is not concerned after all.
func (m actionMap) proofs(j *judge, concerned []string, after map[string]any, whole part) []part {
	var parts []part
	for _, name := range concerned {
		if textOf(mapOf(whole.proof)[m.property]) == name {
			parts = append(parts, part{name, whole.proof, true})
			continue
		}
		b, x := j.compile(m.base[name]), j.r
		if schema, ok := after[name]; ok {
			x = j.compile(schema)
		}
		if o := j.decide(b, x, unchecked); o.verdict == incompatible && j.confirmed(o.witness, j.r) {
			parts = append(parts, part{name, o.witness, true})
		}
	}
	if len(parts) == 0 {
		return []part{whole}
	}
	return parts
}

// splitWhole says in which actions a break shows that no single change explains.
func (m actionMap) splitWhole(j *judge, whole outcome) []part {
	all := []part{{proof: whole.witness, proven: whole.verdict == incompatible}}
	if !m.ok || whole.verdict != incompatible {
		return all
	}
	var parts []part
	for _, name := range canonjson.SortedKeys(m.base) {
		if m.rev[name] == nil {
			continue
		}
		o := j.decide(j.compile(m.base[name]), j.compile(m.rev[name]), unchecked)
		if o.verdict == incompatible && j.confirmed(o.witness, j.r) {
			parts = append(parts, part{name, o.witness, true})
		}
	}
	if len(parts) == 0 || len(parts) == len(m.base) || len(parts) > maxActionChanges {
		return all
	}
	return parts
}

// reachable is a schema with only those definitions that its references reach, directly or not.
func reachable(schema any) any {
	m := mapOf(schema)
	body := without(m, []string{"$defs", "definitions"})
	used := map[string]any{}
	queue := []any{body}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		for _, ref := range referencesIn(v, nil) {
			if _, seen := used[ref]; seen {
				continue
			}
			target, ok := node{root: schema}.follow(ref)
			if !ok {
				used[ref] = nil
				continue
			}
			used[ref] = target.v
			queue = append(queue, target.v)
		}
	}
	return []any{body, used}
}

// referencesIn lists the values of $ref below v, each once per place.
func referencesIn(v any, out []string) []string {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range canonjson.SortedKeys(v) {
			if ref, ok := v[k].(string); ok && k == "$ref" {
				out = append(out, ref)
				continue
			}
			out = referencesIn(v[k], out)
		}
	case []any:
		for _, e := range v {
			out = referencesIn(e, out)
		}
	}
	return out
}

// actionChanges reports the actions that came and went, and takes the edits that are only that out of the list: the
// constants of the discriminator, the branches and conditions of these actions.
func (j *judge) actionChanges(edits []*edit) []*edit {
	m := j.actions
	if !m.ok {
		return edits
	}
	var gone, come []string
	for _, name := range unionKeys(m.base, m.rev) {
		switch {
		case m.rev[name] == nil:
			gone = append(gone, name)
		case m.base[name] == nil:
			come = append(come, name)
		}
	}
	if len(gone)+len(come) == 0 {
		return edits
	}
	pairs := bestPairs(gone, come, func(r, a string) (int, string) { return nameLikeness(r, a), "like names" })
	for _, name := range gone {
		j.actionRemoved(name, pairs)
	}
	for _, name := range come {
		j.c.add("input-action-added", j.prefix, nil, nil, "the action %s was added", quote(j.c.diff.Name+"."+name)).Action = name
	}
	return slices.DeleteFunc(edits, func(e *edit) bool { return m.onlyActions(j, e, gone, come) })
}

func (j *judge) actionRemoved(name string, pairs []pair) {
	c := j.c.add("input-action-removed", j.prefix, nil, nil, "the action %s was removed", quote(j.c.diff.Name+"."+name))
	c.Action = name
	for _, p := range pairs {
		if p.removed == name {
			c.Hint = fmt.Sprintf("likely renamed to %s (%s, score %d of 100)", p.likely(), p.reason, p.score)
			c.Successors = p.heirs()
		}
	}
	o := j.decide(j.compile(j.actions.base[name]), j.r, unchecked)
	switch {
	case o.verdict == incompatible && j.confirmed(o.witness, j.r):
		c.Witness = j.witness(o.witness, nil)
	case o.verdict == compatible:
		c.Severity = Risky
		addHint(c, "calls of it still fit the schema")
	default:
		addHint(c, "no call was found that proves it")
	}
}

// onlyActions reports whether an edit is nothing but the coming or going of the named actions.
func (m actionMap) onlyActions(j *judge, e *edit, gone, come []string) bool {
	all := append(slices.Clone(gone), come...)
	discriminator := []string{"properties", m.property}
	if hasPrefixPath(e.at, discriminator) && len(e.at) == 3 && len(e.names) > 0 && len(minus(e.names, all)) == 0 {
		return true
	}
	for _, v := range []any{e.before, e.after} {
		if v == nil || len(e.at) != 2 || (e.at[0] != "oneOf" && e.at[0] != "anyOf" && e.at[0] != "allOf") {
			continue
		}
		root := j.base
		if e.before == nil {
			root = j.rev
		}
		n := node{root, e.at, v}.resolve()
		if slices.Contains(all, m.constant(n)) || slices.Contains(all, m.constant(n.child("if").resolve())) {
			return true
		}
	}
	return false
}

// onlyGone reports whether the removed actions are all that breaks: some were removed, and each that stays accepts what it
// accepted.
func (m actionMap) onlyGone(j *judge) bool {
	gone := false
	for _, name := range canonjson.SortedKeys(m.base) {
		if m.rev[name] == nil {
			gone = true
			continue
		}
		if j.decide(j.compile(m.base[name]), j.compile(m.rev[name]), unchecked).verdict != compatible {
			return false
		}
	}
	return gone
}

// byAction compares a tool that describes its actions in another shape than before (one flat object, or a branch for
// each), action by action: its keywords have nothing to do with one another.
func (j *judge) byAction() {
	j.actionChanges(nil)
	var broken []part
	equal, common := 0, 0
	for _, name := range canonjson.SortedKeys(j.actions.base) {
		if j.actions.rev[name] == nil {
			continue
		}
		common++
		b, r := j.compile(j.actions.base[name]), j.compile(j.actions.rev[name])
		lost := j.lostInAction(name)
		switch o := j.decide(b, r, unchecked); {
		case o.verdict == incompatible && j.confirmed(o.witness, j.r):
			broken = append(broken, part{name, o.witness, true})
		case o.verdict != compatible:
			c := j.c.add("input-schema-undecided", j.prefix, nil, nil, "the action is described in another shape, and it could not be decided what that means: %s", o.reason)
			c.Action = name
		case lost == 0 && j.decide(r, b, strictly).verdict == compatible && j.decide(b, r, strictly).verdict == compatible:
			equal++
		}
	}
	if len(broken) == common && common > 1 {
		broken = []part{{proof: broken[0].proof, proven: true}}
	}
	for _, p := range broken {
		c := j.c.add("input-schema-narrowed", j.prefix, nil, nil, "the actions are described in another shape, which allows less than before")
		c.Action, c.Witness = p.action, j.witness(p.proof, nil)
	}
	switch {
	case len(broken) > 0:
	case equal == common:
		j.respelled(nil)
	default:
		j.c.add("input-schema-widened", j.prefix, nil, nil, "the actions are described in another shape")
	}
}

// lostInAction reports the arguments of an action that its revision does not declare.
func (j *judge) lostInAction(name string) int {
	r := node{j.actions.rev[name], nil, j.actions.rev[name]}
	lost := 0
	seen := map[string]bool{}
	for _, n := range declaredNodes(node{j.actions.base[name], nil, j.actions.base[name]}, 0) {
		argument := n.at[len(n.at)-1]
		if seen[argument] || declares(r, argument, "", true, 0) {
			continue
		}
		seen[argument] = true
		lost++
		c := j.c.add("input-property-removed", j.prefix+canonjson.Pointer(n.at...), n.v, nil,
			"%s was removed from the action %s", quote(argument), quote(name))
		c.Action = name
	}
	return lost
}
