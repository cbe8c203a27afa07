package envelope

import "slices"

// maxDepth bounds how far unions within unions are explained; below it one line says that nothing fits.
const maxDepth = 3

// branches explains a failed oneOf or anyOf by its nearest branch. A union with a line per branch is what models cannot use;
// a wrong branch misleads them. So, in this order: all branches want another type: one line with all types; a constant tells
// the branches apart (the discriminator): the branch it selects, or one line with the allowed constants; else the branch with
// the fewest issues, the first of equals.
func (x explainer) branches(is Issue, depth int) []Field {
	name, hide := readablePath(is.Path), secret(is)
	sent := "nothing"
	if is.Sent {
		sent = shown(is.Received, hide, x.limits.Value)
	}
	branches := is.Branches[:min(len(is.Branches), scanned)]
	if is.Keyword == "oneOf" && slices.ContainsFunc(branches, func(b []Issue) bool { return len(b) == 0 }) {
		return x.line(name, "Fits more than one of the allowed forms", sent, "a value that fits exactly one of them")
	}
	branches = slices.DeleteFunc(slices.Clone(branches), func(b []Issue) bool { return len(b) == 0 })
	if len(branches) == 0 || depth >= maxDepth {
		return x.line(name, "Fits none of the allowed forms", sent, "one of the forms of the schema")
	}
	if merged, ok := mergeTypes(is.Path, branches); ok {
		merged.Received, merged.Sent, merged.Secret, merged.Needed = is.Received, is.Sent, hide, is.Needed
		return x.wrongType(merged)
	}
	if right := withoutType(is.Path, branches); len(right) > 0 {
		branches = right
	}
	branches, merged := discriminate(branches)
	if merged != nil {
		merged.Secret = merged.Secret || hide
		return x.explain(*merged, nil, nil, depth+1)
	}
	best := branches[0]
	for _, b := range branches[1:] {
		if len(b) < len(best) {
			best = b
		}
	}
	best = slices.Clone(best[:min(len(best), scanned)])
	for i := range best {
		best[i].Secret = best[i].Secret || hide
	}
	fields, more := x.lines(best, 3, depth+1)
	if more > 0 && len(fields) > 0 {
		last := &fields[len(fields)-1]
		last.Message = clean(last.Message+" And "+count(more, "more problem", "more problems")+" here.", maxFieldLen)
	}
	return fields
}

// typeAt returns the issue that refuses the type of the value at path itself.
func typeAt(path string, branch []Issue) (Issue, bool) {
	for _, is := range branch[:min(len(branch), scanned)] {
		if is.Keyword == "type" && is.Path == path {
			return is, true
		}
	}
	return Issue{}, false
}

func mergeTypes(path string, branches [][]Issue) (Issue, bool) {
	var types []string
	var schemas []any
	for _, b := range branches {
		is, ok := typeAt(path, b)
		if !ok {
			return Issue{}, false
		}
		schemas = append(schemas, is.Schema)
		for _, t := range typeList(is.Expected) {
			if !slices.Contains(types, t) {
				types = append(types, t)
			}
		}
	}
	merged := Issue{Path: path, Keyword: "type", Expected: types, Schema: map[string]any{"anyOf": schemas}}
	if len(branches) == 1 {
		merged.Schema = branches[0][0].Schema
	}
	return merged, len(types) > 0
}

func withoutType(path string, branches [][]Issue) [][]Issue {
	return slices.DeleteFunc(slices.Clone(branches), func(b []Issue) bool {
		_, ok := typeAt(path, b)
		return ok
	})
}

// discriminate keeps the branches that the constants in the value select. If no branch is selected it returns one issue that
// lists the constants of all of them.
func discriminate(branches [][]Issue) ([][]Issue, *Issue) {
	best, bestScore := Issue{}, 0
	for _, b := range branches[:min(len(branches), 20)] {
		for _, is := range b[:min(len(b), 20)] {
			if score := discriminating(is, branches); score > bestScore {
				best, bestScore = is, score
			}
		}
	}
	if bestScore == 0 {
		return branches, nil
	}
	_, place := constants(best)
	var kept [][]Issue
	var options []any
	for _, b := range branches {
		values := constantsAt(place, best.Keyword == "required", b)
		if values == nil {
			kept = append(kept, b)
		}
		for _, o := range values {
			if len(options) < scanned && !slices.ContainsFunc(options, func(p any) bool { return sameScalar(p, o) }) {
				options = append(options, o)
			}
		}
	}
	switch {
	case len(kept) > 0:
		return kept, nil
	case best.Keyword == "required":
		best.Schema = map[string]any{"enum": options}
	default:
		best.Keyword, best.Expected = "enum", options
	}
	return branches, &best
}

// discriminating scores how well the constants at an issue's place tell the branches apart; 0 means that they do not. One
// constant per branch is what a discriminator looks like; lists of options count only where every branch refuses the value.
func discriminating(is Issue, branches [][]Issue) int {
	values, place := constants(is)
	if values == nil {
		return 0
	}
	single, all := 0, 0
	for _, b := range branches {
		switch v := constantsAt(place, is.Keyword == "required", b); {
		case len(v) == 1:
			single++
			all++
		case v != nil:
			all++
		}
	}
	if all < len(branches) && (single == 0 || is.Keyword == "required") {
		return 0
	}
	score := 4 * (all + single)
	if t := tokens(place); len(t) > 0 && slices.Contains([]string{"action", "operation", "method", "command", "type", "kind", "op"}, t[len(t)-1]) {
		score++
	}
	return score
}

// constants returns the scalars that an issue allows at a place, if it is about constants: a failed const or enum, or a
// missing name whose schema is one.
func constants(is Issue) (values []any, place string) {
	schema, place := map[string]any{is.Keyword: is.Expected}, is.Path
	if is.Keyword == "required" {
		schema, place = is.Schema, is.Path+"/"+escapeToken(is.Property)
	}
	if c, ok := schema["const"]; ok && scalar(c) {
		return []any{c}, place
	}
	if list, ok := schema["enum"].([]any); ok && !slices.ContainsFunc(list, func(v any) bool { return !scalar(v) }) {
		return list, place
	}
	return nil, place
}

func constantsAt(place string, missing bool, branch []Issue) []any {
	for _, is := range branch[:min(len(branch), scanned)] {
		if v, at := constants(is); v != nil && at == place && missing == (is.Keyword == "required") {
			return v
		}
	}
	return nil
}

func sameScalar(a, b any) bool {
	return kindOf(a) == kindOf(b) && schemaValue(a, maxName) == schemaValue(b, maxName)
}
