package awareness

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/lockfile"
)

// actionGone answers a call of an action that the baseline had and the live contract has not.
func (h *Hook) actionGone(c Call, arguments map[string]any, p *past, held standing) (Verdict, bool) {
	t := c.Tool
	if p == nil {
		return Verdict{}, false
	}
	old, ok := p.discriminate()
	if !ok {
		return Verdict{}, false
	}
	action, ok := actionOf(old, arguments)
	if !ok {
		return Verdict{}, false
	}
	now, _ := t.discriminate()
	if named(now, action) || len(now.Actions) == 0 { // it may be selected by another argument now, but it is there
		return Verdict{}, false
	}
	full := t.name + "." + action
	var successors, known []string
	ranked := rank(p.relevant(action), nil, nil)
	for i, r := range ranked {
		if r.Action != action {
			continue
		}
		ranked[i].cause = r.Rule == actionRemoved
		for _, name := range r.Successors {
			successors = append(successors, t.name+"."+name)
		}
	}
	for _, a := range now.Actions {
		known = append(known, t.name+"."+a.Name)
	}
	e := envelope.UnknownAction(full, append(successors, known...)...).Limit(h.limits)
	advice := replacedAction(full, t.name, successors, now.Property)
	if a, ok := actionNamed(now, strings.TrimPrefix(sole(successors), t.name+".")); ok {
		if old.Property != now.Property {
			advice += fmt.Sprintf(" and leave %q out", old.Property)
		}
		advice += t.actionAdvice(arguments, old.Property, now.Property, a)
		e = describeArguments(e, flat(a.Schema))
	}
	stale := held == right
	event := Event{Tool: t.name, Client: c.Client, Action: action, Stale: stale, Unknown: true, Baseline: p.index}
	if h.selfHealing {
		e = e.WithAwareness(h.section(full, ranked, p.claim(held, "")))
		event.Changes = h.shownChanges(ranked)
	}
	if event.Repeat = h.repeat(c); event.Repeat > 0 {
		advice = again(event.Repeat, advice)
	}
	h.decided(event)
	e = e.Suggest(advice)
	return Verdict{Status: Gone, Envelope: e, Stale: stale, Baseline: p.index}, true
}

// replacedAction says what to call in place of an action that is gone.
func replacedAction(full, tool string, successors []string, property string) string {
	switch len(successors) {
	case 0:
		return fmt.Sprintf("%s was removed, and no successor is known. Use one of the available actions if it does the same, or tell the user.", plain(full))
	case 1:
		return fmt.Sprintf("%s was removed; call %s in its place: set %q to %q", plain(full), plain(successors[0]), property, successors[0][len(tool)+1:])
	}
	return fmt.Sprintf("%s was removed; it may have been replaced by %s. Read in tools/list what they do before you call one, or tell the user.", plain(full), either(successors, plain))
}

func actionNamed(d lockfile.Discriminator, name string) (lockfile.Action, bool) {
	for _, a := range d.Actions {
		if a.Name == name {
			return a, true
		}
	}
	return lockfile.Action{}, false
}

// actionAdvice says what else to change in a call besides the action.
func (t *Tool) actionAdvice(arguments map[string]any, before, now string, a lockfile.Action) string {
	call := maps.Clone(arguments)
	delete(call, before)
	call[now] = a.Name
	p := past{gate: t.gate, strict: t.strict}
	if p.judge(call) == right {
		return ", and keep the other arguments."
	}
	return argumentAdvice(false, flat(a.Schema))
}

// flat are the properties of the schema of an action and the names that it requires, those of its only branch included.
func flat(schema any) map[string]any {
	properties := map[string]any{}
	var required []any
	var gather func(s any, depth int)
	gather = func(s any, depth int) {
		s = resolve(schema, s)
		maps.Copy(properties, childOf(s, "properties"))
		for _, name := range names(asMap(s)["required"]) {
			if !slices.Contains(required, any(name)) {
				required = append(required, name)
			}
		}
		for _, keyword := range [...]string{"allOf", "anyOf", "oneOf"} {
			branches, _ := asMap(s)[keyword].([]any)
			if depth == maxRefDepth || keyword != "allOf" && len(branches) > 1 {
				continue
			}
			for _, branch := range branches {
				gather(branch, depth+1)
			}
		}
	}
	gather(schema, 0)
	return map[string]any{"properties": properties, "required": required}
}
