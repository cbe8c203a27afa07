package diff

import (
	"slices"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// weighTexts looks at the texts that came with changes which are harmless otherwise: a model reads the description of a new
// argument like any other. A consumer, who did not write it, is told so; a text that gives orders is told to everybody.
func weighTexts(c *collector) {
	for i := range c.diff.Changes {
		change := &c.diff.Changes[i]
		if change.Severity > Safe {
			continue
		}
		texts := gainedTexts(change)
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
func gainedTexts(c *Change) []string {
	if c.After == nil || strings.HasPrefix(c.Pointer, "/_meta") || strings.HasPrefix(c.Pointer, "/icons") {
		return nil
	}
	if strings.HasSuffix(c.Rule, "-title-changed") {
		before, after := textsIn(c.Before, true), textsIn(c.After, true)
		return minus(after, before)
	}
	return minus(textsIn(c.After, false), textsIn(c.Before, false))
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
