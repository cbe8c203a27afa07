package diff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// maxCall is how many bytes of a witness are written as a call.
const maxCall = 2000

// witness makes the proof of a change out of a value that separates the two schemas. The reason is about the change at
// hand, r, which is nil when the whole schema is meant: a value may be refused for several reasons.
func (j *judge) witness(value any, r *ruling) *Witness {
	w := &Witness{Value: value}
	if j.side == Input {
		text := escapeHidden(string(canonjson.Append(nil, value)))
		if len(text) <= maxCall {
			w.Call = fmt.Sprintf("%s(%s)", escapeHidden(j.c.diff.Name), text)
		}
	}
	refusing := j.r
	if j.side == Output {
		refusing = j.b
	}
	issues, inner := j.issues(refusing, value)
	if r != nil {
		all := append(slices.Clip(issues), inner...)
		if i := slices.IndexFunc(all, func(i issue) bool { return i.about(r.edit) }); i >= 0 {
			issues = all[i:]
		} else if j.side == Input {
			if r.refusing == nil {
				r.refusing = j.alone(r.edit)
			}
			if own, _ := j.issues(r.refusing, value); len(own) > 0 {
				issues = own
			}
		}
	}
	if len(issues) > 0 {
		w.Reason = issues[0].words()
	}
	return w
}

// An issue is one reason of the validator.
type issue struct {
	path, keyword, property string
	expected, received      any
}

// issues are the reasons why a schema refuses a value; where one branch of a choice comes closest, its reasons. The inner
// ones are those of the closest branches of choices that have several.
func (j *judge) issues(s *schema, value any) (issues, inner []issue) {
	if s == nil {
		return nil, nil
	}
	valid := j.validator(s)
	if valid == nil {
		return nil, nil
	}
	found, err := valid.Validate(value)
	if err != nil {
		return nil, nil
	}
	deeper := found[:0:0]
	for _, i := range found {
		for range 3 {
			if len(i.Branches) != 1 || len(i.Branches[0]) == 0 {
				break
			}
			i = i.Branches[0][0]
		}
		issues = append(issues, issue{i.Path, i.Keyword, i.Property, i.Expected, i.Received})
		if len(i.Branches) > 1 {
			deeper = append(deeper, i.Branches[0]...)
		}
	}
	for range 3 {
		next := found[:0:0]
		for _, i := range deeper {
			inner = append(inner, issue{i.Path, i.Keyword, i.Property, i.Expected, i.Received})
			if len(i.Branches) > 0 {
				next = append(next, i.Branches[0]...)
			}
		}
		deeper = next
	}
	return issues, inner
}

// about reports whether the issue comes from what the edit changed: the same keyword or name, at the place of the value that
// the edit's place describes.
func (i issue) about(e *edit) bool {
	if i.property != "" {
		return slices.Contains(e.names, i.property)
	}
	changed := func(at []string) bool { return len(at) > 0 && at[len(at)-1] == i.keyword }
	if !changed(e.at) && !slices.ContainsFunc(e.ops, func(o op) bool { return changed(o.at) }) {
		return false
	}
	want, path := instancePath(e.at), canonjson.Tokens(i.path)
	if len(want) > len(path) {
		return false
	}
	for n := range want { // from the end: what leads to a definition is not known
		if w := want[len(want)-1-n]; w != "*" && w != path[len(path)-1-n] {
			return false
		}
	}
	return true
}

// instancePath is the end of the path of the values that a place in a schema describes; "*" is any name or index.
func instancePath(at []string) []string {
	var path []string
	for i := 0; i < len(at); i++ {
		switch at[i] {
		case "properties", "prefixItems":
			if i+1 < len(at) {
				i++
				path = append(path, at[i])
			}
		case "patternProperties":
			i++
			path = append(path, "*")
		case "items", "additionalProperties", "additionalItems", "contains":
			if i+1 == len(at) {
				break // the keyword itself
			}
			if _, err := strconv.Atoi(at[i+1]); err == nil {
				i++
				path = append(path, at[i])
			} else {
				path = append(path, "*")
			}
		case "$defs", "definitions":
			i++
			path = nil
		}
	}
	return path
}

// words says the reason in a few words.
func (i issue) words() string {
	tokens := canonjson.Tokens(i.path)
	place := strings.Join(tokens, ".")
	at := func() string {
		if len(tokens) == 0 {
			return "it"
		}
		return quote(place)
	}
	inside := ""
	if len(tokens) > 0 {
		inside = " in " + quote(place)
	}
	switch i.keyword {
	case "required":
		return fmt.Sprintf("missing %s%s", quote(i.property), inside)
	case "additionalProperties", "unevaluatedProperties":
		if i.property != "" {
			return fmt.Sprintf("%s is not allowed%s", quote(i.property), inside)
		}
	case "dependentRequired", "dependencies":
		if i.property != "" {
			return fmt.Sprintf("missing %s%s", quote(i.property), inside)
		}
	case "propertyNames":
		return fmt.Sprintf("the name %s is not allowed%s", quote(i.property), inside)
	case "type":
		return fmt.Sprintf("%s is %s, want %s", at(), show(i.received), typeWords(i.expected))
	case "enum":
		if list, ok := i.expected.([]any); ok {
			return fmt.Sprintf("%s is %s, want %s", at(), show(i.received), oneOfWords(list))
		}
	case "const":
		return fmt.Sprintf("%s is %s, want %s", at(), show(i.received), show(i.expected))
	case "uniqueItems":
		return fmt.Sprintf("%s holds equal items", at())
	case "oneOf":
		return fmt.Sprintf("%s fits no branch of oneOf, or more than one", at())
	case "anyOf":
		return fmt.Sprintf("%s fits no branch of anyOf", at())
	case "not", "false", "":
		return fmt.Sprintf("%s is not allowed", at())
	}
	if want, ok := wanted[i.keyword]; ok {
		return fmt.Sprintf("%s is %s, want "+want, at(), show(i.received), show(i.expected))
	}
	if want, ok := counted[i.keyword]; ok {
		noun := want.many
		if show(i.expected) == "1" {
			noun = want.one
		}
		return fmt.Sprintf("%s is %s, want %s %s %s", at(), show(i.received), want.bound, show(i.expected), noun)
	}
	return fmt.Sprintf("%s does not fit %s %s", at(), i.keyword, show(i.expected))
}

// counted is wanted for keywords that count something.
var counted = map[string]struct{ bound, one, many string }{
	"minItems": {"at least", "item", "items"}, "maxItems": {"at most", "item", "items"},
	"minProperties": {"at least", "property", "properties"}, "maxProperties": {"at most", "property", "properties"},
}

// wanted says in words what a keyword asks for.
var wanted = map[string]string{
	"minimum": "at least %s", "maximum": "at most %s", "exclusiveMinimum": "more than %s", "exclusiveMaximum": "less than %s",
	"multipleOf": "a multiple of %s", "pattern": "a match of %s", "format": "the format %s",
	"minLength": "a length of at least %s", "maxLength": "a length of at most %s",
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
