package envelope

import (
	"slices"
)

// scanned is how many issues are searched for names that belong together. It only matters for long lists: they are cut to the
// first few lines anyway.
const scanned = 64

// An explainer turns issues into lines.
type explainer struct {
	limits Limits
}

// lines explains at most n issues and returns how many it left out. Issues that another line covers are not counted.
func (x explainer) lines(issues []Issue, n, depth int) (fields []Field, more int) {
	names := x.renames(issues)
	covered := x.covered(issues, names)
	for i := range issues {
		switch {
		case i < len(covered) && covered[i]:
			continue
		case len(fields) >= n && i >= len(covered):
			return fields, more + len(issues) - i
		case len(fields) >= n:
			more++
			continue
		}
		added := x.explain(issues[i], issues, names, depth)
		room := n - len(fields)
		more += max(0, len(added)-room)
		fields = append(fields, added[:min(room, len(added))]...)
	}
	return fields, more
}

// covered marks the missing names that the line of a misspelt name or of a wrapper explains already.
func (x explainer) covered(issues []Issue, names map[spot]string) []bool {
	issues = issues[:min(len(issues), scanned)]
	done := make([]bool, len(issues))
	for _, is := range issues {
		if !undeclared(is.Keyword) {
			continue
		}
		parent := is.Path
		inner := wrapped(is)
		renamed, known := names[spot{parent, is.Property}]
		for j, other := range issues {
			if other.Keyword != "required" || other.Path != parent {
				continue
			}
			if _, in := inner[other.Property]; in || known && other.Property == renamed {
				done[j] = true
			}
		}
	}
	return done
}

func undeclared(keyword string) bool {
	return keyword == "additionalProperties" || keyword == "unevaluatedProperties" || keyword == "undeclared"
}

func escapeToken(s string) string {
	var b []byte
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '~':
			b = append(b, "~0"...)
		case '/':
			b = append(b, "~1"...)
		default:
			b = append(b, s[i])
		}
	}
	return string(b)
}

// member returns the value of the undeclared member: Received is that value, or the object that has it.
func member(is Issue) any {
	if m, ok := is.Received.(map[string]any); ok {
		if v, has := m[is.Property]; has {
			return v
		}
	}
	return is.Received
}

// wrapped returns the object under an undeclared name if it holds names that belong one level up: {"params": {"id": 1}}.
func wrapped(is Issue) map[string]any {
	v := member(is)
	m, ok := v.(map[string]any)
	if s, text := v.(string); text {
		m, ok = parseText(s).(map[string]any)
	}
	if !ok {
		return nil
	}
	for _, k := range is.Known[:min(len(is.Known), 500)] {
		if _, has := m[k]; has {
			return m
		}
	}
	return nil
}

// secret reports whether the value of an issue must not be shown.
func secret(is Issue) bool {
	return is.Secret || secretSchema(is.Schema) || secretPath(is.Path) || is.Property != "" && secretName(is.Property)
}

// line puts the parts of a line together.
func (x explainer) line(name, problem, sent, expected string) []Field {
	return []Field{{name, clean(problem+". You sent: "+sent+". Expected "+expected+".", maxFieldLen)}}
}

func (x explainer) explain(is Issue, all []Issue, names map[spot]string, depth int) []Field {
	switch {
	case is.Keyword == "required" || is.Keyword == "dependentRequired" || is.Keyword == "dependencies" && is.Property != "":
		return x.missing(is)
	case undeclared(is.Keyword):
		return x.extra(is, all, names)
	case is.Keyword == "propertyNames":
		names, ok := is.Expected.(map[string]any)
		if !ok {
			names = is.Schema
		}
		return x.line(readablePath(is.Path), "Name not allowed", quote(clean(is.Property, x.limits.Value)), "a name that is "+x.expectation(names, false))
	case is.Keyword == "oneOf" || is.Keyword == "anyOf":
		return x.branches(is, depth)
	case is.Keyword == "type":
		return x.wrongType(is)
	}
	sent := "nothing"
	if is.Sent {
		sent = shown(is.Received, secret(is), x.limits.Value)
	}
	problem, extra, expected := x.keyword(is)
	if extra != "" {
		sent += " (" + extra + ")"
	}
	return x.line(readablePath(is.Path), problem, sent, expected)
}

func (x explainer) missing(is Issue) []Field {
	name := readablePath(is.Path, is.Property)
	if is.Property == "" {
		name = readablePath(is.Path)
	}
	expected := x.expectation(is.Schema, secret(is))
	if is.Keyword != "required" {
		if by := trigger(is); by != "" {
			expected += ", because " + quote(clean(by, x.limits.Value)) + " is sent"
		}
	}
	if len(is.Moved) > 0 {
		return x.line(name, "Required field missing", x.sentAs(is.Moved), quote(clean(is.Property, maxName))+", "+expected)
	}
	if m, ok := is.Received.(map[string]any); ok && len(m) <= 500 {
		var other []string
		for _, k := range sortedKeys(m) {
			if !slices.Contains(is.Known, k) {
				other = append(other, k)
			}
		}
		if near := nearest(is.Property, other, 1); near != nil && len(is.Known) > 0 {
			return x.line(name, "Required field missing", "the name "+quote(clean(near[0], x.limits.Value))+" instead", quote(clean(is.Property, x.limits.Value))+", "+expected)
		}
	}
	return x.line(name, "Required field missing", "nothing", expected)
}

// trigger finds the name that makes Property required.
func trigger(is Issue) string {
	m, _ := is.Expected.(map[string]any)
	for _, k := range sortedKeys(m) {
		names, _ := m[k].([]any)
		if slices.Contains(names, any(is.Property)) {
			return k
		}
	}
	s, _ := is.Expected.(string)
	return s
}

func (x explainer) extra(is Issue, all []Issue, names map[spot]string) []Field {
	limit := x.limits.Value
	name := readablePath(is.Path, is.Property)
	if is.Property == "" {
		return x.line(readablePath(is.Path), "Unknown names", ifElse(secret(is), shown(is.Received, true, limit), shownNames(is.Received, limit)), "only "+x.known(is.Known))
	}
	sent := quote(clean(is.Property, limit))
	if len(is.Moved) > 0 {
		return x.line(name, "Unknown name", sent, x.belongs(is))
	}
	if inner := wrapped(is); inner != nil {
		return x.line(name, "The fields are wrapped in an object", "an object with the names "+nameList(sortedKeys(inner), 5, limit)+" under "+sent,
			"these names one level up, without "+sent+" around them")
	}
	if meant, ok := names[spot{is.Path, is.Property}]; ok {
		return x.line(name, "Unknown name", sent, x.instead(is, meant, all))
	}
	return x.line(name, "Unknown name", sent, x.known(is.Known))
}

func shownNames(v any, limit int) string {
	if m, ok := v.(map[string]any); ok {
		return nameList(sortedKeys(m), 5, limit)
	}
	return "an undeclared name"
}

func (x explainer) known(names []string) string {
	switch len(names) {
	case 0:
		return "no such name here: leave it out"
	case 1:
		return quote(clean(names[0], x.limits.Value)) + " or nothing else: leave this name out"
	}
	return "one of the names " + nameList(names, 8, x.limits.Value) + ": leave this name out"
}
