package awareness

import (
	"strconv"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// references are the pointers, as tokens, of the schemas that refer to a definition. A change of a definition is about the
// places of those, not about the whole call.
type references map[string][][]string

// Bounds of what is followed: definitions may refer to each other and to themselves.
const (
	maxReferences = 5000
	maxRefDepth   = 4
	maxRefPlaces  = 64
)

// add collects the references of a schema.
func (r references) add(schema any) {
	left := maxReferences
	var walk func(v any, at []string)
	walk = func(v any, at []string) {
		switch v := v.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok && left > 0 {
				left--
				r[ref] = append(r[ref], at)
			}
			for _, key := range canonjson.SortedKeys(v) {
				walk(v[key], append(at[:len(at):len(at)], key))
			}
		case []any:
			for i, e := range v {
				walk(e, append(at[:len(at):len(at)], strconv.Itoa(i)))
			}
		}
	}
	walk(schema, nil)
}

// resolve replaces the definition at the beginning of a pointer by the places that refer to it. A definition that nothing
// refers to stays.
func (r references) resolve(tokens []string, depth int) [][]string {
	if len(tokens) < 2 || tokens[0] != "$defs" && tokens[0] != "definitions" || depth == maxRefDepth {
		return [][]string{tokens}
	}
	var resolved [][]string
	for _, at := range r["#"+canonjson.Pointer(tokens[:2]...)] {
		if len(at) >= 2 && at[0] == tokens[0] && at[1] == tokens[1] {
			continue // refers to itself: found from outside already
		}
		for _, outer := range r.resolve(append(at[:len(at):len(at)], tokens[2:]...), depth+1) {
			if len(resolved) < maxRefPlaces {
				resolved = append(resolved, outer)
			}
		}
	}
	if resolved == nil {
		return [][]string{tokens}
	}
	return resolved
}
