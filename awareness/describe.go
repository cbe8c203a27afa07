package awareness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// describe words one change. Values are JSON; the envelope escapes and cuts them. Of a place that may hold a secret no value of
// the schema is shown, and nobody is told to send the secret under a name that does not say so.
func describe(c diff.Change, secret bool, moves []move) envelope.ContractChange {
	change := envelope.ContractChange{
		Severity: c.Severity.String(), Field: field(c.Pointer), Description: strings.Replace(c.Message, stillAccepted, "", 1),
		Before: jsonText(concealed(c, c.Before, secret)), After: jsonText(concealed(c, c.After, secret)),
	}
	switch {
	case isWording(c):
		// A server's prose in our words would read as an order of ours.
		change.Description, change.Before, change.After = "the wording changed; tools/list has the present one", "", ""
	case secret && !namesOnly(c.Rule):
		rule, _ := diff.Lookup(c.Rule)
		change.Description = strings.TrimPrefix(rule.Summary, "input: ")
	}
	if followers := followers(c, secret); len(followers) == 1 {
		change.Description += fmt.Sprintf("; use %q in its place", followers[0])
	} else if len(followers) > 1 {
		change.Description += "; it may have been replaced by " + either(followers, quoted)
	} else if there := destinations(moves, c.Pointer); len(there) > 0 {
		change.Description += "; it is now at " + quoted(there[0])
		for _, another := range there[1:min(len(there), maxAlternatives)] {
			change.Description += ", " + quoted(another)
		}
	}
	return change
}

// stillAccepted is what a report says of one change; another one may have closed the object since, as the call shows.
const stillAccepted = "; calls that send it are still accepted, but it is ignored"

// followers are the successors that may be told: what was a secret must not be sent under another kind of name.
func followers(c diff.Change, secret bool) []string {
	if !secret {
		return c.Successors
	}
	return slices.DeleteFunc(slices.Clone(c.Successors), func(name string) bool { return !envelope.SecretName(name) })
}

// either joins alternatives: "a", "b" or "c".
func either(names []string, word func(string) string) string {
	var b strings.Builder
	for i, name := range names {
		switch {
		case i == maxAlternatives:
			return b.String() + " or another one"
		case i > 0 && i == len(names)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(word(name))
	}
	return b.String()
}

const maxAlternatives = 5

// namesOnly reports whether the messages of a rule tell names, and never a value.
func namesOnly(rule string) bool {
	switch rule {
	case "input-property-removed", "input-property-added", "input-required-added", "input-required-removed", "input-property-forbidden":
		return true
	}
	return false
}

// hidden stands for a value that is not shown.
const hidden = "(hidden)"

// concealed is one side of a change without values that may be secrets.
func concealed(c diff.Change, v any, secret bool) any {
	tokens := canonjson.Tokens(c.Pointer)
	if v != nil && len(tokens) > 0 && holdsData(tokens[len(tokens)-1]) && (len(tokens) < 2 || tokens[len(tokens)-2] != "properties") {
		return concealedData(v, secret)
	}
	return concealedSchema(v, secret)
}

// holdsData reports whether the value of a keyword is data and no schema.
func holdsData(keyword string) bool {
	switch keyword {
	case "const", "enum", "default", "examples", "example":
		return true
	}
	return false
}

// concealedSchema copies a schema, or a part of one, without its prose and without the values that it lists for secrets.
func concealedSchema(v any, secret bool) any {
	switch v := v.(type) {
	case map[string]any:
		secret = secret || envelope.SecretSchema(v)
		shown := make(map[string]any, len(v))
		for name, inner := range v {
			if _, text := inner.(string); text && (name == "description" || name == "title" || name == "$comment") {
				continue // prose of the server is no value
			}
			if holdsData(name) {
				shown[name] = concealedData(inner, secret)
			} else {
				shown[name] = concealedSchema(inner, secret || envelope.SecretName(name))
			}
		}
		return shown
	case []any:
		shown := make([]any, len(v))
		for i, inner := range v {
			shown[i] = concealedSchema(inner, secret)
		}
		return shown
	}
	return v
}

func concealedData(v any, secret bool) any {
	switch v := v.(type) {
	case map[string]any:
		shown := make(map[string]any, len(v))
		for name, inner := range v {
			shown[name] = concealedData(inner, secret || envelope.SecretName(name))
		}
		return shown
	case []any:
		shown := make([]any, len(v))
		for i, inner := range v {
			shown[i] = concealedData(inner, secret)
		}
		return shown
	}
	if secret {
		return hidden
	}
	return v
}

// isSecret reports whether a change is about a place that may hold a secret: some name on the way says so, or some schema on
// either side.
func isSecret(c diff.Change, places []place, refs references, schemas ...any) bool {
	for _, p := range places[:min(len(places), maxRefPlaces)] {
		if slices.ContainsFunc(p, envelope.SecretName) {
			return true
		}
	}
	tokens := canonjson.Tokens(c.Pointer)
	if len(tokens) == 0 || tokens[0] != "inputSchema" {
		return false
	}
	for _, way := range append(refs.resolve(tokens[1:], 0), tokens[1:]) {
		for _, schema := range schemas {
			if throughSecret(schema, way) {
				return true
			}
		}
	}
	return false
}

// throughSecret reports whether a way through a schema passes a part that calls its values secret.
func throughSecret(schema any, way []string) bool {
	for {
		if m, ok := schema.(map[string]any); ok && envelope.SecretSchema(m) {
			return true
		}
		if len(way) == 0 {
			return false
		}
		next, found := canonjson.Lookup(schema, canonjson.Pointer(way[0]))
		if !found {
			return false
		}
		schema, way = next, way[1:]
	}
}
