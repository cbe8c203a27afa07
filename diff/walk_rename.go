package diff

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// renameProperties makes one edit of a removed and an added property that are likely one under another name.
func (w *walker) renameProperties(p pairing, lost, gained []*edit) {
	if len(lost) == 0 || len(gained) == 0 || len(lost)*len(gained) > maxPairs {
		return
	}
	byName := map[string]*edit{}
	var removed, added []string
	for _, e := range lost {
		byName[e.names[0]] = e
		removed = append(removed, e.names[0])
	}
	for _, e := range gained {
		byName[e.names[0]] = e
		added = append(added, e.names[0])
	}
	onlyRequired := countEdits(lost, dropsRequired) == 1 && countEdits(gained, addsRequired) == 1
	like := func(r, a string) (int, string) {
		gone, come := byName[r], byName[a]
		only := len(lost) == 1 && len(gained) == 1 || onlyRequired && dropsRequired(gone) && addsRequired(come)
		return w.propertyLikeness(gone, come, only)
	}
	for _, pair := range bestPairs(removed, added, like) {
		gone, come := byName[pair.removed], byName[pair.added]
		if len(gone.ops) > 0 && len(come.ops) > 0 {
			gone.ops = append(gone.ops, come.ops[len(w.inline):]...)
		}
		gone.after = map[string]any{pair.added: come.after}
		gone.message += fmt.Sprintf(" and %s was added", quote(pair.added))
		if come.name == "required-added" {
			gone.message += " as required"
		}
		gone.hint = fmt.Sprintf("likely renamed to %s (%s, score %d of 100)", pair.likely(), pair.reason, pair.score)
		gone.heirs = pair.heirs()
		w.edits = slices.DeleteFunc(w.edits, func(e *edit) bool { return e == come })
	}
}

func dropsRequired(e *edit) bool {
	return slices.ContainsFunc(e.ops, func(o op) bool { return o.kind == drop })
}

func addsRequired(e *edit) bool { return e.name == "required-added" }

func countEdits(edits []*edit, is func(*edit) bool) int {
	n := 0
	for _, e := range edits {
		if is(e) {
			n++
		}
	}
	return n
}

// propertyLikeness scores a removed and an added property. An equal schema alone says little, many arguments are strings:
// the names must be alike too, or the two must be the only pair, at least of required ones, and do the same duty; of optional ones, whose schema says more than a type.
func (w *walker) propertyLikeness(gone, come *edit, only bool) (int, string) {
	names := nameLikeness(gone.names[0], come.names[0])
	was, is := bareSchema(gone.before), bareSchema(come.after)
	equal := w.sameDefs && canonjson.Equal(was, is)
	texts := 0
	if was, is := textOf(mapOf(gone.before)["description"]), textOf(mapOf(come.after)["description"]); was != "" && is != "" {
		texts = wordLikeness(strings.Fields(plainWords(cut(was, 1000))), strings.Fields(plainWords(cut(is, 1000))))
	}
	sameDuty := dropsRequired(gone) == addsRequired(come)
	switch {
	case equal && names >= 50:
		return min(99, 60+names*2/5), "equal schema, like names"
	case equal && texts >= 50:
		return min(99, 60+texts/3), "equal schema, like descriptions"
	case equal && only && sameDuty && (dropsRequired(gone) || tells(was)):
		return 75, "the only pair, equal schema"
	case names >= 80:
		return names - 15, "like names"
	}
	return 0, ""
}

// bareSchema is what a schema says about values, without texts and without a type that the listed values tell.
func bareSchema(v any) map[string]any {
	m, ok := stripTexts(v).(map[string]any)
	if !ok {
		return map[string]any{"": v} // true, false or no schema at all
	}
	if has(m, "enum") || has(m, "const") {
		m = maps.Clone(m)
		delete(m, "type")
		m["values"] = true // a list of values tells more than a type
	}
	return m
}

// tells reports whether a bare schema says more than a type and a default.
func tells(bare map[string]any) bool {
	for keyword := range bare {
		if keyword != "type" && keyword != "default" && keyword != "" {
			return true
		}
	}
	return false
}
