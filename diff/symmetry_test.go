package diff

import (
	"strings"
	"testing"
)

// oneSided holds a sentence for each input rule without an output mirror, and the other way round.
var oneSided = map[string]string{
	"input-action-added":   "a result has no actions",
	"input-action-removed": "a result has no actions",
	"input-header-added":   "a result is not sent by the caller",
	"input-header-changed": "a result is not sent by the caller",
	"input-header-removed": "a result is not sent by the caller",
}

// noOpposite holds a sentence for each rule of something added, gained or widened that has no rule of the opposite, and the
// other way round.
var noOpposite = map[string]string{
	"server-version-not-raised":        "\"raised\" is no direction here: a version that moved is server-version-changed",
	"tool-hidden-characters-added":     "a text that loses hidden characters is a changed text",
	"prompt-hidden-characters-added":   "a text that loses hidden characters is a changed text",
	"resource-hidden-characters-added": "a text that loses hidden characters is a changed text",
	"template-hidden-characters-added": "a text that loses hidden characters is a changed text",
	"server-hidden-characters-added":   "a text that loses hidden characters is a changed text",
	"input-hidden-characters-added":    "a text that loses hidden characters is a changed text",
	"output-hidden-characters-added":   "a text that loses hidden characters is a changed text",
	"input-description-removed":        "a description that is new is a description that changed: the model reads other words",
	"output-description-removed":       "a description that is new is a description that changed: the model reads other words",
	"input-deprecation-removed":        "its opposite is input-deprecated",
	"output-deprecation-removed":       "its opposite is output-deprecated",
	"tool-deprecation-removed":         "its opposite is tool-deprecated",
	"input-default-null-added":         "removing any default is input-default-removed",
	"output-default-null-added":        "removing any default is output-default-removed",
	"tool-provider-shape-added":        "providers take a schema without one; that it went is told by the schema's own rules",
	"tool-root-combinator-added":       "providers take a schema without one; that it went is told by the schema's own rules",
}

func TestRuleSymmetry(t *testing.T) {
	opposite := [][2]string{{"added", "removed"}, {"widened", "narrowed"}, {"gained", "lost"}, {"raised", "lowered"},
		{"opened", "closed"}, {"declared", "undeclared"}, {"broken", "repaired"}, {"grew", "shrank"}}
	used := map[string]bool{}
	mirror := func(id, want string) {
		t.Helper()
		if _, ok := Lookup(want); !ok {
			if noOpposite[id] == "" && oneSided[id] == "" {
				t.Errorf("%s has no mirror %s and no waiver", id, want)
			}
			used[id] = true
		}
	}
	for _, r := range Rules() {
		if name, ok := strings.CutPrefix(r.ID, "input-"); ok {
			mirror(r.ID, "output-"+name)
		}
		if name, ok := strings.CutPrefix(r.ID, "output-"); ok {
			mirror(r.ID, "input-"+name)
		}
		for _, pair := range opposite {
			for i, verb := range pair {
				if stem, ok := strings.CutSuffix(r.ID, "-"+verb); ok {
					mirror(r.ID, stem+"-"+pair[1-i])
				}
			}
		}
	}
	for _, waivers := range []map[string]string{oneSided, noOpposite} {
		for id := range waivers {
			if !used[id] {
				t.Errorf("the waiver for %s is stale", id)
			}
		}
	}
}
