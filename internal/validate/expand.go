package validate

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// expand makes the issues of one error: usually one, but one for each missing or undeclared name.
func (c *collector) expand(l leaf) []envelope.Issue {
	issue := envelope.Issue{Path: canonjson.Pointer(l.path...), Keyword: l.keyword, Sent: true}
	if !l.foreign {
		issue.Expected, _ = canonjson.Lookup(c.schema.root, l.pointer)
		if l.keyword != "false" {
			issue.Schema = c.schema.object(parent(l.pointer))
		}
	}
	if name, ok := namesProblem(l); ok {
		object := l.path
		if name != "" {
			object = l.path[:len(l.path)-1]
		}
		return c.member(issue, object, name, "propertyNames", c.namesKeyword(l))
	}
	switch l.keyword {
	case "required":
		return c.required(issue, l)
	case "dependentRequired", "dependencies":
		return c.dependent(issue, l)
	case "additionalProperties":
		return c.undeclared(issue, l)
	case "unevaluatedProperties":
		if len(l.path) > 0 {
			issue.Known = c.index.declared(c.index.at[strings.TrimSuffix(l.err.AbsoluteKeywordLocation, "/unevaluatedProperties")])
			return c.member(issue, l.path[:len(l.path)-1], l.path[len(l.path)-1], l.keyword, issue.Expected)
		}
	case "oneOf", "anyOf":
		issue.Branches = c.branches(l)
	}
	issue.Received, issue.Secret = c.received(l.path)
	c.left--
	return []envelope.Issue{issue}
}

func (c *collector) received(path []string) (any, bool) {
	v, _ := canonjson.Lookup(c.value, canonjson.Pointer(path...))
	return v, c.tree != nil && c.tree.holdsSecret(path)
}

// member completes an issue about the member name of the object at path.
func (c *collector) member(issue envelope.Issue, path []string, name, keyword string, expected any) []envelope.Issue {
	issue.Path, issue.Property, issue.Keyword, issue.Expected = canonjson.Pointer(path...), name, keyword, expected
	issue.Received, _ = c.received(path)
	_, issue.Secret = c.received(append(slices.Clip(path), name))
	c.left--
	return []envelope.Issue{issue}
}

// namesProblem reports whether an error is about a property name: whether the way to its keyword leads through
// propertyNames. The library leaves an empty name out of the path of the value, which is then as long as that of the object.
func namesProblem(l leaf) (string, bool) {
	if !strings.Contains(l.err.KeywordLocation, "/propertyNames") {
		return "", false
	}
	tokens, depth := libraryTokens(l.err.KeywordLocation), 0
	for i := 0; i < len(tokens); i++ {
		switch p := positions[tokens[i]]; {
		case tokens[i] == "propertyNames":
			if len(l.path) <= depth {
				return "", true
			}
			return l.path[len(l.path)-1], true
		case p.shape&named != 0:
			depth += stepsInto(tokens[i])
			i++ // a name, which may be that of a keyword
		default:
			depth += stepsInto(tokens[i])
		}
	}
	return "", false
}

// stepsInto is 1 for a keyword whose schemas are about a part of the value, and 0 for one whose are about the value itself.
func stepsInto(keyword string) int {
	switch keyword {
	case "properties", "patternProperties", "additionalProperties", "unevaluatedProperties",
		"items", "prefixItems", "additionalItems", "unevaluatedItems", "contains":
		return 1
	}
	return 0
}

// namesKeyword returns the value of propertyNames, where it stands in the schema itself.
func (c *collector) namesKeyword(l leaf) any {
	p, ok := c.index.pointer(l.err.AbsoluteKeywordLocation)
	if !ok {
		return nil
	}
	for ; p != ""; p = parent(p) {
		if strings.HasSuffix(p, "/propertyNames") {
			v, _ := canonjson.Lookup(c.schema.root, p)
			return v
		}
	}
	v, _ := canonjson.Lookup(c.schema.root, parent(l.pointer))
	return v
}

func (c *collector) required(issue envelope.Issue, l leaf) []envelope.Issue {
	object, _ := canonjson.Lookup(c.value, issue.Path)
	m, _ := object.(map[string]any)
	list, _ := issue.Expected.([]any)
	var missing []string
	for _, name := range list {
		if name, ok := name.(string); ok {
			if _, sent := m[name]; !sent {
				missing = append(missing, name)
			}
		}
	}
	return c.missing(issue, l, missing, nil)
}

func (c *collector) dependent(issue envelope.Issue, l leaf) []envelope.Issue {
	tokens := libraryTokens(l.err.AbsoluteKeywordLocation)
	name, _ := canonjson.Lookup(c.schema.root, canonjson.Pointer(canonjson.Tokens(l.pointer)...)+"/"+canonjson.EscapeToken(tokens[len(tokens)-2])+"/"+tokens[len(tokens)-1])
	missing, ok := name.(string)
	if !ok {
		c.left--
		return []envelope.Issue{issue}
	}
	return c.missing(issue, l, []string{missing}, issue.Expected)
}

// missing makes one issue for each missing name.
func (c *collector) missing(issue envelope.Issue, l leaf, names []string, expected any) []envelope.Issue {
	slices.Sort(names)
	issue.Sent, issue.Received, issue.Expected = false, nil, expected
	holders := c.holders(parent(l.pointer))
	known := map[string]bool{}
	for _, h := range holders {
		for name := range h {
			known[name] = true
		}
	}
	issue.Known = canonjson.SortedKeys(known)
	var out []envelope.Issue
	for _, name := range slices.Compact(names) {
		if c.left <= 0 {
			break
		}
		c.left--
		issue.Property, issue.Schema = name, nil
		for _, h := range holders {
			if m, ok := h[name].(map[string]any); ok {
				issue.Schema = c.resolved(m)
				break
			}
		}
		issue.Secret = issue.Schema != nil && secretSchema(issue.Schema)
		out = append(out, issue)
	}
	return out
}

// holders returns the properties keywords that speak of the same object as the schema at pointer: its own and those of the
// schemas around it that apply it in place, as in {properties: …, anyOf: [{required: …}]}.
func (c *collector) holders(pointer string) []map[string]any {
	var out []map[string]any
	for {
		if p, ok := c.schema.object(pointer)["properties"].(map[string]any); ok {
			out = append(out, p)
		}
		tokens := canonjson.Tokens(pointer)
		n := len(tokens)
		switch {
		case n >= 2 && (tokens[n-2] == "allOf" || tokens[n-2] == "anyOf" || tokens[n-2] == "oneOf"):
			pointer = canonjson.Pointer(tokens[:n-2]...)
		case n >= 1 && (tokens[n-1] == "then" || tokens[n-1] == "else"):
			pointer = canonjson.Pointer(tokens[:n-1]...)
		default:
			return out
		}
	}
}

// resolved follows references, so that a reader sees the type of {"$ref": …}; what stands beside a reference wins.
func (c *collector) resolved(m map[string]any) map[string]any {
	for range 8 {
		ref, ok := m["$ref"].(string)
		if !ok || !strings.HasPrefix(ref, "#/") {
			return m
		}
		fragment, _ := unescapeFragment(ref[1:])
		target := c.schema.object(fragment)
		if target == nil {
			return m
		}
		merged := make(map[string]any, len(target)+len(m))
		for k, v := range target {
			merged[k] = v
		}
		for k, v := range m {
			if k != "$ref" {
				merged[k] = v
			}
		}
		m = merged
	}
	return m
}

func (c *collector) undeclared(issue envelope.Issue, l leaf) []envelope.Issue {
	object, _ := canonjson.Lookup(c.value, issue.Path)
	m, _ := object.(map[string]any)
	declared, _ := issue.Schema["properties"].(map[string]any)
	patterns, _ := issue.Schema["patternProperties"].(map[string]any)
	issue.Known = canonjson.SortedKeys(declared)
	var out []envelope.Issue
	for _, name := range canonjson.SortedKeys(m) {
		if _, ok := declared[name]; ok || c.matches(patterns, name) || c.left <= 0 {
			continue
		}
		out = append(out, c.member(issue, l.path, name, l.keyword, issue.Expected)...)
	}
	return out
}

// matches reports whether a key of patternProperties covers name. An undecided match covers it: better no issue than a
// wrong one.
func (c *collector) matches(patterns map[string]any, name string) (covered bool) {
	defer func() {
		if recover() != nil {
			covered = true
		}
	}()
	for p := range patterns {
		if p := c.schema.rewriter.patterns[p]; p != nil && p.expressible() && p.match(name) {
			return true
		}
	}
	return false
}

// branches returns the issues of each branch of a union: those first whose discriminator fits what was sent, then the
// ones with the fewest issues.
func (c *collector) branches(l leaf) [][]envelope.Issue {
	type branch struct {
		issues []envelope.Issue
		at     int
		fits   bool
	}
	union := c.index.at[parent(l.err.AbsoluteKeywordLocation)]
	value, _ := canonjson.Lookup(c.value, canonjson.Pointer(l.path...))
	causes := slices.Clone(l.err.Causes)
	at := func(e *jsonschema.ValidationError) int {
		rest := strings.TrimPrefix(e.KeywordLocation, l.err.KeywordLocation+"/")
		first, _, _ := strings.Cut(rest, "/")
		i, _ := strconv.Atoi(first)
		return i
	}
	slices.SortStableFunc(causes, func(a, b *jsonschema.ValidationError) int { return at(a) - at(b) })
	var out []branch
	for _, cause := range causes {
		if c.left <= 0 {
			break
		}
		b := branch{issues: c.issues(cause), at: at(cause)}
		if union != nil {
			subs := union.OneOf
			if strings.HasSuffix(l.err.AbsoluteKeywordLocation, "/anyOf") {
				subs = union.AnyOf
			}
			b.fits = b.at < len(subs) && c.index.discriminates(subs[b.at], value)
		}
		out = append(out, b)
	}
	slices.SortStableFunc(out, func(a, b branch) int {
		if a.fits != b.fits {
			if a.fits {
				return -1
			}
			return 1
		}
		return cmp.Compare(len(a.issues), len(b.issues))
	})
	var issues [][]envelope.Issue
	for _, b := range out {
		issues = append(issues, b.issues)
	}
	return issues
}
