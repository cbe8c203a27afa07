package diff

import (
	"fmt"
	"strconv"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// reportHidden reports the characters that nobody sees in a review and that came with the revision: in each text of the
// definition, names of members too, wherever it stands and however it got there. A text that the baseline had elsewhere only
// moved. A nil base is an item that is new.
func reportHidden(c *collector, base, rev *lockfile.Entry) {
	if base == nil {
		if hidden := hiddenAdded("", c.diff.Name); hidden != "" {
			addHidden(c, "", "the name of the new "+kindName[c.diff.Kind], nil, c.diff.Name, "has", hidden)
		}
		scanHidden(c, nil, rev.Fields())
		return
	}
	scanHidden(c, base.Fields(), rev.Fields())
}

// scanHidden is reportHidden for the tree of any item.
func scanHidden(c *collector, base, rev map[string]any) {
	var known map[string]bool // the texts of the baseline; collected when there is something to look up
	var actions actionMap
	visitTexts(rev, nil, func(path []string, text string, name bool) {
		if len(hiddenIn(text)) == 0 {
			return
		}
		if known == nil {
			known = map[string]bool{}
			visitTexts(base, nil, func(_ []string, text string, _ bool) { known[text] = true })
			actions = actionsOfRevision(base["inputSchema"], rev["inputSchema"])
		}
		if known[text] {
			return
		}
		was, verb := "", "has"
		if before, ok := canonjson.Lookup(any(base), canonjson.Pointer(path...)); ok && !name && textOf(before) != "" {
			was, verb = textOf(before), "gained"
		}
		if hidden := hiddenAdded(was, text); hidden != "" {
			change := addHidden(c, canonjson.Pointer(path...), namePlace(path, text, name), textValue(was), text, verb, hidden)
			if path[0] == "inputSchema" {
				change.Action = actions.at(path[1:])
			}
		}
	})
}

func addHidden(c *collector, pointer, what string, was any, text, verb, hidden string) *Change {
	prefix := c.prefix()
	for _, side := range []Side{Input, Output} {
		if hasPrefixPath(canonjson.Tokens(pointer), []string{string(side) + "Schema"}) && c.diff.Kind == lockfile.KindTool {
			prefix = string(side)
		}
	}
	change := c.add(prefix+"-hidden-characters-added", pointer, was, text, "%s %s characters that a person does not see: %s", what, verb, hidden)
	if tags := tagText(text); tags != "" {
		change.Hint = "the tag characters spell " + quote(tags)
	}
	return change
}

// namePlace names a text of a definition for a message.
func namePlace(path []string, text string, name bool) string {
	last := path[len(path)-1]
	display := last == "description" || last == "title" || last == "$comment"
	schema := path[0] == "inputSchema" || path[0] == "outputSchema"
	switch {
	case name:
		return "the name " + quote(text)
	case schema && display:
		w := walker{side: sideOfSchema(path[0])}
		return fmt.Sprintf("the %s of %s", last, w.subject(path[1:len(path)-1]))
	case schema:
		w := walker{side: sideOfSchema(path[0])}
		return "a text of " + w.subject(path[1:])
	case display && len(path) == 1, last == "instructions":
		return "the " + last
	case display:
		return fmt.Sprintf("the %s at %s", last, quote(canonjson.Pointer(path...)))
	}
	return "the text at " + quote(canonjson.Pointer(path...))
}

func sideOfSchema(name string) Side {
	if name == "outputSchema" {
		return Output
	}
	return Input
}

// actionsOfRevision knows which parts of the revision's input schema belong to which action.
func actionsOfRevision(base, rev any) actionMap {
	j := &judge{side: Input, base: base, rev: rev}
	m := j.findActions()
	if m.ok {
		m.place = map[string]string{}
		m.places(node{rev, nil, rev})
	}
	return m
}

// visitTexts visits each string of a tree, names of members too, in a fixed order.
func visitTexts(v any, path []string, visit func(path []string, text string, name bool)) {
	switch v := v.(type) {
	case string:
		visit(path, v, false)
	case []any:
		for i, e := range v {
			visitTexts(e, append(path[:len(path):len(path)], strconv.Itoa(i)), visit)
		}
	case map[string]any:
		for _, k := range canonjson.SortedKeys(v) {
			member := append(path[:len(path):len(path)], k)
			visit(member, k, true)
			visitTexts(v[k], member, visit)
		}
	}
}
