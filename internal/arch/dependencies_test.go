package arch

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDependenciesAreExplained compares the direct dependencies of go.mod with the tables of docs/dependencies.md.
func TestDependenciesAreExplained(t *testing.T) {
	lines := func(name ...string) (all []string) {
		file, err := os.Open(filepath.Join(append([]string{"..", ".."}, name...)...))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		for s := bufio.NewScanner(file); s.Scan(); {
			all = append(all, s.Text())
		}
		return all
	}
	var required, explained []string
	for _, line := range lines("go.mod") {
		if path, version, ok := strings.Cut(strings.TrimSpace(line), " "); ok && strings.HasPrefix(version, "v") && !strings.Contains(version, "indirect") {
			required = append(required, path)
		}
	}
	for _, line := range lines("docs", "dependencies.md") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if strings.HasPrefix(line, "| ") && strings.Contains(cells[0], ".") {
			explained = append(explained, cells[0])
			if why := cells[len(cells)-1]; len(why) < 20 {
				t.Errorf("%s: %q does not say why", cells[0], why)
			}
		}
	}
	slices.Sort(required)
	slices.Sort(explained)
	if len(required) < 5 || !slices.Equal(required, explained) {
		t.Errorf("docs/dependencies.md explains\n%s\ngo.mod requires\n%s", strings.Join(explained, "\n"), strings.Join(required, "\n"))
	}
}
