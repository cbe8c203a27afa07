package awareness

import (
	"fmt"
	"slices"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// explain says what is wrong with arguments and what changed.
func (h *Hook) explain(c Call, arguments map[string]any) Verdict {
	t := c.Tool
	issues, err := h.issues(t, arguments)
	if err != nil {
		return h.skip(t.name, c.Client, err)
	}
	if len(issues) == 0 {
		return Verdict{}
	}
	p, stale := t.learned(arguments)
	full, action := t.fullName(arguments, p)
	if v, ok := h.actionGone(c, arguments, p, stale); ok {
		return v
	}
	e := h.limits.Validation(full, issues...)
	event := Event{Tool: t.name, Client: c.Client, Action: action, Stale: stale}
	if h.selfHealing && p != nil {
		var wrongBefore map[string]bool // nothing was, when the call is stale
		if !stale {
			wrongBefore = p.wrong(arguments)
		}
		ranked := rank(p.relevant(action), issues, wrongBefore)
		if section := h.section(full, p, ranked, stale); section != nil {
			e = e.WithAwareness(section)
			event.Changes = h.shownChanges(ranked)
		}
		event.Baseline = p.index
	}
	if h.example {
		if example := t.repair(arguments, issues, p); example != nil {
			e = e.WithExample(example)
		}
	}
	if event.Repeat = h.repeat(c); event.Repeat > 0 {
		e = e.Suggest(repeatedAdvice(event.Repeat))
	}
	h.decided(event)
	return Verdict{Status: Invalid, Envelope: e, Stale: stale, Baseline: event.Baseline}
}

// explainRefusal is for arguments that the server refused although they fit the schema that we know: there are no issues
// to name, but there may be changes.
func (h *Hook) explainRefusal(c Call, arguments map[string]any) Verdict {
	t := c.Tool
	if !h.selfHealing || len(t.pasts) == 0 {
		return Verdict{}
	}
	p := t.pasts[0]
	full, action := t.fullName(arguments, p)
	ranked := rank(p.relevant(action), nil, nil)
	section := h.section(full, p, ranked, false)
	if section == nil {
		return Verdict{}
	}
	h.decided(Event{Tool: t.name, Client: c.Client, Action: action, Changes: h.shownChanges(ranked)})
	e := envelope.Fields(full).Limit(h.limits).WithAwareness(section).Suggest("Read what the server said, fix the arguments, and call the tool again.")
	return Verdict{Status: Invalid, Envelope: e}
}

// decided reports an event under the name that the mode gives it.
func (h *Hook) decided(e Event) {
	e.Kind = [...]EventKind{Enforce: Refused, Enrich: Enriched, Observe: Observed}[h.mode]
	h.event(e)
}

// issues lists what is wrong. The strict schema is asked first; where it cannot judge, or sees nothing that the gate sees,
// the gate answers.
func (h *Hook) issues(t *Tool, arguments map[string]any) ([]envelope.Issue, error) {
	if strict, err := t.strict(); err == nil {
		if issues, err := strict.Validate(arguments); err == nil && len(issues) > 0 {
			return issues, nil
		}
	}
	gate, err := t.gate()
	if err != nil {
		return nil, err
	}
	return gate.Validate(arguments)
}

// learned finds the contract that the caller follows: the newest baseline under which the arguments are right, and that is
// not the live contract. Without one it is the newest baseline that differs from the live contract.
func (t *Tool) learned(arguments map[string]any) (p *past, stale bool) {
	for _, p := range t.pasts {
		gate, err := p.gate()
		if err != nil {
			continue
		}
		if ok, err := gate.Valid(arguments); err == nil && ok && len(p.changes()) > 0 {
			return p, true
		}
	}
	for _, p := range t.pasts {
		if len(p.changes()) > 0 {
			return p, false
		}
	}
	return nil, false
}

// relevant are the changes that concern a call of an action: its own and those of the whole tool.
func (p *past) relevant(action string) []*knownChange {
	changes := p.changes()
	relevant := make([]*knownChange, 0, len(changes))
	for _, c := range changes {
		if action == "" || c.Action == "" || c.Action == action {
			relevant = append(relevant, c)
		}
	}
	return relevant
}

// wrong are the places at which the arguments were wrong under the baseline already.
func (p *past) wrong(arguments map[string]any) map[string]bool {
	gate, err := p.gate()
	if err != nil {
		return nil
	}
	issues, err := gate.Validate(arguments)
	if err != nil {
		return nil
	}
	wrong := map[string]bool{}
	for _, issue := range issues {
		for _, at := range issuePlaces(issue) {
			wrong[at.key()] = true
		}
	}
	return wrong
}

// section words the changes for a model.
func (h *Hook) section(full string, p *past, ranked []rankedChange, stale bool) *envelope.ContractAwareness {
	if len(ranked) == 0 {
		return nil
	}
	a := &envelope.ContractAwareness{
		Note:         "The contract of " + plain(full) + " changed since the version you were calibrated on.",
		Instructions: "Follow the present contract. If you can, call tools/list again.",
		ChangeCount:  len(ranked),
	}
	if stale {
		a.Note += " These arguments were right under " + p.title() + "."
	} else {
		a.Note += " These arguments were not right under the earlier contract either: fix the fields above first."
	}
	worst := diff.None
	for i, r := range ranked {
		worst = max(worst, r.Severity)
		if i < h.maxChanges {
			a.Changes = append(a.Changes, r.text)
		}
	}
	a.MaxSeverity = worst.String()
	a.NotShown = len(ranked) - len(a.Changes)
	return a
}

// title names a baseline: the version that the server had, if it said one.
func (p *past) title() string {
	if version, ok := p.baseline.Info["version"].(string); ok && version != "" {
		return fmt.Sprintf("version %.40q", version)
	}
	return "the earlier contract"
}

// describe words one change. Values are JSON; the envelope escapes and cuts them.
func describe(c diff.Change) envelope.ContractChange {
	change := envelope.ContractChange{
		Severity: c.Severity.String(), Field: field(c.Pointer), Description: c.Message,
		Before: jsonText(c.Before), After: jsonText(c.After),
	}
	if isWording(c) {
		// A server's prose in our words would read as an order of ours.
		change.Description, change.Before, change.After = "the wording changed; tools/list has the present one", "", ""
	}
	if len(c.Successors) > 0 {
		change.Description += fmt.Sprintf("; use %q in its place", c.Successors[0])
	}
	return change
}

// isWording reports whether a change is about text for the reader: of a tool, of an argument, or a rule that the server declares
// for the model.
func isWording(c diff.Change) bool {
	tokens := canonjson.Tokens(c.Pointer)
	if len(tokens) > 0 && tokens[0] == "_meta" {
		return slices.Contains(tokens, "systemRules")
	}
	if len(tokens) == 0 || len(tokens) > 1 && tokens[len(tokens)-2] == "properties" { // an argument of that name
		return false
	}
	last := tokens[len(tokens)-1]
	return last == "description" || last == "title"
}

// field is the pointer into the input schema, or into the definition for what stands elsewhere.
func field(pointer string) string {
	const input = "/inputSchema"
	if len(pointer) > len(input) && pointer[:len(input)+1] == input+"/" {
		return pointer[len(input):]
	}
	return pointer
}

func jsonText(v any) string {
	if v == nil {
		return ""
	}
	return string(canonjson.Append(nil, v))
}

// shownChanges are the changes that the section shows, for the event.
func (h *Hook) shownChanges(ranked []rankedChange) []ShownChange {
	shown := make([]ShownChange, 0, min(len(ranked), max(h.maxChanges, 0)))
	for _, r := range ranked[:cap(shown)] {
		shown = append(shown, ShownChange{Rule: r.Rule, Field: r.text.Field, Cause: r.cause})
	}
	return shown
}

// repeat counts the failing call.
func (h *Hook) repeat(c Call) int {
	if !h.repeats {
		return 0
	}
	return h.repeated.seen(c.Caller, c.Tool.key, c.Arguments)
}

// repeatedAdvice gets firmer with each repetition.
func repeatedAdvice(before int) string {
	if before == 1 {
		return "This very call failed before, and nothing has changed since. Change exactly the fields above, keep the others, and call the tool once more."
	}
	return fmt.Sprintf("This very call has failed %d times. Stop repeating it: send other arguments, or tell the user what is missing.", before+1)
}

// actionGone answers a call of an action that the baseline had and the live contract has not.
func (h *Hook) actionGone(c Call, arguments map[string]any, p *past, stale bool) (Verdict, bool) {
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
	if len(successors) > 0 {
		e = e.Suggest(fmt.Sprintf("%s was removed; call %s in its place: set %q to %q.", plain(full), plain(successors[0]), now.Property, successors[0][len(t.name)+1:]))
	} else {
		e = e.Suggest(fmt.Sprintf("%s was removed, and no action took its place. Use one of the available actions, or tell the user.", plain(full)))
	}
	event := Event{Tool: t.name, Client: c.Client, Action: action, Stale: stale, Unknown: true, Baseline: p.index}
	if h.selfHealing {
		e = e.WithAwareness(h.section(full, p, ranked, stale))
		event.Changes = h.shownChanges(ranked)
	}
	if event.Repeat = h.repeat(c); event.Repeat > 0 {
		e = e.Suggest(repeatedAdvice(event.Repeat))
	}
	h.decided(event)
	return Verdict{Status: Gone, Envelope: e, Stale: stale, Baseline: p.index}, true
}
