package subschema

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// An evaluator judges values by the graph alone. It is the first check of every witness; the validator is the second.
type evaluator struct {
	g        *graph
	patterns *matcher
	format   func(name, value string) (bool, bool)
	steps    int  // left
	failed   bool // a pattern, an unknown node or the steps made the answer worthless
	sets     map[digest]map[any]struct{}
}

// holds reports whether v satisfies l. When failed is set afterwards the answer means nothing.
func (e *evaluator) holds(l lit, v any) bool {
	return e.accepts(&e.g.nodes[l.node()], v) != l.negated()
}

func (e *evaluator) accepts(n *node, v any) bool {
	if e.steps--; e.steps < 0 {
		e.failed = true
		return false
	}
	switch n.kind {
	case kTrue:
		return true
	case kAll:
		for _, k := range n.kids {
			if !e.holds(k, v) {
				return false
			}
		}
		return true
	case kOne:
		count := 0
		for _, k := range n.kids {
			if e.holds(k, v) {
				count++
			}
		}
		return count == 1
	case kType:
		return n.n&typeOf(v) != 0
	case kEnum:
		return e.listed(n, v)
	case kUnknown:
		e.failed = true
		return false
	}
	switch v := v.(type) {
	case json.Number:
		return guard(n.kind) != tNumber || e.number(n, v)
	case string:
		return guard(n.kind) != tString || e.text(n, v)
	case []any:
		return guard(n.kind) != tArray || e.array(n, v)
	case map[string]any:
		return guard(n.kind) != tObject || e.object(n, v)
	}
	return true
}

// manyValues is how many values of an enumeration are looked up rather than compared one by one.
const manyValues = 32

// listed reports whether v, if it is a scalar, is among the values of n, which are scalars.
func (e *evaluator) listed(n *node, v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return false
	}
	if len(n.values) < manyValues {
		return slices.Contains(n.values, v)
	}
	set, ok := e.sets[n.digest]
	if !ok {
		set = make(map[any]struct{}, len(n.values))
		for _, w := range n.values {
			set[w] = struct{}{}
		}
		if e.sets == nil {
			e.sets = map[digest]map[any]struct{}{}
		}
		e.sets[n.digest] = set
	}
	_, ok = set[v]
	return ok
}

func typeOf(v any) int {
	switch v.(type) {
	case nil:
		return tNull
	case bool:
		return tBoolean
	case json.Number:
		return tNumber
	case string:
		return tString
	case []any:
		return tArray
	}
	return tObject
}

func (e *evaluator) number(n *node, v json.Number) bool {
	r, ok := rat(v)
	if !ok {
		e.failed = true
		return false
	}
	switch n.kind {
	case kMin:
		c := r.Cmp(n.num)
		return c > 0 || c == 0 && !n.flag
	case kMax:
		c := r.Cmp(n.num)
		return c < 0 || c == 0 && !n.flag
	}
	return isMultiple(r, n.num)
}

func (e *evaluator) text(n *node, s string) bool {
	switch n.kind {
	case kMinLength:
		return utf8.RuneCountInString(s) >= n.n
	case kMaxLength:
		return utf8.RuneCountInString(s) <= n.n
	case kPattern:
		ok, known := e.patterns.match(n.text, s)
		e.failed = e.failed || !known
		return ok
	}
	if e.format == nil {
		e.failed = true
		return false
	}
	ok, known := e.format(n.text, s)
	e.failed = e.failed || !known
	return ok
}

func (e *evaluator) array(n *node, v []any) bool {
	switch n.kind {
	case kMinItems:
		return len(v) >= n.n
	case kMaxItems:
		return len(v) <= n.n
	case kItems:
		for i, item := range v {
			if !e.holds(itemKid(n, i), item) {
				return false
			}
		}
		return true
	case kUnique:
		return !hasDouble(v)
	}
	count := 0
	for i, item := range v {
		if (n.kind != kSomeItem || i >= n.n) && e.holds(n.kids[0], item) {
			count++
		}
	}
	switch n.kind {
	case kCountMin:
		return count >= n.n
	case kCountMax:
		return count <= n.n
	}
	return count > 0
}

// itemKid is the literal for position i of a kItems node.
func itemKid(n *node, i int) lit { return n.kids[min(i, len(n.kids)-1)] }

func hasDouble(v []any) bool {
	if len(v) < 8 {
		for i := range v {
			for j := range i {
				if canonjson.Equal(v[i], v[j]) {
					return true
				}
			}
		}
		return false
	}
	seen := make(map[string]bool, len(v))
	for _, item := range v {
		key := string(canonjson.Append(nil, item))
		if seen[key] {
			return true
		}
		seen[key] = true
	}
	return false
}

func (e *evaluator) object(n *node, v map[string]any) bool {
	switch n.kind {
	case kHas:
		_, ok := v[n.text]
		return ok
	case kMinProps:
		return len(v) >= n.n
	case kMaxProps:
		return len(v) <= n.n
	}
	for _, name := range canonjson.SortedKeys(v) {
		switch n.kind {
		case kProps:
			for _, k := range e.propKids(n, name, nil) {
				if !e.holds(k, v[name]) {
					return false
				}
			}
		case kNames:
			if !e.holds(n.kids[0], name) {
				return false
			}
		case kSome:
			if e.holds(n.kids[0], v[name]) && !slices.ContainsFunc(n.kids[1:], func(k lit) bool { return !e.holds(k, name) }) {
				return true
			}
		}
	}
	return n.kind != kSome
}

// propKids appends the literals that a kProps node puts on the member named name.
func (e *evaluator) propKids(n *node, name string, to []lit) []lit {
	found := false
	if i, ok := slices.BinarySearch(n.names, name); ok {
		to = append(to, n.kids[i])
		found = true
	}
	for i, pattern := range n.patterns {
		ok, known := e.patterns.match(pattern, name)
		e.failed = e.failed || !known
		if ok {
			to = append(to, n.kids[len(n.names)+i])
			found = true
		}
	}
	if !found {
		to = append(to, n.kids[len(n.kids)-1])
	}
	return to
}
