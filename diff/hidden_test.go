package diff

import (
	"strconv"
	"strings"
	"testing"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// richServer has a text at every kind of place that a definition knows.
const richServer = `{"server":{"name":"n","title":"N"},"instructions":"Be kind.","capabilities":{"experimental":{"x":{"note":"n"}}},
"tools":{"t":{"title":"T","description":"d","_meta":{"v/x":["m"],"fusionctl/behavior":{"systemRules":["r"]}},"annotations":{"title":"A","note":"n"},"other":{"a":"o"},
"icons":[{"src":"https://example.test/i.png"}],
"inputSchema":{"type":"object","title":"In","description":"all","$comment":"c","x-note":"e","properties":{
 "a":{"type":"string","description":"da","default":"v","examples":["s"],"enum":["v","w"],"x-y":{"z":"q"}},
 "b":{"anyOf":[{"type":"string","description":"one"},{"type":"null"}],"not":{"const":"k","description":"never"}},
 "c":{"type":"array","items":{"$ref":"#/$defs/C"},"contains":{"description":"some"}},
 "d":{"type":"object","propertyNames":{"description":"names"},"patternProperties":{"^p":{"description":"pp"}},"additionalProperties":{"description":"rest"},
  "dependentSchemas":{"e":{"description":"dep"}},"if":{"description":"if"},"then":{"description":"then"},"else":{"description":"else"}}},
 "$defs":{"C":{"type":"string","description":"used"},"U":{"type":"string","description":"unused"}}},
"outputSchema":{"type":"object","properties":{"r":{"description":"result"}}}}},
"prompts":{"p":{"title":"P","description":"d","arguments":[{"name":"a","description":"an argument","note":"n"}]}},
"resources":{"r:1":{"name":"r","description":"d","annotations":{"audience":["user"]}}},
"resourceTemplates":{"r:{x}":{"name":"r","mimeType":"text/plain"}}}`

// replaceAt gives a tree with the text at a path replaced: a value, or the name of a member.
func replaceAt(v any, path []string, name bool, text string) any {
	if len(path) == 0 {
		return text
	}
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			if out[i] = e; path[0] == strconv.Itoa(i) {
				out[i] = replaceAt(e, path[1:], name, text)
			}
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			switch {
			case k != path[0]:
				out[k] = e
			case name && len(path) == 1:
				out[text] = e
			default:
				out[k] = replaceAt(e, path[1:], name, text)
			}
		}
		return out
	}
	return v
}

func fileOf(definition any) *lockfile.File {
	return &lockfile.File{Servers: map[string]*lockfile.Server{"s": exampleServer(definition.(map[string]any))}}
}

// TestHiddenEverywhere puts a hidden character into each text of a server, names of members too, one at a time: each is told,
// at its place, and that it was there already is not.
func TestHiddenEverywhere(t *testing.T) {
	base, tried := decode(t, richServer), 0
	visitTexts(base, nil, func(path []string, text string, name bool) {
		if len(path) < 2 && path[0] != "instructions" || name && len(path) == 1 || name && len(path) < 3 && path[0] != "server" {
			return // the parts of a server have names of the protocol; a renamed item is one removed and one added
		}
		if name && (path[len(path)-1] == "type" || path[len(path)-1] == "inputSchema") || !name && path[len(path)-1] == "type" {
			return // not legal
		}
		tried++
		rev := replaceAt(base, path, name, text+"\u2066")
		report := Compare(fileOf(base), fileOf(rev), Options{})
		told := false
		for _, d := range report.Diffs {
			for _, c := range d.Changes {
				told = told || strings.HasSuffix(c.Rule, "-hidden-characters-added") && strings.Contains(c.Message, "U+2066") && c.Severity == Risky
			}
		}
		if !told {
			t.Errorf("%s (name %t): not told:\n%s", canonjson.Pointer(path...), name, dump(report))
		}
		if report := Compare(fileOf(rev), fileOf(rev), Options{}); len(report.Diffs) > 0 {
			t.Errorf("%s: differs from itself", canonjson.Pointer(path...))
		}
		if report := Compare(nil, fileOf(rev), Options{}); report.MaxSeverity != Risky {
			t.Errorf("%s (name %t): not told of a new server:\n%s", canonjson.Pointer(path...), name, dump(report))
		}
	})
	if tried < 120 {
		t.Errorf("only %d places tried", tried)
	}
}

// TestHiddenThatMoved: a text that the baseline had at another place is not new, and each new one is told once.
func TestHiddenThatMoved(t *testing.T) {
	const was = `{"type":"object","properties":{"a":{"type":"string","description":"x\u2066"}}}`
	const moved = `{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"string","description":"x\u2066"}}}`
	if d := compareAs(Input, decode(t, was), decode(t, moved)); d.MaxSeverity() > Cosmetic {
		t.Error(dump(Report{Diffs: []ContractDiff{d}}))
	}
	const more = `{"type":"object","properties":{"a":{"type":"string","description":"x\u2066"},"b":{"$ref":"#/$defs/B"}},"$defs":{"B":{"enum":["y\u2066"]}}}`
	d := compareAs(Input, decode(t, was), decode(t, more))
	if text := dump(Report{Diffs: []ContractDiff{d}}); strings.Count(text, "U+2066") != 1 || !strings.Contains(text, "/inputSchema/$defs/B/enum/0") {
		t.Error(text)
	}
}
