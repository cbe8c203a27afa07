package diff

import (
	"slices"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// weighTexts looks at the texts that came with changes which are harmless otherwise: a model reads the description of a new
// argument like any other. A consumer, who did not write it, is told so; a text that gives orders is told to everybody.
func weighTexts(c *collector, base, rev *lockfile.Entry) {
	for i := range c.diff.Changes {
		change := &c.diff.Changes[i]
		if change.Severity > Safe {
			continue
		}
		texts := gainedTexts(change, base, rev)
		if len(texts) == 0 {
			continue
		}
		ordering := slices.IndexFunc(texts, orders)
		if c.o.Audience == Consumer && (change.Severity == Safe || ordering >= 0) {
			change.Severity = Risky
			if ordering < 0 {
				addHint(change, "it brings text for the model: "+quote(texts[0]))
			}
		}
		if ordering >= 0 {
			addHint(change, "it brings text that reads like an instruction to the model: "+quote(texts[ordering]))
		}
	}
}

// gainedTexts are the titles and descriptions in what a change brought that were not in what it took away.
func gainedTexts(c *Change, base, rev *lockfile.Entry) []string {
	if c.After == nil || strings.HasPrefix(c.Pointer, "/_meta") || strings.HasPrefix(c.Pointer, "/icons") {
		return nil
	}
	if strings.HasSuffix(c.Rule, "-title-changed") {
		before, after := textsIn(c.Before, true), textsIn(c.After, true)
		return minus(after, before)
	}
	was, is := textsIn(c.Before, false), textsIn(c.After, false)
	if base != nil && rev != nil {
		was = append(was, textsBehind(c.Before, schemaAround(c, base))...)
		is = append(is, textsBehind(c.After, schemaAround(c, rev))...)
	}
	return minus(is, was)
}

// schemaAround is the schema in which a change is.
func schemaAround(c *Change, e *lockfile.Entry) any {
	if c.Side == Output {
		return e.OutputSchema()
	}
	return e.InputSchema()
}

// textsBehind lists the texts of the definitions to which references in a part of a schema lead, each definition once.
func textsBehind(part, schema any) []string {
	var out []string
	seen := map[string]bool{}
	queue := referencesIn(part, nil)
	for len(queue) > 0 {
		ref := queue[0]
		queue = queue[1:]
		target, ok := node{root: schema}.follow(ref)
		if seen[ref] || !ok {
			continue
		}
		seen[ref] = true
		out = append(out, textsIn(target.v, false)...)
		queue = referencesIn(target.v, queue)
	}
	return out
}

// textsIn lists the titles and descriptions in a part of a definition, or with all every text, in a fixed order.
func textsIn(v any, all bool) []string {
	var out []string
	switch v := v.(type) {
	case string:
		if all && v != "" {
			out = append(out, v)
		}
	case []any:
		for _, e := range v {
			out = append(out, textsIn(e, all)...)
		}
	case map[string]any:
		for _, k := range canonjson.SortedKeys(v) {
			text, isText := v[k].(string)
			switch {
			case !isText || all:
				out = append(out, textsIn(v[k], all)...)
			case (k == "description" || k == "title") && text != "":
				out = append(out, text)
			}
		}
	}
	return out
}
