package validate

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/validate/suite"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	var refused, wrong []string
	cases := map[string]int{}
	for _, g := range suite.Load(t) {
		o := Options{Dialect: g.Dialect, ECMAPatterns: true, AssertFormat: strings.Contains(g.File, "format/")}
		before := canonjson.Digest(g.Schema)
		s, err := Compile(g.Schema, o)
		if canonjson.Digest(g.Schema) != before {
			t.Errorf("%s: Compile changed the schema", g.Name())
		}
		if err != nil {
			refused = append(refused, g.Name())
			checkKind(t, g.Name(), err)
			continue
		}
		for _, c := range g.Tests {
			cases[g.Draft+" "+g.Source]++
			got, err := s.Valid(c.Data)
			issues, err2 := s.Validate(c.Data)
			if err != nil || err2 != nil {
				t.Errorf("%s: %s: cannot be judged: %v, %v", g.Name(), c.Description, err, err2)
			}
			if got != (len(issues) == 0) {
				t.Errorf("%s: %s: Valid says %v, Validate has %d issues", g.Name(), c.Description, got, len(issues))
			}
			if got != c.Valid {
				wrong = append(wrong, fmt.Sprintf("%s: %s", g.Name(), c.Description))
			}
		}
		if d := s.Dropped(); len(d) > 0 {
			t.Errorf("%s: dropped %v", g.Name(), d)
		}
	}
	// The numbers are those of the modules in go.mod; a change means that the oracle changed.
	for name, want := range map[string]int{
		"draft2020-12 official": 1055, "draft7 official": 890,
		"draft2019-09 derived": 1007, "draft6 derived": 740, "draft4 derived": 506,
	} {
		if cases[name] != want {
			t.Errorf("ran %d cases of %s, want %d", cases[name], name, want)
		}
	}
	var parts []string
	var counts []int
	for _, k := range knownRefused {
		parts, counts = append(parts, k.part), append(counts, k.count)
	}
	checkKnown(t, "refused", parts, counts, refused)
	parts, counts = nil, nil
	for _, k := range knownWrong {
		parts, counts = append(parts, k.part), append(counts, k.count)
	}
	checkKnown(t, "wrong", parts, counts, wrong)
}

func checkKind(t *testing.T, name string, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Errorf("%s: %T is not an *Error", name, err)
	}
	for _, k := range knownRefused {
		if strings.HasPrefix(name, k.part) && !errors.Is(err, k.kind) {
			t.Errorf("%s: %v, want the kind %v", name, err, k.kind)
		}
	}
}

// The lenient gate must accept whatever the suite calls valid.
func TestSuiteGate(t *testing.T) {
	t.Parallel()
	for _, g := range suite.Load(t) {
		s, err := Compile(g.Schema, Options{Dialect: g.Dialect})
		if err != nil {
			continue
		}
		for _, c := range g.Tests {
			if got, err := s.Valid(c.Data); c.Valid && (err != nil || !got) && !strings.Contains(g.Description, "skips over intermediate") {
				t.Errorf("%s: %s: %v, %v", g.Name(), c.Description, got, err)
			}
		}
	}
}

func ExampleSchema_Validate() {
	root, _ := canonjson.Decode([]byte(`{"properties": {"days": {"type": "integer"}}, "required": ["city"]}`))
	args, _ := canonjson.Decode([]byte(`{"days": "5"}`))
	s, err := Compile(root, Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	issues, err := s.Validate(args)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, i := range issues {
		fmt.Printf("%q %s %s\n", i.Path, i.Keyword, i.Property)
	}
	// Output:
	// "" required city
	// "/days" type
}
