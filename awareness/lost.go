package awareness

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// A lost tool is one that a baseline has and the live server has not.
type lost struct {
	entry      *lockfile.Entry // as the baseline has it
	index      int
	change     diff.Change
	successors []string
}

// Unknown answers a call of a tool that does not exist any more, with what happened to it and its likely successor. The
// call's Tool is nil. Live are the tools that the caller may call now. A name that no baseline knows is left to the server.
func (h *Hook) Unknown(name string, c Call, live []*Tool) (v Verdict) {
	defer h.guard(&v, name, c.Client)
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
	e := envelope.New(envelope.CodeUnknownAction, "There is no tool "+quoted(name)+" any more").Actions(append(slices.Clone(l.successors), known...)...).Limit(h.limits)
	successors := l.meant(c.Arguments)
	successor := byName[sole(successors)]
	var advice string
	switch {
	case successor != nil:
		schema := successor.entry.InputSchema()
		advice = fmt.Sprintf("%s was removed; call %s in its place", plain(name), plain(successor.name)) + argumentAdvice(successor.takesCall(c.Arguments), schema)
		e = describeArguments(e, schema)
	case len(successors) > 0:
		advice = fmt.Sprintf("%s was removed; it may have been replaced by %s. Read in tools/list what they do before you call one, or tell the user.", plain(name), either(successors, plain))
	default:
		advice = fmt.Sprintf("%s was removed, and no successor is known. Call tools/list again and use another tool if it does the same, or tell the user.", plain(name))
	}
	a := &envelope.ContractAwareness{
		Note:         fmt.Sprintf("The tool %s was removed since the version you were calibrated on.", plain(name)),
		Instructions: "If you can, call tools/list again.",
		ChangeCount:  1, MaxSeverity: l.change.Severity.String(),
		Changes: []envelope.ContractChange{{
			Severity: l.change.Severity.String(), Field: "", Description: whatBecame(name, successors), Before: name, After: sole(successors),
		}},
	}
	event := Event{
		Tool: name, Client: c.Client, Stale: true, Baseline: l.index, Unknown: true,
		Changes: []ShownChange{{Rule: l.change.Rule, Cause: true}},
	}
	if h.repeats {
		if event.Repeat = h.repeated.seen(c.Caller, name, c.Arguments); event.Repeat > 0 {
			advice = again(event.Repeat, advice)
		}
	}
	e = e.Suggest(advice)
	h.decided(event)
	if h.mode == Observe {
		return Verdict{Status: Gone, Stale: true, Baseline: l.index}
	}
	return Verdict{Status: Gone, Envelope: e.WithAwareness(a), Replace: true, Stale: true, Baseline: l.index}
}

// plain is a name as it may stand in a sentence: one that is not made of the usual characters is quoted and cut, so that it
// cannot pose as a part of the sentence.
func plain(name string) string {
	usual := len(name) <= 128 && strings.IndexFunc(name, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-' || r == '.' || r == '/')
	}) < 0
	if usual {
		return name
	}
	return fmt.Sprintf("%.60q", name)
}

func quoted(name string) string { return fmt.Sprintf("%.60q", name) }

// whatBecame words a removal for a model. What the report says of it is for reviewers, and quotes descriptions.
func whatBecame(name string, successors []string) string {
	switch len(successors) {
	case 0:
		return "the tool " + quoted(name) + " was removed"
	case 1:
	default:
		return "the tool " + quoted(name) + " was removed; it may have been replaced by " + either(successors, quoted)
	}
	return fmt.Sprintf("the tool %s was removed; %s is its likely successor, as far as names and arguments tell", quoted(name), quoted(successors[0]))
}

// maxArguments is how many arguments of a successor are described.
const maxArguments = 12

// describeArguments adds what a schema takes, one detail for each argument, the required ones first.
func describeArguments(e *envelope.ToolError, schema any) *envelope.ToolError {
	properties := childOf(schema, "properties")
	required := names(asMap(schema)["required"])
	order := append(slices.Clone(required), canonjson.SortedKeys(properties)...)
	described := 0
	for i, name := range order {
		if slices.Contains(order[:i], name) || described == maxArguments {
			continue
		}
		described++
		property, _ := properties[name].(map[string]any)
		text := shape(property, envelope.SecretName(name) || envelope.SecretSchema(property))
		if i < len(required) {
			text = "required, " + text
		}
		e = e.Detail(name, envelope.Safe(text))
	}
	return e
}

// shape says in a few words what a schema asks for; of a secret only the type.
func shape(schema map[string]any, secret bool) string {
	if c, ok := schema["const"]; ok && !secret {
		return "always " + jsonText(c)
	}
	if enum, ok := schema["enum"].([]any); ok && !secret {
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

// sole is the one element of a list, "" when it has none or several.
func sole(list []string) string {
	if len(list) != 1 {
		return ""
	}
	return list[0]
}

// meant are the successors that the call may have meant: of a tool that was split, the part that bears the name of the action.
func (l *lost) meant(arguments []byte) []string {
	d, ok := lockfile.Actions(l.entry.InputSchema())
	if len(l.successors) < 2 || !ok {
		return l.successors
	}
	tree, err := readArguments(arguments)
	if err != nil {
		return l.successors
	}
	action, ok := actionOf(d, tree)
	named := slices.DeleteFunc(slices.Clone(l.successors), func(s string) bool { return !strings.Contains(s, action) })
	if !ok || len(named) != 1 {
		return l.successors
	}
	return named
}

// argumentAdvice says whether the arguments of a call are right for what took the place of its tool or action, and else what is
// taken there.
func argumentAdvice(fit bool, schema any) string {
	properties := canonjson.SortedKeys(childOf(schema, "properties"))
	switch {
	case fit:
		return " with the same arguments."
	case len(properties) == 0:
		return ". It takes no arguments."
	case len(properties) > maxArguments:
		properties = append(properties[:maxArguments], "…")
	}
	return fmt.Sprintf(". It takes %s; required are %s.", list(properties), list(names(asMap(schema)["required"])))
}

// takesCall reports whether the arguments of a call are surely right for a tool, and all declared there.
func (t *Tool) takesCall(data []byte) bool {
	arguments, err := readArguments(data)
	if err != nil {
		return false
	}
	p := past{gate: t.gate, strict: t.strict}
	for name := range arguments {
		if !declares(t.entry.InputSchema(), name) {
			return false
		}
	}
	return p.judge(arguments) == right
}

// again words a call of something that is gone, made again, without forgetting what to do instead.
func again(before int, advice string) string {
	if before == 1 {
		return "This very call failed before, and will not work again. " + advice
	}
	return fmt.Sprintf("This very call has failed %d times. Stop repeating it. %s", before+1, advice)
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
		text += plain(name)
	}
	return text
}

// maxLists bounds the sets of live tools for which the lost ones are remembered: callers may see different lists.
const maxLists = 64

// lostTool compares the baselines' tools with the live ones, once for each set of live tools. Nobody waits for that but
// those who ask for the same set.
func (h *Hook) lostTool(name string, live []*Tool) *lost {
	set := sha256.New()
	for _, t := range live {
		set.Write([]byte(t.key))
		set.Write([]byte{0})
	}
	key := [sha256.Size]byte(set.Sum(nil))
	h.mu.Lock()
	missing, ok := h.missing[key]
	if !ok {
		if len(h.missing) >= maxLists {
			clear(h.missing)
		}
		missing = sync.OnceValue(func() map[string]*lost { return h.allLost(live) })
		h.missing[key] = missing
	}
	h.mu.Unlock()
	return missing()[name]
}

func (h *Hook) allLost(live []*Tool) map[string]*lost {
	rev := &lockfile.Server{Tools: map[string]*lockfile.Entry{}}
	for _, t := range live {
		rev.Tools[t.name] = t.entry
	}
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
			missing[d.Name] = &lost{entry: baseline.Tools[d.Name], index: i, change: d.Changes[0], successors: d.Changes[0].Successors}
		}
	}
	return missing
}
