package hostile

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// root is the folder of the module, from here.
const root = "../.."

// fuzzTargets are the module's fuzz targets, as folder and name.
func fuzzTargets(t *testing.T) (targets []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && p != root && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case !strings.HasSuffix(p, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(p))
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Fuzz") {
				targets = append(targets, filepath.ToSlash(dir)+" "+fn.Name.Name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return targets
}

// TestEveryFuzzTargetGoesOn: each target is in the nightly workflow's list, which names no other, and has a kept corpus.
func TestEveryFuzzTargetGoesOn(t *testing.T) {
	t.Parallel()
	targets := fuzzTargets(t)
	if len(targets) < 10 {
		t.Fatalf("found only %q, the walk is wrong", targets)
	}
	data, err := os.ReadFile(filepath.Join(root, ".github", "workflows", "fuzz.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, m := range regexp.MustCompile(`(?m)^\s+- ([a-z/]+ Fuzz\w+)$`).FindAllStringSubmatch(string(data), -1) {
		listed = append(listed, m[1])
	}
	for _, target := range targets {
		if !slices.Contains(listed, target) {
			t.Errorf("fuzz.yml does not list %q", target)
		}
		dir, name, _ := strings.Cut(target, " ")
		corpus := path.Join(dir, "testdata", "fuzz", name)
		if entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(corpus))); err != nil || len(entries) == 0 {
			t.Errorf("%s is empty: keep some of what a run of %s finds", corpus, name)
		}
	}
	for _, target := range listed {
		if !slices.Contains(targets, target) {
			t.Errorf("fuzz.yml lists %q, which is no fuzz target", target)
		}
	}
}
