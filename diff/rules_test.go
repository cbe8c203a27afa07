package diff

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// exampleFile makes a lockfile of one half of a rule's example.
func exampleFile(t testing.TB, r Rule, text string) *lockfile.File {
	t.Helper()
	m := decode(t, text).(map[string]any)
	object := map[string]any{"type": "object"}
	s := &lockfile.Server{}
	switch r.Side {
	case Input:
		s.Tools = map[string]*lockfile.Entry{"search": lockfile.EntryOf(map[string]any{"inputSchema": m})}
	case Output:
		fields := map[string]any{"inputSchema": object}
		if len(m) > 0 || text != "{}" {
			fields["outputSchema"] = m
		}
		s.Tools = map[string]*lockfile.Entry{"search": lockfile.EntryOf(fields)}
	default:
		s = exampleServer(m)
	}
	return &lockfile.File{Servers: map[string]*lockfile.Server{"example": s}}
}

func exampleServer(m map[string]any) *lockfile.Server {
	entries := func(name string) map[string]*lockfile.Entry {
		out := map[string]*lockfile.Entry{}
		for key, fields := range objects(m[name]) {
			out[key] = lockfile.EntryOf(fields)
		}
		return out
	}
	info, _ := m["server"].(map[string]any)
	capabilities, _ := m["capabilities"].(map[string]any)
	return &lockfile.Server{
		Info: info, Capabilities: capabilities,
		Instructions: textOf(m["instructions"]), ProtocolVersion: textOf(m["protocolVersion"]),
		Tools: entries("tools"), Prompts: entries("prompts"),
		Resources: entries("resources"), ResourceTemplates: entries("resourceTemplates"),
	}
}

// withoutExample are the rules that no pair of single contracts can show, each with the reason.
var withoutExample = map[string]string{
	"server-added":            "a server is added to a file, not to itself; see TestServers",
	"server-removed":          "a server is removed from a file, not from itself; see TestServers",
	"input-schema-undecided":  "told only where no single change is undecided; see TestUndecidedAsAWhole",
	"output-schema-undecided": "told only where no single change is undecided; see TestUndecidedAsAWhole",
	"tool-size-limit-passed":  "needs a limit in the options; see TestTokenLimit",
}

// besides are rules that come along with an example because the change itself brings them.
var besides = map[string][]string{
	"server-version-not-raised":  {"prompt-removed"},
	"tool-provider-shape-added":  {"input-property-added"},
	"tool-root-combinator-added": {"input-schema-respelled"},
	"input-schema-narrowed":      {"input-enum-narrowed"},
	"output-schema-widened":      {"output-enum-widened"},
	"tool-size-grew":             {"output-property-added"},
	"tool-size-shrank":           {"output-enum-narrowed"},
}

func TestRules(t *testing.T) {
	id := regexp.MustCompile(`^(input|output|tool|prompt|resource|template|server)(-[a-z]+)+$`)
	rules := Rules()
	seen := map[string]bool{}
	for i, r := range rules {
		if i > 0 && rules[i-1].ID >= r.ID {
			t.Errorf("%s stands after %s", r.ID, rules[i-1].ID)
		}
		if seen[r.ID] || !id.MatchString(r.ID) {
			t.Errorf("id %q: not well formed or not unique", r.ID)
		}
		seen[r.ID] = true
		if prefix, _, _ := strings.Cut(r.ID, "-"); (r.Side == Input || r.Side == Output) != (prefix == string(r.Side)) {
			t.Errorf("%s has side %s", r.ID, r.Side)
		}
		if len(r.Summary) < 8 || strings.HasSuffix(r.Summary, ".") || len(r.Doc) < 8 || !strings.HasSuffix(r.Doc, ".") {
			t.Errorf("%s: summary %q, doc %q", r.ID, r.Summary, r.Doc)
		}
		if r.Severity == None || r.Consumer < r.Severity {
			t.Errorf("%s: severity %s for authors, %s for consumers", r.ID, r.Severity, r.Consumer)
		}
		if _, ok := Lookup(r.ID); !ok {
			t.Errorf("Lookup(%q) finds nothing", r.ID)
		}
	}
	if _, ok := Lookup("no-such-rule"); ok {
		t.Error("Lookup finds a rule that does not exist")
	}
}

// TestRuleExamples checks that each example yields exactly its rule with its severity, and that either half compared with
// itself is silent.
func TestRuleExamples(t *testing.T) {
	for _, r := range Rules() {
		t.Run(r.ID, func(t *testing.T) {
			t.Parallel()
			if r.Example == (Example{}) {
				if withoutExample[r.ID] == "" {
					t.Fatal("no example")
				}
				return
			}
			if withoutExample[r.ID] != "" {
				t.Fatal("the waiver is stale")
			}
			base, rev := exampleFile(t, r, r.Example.Base), exampleFile(t, r, r.Example.Rev)
			report := Compare(base, rev, Options{})
			got := false
			for _, d := range report.Diffs {
				for _, c := range d.Changes {
					if c.Rule != r.ID {
						if !slices.Contains(besides[r.ID], c.Rule) {
							t.Errorf("also yields %s: %s", c.Rule, c.Message)
						}
						continue
					}
					if got {
						t.Errorf("yields the rule twice: %s", c.Message)
					}
					got = true
					if w := ""; r.Verdict && c.Severity == Breaking && c.Rule != "input-property-removed" {
						if c.Witness != nil {
							w = string(canonjson.Append(nil, c.Witness.Value))
						}
						if w != r.Example.Witness {
							t.Errorf("witness %s, want %s", w, r.Example.Witness)
						}
					}
					if c.Severity != r.Severity || c.Side != r.Side {
						t.Errorf("severity %s side %s, want %s %s: %s", c.Severity, c.Side, r.Severity, r.Side, c.Message)
					}
				}
			}
			if r.Example.Witness == "" != (r.Severity != Breaking || !r.Verdict || r.ID == "input-property-removed") {
				t.Errorf("witness %q of the example", r.Example.Witness)
			}
			if !got {
				t.Errorf("does not yield the rule but\n%s", dump(report))
			}
			if r := Compare(base, base, Options{}); len(r.Diffs) != 0 {
				t.Errorf("the baseline differs from itself: %s", dump(r))
			}
			if r := Compare(rev, rev, Options{}); len(r.Diffs) != 0 {
				t.Errorf("the revision differs from itself: %s", dump(r))
			}
		})
	}
}
