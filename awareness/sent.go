package awareness

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// asSent reads arguments once more, with their numbers as they were spelled: an identifier of 25 digits is no 1.2e+24.
func asSent(data []byte, arguments map[string]any) map[string]any {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var sent map[string]any
	if err := decoder.Decode(&sent); err != nil || sent == nil {
		return arguments
	}
	return sent
}

// complete adds to issues what the validator cannot know: numbers as they were sent, secrets that only the baseline tells, values
// that may not be left out either, and where values belong now.
func (h *Hook) complete(t *Tool, issues []envelope.Issue, p *past, arguments, sent map[string]any) {
	inSentForm(issues, sent)
	h.markNeeded(t, issues, arguments)
	if p == nil {
		return
	}
	if holdsSecret(p.gate, arguments) {
		markSecret(issues, p.gate, arguments)
	}
	if h.selfHealing {
		tellMoves(issues, p.moves(), sent)
	}
}

func inSentForm(issues []envelope.Issue, sent map[string]any) {
	for i := range issues {
		if _, number := issues[i].Received.(json.Number); number {
			if n, ok := lookup(sent, canonjson.Tokens(issues[i].Path)).(json.Number); ok {
				issues[i].Received = n
			}
		}
		for _, branch := range issues[i].Branches {
			inSentForm(branch, sent)
		}
	}
}

// markSecret marks the issues about values that a schema calls secret: the place alone is asked for each.
func markSecret(issues []envelope.Issue, schema lazySchema, arguments map[string]any) {
	for i := range issues {
		at := place(canonjson.Tokens(issues[i].Path))
		value, ok := canonjson.Lookup(arguments, issues[i].Path)
		if ok && len(at) > 0 && holdsSecret(schema, only(arguments, at, value)) {
			issues[i].Secret = true
		}
		for _, branch := range issues[i].Branches {
			markSecret(branch, schema, arguments)
		}
	}
}

// only is a call with nothing but one value; lists keep their length.
func only(v any, at place, value any) map[string]any {
	with, _ := onlyAt(v, at, value).(map[string]any)
	return with
}

func onlyAt(v any, at place, value any) any {
	if len(at) == 0 {
		return value
	}
	switch v := v.(type) {
	case map[string]any:
		return map[string]any{at[0]: onlyAt(v[at[0]], at[1:], value)}
	case []any:
		list := make([]any, len(v))
		for i := range v {
			if at[0] == strconv.Itoa(i) {
				list[i] = onlyAt(v[i], at[1:], value)
			}
		}
		return list
	}
	return nil
}

// markNeeded marks the wrong nulls, and words for them, that the schema demands: leaving them out would be wrong as well.
func (h *Hook) markNeeded(t *Tool, issues []envelope.Issue, arguments map[string]any) {
	var empty []int
	for i, issue := range issues {
		if issue.Keyword == "type" && issue.Sent && issue.Path != "" && isNothing(issue.Received) {
			empty = append(empty, i)
		}
	}
	if len(empty) == 0 {
		return
	}
	without := canonjson.Clone(arguments).(map[string]any)
	for _, i := range empty {
		at := place(canonjson.Tokens(issues[i].Path))
		if object, ok := lookup(without, at[:len(at)-1]).(map[string]any); ok {
			delete(object, at[len(at)-1])
		} else {
			issues[i].Needed = true // an item of a list
		}
	}
	left, err := h.issues(t, without)
	if err != nil {
		return
	}
	for _, i := range empty {
		for _, issue := range left {
			if (issue.Keyword == "required" || issue.Keyword == "dependentRequired") && issue.Path+"/"+canonjson.EscapeToken(issue.Property) == issues[i].Path {
				issues[i].Needed = true
			}
		}
	}
}

// isNothing reports whether a value stands for none.
func isNothing(v any) bool {
	s, text := v.(string)
	if !text {
		return v == nil
	}
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "null", "none", "undefined", "nil":
		return true
	}
	return false
}
