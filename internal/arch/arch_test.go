package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/fusionctl/fusionctl"

// layers lists the packages from the top down with what they may import from this module. "*" means every package below.
var layers = []struct {
	pkg     string
	imports []string
}{
	{"internal/hostile", nil}, // tests only, of everything
	{"internal/bench/cmd", []string{"*"}},
	{"internal/bench/sidebyside", []string{"*"}},
	{"internal/bench", []string{"lockfile", "internal/canonjson"}}, // contracts for benchmarks
	{"cmd/fusionctl", []string{"*"}},
	{"internal/demo", []string{"awareness/gosdk", "awareness", "envelope", "lockfile"}},
	{"internal/report", []string{"diff", "lockfile", "internal/canonjson"}},
	{"internal/policy", []string{"diff", "lockfile", "internal/canonjson"}},
	{"awareness/proxy", []string{"awareness", "envelope", "lockfile", "internal/canonjson"}},
	{"awareness/mcpgo", []string{"awareness", "envelope", "lockfile", "internal/canonjson"}},
	{"awareness/gosdk", []string{"awareness", "envelope", "lockfile", "internal/canonjson"}},
	{"internal/hooktest", []string{"awareness", "envelope", "lockfile", "internal/canonjson", "internal/hooktest/foreign"}}, // what tests of the hooks share
	{"awareness", []string{"diff", "lockfile", "envelope", "internal/validate", "internal/canonjson"}},
	{"diff", []string{"lockfile", "internal/subschema", "internal/validate", "internal/regular", "internal/canonjson"}},
	{"internal/realservers", []string{"internal/capture", "lockfile"}}, // published servers, for tests
	{"internal/capture", []string{"lockfile", "internal/canonjson"}},
	{"lockfile", []string{"internal/canonjson"}},
	{"internal/subschema", []string{"internal/canonjson", "internal/validate", "internal/regular"}},
	{"internal/validate", []string{"internal/canonjson", "envelope"}},
	{"internal/validate/suite", []string{"internal/canonjson"}}, // values for tests
	{"internal/regular", nil},
	{"envelope", nil},
	{"internal/canonjson", nil},
	{"internal/hooktest/foreign", nil}, // hostile texts, for the tests of every output
	{"internal/arch", nil},
	{"internal/licences", nil}, // for releases
}

// confined names where a library may be imported outside of tests: a package, or one file of it.
var confined = map[string][]string{
	"github.com/spf13/cobra":                   {"cmd/fusionctl"},
	"github.com/spf13/pflag":                   {"cmd/fusionctl"},
	"github.com/fatih/color":                   {"internal/report"},
	"go.yaml.in/yaml/v3":                       {"internal/policy"},
	"github.com/r3labs/diff/v3":                {"diff/fields.go"},
	"github.com/santhosh-tekuri/jsonschema/v5": {"internal/validate"},
	"github.com/dlclark/regexp2":               {"internal/regular", "internal/validate"},
	"github.com/modelcontextprotocol/go-sdk":   {"internal/capture", "awareness/gosdk", "awareness/proxy", "internal/demo", "internal/hooktest"},
	"github.com/mark3labs/mcp-go":              {"awareness/mcpgo"},
	"golang.org/x/sys":                         {"internal/capture", "lockfile", "awareness/proxy"},
	"golang.org/x/term":                        {"cmd/fusionctl"},
}

// testOnly are libraries that only tests may import.
var testOnly = []string{"github.com/rogpeppe/go-internal", "pgregory.net/rapid", "github.com/google/go-cmp"}

// A source is one Go file of the module.
type source struct {
	dir, name string // slash-separated, from the module's root
	test      bool
	file      *ast.File
	set       *token.FileSet
}

func (s source) imports() []string {
	paths := make([]string, 0, len(s.file.Imports))
	for _, i := range s.file.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		paths = append(paths, p)
	}
	return paths
}

func sources(t *testing.T, mode parser.Mode) []source {
	t.Helper()
	var all []source
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if p != root && (name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, p, nil, mode)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		all = append(all, source{path.Dir(rel), rel, strings.HasSuffix(name, "_test.go"), f, set})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 10 {
		t.Fatalf("found %d Go files under %s, the walk is wrong", len(all), root)
	}
	return all
}

func layerOf(pkg string) int {
	for i, l := range layers {
		if l.pkg == pkg {
			return i
		}
	}
	return -1
}

func TestLayersPointDownwards(t *testing.T) {
	for i, l := range layers {
		for _, imp := range l.imports {
			if imp != "*" && layerOf(imp) <= i {
				t.Errorf("table: %s may import %s, which is not below it", l.pkg, imp)
			}
		}
	}
}

func TestImportsOfThisModule(t *testing.T) {
	for _, s := range sources(t, parser.ImportsOnly) {
		at := layerOf(s.dir)
		if at < 0 {
			t.Errorf("%s: package %s has no place in the table of layers", s.name, s.dir)
			continue
		}
		for _, p := range s.imports() {
			pkg, ours := strings.CutPrefix(p, module+"/")
			if !ours || pkg == s.dir {
				continue
			}
			allowed := layers[at].imports
			switch {
			case layerOf(pkg) < 0:
				t.Errorf("%s imports %s, which has no place in the table of layers", s.name, pkg)
			case s.test && layerOf(pkg) < at:
				t.Errorf("%s imports %s: tests may not climb either", s.name, pkg)
			case !s.test && !slices.Contains(allowed, pkg) && !slices.Contains(allowed, "*"):
				t.Errorf("%s imports %s: %s may import %v", s.name, pkg, s.dir, allowed)
			}
		}
	}
}

func TestLibrariesAreConfined(t *testing.T) {
	for _, s := range sources(t, parser.ImportsOnly) {
		if s.test {
			continue
		}
		for _, p := range s.imports() {
			if first, _, _ := strings.Cut(p, "/"); !strings.Contains(first, ".") || within(p, module) {
				continue // the standard library, or ours
			}
			if slices.ContainsFunc(testOnly, func(lib string) bool { return within(p, lib) }) {
				t.Errorf("%s imports %s, which is for tests only", s.name, p)
				continue
			}
			lib, homes := homesOf(p)
			switch {
			case lib == "":
				t.Errorf("%s imports %s, which has no home in the table of libraries", s.name, p)
			case !slices.Contains(homes, s.dir) && !slices.Contains(homes, s.name):
				t.Errorf("%s imports %s: only %v may", s.name, p, homes)
			}
		}
	}
}

func within(p, prefix string) bool { return p == prefix || strings.HasPrefix(p, prefix+"/") }

func homesOf(p string) (lib string, homes []string) {
	for lib, homes := range confined {
		if within(p, lib) {
			return lib, homes
		}
	}
	return "", nil
}

// worldly are calls that only the command may make: libraries take streams, environment and time as arguments.
var worldly = map[string][]string{
	"os":   {"Exit", "Getenv", "LookupEnv", "Args", "Stdin", "Stdout", "Stderr"},
	"fmt":  {"Print", "Printf", "Println"},
	"log":  {"Print", "Printf", "Println", "Fatal", "Fatalf", "Fatalln"},
	"time": {"Now"},
}

// worldlyHomes are exceptions, each with its reason.
var worldlyHomes = map[string]string{
	"internal/bench os":    "Stop ends the command that measures, where a test would be skipped",
	"internal/bench time":  "it measures",
	"awareness/mcpgo os":   "ServeStdio stands in for the SDK's function of that name, which owns the standard streams",
	"awareness/proxy time": "a proxy runs for days and obeys the lifetime of lists; its tests put another clock in",
}

func TestLibrariesDoNotTouchTheWorld(t *testing.T) {
	used := map[string]bool{}
	for _, s := range sources(t, parser.SkipObjectResolution) {
		if s.test || s.file.Name.Name == "main" {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, ok := sel.X.(*ast.Ident)
			if !ok || !slices.Contains(worldly[x.Name], sel.Sel.Name) {
				return true
			}
			used[s.dir+" "+x.Name] = true
			if worldlyHomes[s.dir+" "+x.Name] == "" {
				t.Errorf("%s: %s.%s: libraries never print, exit, read the environment or look at the clock",
					s.set.Position(sel.Pos()), x.Name, sel.Sel.Name)
			}
			return true
		})
	}
	for home := range worldlyHomes {
		if !used[home] {
			t.Errorf("the exception for %s is used no longer", home)
		}
	}
}
