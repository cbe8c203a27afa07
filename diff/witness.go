package diff

import (
	"fmt"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// maxCall is how many bytes of a witness are written as a call.
const maxCall = 2000

// witness makes the proof of a change out of a value that separates the two schemas. Refusing, which may be nil, is the
// baseline with nothing but that change: what it says about the value is about the change.
func (j *judge) witness(value any, refusing *schema) *Witness {
	w := &Witness{Value: value}
	if refusing != nil && j.side == Input {
		w.Reason = j.refusal(value, refusing)
	}
	if w.Reason == "" && j.side == Input {
		w.Reason = j.refusal(value, j.r)
	}
	if j.side == Output {
		w.Reason = j.refusal(value, j.b)
	}
	if j.side == Input {
		text := escapeHidden(string(canonjson.Append(nil, value)))
		if len(text) <= maxCall {
			w.Call = fmt.Sprintf("%s(%s)", escapeHidden(j.c.diff.Name), text)
		}
	}
	return w
}

// refusal says in a few words why the refusing side refuses the value.
func (j *judge) refusal(value any, refuses *schema) string {
	valid := j.validator(refuses)
	if valid == nil {
		return ""
	}
	issues, err := valid.Validate(value)
	if err != nil || len(issues) == 0 {
		return ""
	}
	i := issues[0]
	for range 3 { // into the branch that comes closest
		if len(i.Branches) != 1 || len(i.Branches[0]) == 0 {
			break
		}
		i = i.Branches[0][0]
	}
	place := strings.Join(canonjson.Tokens(i.Path), ".")
	at := func() string {
		if place == "" {
			return "it"
		}
		return quote(place)
	}
	inside := ""
	if place != "" {
		inside = " in " + quote(place)
	}
	switch i.Keyword {
	case "required":
		return fmt.Sprintf("missing %s%s", quote(i.Property), inside)
	case "additionalProperties", "unevaluatedProperties":
		if i.Property != "" {
			return fmt.Sprintf("%s is not allowed%s", quote(i.Property), inside)
		}
	case "dependentRequired", "dependencies":
		if i.Property != "" {
			return fmt.Sprintf("missing %s%s", quote(i.Property), inside)
		}
	case "propertyNames":
		return fmt.Sprintf("the name %s is not allowed%s", quote(i.Property), inside)
	case "type":
		return fmt.Sprintf("%s is %s, want %s", at(), show(i.Received), typeWords(i.Expected))
	case "enum":
		if list, ok := i.Expected.([]any); ok {
			return fmt.Sprintf("%s is %s, want %s", at(), show(i.Received), oneOfWords(list))
		}
	case "const":
		return fmt.Sprintf("%s is %s, want %s", at(), show(i.Received), show(i.Expected))
	case "oneOf":
		return fmt.Sprintf("%s fits no branch of oneOf, or more than one", at())
	case "anyOf":
		return fmt.Sprintf("%s fits no branch of anyOf", at())
	case "not", "false", "":
		return fmt.Sprintf("%s is not allowed", at())
	}
	return fmt.Sprintf("%s does not fit %s %s", at(), i.Keyword, show(i.Expected))
}

func typeWords(v any) string {
	if s, ok := v.(string); ok {
		return orList([]string{s})
	}
	return orList(stringsOf(v))
}

func oneOfWords(list []any) string {
	if len(list) == 1 {
		return show(list[0])
	}
	return "one of " + showList(list)
}
