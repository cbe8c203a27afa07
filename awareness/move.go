package awareness

import (
	"slices"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// A move says where the value of an argument belongs now: under another name, in a new object, or out of one. A step that is
// anyStep is the same element on both sides.
type move struct {
	from, to place
	schema   map[string]any // of the new place
	about    string         // pointer of the change that tells that the old place is gone
	told     string         // pointer of the change that tells of the new place, "" when the other one does
}

// maxMoves bounds the moves of one tool.
const maxMoves = 500

// A mover finds moves.
type mover struct {
	base, rev any // input schemas
	refs      references
	moves     []move
}

// findMoves lists what moved between two input schemas, according to the changes and the schemas.
func findMoves(base, rev any, changes []diff.Change, refs references) []move {
	m := &mover{base: base, rev: rev, refs: refs}
	m.discriminator()
	for _, c := range changes {
		tokens := canonjson.Tokens(c.Pointer)
		if n := len(tokens); c.Rule != "input-property-removed" || n < 3 || tokens[0] != "inputSchema" || tokens[n-2] != "properties" {
			continue
		}
		parent, name := tokens[1:len(tokens)-2], tokens[len(tokens)-1]
		if len(c.Successors) > 0 {
			if len(c.Successors) == 1 {
				m.add(parent, place{name}, place{c.Successors[0]})
			}
			continue
		}
		m.into(parent, name, c.Before)
		m.outOf(parent, name, c.Before)
	}
	return m.moves
}

// discriminator finds that the argument that selects the action has another name.
func (m *mover) discriminator() {
	old, _ := lockfile.Actions(m.base)
	now, _ := lockfile.Actions(m.rev)
	if len(old.Actions) == 0 || len(now.Actions) == 0 || old.Property == now.Property || declares(m.rev, old.Property) || declares(m.base, now.Property) {
		return
	}
	kept := 0
	for _, a := range old.Actions {
		if slices.ContainsFunc(now.Actions, func(b lockfile.Action) bool { return a.Name == b.Name }) {
			kept++
		}
	}
	if 2*kept >= len(old.Actions) {
		m.moves = append(m.moves, move{from: place{old.Property}, to: place{now.Property}})
	}
}

func declares(schema any, name string) bool {
	_, ok := childOf(schema, "properties")[name]
	return ok
}

// into finds the one object in which a removed argument stands now.
func (m *mover) into(parent []string, name string, before any) {
	was, is := m.at(m.base, parent), m.at(m.rev, parent)
	var holder string
	for _, candidate := range canonjson.SortedKeys(childOf(is, "properties")) {
		inner := childOf(resolve(m.rev, childOf(is, "properties")[candidate]), "properties")
		already := childOf(resolve(m.base, childOf(was, "properties")[candidate]), "properties")
		if after, ok := inner[name]; ok && already[name] == nil && m.fits(before, after) {
			if holder != "" {
				return // nobody can tell which
			}
			holder = candidate
		}
	}
	if holder != "" {
		m.add(parent, place{name}, place{holder, name})
	}
}

// outOf finds the members of a removed object that stand beside it now.
func (m *mover) outOf(parent []string, name string, before any) {
	was, is := childOf(m.at(m.base, parent), "properties"), childOf(m.at(m.rev, parent), "properties")
	inner := childOf(resolve(m.base, before), "properties")
	for _, member := range canonjson.SortedKeys(inner) {
		if after, ok := is[member]; ok && was[member] == nil && m.fits(inner[member], after) {
			m.add(parent, place{name, member}, place{member})
		}
	}
}

// add notes a move within the objects that a schema describes.
func (m *mover) add(parent []string, from, to place) {
	schema := m.at(m.rev, parent)
	for _, name := range to {
		schema = resolve(m.rev, childOf(schema, "properties")[name])
	}
	at := append([]string{"inputSchema"}, parent...)
	about, told := canonjson.Pointer(append(at[:len(at):len(at)], "properties", from[0])...), ""
	if len(from) != len(to) {
		told = canonjson.Pointer(append(at[:len(at):len(at)], "properties", to[0])...)
	}
	for _, way := range m.refs.resolve(parent, 0) {
		at, _ := schemaPlace(way)
		at = at[:len(at):len(at)]
		if len(m.moves) < maxMoves {
			m.moves = append(m.moves, move{from: append(at, from...), to: append(at, to...), schema: asMap(schema), about: about, told: told})
		}
	}
}

// at is the schema at a way through another one.
func (m *mover) at(root any, way []string) any {
	found, _ := canonjson.Lookup(root, canonjson.Pointer(way...))
	return resolve(root, found)
}

// resolve follows references within a schema.
func resolve(root, schema any) any {
	for range maxRefDepth {
		ref, ok := asMap(schema)["$ref"].(string)
		if !ok || len(ref) == 0 || ref[0] != '#' {
			return schema
		}
		target, ok := canonjson.Lookup(root, ref[1:])
		if !ok {
			return schema
		}
		schema = target
	}
	return schema
}

// fits reports whether some values of one schema may fit another, as far as their types and listed values tell.
func (m *mover) fits(before, after any) bool {
	was, is := asMap(resolve(m.base, before)), asMap(resolve(m.rev, after))
	old, now := names(was["type"]), names(is["type"])
	if len(old) == 0 || len(now) == 0 {
		return canonjson.Equal(was["enum"], is["enum"])
	}
	return slices.ContainsFunc(old, func(t string) bool {
		return slices.Contains(now, t) || t == "integer" && slices.Contains(now, "number")
	})
}

func asMap(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func childOf(schema any, keyword string) map[string]any { return asMap(asMap(schema)[keyword]) }

// bind matches the beginning of a pattern with a place, step by step, and returns what the steps that are anyStep stand for.
func (p place) bind(at place) (steps []string, ok bool) {
	if len(at) > len(p) {
		return nil, false
	}
	for i, step := range at {
		switch p[i] {
		case anyStep:
			steps = append(steps, step)
		case step:
		default:
			return nil, false
		}
	}
	return steps, true
}

// fill is the place that a pattern stands for; false when it has more open steps.
func (p place) fill(steps []string) (place, bool) {
	at := slices.Clone(p)
	for i, step := range at {
		if step != anyStep {
			continue
		}
		if len(steps) == 0 {
			return nil, false
		}
		at[i], steps = steps[0], steps[1:]
	}
	return at, true
}

// A carried value is one of a call, with the place where it belongs now.
type carried struct {
	from, to place
	schema   map[string]any
}

// leaving are the moves of the value at a place, or of values in it.
func leaving(moves []move, at place) []carried {
	return carriedBy(moves, at, func(m move) (place, place) { return m.from, m.to })
}

// arriving are the moves to a place, or into it.
func arriving(moves []move, at place) []carried {
	list := carriedBy(moves, at, func(m move) (place, place) { return m.to, m.from })
	for i := range list {
		list[i].from, list[i].to = list[i].to, list[i].from
	}
	return list
}

func carriedBy(moves []move, at place, ends func(move) (here, there place)) []carried {
	var list []carried
	for _, m := range moves {
		here, there := ends(m)
		steps, ok := here.bind(at)
		if !ok {
			continue
		}
		from, ok := here.fill(steps)
		to, also := there.fill(steps)
		if ok && also && !slices.ContainsFunc(list, func(c carried) bool { return c.from.key() == from.key() && c.to.key() == to.key() }) {
			list = append(list, carried{from, to, m.schema})
		}
	}
	return list
}

// tellMoves says in the issues where the values belong now.
func tellMoves(issues []envelope.Issue, moves []move, arguments map[string]any) {
	if len(moves) == 0 {
		return
	}
	for i := range issues {
		issue := &issues[i]
		for _, branch := range issue.Branches {
			tellMoves(branch, moves, arguments)
		}
		if issue.Property == "" {
			continue
		}
		at := append(place(canonjson.Tokens(issue.Path)), issue.Property)
		var list []carried
		switch issue.Keyword {
		case "additionalProperties", "unevaluatedProperties":
			list = leaving(moves, at)
		case "required", "dependentRequired":
			list = arriving(moves, at)
		}
		for _, c := range list {
			sent, ok := canonjson.Lookup(arguments, canonjson.Pointer(c.from...))
			if ok && (!leadsToSecret(c.from) || leadsToSecret(c.to)) {
				issue.Moved = append(issue.Moved, envelope.Move{From: canonjson.Pointer(c.from...), To: canonjson.Pointer(c.to...), Value: sent, Schema: c.schema})
			}
		}
	}
}

// tells reports whether a change says where an argument belongs now.
func tells(moves []move, pointer string) bool {
	return slices.ContainsFunc(moves, func(m move) bool { return m.told == pointer })
}

// destinations are the places, as dotted names, to which a change moved what it removed: into an object or out of one.
func destinations(moves []move, pointer string) []string {
	var list []string
	for _, m := range moves {
		name := dotted(m.to)
		if m.about == pointer && m.told != "" && !slices.Contains(list, name) && (!leadsToSecret(m.from) || leadsToSecret(m.to)) {
			list = append(list, name)
		}
	}
	return list
}

func dotted(p place) string {
	text := ""
	for _, step := range p {
		switch {
		case step == anyStep:
			text += "[]"
		case text == "":
			text = step
		default:
			text += "." + step
		}
	}
	return text
}

// leadsToSecret reports whether a name on the way to a place says that the value may be a secret.
func leadsToSecret(p place) bool { return slices.ContainsFunc(p, envelope.SecretName) }
