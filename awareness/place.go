package awareness

import (
	"strconv"
	"strings"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// A place is a location in the arguments, as a list of steps. In the place of a change a step may be anyStep: every
// element, or every member that is not declared.
type place []string

const anyStep = "\x00*"

// issuePlaces are the locations at which an issue says that something is wrong. An undeclared or missing argument is wrong
// at its own place; of a failed oneOf or anyOf the nearest branch counts too.
func issuePlaces(issue envelope.Issue) []place {
	at := place(canonjson.Tokens(issue.Path))
	places := []place{at}
	if issue.Property != "" {
		places[0] = append(at[:len(at):len(at)], issue.Property)
	}
	if len(issue.Branches) > 0 {
		for _, inner := range issue.Branches[0] {
			places = append(places, issuePlaces(inner)...)
		}
	}
	return places
}

// changePlaces are the locations in the arguments that a change of the input schema is about.
func changePlaces(c diff.Change, refs references) []place {
	tokens := canonjson.Tokens(c.Pointer)
	if len(tokens) == 0 || tokens[0] != "inputSchema" {
		return nil
	}
	var places []place
	for _, tokens := range refs.resolve(tokens[1:], 0) {
		places = append(places, placesAt(c, tokens)...)
	}
	return places
}

func placesAt(c diff.Change, tokens []string) []place {
	at, keyword := schemaPlace(tokens)
	places := []place{at}
	if keyword == "required" || keyword == "dependentRequired" {
		for _, name := range changedNames(c) {
			places = append(places, append(at[:len(at):len(at)], name))
		}
	}
	for _, successor := range c.Successors {
		if len(at) > 0 {
			places = append(places, append(at[:len(at)-1:len(at)-1], successor))
		}
	}
	return places
}

// schemaPlace turns a pointer into a schema into the place of the values that it describes, and the keyword at its end.
func schemaPlace(tokens []string) (at place, keyword string) {
	for i := 0; i < len(tokens); i++ {
		keyword = ""
		switch token := tokens[i]; token {
		case "properties", "dependentSchemas":
			if i+1 < len(tokens) {
				i++
				if token == "properties" {
					at = append(at, tokens[i])
				}
			}
		case "prefixItems":
			if i+1 < len(tokens) {
				i++
				at = append(at, tokens[i])
			}
		case "items", "additionalItems", "contains", "unevaluatedItems":
			at = append(at, anyStep)
			if i+1 < len(tokens) && isIndex(tokens[i+1]) {
				i++
				at[len(at)-1] = tokens[i]
			}
		case "additionalProperties", "unevaluatedProperties", "propertyNames":
			at = append(at, anyStep)
		case "patternProperties":
			at = append(at, anyStep)
			i++
		case "allOf", "anyOf", "oneOf", "$defs", "definitions":
			i++ // the branch or name says nothing about the place
		case "not", "if", "then", "else":
		default:
			return at, token
		}
	}
	return at, keyword
}

func isIndex(token string) bool {
	_, err := strconv.Atoi(token)
	return err == nil
}

// changedNames are the names in a list of names, or the one name, that came with the revision or went.
func changedNames(c diff.Change) []string {
	before, after := names(c.Before), names(c.After)
	var changed []string
	for _, list := range [2][2][]string{{after, before}, {before, after}} {
		for _, name := range list[0] {
			found := false
			for _, other := range list[1] {
				found = found || name == other
			}
			if !found {
				changed = append(changed, name)
			}
		}
	}
	return changed
}

func names(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var list []string
		for _, e := range v {
			if s, ok := e.(string); ok {
				list = append(list, s)
			}
		}
		return list
	case map[string]any:
		return canonjson.SortedKeys(v)
	}
	return nil
}

// distance is how far the place of a change is from one where something is wrong: 0 the same, small when one holds the
// other, far otherwise.
func distance(change, wrong place) int {
	common := 0
	for common < len(change) && common < len(wrong) && (change[common] == wrong[common] || change[common] == anyStep) {
		common++
	}
	if common == len(change) || common == len(wrong) {
		return len(change) + len(wrong) - 2*common
	}
	return far + len(change) + len(wrong) - 2*common
}

const far = 1000

// key makes places comparable.
func (p place) key() string { return strings.Join(p, "\x00/") }
