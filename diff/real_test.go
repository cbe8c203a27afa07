package diff_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/internal/realservers"
	"github.com/fusionctl/fusionctl/internal/validate"
	"github.com/fusionctl/fusionctl/lockfile"
)

var updateReal = flag.Bool("update-real", false, "rewrite testdata/real from the published servers")

// TestReal compares successive versions of published servers. Each report was read once by hand; what is kept of it are
// rules, names, places and our own words, not the servers' wording. Every BREAKING change of a schema has a witness that the validator,
// which shares no code with the decision procedure, confirms.
func TestReal(t *testing.T) {
	for _, pair := range realservers.Pairs(t) {
		base, rev := pair[0], pair[1]
		name := strings.NewReplacer("@", "", "/", "+").Replace(base.Package) + "@" + base.Version + ".." + rev.Version
		t.Run(name, func(t *testing.T) {
			report := diff.Compare(base.File(), rev.File(), diff.Options{})
			var got strings.Builder
			fmt.Fprintf(&got, "%v %d\n", report.MaxSeverity, len(report.Diffs))
			for _, d := range report.Diffs {
				for _, c := range d.Changes {
					place := c.Pointer
					if c.Action != "" {
						place += " (" + c.Action + ")"
					}
					fmt.Fprintf(&got, "%v %s %s %s %s\n    %s\n", c.Severity, d.Kind, d.Name, c.Rule, place, ownWords(c.Message))
					if c.Hint != "" {
						fmt.Fprintf(&got, "    hint: %s\n", ownWords(c.Hint))
					}
					if c.Witness != nil {
						fmt.Fprintf(&got, "    proof: %s\n", ownWords(c.Witness.Reason))
					}
					if c.Severity == diff.Breaking && c.Side != diff.Whole {
						checkWitness(t, base.Server, rev.Server, d, c)
					}
				}
			}
			golden(t, filepath.Join("testdata", "real", name+".txt"), got.String())
		})
	}
	for _, r := range realservers.Releases(t) {
		if report := diff.Compare(r.File(), r.File(), diff.Options{}); len(report.Diffs) > 0 {
			t.Errorf("%s %s compared with itself: %v", r.Package, r.Version, report.Diffs)
		}
	}
}

// checkWitness fails unless the change is a removed property, which may be ignored silently, or has a witness that the
// producer's schema accepts and the consumer's refuses.
func checkWitness(t *testing.T, base, rev *lockfile.Server, d diff.ContractDiff, c diff.Change) {
	t.Helper()
	where := fmt.Sprintf("%s %s %s", d.Name, c.Rule, c.Pointer)
	if c.Witness == nil {
		if c.Rule != "input-property-removed" && !strings.HasPrefix(c.Rule, "input-header-") {
			t.Errorf("%s: no witness", where)
		}
		return
	}
	producer, consumer := base.Tools[d.Name].InputSchema(), rev.Tools[d.Name].InputSchema()
	if c.Side == diff.Output {
		producer, consumer = rev.Tools[d.Name].OutputSchema(), base.Tools[d.Name].OutputSchema()
	}
	for i, schema := range [2]any{producer, consumer} {
		s, err := validate.Compile(schema, validate.Options{ECMAPatterns: true})
		if err != nil {
			t.Errorf("%s: %v", where, err)
			return
		}
		if ok, err := s.Valid(c.Witness.Value); err != nil || ok != (i == 0) {
			t.Errorf("%s: the witness %v is accepted by %s: %v, %v", where, c.Witness.Value, [2]string{"the producer", "the consumer"}[i], ok, err)
		}
	}
}

var quotedText = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// ownWords leaves out of a sentence what it quotes.
func ownWords(sentence string) string { return quotedText.ReplaceAllString(sentence, `"…"`) }

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *updateReal {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if delta := cmp.Diff(string(want), got); delta != "" {
		t.Errorf("%s (-want +got):\n%s", path, delta)
	}
}
