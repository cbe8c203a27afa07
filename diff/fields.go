package diff

import (
	"slices"

	r3 "github.com/r3labs/diff/v3"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// A fieldChange is one place where two trees differ. Before or After is nil when the place does not exist there.
type fieldChange struct {
	path          []string
	before, after any
}

func (f fieldChange) pointer() string { return canonjson.Pointer(f.path...) }

// listFields lists where two objects differ, sorted by path. Objects are compared member by member; an array, and any
// other value, is one place: what a changed array means only its owner knows.
//
// r3labs/diff lists the places. It compares arrays as sets and stops at values of different kinds, so it is given a tree
// of objects and texts only, and its order follows Go maps, so its list is sorted.
func listFields(base, rev map[string]any) []fieldChange {
	log, err := r3.Diff(flatten(base), flatten(rev), r3.AllowTypeMismatch(true))
	if err != nil {
		// Cannot happen: both trees hold nothing but maps and strings. The whole object is then one place, so that
		// nothing is lost.
		return []fieldChange{{before: base, after: rev}}
	}
	changes := make([]fieldChange, 0, len(log))
	for _, l := range log {
		path := slices.Clone(l.Path)
		before, _ := lookupPath(base, path)
		after, _ := lookupPath(rev, path)
		changes = append(changes, fieldChange{path, before, after})
	}
	slices.SortFunc(changes, func(a, b fieldChange) int { return slices.Compare(a.path, b.path) })
	return changes
}

// flatten writes everything but objects as its canonical text.
func flatten(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return string(canonjson.Append(nil, v))
	}
	flat := make(map[string]any, len(m))
	for k, e := range m {
		flat[k] = flatten(e)
	}
	return flat
}

func lookupPath(m map[string]any, path []string) (any, bool) {
	var v any = m
	for _, name := range path {
		object, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = object[name]; !ok {
			return nil, false
		}
	}
	return v, true
}
