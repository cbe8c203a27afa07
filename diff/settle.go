package diff

import (
	"slices"
	"strconv"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// settlePointers makes each pointer lead somewhere in one of the two definitions. The walk names places by the way that it came,
// which may go through a reference or a branch that only one side has.
func settlePointers(c *collector, base, rev *lockfile.Entry) {
	was, is := base.Fields(), rev.Fields()
	for i := range c.diff.Changes {
		change := &c.diff.Changes[i]
		if leads(was, change.Pointer) || leads(is, change.Pointer) {
			continue
		}
		first, second := was, is
		if change.Before == nil {
			first, second = is, was
		}
		tokens := canonjson.Tokens(change.Pointer)
		place, left := settle(first, tokens)
		if other, less := settle(second, tokens); less < left {
			place = other
		}
		change.Pointer = canonjson.Pointer(place...)
	}
}

func leads(fields map[string]any, pointer string) bool {
	_, ok := canonjson.Lookup(any(fields), pointer)
	return ok
}

// settle finds the place that is meant by tokens, and how many of them lead to nothing.
func settle(fields map[string]any, tokens []string) (place []string, left int) {
	first := tokens[0]
	schema, ok := fields[first].(map[string]any)
	if !ok || first != "inputSchema" && first != "outputSchema" {
		n := 0
		for n < len(tokens) && leads(fields, canonjson.Pointer(tokens[:n+1]...)) {
			n++
		}
		return tokens[:n], len(tokens) - n
	}
	s := settler{steps: maxSettled}
	at, left := s.find(node{schema, nil, schema}, tokens[1:])
	return append([]string{first}, at...), left
}

// maxSettled bounds the search for one place.
const maxSettled = 1000

type settler struct{ steps int }

func (s *settler) find(n node, way []string) (at []string, left int) {
	at, left = n.at, len(way)
	if s.steps--; left == 0 || s.steps < 0 {
		return at, left
	}
	try := func(next node, way []string) {
		if left == 0 {
			return
		}
		if found, rest := s.find(next, way); rest < left {
			at, left = found, rest
		}
	}
	switch v := n.v.(type) {
	case map[string]any:
		if has(v, way[0]) {
			try(n.child(way[0]), way[1:])
		}
		if target, ok := n.follow(textOf(v["$ref"])); ok && has(v, "$ref") {
			try(target, way)
		}
		for _, keyword := range rootCombinators {
			for _, branch := range n.branches(keyword) {
				try(branch, way)
			}
		}
		if slices.Contains(rootCombinators, way[0]) && len(way) > 1 {
			try(n, way[2:]) // a branch that the other side has not
		}
	case []any:
		if i, err := strconv.Atoi(way[0]); err == nil && i >= 0 && i < len(v) {
			try(n.child(way[0]), way[1:])
		}
	}
	return at, left
}
