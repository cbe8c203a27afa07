package diff

import (
	"bytes"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/rules.md")

// TestRulesPage: docs/rules.md is what the table says. go generate rewrites it.
func TestRulesPage(t *testing.T) {
	const path = "../docs/rules.md"
	want := RulesMarkdown()
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// A checkout with CRLF line ends has the same page.
	if !bytes.Equal(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")), want) {
		t.Error("docs/rules.md is stale: run go generate ./diff")
	}
}
