package awareness

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// maxRepairs bounds the rounds of repair: mending one thing may bring another to light.
const maxRepairs = 4

// A repairer makes a call that fits out of the arguments of one that does not.
type repairer struct {
	arguments map[string]any // as mended so far, numbers as they were sent
	moves     []move
	selector  string // the argument that selected the action, in the baseline; what it meant is not to be lost
}

// repair makes a call that fits out of the arguments of one that does not: what is right is kept, values are moved to where they
// belong now and changed to the wanted type, undeclared arguments are dropped, and missing texts are placeholders. It is nil when
// that does not lead to arguments that fit: half an example misleads. No value is invented for a choice among options, a number
// or a secret, and there is no example where either contract marks an argument as secret.
func (t *Tool) repair(sent map[string]any, issues []envelope.Issue, p *past) map[string]any {
	r := &repairer{arguments: canonjson.Clone(sent).(map[string]any)}
	if p != nil {
		if holdsSecret(p.gate, canonical(sent).(map[string]any)) {
			return nil
		}
		old, _ := p.discriminate()
		r.moves, r.selector = p.moves(), old.Property
	}
	for range maxRepairs {
		for _, issue := range issues {
			if issue.Secret || !r.mend(issue, issues) {
				return nil
			}
		}
		mended := canonical(r.arguments).(map[string]any)
		var err error
		if issues, err = t.hook.issues(t, mended); err != nil {
			return nil
		}
		if len(issues) == 0 {
			if holdsSecret(t.gate, mended) {
				return nil
			}
			return r.arguments
		}
	}
	return nil
}

// canonical copies a value with its numbers in canonical spelling, which is how schemas are asked.
func canonical(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for name, inner := range v {
			m[name] = canonical(inner)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, inner := range v {
			list[i] = canonical(inner)
		}
		return list
	case json.Number:
		if n, err := canonjson.Number(string(v)); err == nil {
			return n
		}
	}
	return v
}

// holdsSecret reports whether a schema marks some argument as secret, or cannot be asked. Its value must not come back, and an
// example with something else in its place would be a wrong call.
func holdsSecret(schema lazySchema, arguments map[string]any) bool {
	s, err := schema()
	return err != nil || s.HoldsSecret(arguments)
}

// mend changes the arguments so that one issue goes away; false when there is no safe way.
func (r *repairer) mend(issue envelope.Issue, all []envelope.Issue) bool {
	at := place(canonjson.Tokens(issue.Path))
	switch issue.Keyword {
	case "additionalProperties", "unevaluatedProperties":
		return r.dropOrMove(at, issue, all)
	case "required", "dependentRequired":
		return r.fillIn(at, issue)
	case "type":
		return convert(r.arguments, at, issue)
	case "oneOf", "anyOf":
		if len(issue.Branches) == 0 || len(issue.Branches[0]) == 0 {
			return false
		}
		for _, inner := range issue.Branches[0] {
			if !r.mend(inner, issue.Branches[0]) {
				return false
			}
		}
		return true
	}
	return false
}

func (r *repairer) dropOrMove(at place, issue envelope.Issue, all []envelope.Issue) bool {
	object, ok := lookup(r.arguments, at).(map[string]any)
	if !ok || issue.Property == "" {
		return false
	}
	if _, there := object[issue.Property]; !there {
		return true // an earlier issue was mended by the same change
	}
	from := append(slices.Clone(at), issue.Property)
	leaves := leaving(r.moves, from)
	if len(leaves) == 0 && len(from) == 1 && from[0] == r.selector {
		return false // without it the call means something else
	}
	if meant := envelope.Meant(issue, all); len(leaves) == 0 && nearlyTheSame(issue.Property, meant) {
		leaves = []carried{{from: from, to: append(slices.Clone(at), meant)}}
	}
	for _, c := range leaves {
		if !r.carry(c) {
			return false
		}
	}
	delete(object, issue.Property)
	return true
}

// nearlyTheSame reports whether one name is another one misspelt or in the plural, and not a name for something else.
func nearlyTheSame(a, b string) bool {
	return b != "" && max(len(a)-len(b), len(b)-len(a)) <= 2 && !diff.Contrary(a, b)
}

// carry moves a value, if it was sent. A secret does not return, under whatever name, and what stands at the new place already
// is left alone.
func (r *repairer) carry(c carried) bool {
	value, sent := canonjson.Lookup(r.arguments, canonjson.Pointer(c.from...))
	if !sent {
		return true
	}
	if leadsToSecret(c.from) || !put(r.arguments, c.to, value) {
		return false
	}
	source, ok := lookup(r.arguments, c.from[:len(c.from)-1]).(map[string]any)
	if ok {
		delete(source, c.from[len(c.from)-1])
	}
	return ok
}

// put sets a value at a place where there is none, and makes the objects on the way.
func put(v any, at place, value any) bool {
	for i, step := range at {
		object, ok := v.(map[string]any)
		if !ok {
			list, isList := v.([]any)
			n, err := strconv.Atoi(step)
			if !isList || err != nil || n < 0 || n >= len(list) || i == len(at)-1 {
				return false
			}
			v = list[n]
			continue
		}
		next, there := object[step]
		switch {
		case i == len(at)-1 && !there:
			object[step] = value
		case !there:
			next = map[string]any{}
			object[step] = next
		}
		v = next
	}
	return true
}

func (r *repairer) fillIn(at place, issue envelope.Issue) bool {
	object, ok := lookup(r.arguments, at).(map[string]any)
	if !ok || issue.Property == "" {
		return false
	}
	for _, c := range arriving(r.moves, append(slices.Clone(at), issue.Property)) { // on an open object the old name is tolerated
		if !r.carry(c) {
			return false
		}
	}
	if _, there := object[issue.Property]; there {
		return true
	}
	value, ok := placeholder(issue.Property, issue.Schema)
	if ok {
		object[issue.Property] = value
	}
	return ok
}

// placeholder is a value of the wanted shape: the schema's own default, constant or example, or a name in angle brackets
// for a text. A number, a list or a flag would look like one that somebody chose.
func placeholder(name string, schema map[string]any) (any, bool) {
	for _, keyword := range [...]string{"const", "default"} {
		if v, ok := schema[keyword]; ok {
			return v, true
		}
	}
	if examples, ok := schema["examples"].([]any); ok && len(examples) > 0 {
		return examples[0], true
	}
	if enum, ok := schema["enum"].([]any); ok {
		if len(enum) != 1 {
			return nil, false // choosing is for the model
		}
		return enum[0], true
	}
	types := names(schema["type"])
	if len(types) == 0 {
		return nil, false
	}
	switch types[0] {
	case "string":
		return "<" + name + ">", true
	case "object":
		return map[string]any{}, true
	case "null":
		return nil, true
	}
	return nil, false
}

// convert gives a value the wanted type where that loses nothing, and drops a null that stands for "not given".
func convert(arguments map[string]any, at place, issue envelope.Issue) bool {
	if len(at) == 0 {
		return false
	}
	wanted := names(issue.Expected)
	value := lookup(arguments, at)
	parent := at[:len(at)-1]
	last := at[len(at)-1]
	object, inObject := lookup(arguments, parent).(map[string]any)
	if value == nil && inObject {
		delete(object, last) // a required one comes back as a placeholder
		return true
	}
	for _, want := range wanted {
		converted, ok := convertTo(value, want)
		if !ok {
			continue
		}
		switch container := lookup(arguments, parent).(type) {
		case map[string]any:
			container[last] = converted
			return true
		case []any:
			if i, err := strconv.Atoi(last); err == nil && i >= 0 && i < len(container) {
				container[i] = converted
				return true
			}
		}
	}
	return false
}

func convertTo(value any, want string) (any, bool) {
	switch v := value.(type) {
	case string:
		if want == "string" || len(v) > 1<<20 {
			return nil, false
		}
		parsed, err := canonjson.Decode([]byte(v))
		if err == nil && typeIs(parsed, want) {
			return parsed, true
		}
	case json.Number:
		if want == "string" {
			return string(v), true
		}
	case bool:
		if want == "string" {
			return strconv.FormatBool(v), true
		}
	}
	if _, isArray := value.([]any); want == "array" && !isArray {
		return []any{value}, true
	}
	return nil, false
}

func typeIs(v any, want string) bool {
	switch v := v.(type) {
	case nil:
		return want == "null"
	case bool:
		return want == "boolean"
	case string:
		return want == "string"
	case []any:
		return want == "array"
	case map[string]any:
		return want == "object"
	case json.Number:
		return want == "number" || want == "integer" && !strings.ContainsAny(string(v), ".e")
	}
	return false
}

// lookup walks into a value; nil when there is nothing.
func lookup(v any, at place) any {
	found, ok := canonjson.Lookup(v, canonjson.Pointer(at...))
	if !ok {
		return nil
	}
	return found
}

// Warns reports whether Warning can have anything to say.
func (h *Hook) Warns() bool { return h.undeclared && h.mode != Observe }

// Warning names arguments of a call that the schema tolerates but does not declare, as a warning that rides on the result
// of a call that succeeded. It is nil when there is nothing to say, when the option Undeclared is off, and for a tool that
// declares no arguments at all.
func (h *Hook) Warning(c Call) (e *envelope.ToolError) {
	if !h.Warns() || c.Tool == nil {
		return nil
	}
	defer func() {
		if recover() != nil {
			e = nil
		}
	}()
	schema, _ := c.Tool.entry.InputSchema().(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	arguments, err := readArguments(c.Arguments)
	if err != nil || len(properties) == 0 {
		return nil
	}
	for _, keyword := range [...]string{"allOf", "anyOf", "oneOf", "if", "$ref", "patternProperties", "dependentSchemas"} {
		if _, ok := schema[keyword]; ok {
			return nil // names may be declared elsewhere
		}
	}
	switch more := schema["additionalProperties"].(type) {
	case map[string]any:
		return nil // a map: any name is meant
	case bool:
		if more {
			return nil // said on purpose
		}
	}
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		if _, ok := properties[name]; !ok {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	issues := make([]envelope.Issue, len(unknown))
	known := slices.Sorted(maps.Keys(properties))
	for i, name := range unknown {
		issues[i] = envelope.Issue{Keyword: "additionalProperties", Property: name, Known: known}
	}
	h.event(Event{Kind: Warned, Tool: c.Tool.name, Client: c.Client})
	warning := envelope.New(envelope.CodeValidationError, "Some arguments are not declared by the tool, and may have been ignored").Warning().Limit(h.limits)
	for i, f := range envelope.Validation(c.Tool.name, issues...).Fields() {
		if i < 10 {
			warning = warning.Detail(f.Name, envelope.Safe(f.Message))
		}
	}
	return warning.Suggest("Check the names; if one was misspelt, call the tool again.")
}
