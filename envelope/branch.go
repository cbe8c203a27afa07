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
		merged.Received, merged.Sent, merged.Secret = is.Received, is.Sent, hide
		return x.wrongType(merged)
	}
	if right := withoutType(is.Path, branches); len(right) > 0 {
		branches = right
	}
	branches, merged := discriminate(branches)
	if merged != nil {
		merged.Secret = merged.Secret || hide
		return x.explain(*merged, nil, depth+1)
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
	for _, b := range branches {
		is, ok := typeAt(path, b)
		if !ok {
			return Issue{}, false
		}
		for _, t := range typeList(is.Expected) {
			if !slices.Contains(types, t) {
				types = append(types, t)
			}
		}
	}
	merged := Issue{Path: path, Keyword: "type", Expected: types}
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
	for _, b := range branches {
		for _, is := range b[:min(len(b), scanned)] {
			values, place := constants(is)
			if values == nil {
				continue
			}
			var kept [][]Issue
			var options []any
			for _, other := range branches {
				v := constantsAt(place, is.Keyword == "required", other)
				if v == nil {
					kept = append(kept, other)
					continue
				}
				for _, o := range v {
					if len(options) < scanned && !slices.ContainsFunc(options, func(p any) bool { return sameScalar(p, o) }) {
						options = append(options, o)
					}
				}
			}
			if len(kept) == 0 {
				merged := is
				merged.Branches = nil
				if is.Keyword == "required" {
					merged.Schema = map[string]any{"enum": options}
				} else {
					merged.Keyword, merged.Expected = "enum", options
				}
				return branches, &merged
			}
			if is.Keyword != "required" {
				branches = kept
				return branches, nil
			}
		}
	}
	return branches, nil
}

// constants returns the scalars that an issue allows at a place, if it is about constants: a failed const or enum, or a
// missing name whose schema is one.
func constants(is Issue) (values []any, place string) {
	schema, place := map[string]any{is.Keyword: is.Expected}, is.Path
	if is.Keyword == "required" {
		schema, place = is.Schema, holder(is)+"/"+escapeToken(is.Property)
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
