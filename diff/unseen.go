package diff

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// The walk follows what the verdict is about. Texts stand elsewhere too: below not, if and contains, in definitions that
// nothing refers to, in a part that the walk took as one. So the notes of both schemas (what they say beside acceptance) are
// collected by the place of the instance that they are about, through references and combinators. What is not the same on both
// sides, and no change has told, is told then: also a note that was lost, or came, with a rewriting that is harmless otherwise.

// A note is one annotation and where it stands.
type note struct {
	node    node
	place   string
	keyword string
	value   any
	around  []string // pointers of the schemas on the way to it that are about the same place, its own last
}

func (n note) key() string { return noteKey(n.keyword, n.value) }

func noteKey(keyword string, value any) string {
	return keyword + "\x00" + string(canonjson.Append(nil, value))
}

// isNote reports whether a keyword is read for its meaning. Titles, comments and extensions are not.
func isNote(keyword string, value any) bool {
	switch keyword {
	case "title", "$comment", "$schema", "$id", "id", "discriminator":
		return false
	case "description":
		return textOf(value) != ""
	case "format":
		return knownFormat(textOf(value))
	case "deprecated":
		return value == true
	}
	return isAnnotation(keyword) && !strings.HasPrefix(keyword, "x-")
}

// A notebook holds the notes of one schema by place.
type notebook struct {
	notes   map[string][]note
	visited map[string]bool // by pointer, place and whether all of it is told
	reached map[string]bool // by pointer
	told    coverage
	flat    bool // all is one place, and references are not followed
}

const (
	maxNotesVisited = 20_000
	maxReferences   = 64 // on one way
	unusedPlace     = "\x00unused"
)

// notesOf collects the notes of a schema. It is false when there are too many ways to its parts, which cannot be when flat.
func notesOf(root any, told coverage, flat bool) (*notebook, bool) {
	b := &notebook{notes: map[string][]note{}, visited: map[string]bool{}, reached: map[string]bool{}, told: told, flat: flat}
	n := node{root, nil, root}
	if !b.visit(n, "", nil, nil, false) {
		return nil, false
	}
	b.flat = true
	for _, definition := range n.definitions() {
		if !flat && !b.reached[canonjson.Pointer(definition.at...)] {
			b.visit(definition, unusedPlace, nil, nil, false)
		}
	}
	return b, true
}

// definitions are the schemas under $defs and definitions.
func (n node) definitions() []node {
	var out []node
	for _, keyword := range []string{"$defs", "definitions"} {
		for _, name := range canonjson.SortedKeys(mapOf(n.object()[keyword])) {
			out = append(out, n.child(keyword, name))
		}
	}
	return out
}

// visit collects the notes of a schema and of all below it. Open are the references on the way.
func (b *notebook) visit(n node, place string, around, open []string, told bool) bool {
	m, ok := n.v.(map[string]any)
	if !ok {
		return true
	}
	pointer := canonjson.Pointer(n.at...)
	told = told || b.told.whole[pointer]
	key := strings.Join([]string{pointer, place, strconv.FormatBool(told)}, "\x00")
	if b.visited[key] {
		return true
	}
	if !b.flat && (len(b.visited) >= maxNotesVisited || len(open) >= maxReferences) {
		return false
	}
	b.visited[key], b.reached[pointer] = true, true
	around = append(around[:len(around):len(around)], pointer)
	for _, keyword := range canonjson.SortedKeys(m) {
		if isNote(keyword, m[keyword]) && !told {
			b.notes[place] = append(b.notes[place], note{n, place, keyword, m[keyword], around})
		}
	}
	if target, ok := n.follow(textOf(m["$ref"])); ok && has(m, "$ref") && !b.flat {
		at := canonjson.Pointer(target.at...)
		if !slices.Contains(open, at) && !b.visit(target, place, around, append(open[:len(open):len(open)], at), told) {
			return false
		}
	}
	return b.below(n, place, around, open, told)
}

func (b *notebook) below(n node, place string, around, open []string, told bool) bool {
	children := n.children()
	if b.flat {
		children = append(children, n.definitions()...)
	}
	toldBelow := told || slices.ContainsFunc(around, func(p string) bool { return b.told.below[p] })
	for _, child := range children {
		inPlace, step := stepTo(child.at[len(n.at):])
		told := told || b.told.whole[canonjson.Pointer(child.at[:len(n.at)+1]...)]
		inner := around
		if !inPlace {
			told, inner = told || toldBelow, nil
		}
		if b.flat {
			step = ""
		}
		if !b.visit(child, place+step, inner, open, told) {
			return false
		}
	}
	return true
}

// stepTo is how the place of a sub-schema differs from that of the schema around it. InPlace is true where both are about the
// same value.
func stepTo(way []string) (inPlace bool, step string) {
	last := way[len(way)-1]
	switch way[0] {
	case "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies":
		return true, ""
	case "properties":
		return false, "/" + last
	case "patternProperties":
		return false, "/\x00pattern " + last
	case "additionalProperties", "unevaluatedProperties":
		return false, "/\x00rest"
	case "propertyNames":
		return false, "/\x00name"
	case "contentSchema":
		return false, "/\x00content"
	}
	if len(way) > 1 {
		return false, "/\x00item " + last
	}
	return false, "/\x00item"
}

// reportUnseen reports the notes of a schema that came, went or changed and that none of the changes from first on tells.
func reportUnseen(c *collector, side Side, prefix string, base, rev any, first int) {
	j := &judge{c: c, side: side, prefix: prefix, base: base, rev: rev, walk: &walker{side: side, base: base, rev: rev}}
	t := j.tellings(c.diff.Changes[first:])
	was, okBase := notesOf(base, t.base, false)
	is, okRev := notesOf(rev, t.rev, false)
	if !okBase || !okRev {
		was, _ = notesOf(base, t.base, true)
		is, _ = notesOf(rev, t.rev, true)
	}
	var lost, gained []note
	for _, place := range unionKeys(was.notes, is.notes) {
		if place == unusedPlace {
			gained = append(gained, newTexts(is.notes[place], was)...)
			continue // a definition that nothing used is missed by nobody
		}
		lost = append(lost, notesMinus(was.notes[place], is.notes[place])...)
		gained = append(gained, notesMinus(is.notes[place], was.notes[place])...)
	}
	lost, gained = t.lost.untold(lost), t.gained.untold(gained)
	for _, n := range lost {
		after := map[string]any{}
		at := slices.IndexFunc(gained, func(g note) bool { return g.keyword == n.keyword && g.place == n.place })
		if at >= 0 {
			after[n.keyword] = gained[at].value
			gained = slices.Delete(gained, at, at+1)
		}
		j.walk.annotation(pairing{b: n.node, r: n.node}, n.keyword, map[string]any{n.keyword: n.value}, after)
	}
	for _, n := range gained {
		j.walk.annotation(pairing{b: n.node, r: n.node}, n.keyword, map[string]any{}, map[string]any{n.keyword: n.value})
	}
	if len(j.walk.edits) > 0 {
		j.actions = j.findActions()
		j.annotations()
	}
}

// notesMinus are the notes of a that b does not have.
func notesMinus(a, b []note) []note {
	in := make(map[string]bool, len(b))
	for _, n := range b {
		in[n.key()] = true
	}
	return slices.DeleteFunc(slices.Clone(a), func(n note) bool { return in[n.key()] })
}

// newTexts are the notes of unused definitions that a model reads all the same and that the baseline had nowhere.
func newTexts(notes []note, was *notebook) []note {
	var all []note
	for _, place := range canonjson.SortedKeys(was.notes) {
		all = append(all, was.notes[place]...)
	}
	return slices.DeleteFunc(notesMinus(notes, all), func(n note) bool {
		switch n.keyword {
		case "default", "format", "deprecated", "readOnly", "writeOnly":
			return true
		}
		return false
	})
}
