package envelope

import (
	"math/big"
	"slices"
	"strings"
)

// A spot is the place of a name in the arguments.
type spot struct{ path, name string }

// Meant returns the name that an undeclared name of a call was likely meant to be, as the line about it says; "" when there is none.
func Meant(is Issue, issues []Issue) string {
	return explainer{limits: Limits{}.orDefault()}.renames(issues)[spot{is.Path, is.Property}]
}

// beside is the name in the same object under which the value of an undeclared name belongs now, "" when it belongs elsewhere.
func beside(is Issue) string {
	if len(is.Moved) != 1 || is.Moved[0].From != is.Path+"/"+escapeToken(is.Property) {
		return ""
	}
	name, ok := strings.CutPrefix(is.Moved[0].To, is.Path+"/")
	if !ok || strings.Contains(name, "/") {
		return ""
	}
	return tokens("/" + name)[0]
}

// renames finds what undeclared names were meant to be: the name that took its place, a missing name, any other, and no name
// twice. What may be a secret is meant for no other kind of name.
func (x explainer) renames(issues []Issue) map[spot]string {
	issues = issues[:min(len(issues), scanned)]
	var meant map[spot]string
	taken := map[spot]bool{}
	for _, is := range issues {
		if heir := beside(is); heir != "" {
			if meant == nil {
				meant = map[spot]string{}
			}
			meant[spot{is.Path, is.Property}], taken[spot{is.Path, heir}] = heir, true
		}
	}
	for _, is := range issues {
		if !undeclared(is.Keyword) || is.Property == "" || len(is.Moved) > 0 {
			continue
		}
		var missing, known []string
		for _, other := range issues {
			if at := (spot{is.Path, other.Property}); other.Keyword == "required" && other.Path == is.Path && !taken[at] {
				missing = append(missing, other.Property)
			}
		}
		sent, _ := is.Received.(map[string]any) // the object, or the value alone
		for _, k := range is.Known[:min(len(is.Known), 500)] {
			if _, there := sent[k]; (!there || sent[is.Property] == nil) && !taken[spot{is.Path, k}] { // what was sent beside the name is not what was meant
				known = append(known, k)
			}
		}
		if secretName(is.Property) {
			plain := func(name string) bool { return !secretName(name) }
			missing, known = slices.DeleteFunc(missing, plain), slices.DeleteFunc(known, plain)
		}
		near := nearest(is.Property, missing, 1)
		if near == nil {
			near = nearest(is.Property, known, 1)
		}
		if near != nil {
			if meant == nil {
				meant = map[spot]string{}
			}
			meant[spot{is.Path, is.Property}], taken[spot{is.Path, near[0]}] = near[0], true
		}
	}
	return meant
}

// instead says to use the name that was meant. That the value stays the same is said only where the names are one but for their
// spelling and the value is surely right there.
func (x explainer) instead(is Issue, meant string, all []Issue) string {
	schema, required := schemaOf(is, meant, all)
	fits := suits(member(is), schema)
	text := ifElse(required, "the required name ", "the name ") + quote(clean(meant, maxName))
	e := x.expectation(schema, secret(is) || secretName(meant) || secretSchema(schema))
	switch {
	case fits && sameName(is.Property, meant):
		return text + " with the same value"
	case fits && required:
		return text + ", with this value if that was meant"
	case !required:
		text += " if that was meant"
	}
	if fits || e == "a value" {
		return text
	}
	return text + ", and there " + e
}

// schemaOf finds the schema of a name beside an undeclared one, nil when it is not at hand, and whether the name is missing.
func schemaOf(is Issue, name string, all []Issue) (schema map[string]any, missing bool) {
	for _, other := range all[:min(len(all), scanned)] {
		if other.Keyword == "required" && other.Path == is.Path && other.Property == name {
			return other.Schema, true
		}
	}
	properties, _ := is.Schema["properties"].(map[string]any)
	schema, _ = properties[name].(map[string]any)
	return schema, false
}

// sameName reports whether two names are one but for a slip of the pen: letter case, separators, or one letter.
func sameName(a, b string) bool {
	a, b = fold(a), fold(b)
	if a == b {
		return true
	}
	digits := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return r
			}
			return -1
		}, s)
	}
	return min(len(a), len(b)) >= 3 && digits(a) == digits(b) && distance(a, b, 1) <= 1
}

// suits reports whether a value is surely valid against a schema; of no schema nothing is sure.
func suits(v any, schema map[string]any) bool { return schema != nil && plainlyFits(schema, v, 0) }

// compare orders two numbers; ok is false when one is none, or too long to read.
func compare(a, b any) (order int, ok bool) {
	read := func(v any) *big.Float {
		text := numberText(v)
		if kindOf(v) != "number" || len(text) > 40 {
			return nil
		}
		f, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
		if err != nil {
			return nil
		}
		return f
	}
	x, y := read(a), read(b)
	if x == nil || y == nil {
		return 0, false
	}
	return x.Cmp(y), true
}
