package diff

import (
	"fmt"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// comparePrompt compares two definitions of one prompt.
func comparePrompt(c *collector, base, rev *lockfile.Entry) {
	compareText(c, "description", "/description", "the description", base.Description(), rev.Description())
	comparePromptArguments(c, base, rev)
	compareItemFields(c, base, rev, "description", "arguments")
}

// A promptArgument is one argument of a prompt with the place where it stands.
type promptArgument struct {
	pointer  string
	fields   map[string]any
	required bool
}

// promptArguments reads the arguments by name; what has no name is left to compareItemFields.
func promptArguments(e *lockfile.Entry) (names []string, byName map[string]promptArgument) {
	list, _ := e.Fields()["arguments"].([]any)
	byName = map[string]promptArgument{}
	for i, v := range list {
		fields, _ := v.(map[string]any)
		name, ok := fields["name"].(string)
		if !ok {
			continue
		}
		required, _ := fields["required"].(bool)
		names = append(names, name)
		byName[name] = promptArgument{fmt.Sprintf("/arguments/%d", i), fields, required}
	}
	return names, byName
}

func comparePromptArguments(c *collector, base, rev *lockfile.Entry) {
	if canonjson.Equal(base.Fields()["arguments"], rev.Fields()["arguments"]) {
		return
	}
	first := len(c.diff.Changes)
	_, before := promptArguments(base)
	_, after := promptArguments(rev)
	for _, name := range unionKeys(before, after) {
		b, inBase := before[name]
		r, inRev := after[name]
		switch {
		case !inRev:
			c.add("prompt-argument-removed", b.pointer, b.fields, nil, "the argument %s was removed", quote(name))
		case !inBase && r.required:
			c.add("prompt-argument-required", r.pointer, nil, r.fields, "the required argument %s was added", quote(name))
		case !inBase:
			c.add("prompt-argument-added", r.pointer, nil, r.fields, "the optional argument %s was added", quote(name))
		default:
			comparePromptArgument(c, name, b, r)
		}
	}
	pairPromptArguments(c, first, before, after)
	if len(c.diff.Changes) == first {
		c.add("prompt-arguments-respelled", "/arguments", base.Fields()["arguments"], rev.Fields()["arguments"],
			"the arguments are listed in another order or spelled otherwise")
	}
}

func comparePromptArgument(c *collector, name string, base, rev promptArgument) {
	switch {
	case !base.required && rev.required:
		c.add("prompt-argument-required", rev.pointer+"/required", base.fields["required"], rev.fields["required"],
			"the argument %s is required now", quote(name))
	case base.required && !rev.required:
		c.add("prompt-argument-optional", base.pointer+"/required", base.fields["required"], rev.fields["required"],
			"the argument %s is optional now", quote(name))
	}
	b, _ := base.fields["description"].(string)
	r, _ := rev.fields["description"].(string)
	compareText(c, "description", rev.pointer+"/description", fmt.Sprintf("the description of argument %s", quote(name)), b, r)
	if !canonjson.Equal(base.fields["title"], rev.fields["title"]) {
		compareTitle(c, fieldChange{append(canonjson.Tokens(rev.pointer), "title"), base.fields["title"], rev.fields["title"]})
	}
}

// compareResource compares two definitions of one resource or resource template.
func compareResource(c *collector, base, rev *lockfile.Entry) {
	compareText(c, "description", "/description", "the description", base.Description(), rev.Description())
	if !canonjson.Equal(base.Fields()["mimeType"], rev.Fields()["mimeType"]) {
		c.add(c.prefix()+"-mime-type-changed", "/mimeType", base.Fields()["mimeType"], rev.Fields()["mimeType"],
			"the MIME type %s", describeRewording(textOf(base.Fields()["mimeType"]), textOf(rev.Fields()["mimeType"])))
	}
	compareItemFields(c, base, rev, "description", "mimeType")
}

// compareItemFields reports the members of a prompt, resource or template that have no code of their own. Those are for
// display: title, icons, size, the name of a resource (its key is the URI), annotations and _meta. A member that
// fusionctl does not know is a risk.
func compareItemFields(c *collector, base, rev *lockfile.Entry, skip ...string) {
	for _, f := range listFields(without(base.Fields(), skip), without(rev.Fields(), skip)) {
		switch f.path[0] {
		case "title":
			compareTitle(c, f)
		case "icons", "size", "name", "annotations", "_meta":
			c.add(c.prefix()+"-display-changed", f.pointer(), f.before, f.after, "%s %s", quote(joinPath(f.path)), changedWord(f.before, f.after))
		default:
			c.add(c.prefix()+"-field-changed", f.pointer(), f.before, f.after,
				"%s, which fusionctl does not know, %s", quote(joinPath(f.path)), changedWord(f.before, f.after))
		}
	}
}

func joinPath(path []string) string {
	s := ""
	for i, p := range path {
		if i > 0 {
			s += "."
		}
		s += p
	}
	return s
}

func without(m map[string]any, names []string) map[string]any {
	rest := make(map[string]any, len(m))
	for k, v := range m {
		rest[k] = v
	}
	for _, name := range names {
		delete(rest, name)
	}
	return rest
}

func textOf(v any) string {
	s, _ := v.(string)
	return s
}
