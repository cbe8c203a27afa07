package capture

import (
	"encoding/json"
	"fmt"
	"strings"
)

// An expander replaces the references that clients know in configurations.
type expander struct {
	getenv func(string) (string, bool)
	dir    string
}

// scalar is the text of a value that stands for a text: people write numbers and booleans under env.
func scalar(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return fmt.Sprint(v), true
	}
	return "", false
}

// expand replaces each ${…}, once: what a variable holds is not looked at again. Errors name variables, never values.
func (x expander) expand(s string) (string, error) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "${")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		ref, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", fmt.Errorf(`a reference that begins with "${" has no "}"`)
		}
		value, err := x.resolve(ref)
		if err != nil {
			return "", err
		}
		b.WriteString(value)
		s = after
	}
}

func (x expander) resolve(ref string) (string, error) {
	switch ref {
	case "workspaceFolder", "workspaceRoot":
		return x.dir, nil
	case "/", "pathSeparator":
		return "/", nil
	case "userHome":
		if home, ok := x.getenv("HOME"); ok {
			return home, nil
		}
		return x.variable("USERPROFILE", "")
	}
	if name, ok := strings.CutPrefix(ref, "input:"); ok {
		return "", fmt.Errorf("${input:%s} asks a person in the editor: name a variable instead, as ${env:NAME}", harmless(name, 60))
	}
	name := strings.TrimPrefix(ref, "env:")
	name, fallback, hasFallback := strings.Cut(name, ":-")
	if !isName(name) {
		return "", fmt.Errorf("the reference %s is not known", quote("${"+ref+"}"))
	}
	if !hasFallback {
		return x.variable(name, "set it, or give a default: ${"+name+":-default}")
	}
	if v, ok := x.getenv(name); ok && v != "" {
		return v, nil
	}
	return fallback, nil
}

func (x expander) variable(name, advice string) (string, error) {
	if v, ok := x.getenv(name); ok {
		return v, nil
	}
	return "", faultf(nil, advice, "the variable %s is not set", name)
}

func isName(s string) bool {
	for i, r := range s {
		switch {
		case r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z':
		case i > 0 && '0' <= r && r <= '9':
		default:
			return false
		}
	}
	return s != ""
}
