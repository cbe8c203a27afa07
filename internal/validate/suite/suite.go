// Package suite gives tests the JSON Schema Test Suite as an independent oracle. It imports nothing that is under test.
//
// The files are read from the module cache, out of modules that this module requires anyway: google/jsonschema-go carries
// draft-07 and 2020-12 of the official suite, both santhosh-tekuri/jsonschema modules carry tests of their own. No module
// carries the official files for draft-04, draft-06 and 2019-09, so those groups are derived: a group of a neighbouring
// draft is taken over when its schema means the same there, after translating the keywords that were renamed.
package suite

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// The drafts, as Group.Draft has them.
const (
	Draft4    = "draft4"
	Draft6    = "draft6"
	Draft7    = "draft7"
	Draft2019 = "draft2019-09"
	Draft2020 = "draft2020-12"
)

// A Group is one schema and its tests. Schema and Data are canonjson values; they are shared and must not be changed.
type Group struct {
	Draft       string // one of the constants
	Dialect     string // the $schema URI of Draft, for schemas that have none
	Source      string // "official", "derived", or "extra" and "extra6": of the two validator modules
	File        string // slash-separated, below the folder of the draft
	Description string
	Schema      any
	Tests       []Test
}

// A Test is one value and whether the schema accepts it.
type Test struct {
	Description string
	Data        any
	Valid       bool
}

// Name identifies a group in lists of known exceptions.
func (g Group) Name() string {
	return g.Draft + "/" + g.Source + "/" + g.File + ": " + g.Description
}

var dialects = map[string]string{
	Draft4:    "http://json-schema.org/draft-04/schema#",
	Draft6:    "http://json-schema.org/draft-06/schema#",
	Draft7:    "http://json-schema.org/draft-07/schema#",
	Draft2019: "https://json-schema.org/draft/2019-09/schema",
	Draft2020: "https://json-schema.org/draft/2020-12/schema",
}

var load = sync.OnceValues(read)

// Load returns all groups, in a fixed order.
func Load(tb testing.TB) []Group {
	tb.Helper()
	groups, err := load()
	if err != nil {
		tb.Fatalf("reading the test suite: %v", err)
	}
	return groups
}

// folders lists where tests are: module, folder, draft, source.
var folders = [][4]string{
	{"github.com/google/jsonschema-go", "jsonschema/testdata/draft7", Draft7, "official"},
	{"github.com/google/jsonschema-go", "jsonschema/testdata/draft2020-12", Draft2020, "official"},
	{"github.com/santhosh-tekuri/jsonschema/v5", "testdata/tests/draft7", Draft7, "extra"},
	{"github.com/santhosh-tekuri/jsonschema/v5", "testdata/tests/draft2019", Draft2019, "extra"},
	{"github.com/santhosh-tekuri/jsonschema/v5", "testdata/tests/draft2020", Draft2020, "extra"},
	{"github.com/santhosh-tekuri/jsonschema/v6", "testdata/Extra-Test-Suite/tests/draft4", Draft4, "extra6"},
	{"github.com/santhosh-tekuri/jsonschema/v6", "testdata/Extra-Test-Suite/tests/draft7", Draft7, "extra6"},
	{"github.com/santhosh-tekuri/jsonschema/v6", "testdata/Extra-Test-Suite/tests/draft2020-12", Draft2020, "extra6"},
}

func read() ([]Group, error) {
	var groups []Group
	dirs := map[string]string{}
	for _, f := range folders {
		dir, ok := dirs[f[0]]
		if !ok {
			out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", f[0]).Output()
			if err != nil {
				return nil, err
			}
			dir = strings.TrimSpace(string(out))
			dirs[f[0]] = dir
		}
		found, err := readFolder(filepath.Join(dir, filepath.FromSlash(f[1])), f[2], f[3])
		if err != nil {
			return nil, err
		}
		groups = append(groups, found...)
	}
	return append(groups, derive(groups)...), nil
}

func readFolder(dir, draft, source string) ([]Group, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.HasSuffix(path, ".json") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	sort.Strings(files)
	var groups []Group
	for _, path := range files {
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return nil, err
		}
		found, err := readFile(path)
		if err != nil {
			return nil, err
		}
		for _, g := range found {
			g.Draft, g.Source, g.File, g.Dialect = draft, source, filepath.ToSlash(name), dialects[draft]
			groups = append(groups, g)
		}
	}
	return groups, nil
}

func readFile(path string) ([]Group, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var raw []struct {
		Description string
		Schema      json.RawMessage
		Tests       []struct {
			Description string
			Data        json.RawMessage
			Valid       bool
		}
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, err
	}
	var groups []Group
	for _, r := range raw {
		g := Group{Description: r.Description}
		if g.Schema, err = canonjson.Decode(r.Schema); err != nil {
			return nil, err
		}
		for _, t := range r.Tests {
			v, err := canonjson.Decode(t.Data)
			if err != nil {
				return nil, err
			}
			g.Tests = append(g.Tests, Test{t.Description, v, t.Valid})
		}
		groups = append(groups, g)
	}
	return groups, nil
}
