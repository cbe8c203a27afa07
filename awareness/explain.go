package awareness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// explain says what is wrong with arguments and what changed.
func (h *Hook) explain(c Call, arguments map[string]any) Verdict {
	t := c.Tool
	issues, err := h.issues(t, arguments)
	if err != nil {
		return h.skip(t.name, err)
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
	event := Event{Tool: t.name, Action: action, Stale: stale}
	if h.selfHealing && p != nil {
		var wrongBefore map[string]bool // nothing was, when the call is stale
		if !stale {
			wrongBefore = p.wrong(arguments)
		}
		ranked := rank(p.relevant(action), issues, wrongBefore)
		if section := h.section(full, p, ranked, stale); section != nil {
			e = e.WithAwareness(section)
			event.Changes = rules(ranked, h.maxChanges)
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
	h.decided(Event{Tool: t.name, Action: action, Changes: rules(ranked, h.maxChanges)})
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
		Note:         "The contract of " + full + " changed since the version you were calibrated on.",
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
	if len(c.Successors) > 0 {
		change.Description += fmt.Sprintf("; use %q in its place", c.Successors[0])
	}
	return change
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

func rules(ranked []rankedChange, most int) []string {
	var ids []string
	for i, r := range ranked {
		if i < most {
			ids = append(ids, r.Rule)
		}
	}
	return ids
}

// repeat counts the failing call.
func (h *Hook) repeat(c Call) int {
	if !h.repeats {
		return 0
	}
	return h.repeated.seen(c.Caller, c.Tool.name, c.Arguments)
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
	for _, r := range ranked {
		if r.Action == action {
			for _, name := range r.Successors {
				successors = append(successors, t.name+"."+name)
			}
		}
	}
	for _, a := range now.Actions {
		known = append(known, t.name+"."+a.Name)
	}
	e := envelope.UnknownAction(full, append(successors, known...)...).Limit(h.limits)
	if len(successors) > 0 {
		e = e.Suggest(fmt.Sprintf("%s was removed; call %s in its place: set %q to %q.", full, successors[0], now.Property, successors[0][len(t.name)+1:]))
	}
	event := Event{Tool: t.name, Action: action, Stale: stale, Unknown: true, Baseline: p.index}
	if h.selfHealing {
		e = e.WithAwareness(h.section(full, p, ranked, stale))
		event.Changes = rules(ranked, h.maxChanges)
	}
	if event.Repeat = h.repeat(c); event.Repeat > 0 {
		e = e.Suggest(repeatedAdvice(event.Repeat))
	}
	h.decided(event)
	return Verdict{Status: Gone, Envelope: e, Stale: stale, Baseline: p.index}, true
}

// A lost tool is one that a baseline has and the live server has not.
type lost struct {
	past       *lockfile.Server
	index      int
	change     diff.Change
	successors []string
}

// Unknown answers a call of a tool that does not exist any more, with what happened to it and its likely successor. Live
// are the tools that the caller may call now. A name that no baseline knows is left to the server.
func (h *Hook) Unknown(name string, arguments []byte, caller string, live []*Tool) (v Verdict) {
	defer h.guard(&v, name)
	if !h.selfHealing {
		return Verdict{}
	}
	l := h.lostTool(name, live)
	if l == nil {
		return Verdict{}
	}
	byName := map[string]*Tool{}
	var known []string
	for _, t := range live {
		byName[t.name] = t
		known = append(known, t.name)
	}
	e := envelope.UnknownAction(name, append(l.successors, known...)...).Limit(h.limits)
	if len(l.successors) > 0 {
		e = e.Suggest(successorAdvice(name, byName[l.successors[0]], l.past.Tools[name]))
	} else {
		e = e.Suggest(fmt.Sprintf("%s was removed, and no tool took its place. Call tools/list again and use another tool, or tell the user.", name))
	}
	if successor := byName[first(l.successors)]; successor != nil {
		e = successor.describeArguments(e)
	}
	a := &envelope.ContractAwareness{
		Note:         fmt.Sprintf("The tool %s was removed since the version you were calibrated on.", name),
		Instructions: "If you can, call tools/list again.",
		ChangeCount:  1, MaxSeverity: l.change.Severity.String(),
		Changes: []envelope.ContractChange{{
			Severity: l.change.Severity.String(), Field: "", Description: withHint(l.change), Before: name, After: first(l.successors),
		}},
	}
	event := Event{Tool: name, Stale: true, Baseline: l.index, Unknown: true, Changes: []string{l.change.Rule}}
	if h.repeats {
		if event.Repeat = h.repeated.seen(caller, name, arguments); event.Repeat > 0 {
			e = e.Suggest(repeatedAdvice(event.Repeat))
		}
	}
	h.decided(event)
	if h.mode == Observe {
		return Verdict{Status: Gone, Stale: true, Baseline: l.index}
	}
	return Verdict{Status: Gone, Envelope: e.WithAwareness(a), Replace: true, Stale: true, Baseline: l.index}
}

func withHint(c diff.Change) string {
	if c.Hint == "" {
		return c.Message
	}
	return c.Message + "; " + c.Hint
}

// maxArguments is how many arguments of a successor are described.
const maxArguments = 12

// describeArguments adds what a tool takes, one detail for each argument, the required ones first.
func (t *Tool) describeArguments(e *envelope.ToolError) *envelope.ToolError {
	schema, _ := t.entry.InputSchema().(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	required := names(schema["required"])
	order := append(slices.Clone(required), canonjson.SortedKeys(properties)...)
	described := 0
	for i, name := range order {
		if slices.Contains(order[:i], name) || described == maxArguments {
			continue
		}
		described++
		property, _ := properties[name].(map[string]any)
		text := shape(property)
		if i < len(required) {
			text = "required, " + text
		}
		e = e.Detail(name, text)
	}
	return e
}

// shape says in a few words what a schema asks for.
func shape(schema map[string]any) string {
	if c, ok := schema["const"]; ok {
		return "always " + jsonText(c)
	}
	if enum, ok := schema["enum"].([]any); ok {
		options := make([]string, 0, len(enum))
		for _, v := range enum {
			options = append(options, jsonText(v))
		}
		return "one of " + strings.Join(options, ", ")
	}
	types := names(schema["type"])
	for i, name := range types {
		if text, ok := shapes[name]; ok {
			types[i] = text
		}
	}
	if len(types) == 0 {
		return "a value"
	}
	return strings.Join(types, " or ")
}

var shapes = map[string]string{
	"string": "a string", "integer": "a whole number", "number": "a number", "boolean": "true or false",
	"array": "a list", "object": "an object",
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// successorAdvice says what to call in place of a removed tool, and whether with the same arguments.
func successorAdvice(name string, successor *Tool, base *lockfile.Entry) string {
	if successor == nil {
		return ""
	}
	advice := fmt.Sprintf("%s was removed; call %s in its place", name, successor.name)
	if canonjson.Equal(base.InputSchema(), successor.entry.InputSchema()) {
		return advice + " with the same arguments."
	}
	schema, _ := successor.entry.InputSchema().(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	taken := canonjson.SortedKeys(properties)
	if len(taken) > 12 {
		taken = append(taken[:12], "…")
	}
	required := names(schema["required"])
	return fmt.Sprintf("%s. Its arguments are different: it takes %s; required are %s.", advice, list(taken), list(required))
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	text := ""
	for i, name := range names {
		if i > 0 {
			text += ", "
		}
		text += name
	}
	return text
}

// lostTool compares the baselines' tools with the live ones, once for each set of live tools.
func (h *Hook) lostTool(name string, live []*Tool) *lost {
	signature := ""
	rev := &lockfile.Server{Tools: map[string]*lockfile.Entry{}}
	for _, t := range live {
		rev.Tools[t.name] = t.entry
		signature += fmt.Sprintf("%p", t)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.missing == nil || h.live != signature {
		h.missing, h.live = h.allLost(rev), signature
	}
	return h.missing[name]
}

func (h *Hook) allLost(rev *lockfile.Server) map[string]*lost {
	missing := map[string]*lost{}
	for i, baseline := range h.baselines {
		// Tools that stay are taken as unchanged: only removals and what took their place are asked for here.
		base := &lockfile.Server{Tools: map[string]*lockfile.Entry{}}
		for name, entry := range baseline.Tools {
			if now, ok := rev.Tools[name]; ok {
				entry = now
			}
			base.Tools[name] = entry
		}
		report := diff.Compare(
			&lockfile.File{Servers: map[string]*lockfile.Server{"": base}},
			&lockfile.File{Servers: map[string]*lockfile.Server{"": rev}}, diff.Options{Workers: 1})
		for _, d := range report.Diffs {
			if d.Kind != lockfile.KindTool || rev.Tools[d.Name] != nil || len(d.Changes) == 0 || missing[d.Name] != nil {
				continue
			}
			missing[d.Name] = &lost{past: baseline, index: i, change: d.Changes[0], successors: d.Changes[0].Successors}
		}
	}
	return missing
}
