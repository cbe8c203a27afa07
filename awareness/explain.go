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
	p, held := t.learned(arguments)
	stale := held == right
	full, action := t.fullName(arguments, p)
	if v, ok := h.actionGone(c, arguments, p, held); ok {
		return v
	}
	sent := asSent(c.Arguments, arguments)
	h.complete(t, issues, p, arguments, sent)
	e := h.limits.Validation(full, issues...)
	event := Event{Tool: t.name, Client: c.Client, Action: action, Stale: stale}
	if h.selfHealing && p != nil {
		var wrongBefore map[string]bool // nothing was, when the call is stale
		if !stale {
			wrongBefore = p.wrong(arguments)
		}
		ranked := rank(p.relevant(action), issues, wrongBefore)
		if section := h.section(full, ranked, p.claim(held, "fix the fields above first")); section != nil {
			e = e.WithAwareness(section)
			event.Changes = h.shownChanges(ranked)
		}
		event.Baseline = p.index
	}
	if h.example {
		if example := t.repair(sent, issues, p); example != nil {
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
	p, _ := t.learned(arguments)
	if p == nil {
		return Verdict{}
	}
	full, action := t.fullName(arguments, p)
	ranked := rank(p.relevant(action), nil, nil)
	section := h.section(full, ranked, "") // right now or then, the server refused them
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
	issues, err := gate.Validate(arguments)
	return issues, withoutPlace(err)
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
	schema, err := p.strict()
	if err != nil {
		if schema, err = p.gate(); err != nil {
			return nil
		}
	}
	issues, err := schema.Validate(arguments)
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
func (h *Hook) section(full string, ranked []rankedChange, claim string) *envelope.ContractAwareness {
	if len(ranked) == 0 {
		return nil
	}
	a := &envelope.ContractAwareness{
		Note:         "The contract of " + plain(full) + " changed since the version you were calibrated on." + claim,
		Instructions: "Follow the present contract. If you can, call tools/list again.",
		ChangeCount:  len(ranked),
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
