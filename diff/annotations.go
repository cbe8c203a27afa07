package diff

import (
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// A hint is one boolean tool annotation. Annotations are compared by effective value: an absent one has the default of
// the protocol, https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations.
type hint struct {
	name    string
	normal  bool   // effective value when absent
	on, off string // rules for false→true and true→false
	writes  bool   // has a meaning only for a tool that is not read-only
	becomes [2]string
}

var hints = []hint{
	{"readOnlyHint", false, "tool-read-only-gained", "tool-read-only-lost", false,
		[2]string{"no longer promises to be read-only: it may change its environment", "is said to be read-only now"}},
	{"destructiveHint", true, "tool-destructive-gained", "tool-destructive-lost", true,
		[2]string{"is said not to be destructive now", "may be destructive now: the promise that it only adds is gone"}},
	{"idempotentHint", false, "tool-idempotent-gained", "tool-idempotent-lost", true,
		[2]string{"no longer promises that a repeated call changes nothing more", "is said to be idempotent now"}},
	{"openWorldHint", true, "tool-open-world-gained", "tool-open-world-lost", false,
		[2]string{"is said to stay in a closed world now", "may reach an open world of external things now"}},
}

// effective is the value that a client that knows the defaults acts on.
func (h hint) effective(annotations map[string]any) bool {
	if v, ok := annotations[h.name].(bool); ok {
		return v
	}
	return h.normal
}

func readOnly(annotations map[string]any) bool { return hints[0].effective(annotations) }

// compareAnnotations reports the four hints by effective value, and one change for all that is only another spelling.
// When readOnlyHint itself changed, the hints that have a meaning only for writing tools say nothing of their own.
func compareAnnotations(c *collector, base, rev *lockfile.Entry) {
	before, after := base.Annotations(), rev.Annotations()
	var respelled []string
	for _, h := range hints {
		if canonjson.Equal(before[h.name], after[h.name]) && has(before, h.name) == has(after, h.name) &&
			h.effective(before) == h.effective(after) {
			continue
		}
		if h.effective(before) == h.effective(after) || h.writes && (readOnly(before) || readOnly(after)) {
			respelled = append(respelled, h.name)
			continue
		}
		rule, words := h.off, h.becomes[0]
		if h.effective(after) {
			rule, words = h.on, h.becomes[1]
		}
		c.add(rule, "/annotations/"+h.name, before[h.name], after[h.name], "the tool %s", words)
		if h.name == "readOnlyHint" && !h.effective(after) && hints[1].effective(after) {
			c.hint("its effective destructiveHint is true")
		}
		if !has(after, h.name) {
			c.hint("%s was removed; absent means %t", h.name, h.normal)
		}
	}
	if len(respelled) > 0 {
		c.add("tool-annotations-respelled", "/annotations", members(before, respelled), members(after, respelled),
			"%s: spelled otherwise, which has no effect of its own", quoteList(respelled))
	}
	if t := (fieldChange{[]string{"annotations", "title"}, before["title"], after["title"]}); !canonjson.Equal(t.before, t.after) {
		compareTitle(c, t)
	}
}

// unknownAnnotations are the members of annotations that compareAnnotations does not look at.
func unknownAnnotations(e *lockfile.Entry) map[string]any {
	rest := map[string]any{}
	for name, v := range e.Annotations() {
		switch name {
		case "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint", "title", "deprecated":
		default:
			rest[name] = v
		}
	}
	return rest
}

func has(m map[string]any, name string) bool {
	_, ok := m[name]
	return ok
}

// members are those of an object that have one of the names, nil when there is none.
func members(m map[string]any, names []string) any {
	out := map[string]any{}
	for _, name := range names {
		if has(m, name) {
			out[name] = m[name]
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// textlessMap is nil for an absent object.
func textlessMap(m map[string]any) any {
	if m == nil {
		return nil
	}
	return m
}
