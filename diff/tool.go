package diff

import (
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// compareTool compares two definitions of one tool.
func compareTool(c *collector, base, rev *lockfile.Entry) {
	compareText(c, "description", "/description", "the description", base.Description(), rev.Description())
	compareDeprecation(c, base, rev)
	compareAnnotations(c, base, rev)
	compareToolFields(c, base, rev)
	compareBehavior(c, base, rev)
	compareToolSchemas(c, base, rev)
	compareSize(c, base, rev)
}

// compareToolFields reports the members that have no code of their own.
func compareToolFields(c *collector, base, rev *lockfile.Entry) {
	seen := map[string]bool{}
	before, after := otherFields(base), otherFields(rev)
	for _, part := range []string{"annotations", "_meta"} { // an object that gained its first member of ours is no new object
		if has(before, part) != has(after, part) {
			before[part], after[part] = objectOf(before[part]), objectOf(after[part])
		}
	}
	for _, f := range listFields(before, after) {
		field := f.path[0]
		switch field {
		case "title":
			compareTitle(c, f)
		case "icons", "_meta":
			if !seen[field] {
				before, after := base.Fields()[field], rev.Fields()[field]
				if field == "_meta" {
					before, after = f.before, f.after
					c.add("tool-meta-changed", f.pointer(), before, after, "%s %s", quote(strings.Join(f.path, ".")), changedWord(before, after))
					continue
				}
				c.add("tool-icons-changed", "/icons", before, after, "the icons %s", strings.Replace(changedWord(before, after), "was", "were", 1))
			}
			seen[field] = true
		case "execution":
			compareExecution(c, f)
		default:
			c.add("tool-field-changed", f.pointer(), f.before, f.after,
				"%s, which fusionctl does not know, %s", quote(strings.Join(f.path, ".")), changedWord(f.before, f.after))
		}
	}
}

// objectOf is an object that may be absent.
func objectOf(v any) map[string]any {
	if m, ok := v.(map[string]any); ok {
		return m
	}
	return map[string]any{}
}

// otherFields are the members of a tool that compareToolFields looks at.
func otherFields(e *lockfile.Entry) map[string]any {
	all := e.Fields()
	fields := make(map[string]any, len(all))
	for name, v := range all {
		switch name {
		case "description", "inputSchema", "outputSchema", "deprecated":
		case "annotations":
			if rest := unknownAnnotations(e); len(rest) > 0 {
				fields[name] = rest
			}
		case "_meta":
			if rest := plainMeta(e); len(rest) > 0 {
				fields[name] = rest
			}
		default:
			fields[name] = v
		}
	}
	return fields
}

// compareTitle reports a title, which is for display only.
func compareTitle(c *collector, f fieldChange) {
	before, _ := f.before.(string)
	after, _ := f.after.(string)
	if onlyHidden(before, after) {
		return
	}
	c.add(c.prefix()+"-title-changed", f.pointer(), f.before, f.after, "the title %s", describeRewording(before, after))
}

// compareExecution reports execution.taskSupport by its effective value; "forbidden" is the default.
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks.
func compareExecution(c *collector, f fieldChange) {
	before, after := taskSupport(f.before), taskSupport(f.after)
	if len(f.path) > 2 || len(f.path) == 2 && f.path[1] != "taskSupport" {
		c.add("tool-field-changed", f.pointer(), f.before, f.after, "%s %s", quote(strings.Join(f.path, ".")), changedWord(f.before, f.after))
		return
	}
	rule := "tool-task-support-respelled"
	switch {
	case before == after:
		c.add(rule, f.pointer(), f.before, f.after, "execution.taskSupport is %s as before, spelled otherwise", quote(after))
		return
	case after == "required":
		rule = "tool-task-support-required"
	case after == "forbidden":
		rule = "tool-task-support-forbidden"
	case after == "optional":
		rule = "tool-task-support-optional"
	default:
		rule = "tool-field-changed"
	}
	c.add(rule, f.pointer(), f.before, f.after, "execution.taskSupport was %s and is %s", quote(before), quote(after))
}

// taskSupport reads the value of taskSupport, given it or the object around it.
func taskSupport(v any) string {
	if m, ok := v.(map[string]any); ok {
		v = m["taskSupport"]
	}
	if s, ok := v.(string); ok {
		return s
	}
	return "forbidden"
}

// compareDeprecation reports a tool that was marked deprecated, or no longer is.
func compareDeprecation(c *collector, base, rev *lockfile.Entry) {
	before, after := deprecated(base), deprecated(rev)
	switch {
	case !before && after:
		c.add("tool-deprecated", "", nil, nil, "the tool %s is marked deprecated%s", quote(c.diff.Name), replacementNote(rev))
	case before && !after:
		c.add("tool-deprecation-removed", "", nil, nil, "the tool %s is no longer marked deprecated", quote(c.diff.Name))
	}
}

// deprecated reports whether a definition says that it is deprecated: by a member (the protocol has none of its own), in
// _meta, or at the start of its description.
func deprecated(e *lockfile.Entry) bool {
	if e == nil {
		return false
	}
	meta, _ := e.Fields()["_meta"].(map[string]any)
	for _, v := range []any{e.Fields()["deprecated"], e.Annotations()["deprecated"], meta["deprecated"]} {
		switch v := v.(type) {
		case bool:
			if v {
				return true
			}
		case string, map[string]any:
			return true
		}
	}
	return saysDeprecated(e.Description())
}

// saysDeprecated reports whether a text begins with, or has in brackets, the word deprecated.
func saysDeprecated(text string) bool {
	lower := strings.ToLower(text)
	start := strings.TrimLeft(lower, " \t\r\n*_[({!#⚠️")
	return strings.HasPrefix(start, "deprecated") || strings.Contains(lower, "[deprecated") || strings.Contains(lower, "(deprecated") ||
		strings.Contains(lower, "**deprecated") || strings.Contains(lower, "is deprecated")
}

// replacementNote quotes what a deprecated definition says about its replacement.
func replacementNote(e *lockfile.Entry) string {
	text := e.Description()
	lower := strings.ToLower(text)
	if len(lower) != len(text) {
		return ""
	}
	at := strings.Index(lower, "use ")
	if at < 0 {
		return ""
	}
	return ": " + quote(text[at:at+sentenceEnd(text[at:])])
}

// sentenceEnd is where a sentence ends: at a period, a line or the bracket in which it stands.
func sentenceEnd(text string) int {
	open := 0
	for i, r := range text {
		switch r {
		case '.', '\n', ';':
			if rest := text[i+1:]; open == 0 && (r != '.' || rest == "" || strings.ContainsAny(rest[:1], " \n\t)]\"'*")) {
				return i
			}
		case '(', '[':
			open++
		case ')', ']':
			if open--; open < 0 {
				return i
			}
		}
	}
	return len(text)
}

// removalNote says whether a removed item had been announced as deprecated.
func removalNote(kind lockfile.Kind, e *lockfile.Entry) string {
	switch {
	case kind != lockfile.KindTool:
		return ""
	case deprecated(e):
		return "; the baseline had marked it deprecated" + replacementNote(e)
	}
	return "; the baseline had not marked it deprecated"
}

// Tokens is about how many tokens a definition costs a model: the bytes of its canonical form divided by four, rounded
// up. Tokenizers differ; for English text and JSON this rule is within a fifth of the common ones.
func Tokens(kind lockfile.Kind, key string, e *lockfile.Entry) int {
	return (len(canonjson.Append(nil, e.Definition(kind, key))) + 3) / 4
}

// minTokenGrowth keeps small definitions, where one more argument is half of all, out of the report.
const minTokenGrowth = 100

// compareSize reports a definition that costs much more, or much less, of a model's context. A definition that only
// changed its spelling is left alone: nothing but its size changed, and a refactoring is not a risk.
func compareSize(c *collector, base, rev *lockfile.Entry) {
	before, after := Tokens(c.diff.Kind, c.diff.Name, base), Tokens(c.diff.Kind, c.diff.Name, rev)
	worst := c.diff.MaxSeverity()
	switch {
	case c.o.TokenLimit > 0 && after > c.o.TokenLimit && before <= c.o.TokenLimit:
		c.add("tool-size-limit-passed", "", nil, nil, "the definition takes about %d tokens, before %d; the limit is %d", after, before, c.o.TokenLimit)
	case worst <= Cosmetic:
	case 2*after >= 3*before && after-before >= minTokenGrowth:
		c.add("tool-size-grew", "", nil, nil, "the definition takes about %d tokens, before %d", after, before)
	case 3*after <= 2*before && before-after >= minTokenGrowth:
		c.add("tool-size-shrank", "", nil, nil, "the definition takes about %d tokens, before %d", after, before)
	}
}
