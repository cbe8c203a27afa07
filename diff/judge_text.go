package diff

import (
	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// groupedFrom is from how many places on one kind of change of texts is told once for the whole schema. New wording is
// never grouped: each text is read by the model, and a reviewer must see each.
var groupedFrom = map[string]int{
	"title-changed":         2,
	"description-removed":   2,
	"description-respelled": 2,
	"extension-changed":     2,
	"format-respelled":      2,
}

var groupedText = map[string]string{
	"title-changed":         "titles and comments changed at %d places: %s",
	"description-removed":   "the descriptions of %d places were removed: %s",
	"description-respelled": "the descriptions of %d places changed in white space, letter case or punctuation only: %s",
	"extension-changed":     "extensions changed at %d places: %s",
	"format-respelled":      "formats that no validator knows changed at %d places: %s",
}

// annotations reports the edits that no verdict is asked for: each has the severity of its rule.
func (j *judge) annotations() {
	groups := map[string][]*edit{}
	var order []string
	for _, e := range j.walk.edits {
		if !e.plain {
			continue
		}
		if groups[e.name] == nil {
			order = append(order, e.name)
		}
		groups[e.name] = append(groups[e.name], e)
	}
	for _, name := range order {
		group := groups[name]
		if least := groupedFrom[name]; least > 0 && len(group) >= least {
			j.group(name, group)
			continue
		}
		for _, e := range group {
			c := j.c.add(string(j.side)+"-"+name, j.prefix+canonjson.Pointer(e.at...), e.before, e.after, "%s", e.message)
			c.Hint, c.Action = e.hint, j.actions.at(e.at)
		}
	}
}

// group reports one change for many places; its values are objects from pointer to text.
func (j *judge) group(name string, edits []*edit) {
	before, after := map[string]any{}, map[string]any{}
	var names []string
	hint := ""
	for _, e := range edits {
		pointer := canonjson.Pointer(e.at...)
		if e.before != nil {
			before[pointer] = e.before
		}
		if e.after != nil {
			after[pointer] = e.after
		}
		place, told := placeName(e.at)
		if !told {
			place = "(root)"
		}
		names = append(names, place)
		if hint == "" {
			hint = e.hint
		}
	}
	c := j.c.add(string(j.side)+"-"+name, j.prefix, orNil(before), orNil(after), groupedText[name], len(edits), quoteList(names))
	c.Hint = hint
}

func orNil(m map[string]any) any {
	if len(m) == 0 {
		return nil
	}
	return m
}
