package diff

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// A coverage says which parts of a schema changes have told with all that is in them.
type coverage struct {
	whole map[string]bool // pointers
	below map[string]bool // pointers of schemas whose own notes are not told, only those of the values inside
}

func newCoverage() coverage { return coverage{whole: map[string]bool{}, below: map[string]bool{}} }

// A toldNotes are the notes that changes name one by one.
type toldNotes struct {
	at    map[string]string // key by pointer
	times map[string]int    // how often a key was told
}

func newToldNotes() toldNotes { return toldNotes{at: map[string]string{}, times: map[string]int{}} }

func (t toldNotes) add(pointer string, value any) {
	keyword := pointer[strings.LastIndexByte(pointer, '/')+1:]
	t.at[pointer] = noteKey(keyword, value)
	t.times[noteKey(keyword, value)]++
}

// untold leaves out the notes that were told: at their place, or by value at a place that has another pointer on the other side.
// A note that several ways lead to is one.
func (t toldNotes) untold(notes []note) []note {
	var left []note
	seen := map[string]bool{}
	for _, n := range notes {
		pointer := n.around[len(n.around)-1] + canonjson.Pointer(n.keyword)
		if seen[pointer] {
			continue
		}
		seen[pointer] = true
		if slices.ContainsFunc(n.around, func(p string) bool { return t.at[p+canonjson.Pointer(n.keyword)] == n.key() }) {
			t.times[n.key()]--
			continue
		}
		left = append(left, n)
	}
	return slices.DeleteFunc(left, func(n note) bool {
		t.times[n.key()]--
		return t.times[n.key()] >= 0
	})
}

// tellings are what the changes of a schema have told of its notes.
type tellings struct {
	base, rev    coverage
	lost, gained toldNotes
}

func (j *judge) tellings(changes []Change) tellings {
	t := tellings{newCoverage(), newCoverage(), newToldNotes(), newToldNotes()}
	for i := range changes {
		c := &changes[i]
		name, ok := strings.CutPrefix(c.Rule, string(j.side)+"-")
		at := strings.TrimPrefix(c.Pointer, j.prefix)
		switch {
		case strings.HasSuffix(c.Rule, "-schema-broken"), strings.HasSuffix(c.Rule, "-schema-repaired"):
			t.base.whole[""], t.rev.whole[""] = true, true
		case !ok:
		case at == "" && groupedFrom[name] > 0:
			for pointer, v := range mapOf(c.Before) {
				t.lost.add(pointer, v)
			}
			for pointer, v := range mapOf(c.After) {
				t.gained.add(pointer, v)
			}
		case strings.HasPrefix(name, "action-"):
			t.action(j, c)
		case at != "":
			t.lost.add(at, c.Before)
			t.gained.add(at, c.After)
			t.cover(j, c, name, at)
		}
	}
	return t
}

// cover notes what a change tells as a whole. A part that only one side has is told by what it came or went with. Of a part that
// both sides have, a break is told with the values inside, not with what is said about the part itself.
func (t tellings) cover(j *judge, c *Change, name, at string) {
	switch {
	case c.Severity <= Cosmetic:
	case c.Severity >= Risky && strings.HasPrefix(name, "type-") && strings.HasSuffix(at, "/type"):
		t.base.below[strings.TrimSuffix(at, "/type")], t.rev.below[strings.TrimSuffix(at, "/type")] = true, true
	case strings.HasPrefix(name, "all-of-"):
		t.inside(j, at)
	case name == "property-removed":
		t.base.whole[at] = true
		for renamed := range mapOf(c.After) {
			t.rev.whole[at[:strings.LastIndexByte(at, '/')]+canonjson.Pointer(renamed)] = true
		}
	case c.After == nil:
		t.base.whole[at] = true
	case c.Before == nil:
		t.rev.whole[at] = true
	case c.Severity >= Risky:
		t.inside(j, at)
	}
}

// inside covers the values inside of the schemas at a place: one, an array of them, or the members that belong together.
func (t tellings) inside(j *judge, at string) {
	for _, side := range []struct {
		schema  any
		covered map[string]bool
	}{{j.base, t.base.below}, {j.rev, t.rev.below}} {
		side.covered[at] = true
		v, _ := canonjson.Lookup(side.schema, at)
		list, _ := v.([]any)
		for i := range list {
			side.covered[at+canonjson.Pointer(strconv.Itoa(i))] = true
		}
	}
}

// action covers the parts of an action that came or went.
func (t tellings) action(j *judge, c *Change) {
	covered, m := t.rev.whole, actionsOfRevision(j.base, j.rev)
	if strings.HasSuffix(c.Rule, "-removed") {
		covered, m = t.base.whole, j.findActions()
	}
	for pointer, name := range m.place {
		if name == c.Action {
			covered[pointer] = true
		}
	}
}
