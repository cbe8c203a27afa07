package awareness

import (
	"fmt"

	"github.com/fusionctl/fusionctl/envelope"
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
	if _, still := actionOf(now, arguments); still || len(now.Actions) == 0 {
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
	e = e.Suggest(replacedAction(full, t.name, successors, now.Property))
	stale := held == right
	event := Event{Tool: t.name, Client: c.Client, Action: action, Stale: stale, Unknown: true, Baseline: p.index}
	if h.selfHealing {
		e = e.WithAwareness(h.section(full, ranked, p.claim(held, "")))
		event.Changes = h.shownChanges(ranked)
	}
	if event.Repeat = h.repeat(c); event.Repeat > 0 {
		e = e.Suggest(repeatedAdvice(event.Repeat))
	}
	h.decided(event)
	return Verdict{Status: Gone, Envelope: e, Stale: stale, Baseline: p.index}, true
}

// replacedAction says what to call in place of an action that is gone.
func replacedAction(full, tool string, successors []string, property string) string {
	switch len(successors) {
	case 0:
		return fmt.Sprintf("%s was removed, and no successor is known. Use one of the available actions if it does the same, or tell the user.", plain(full))
	case 1:
		return fmt.Sprintf("%s was removed; call %s in its place: set %q to %q.", plain(full), plain(successors[0]), property, successors[0][len(tool)+1:])
	}
	return fmt.Sprintf("%s was removed; it may have been replaced by %s. Read in tools/list what they do before you call one, or tell the user.", plain(full), either(successors, plain))
}
