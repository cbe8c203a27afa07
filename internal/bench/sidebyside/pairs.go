package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/realservers"
	"github.com/fusionctl/fusionctl/internal/validate/suite"
	"github.com/fusionctl/fusionctl/lockfile"
)

// dialect2020 is the one that jsoncompat reads.
const dialect2020 = "https://json-schema.org/draft/2020-12/schema"

// A pair is one question: is every value of the first schema one of the second?
type pair struct {
	set     string // where it is from
	name    string
	dialect string
	schemas [2]any
	texts   [2]string
	values  []string // to look for a witness, as JSON texts
	known   *bool    // the answer, where the test suite gives it
	groups  []suite.Group
}

func newPair(set, name string, producer, consumer any) pair {
	return pair{set: set, name: name, dialect: dialect2020, schemas: [2]any{producer, consumer},
		texts: [2]string{text(producer), text(consumer)}}
}

func text(v any) string { return string(canonjson.Append(nil, v)) }

// The sets of pairs.
const (
	setReports = "reported faults"
	setReal    = "published servers, successive versions"
	setEdited  = "tools of published servers, one edit"
	setValues  = "test suite, one value in a schema"
	setMixed   = "test suite, one schema in another"
)

func sets() []string { return []string{setReports, setReal, setEdited, setValues, setMixed} }

// allPairs are the pairs of unequal schemas that read the same under 2020-12, whatever dialect they name.
func allPairs(tb testing.TB) []pair {
	all := append(reported(tb), real(tb)...)
	all = append(all, edited(tb)...)
	all = append(all, fromSuite(tb)...)
	seen := map[[2]string]bool{}
	var kept []pair
	for _, p := range all {
		if p.texts[0] == p.texts[1] || seen[p.texts] || !sameIn2020(p.schemas[0]) || !sameIn2020(p.schemas[1]) {
			continue
		}
		seen[p.texts] = true
		kept = append(kept, p)
	}
	return kept
}

func reported(tb testing.TB) (pairs []pair) {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		tb.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "testdata", "cases", "reports.jsonl"))
	if err != nil {
		tb.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		v, err := canonjson.Decode(lines.Bytes())
		if err != nil {
			tb.Fatal(err)
		}
		c := v.(map[string]any)
		name := fmt.Sprint(c["id"])
		switch c["kind"] {
		case "input":
			pairs = append(pairs, newPair(setReports, name, plain(c["old"]), plain(c["new"])))
		case "output":
			pairs = append(pairs, newPair(setReports, name, plain(c["new"]), plain(c["old"])))
		}
		if c["witness"] != nil && len(pairs) > 0 {
			last := &pairs[len(pairs)-1]
			last.values = append(last.values, text(c["witness"]))
		}
	}
	return pairs
}

func real(tb testing.TB) (pairs []pair) {
	for _, versions := range realservers.Pairs(tb) {
		base, rev := versions[0].Server, versions[1].Server
		for _, name := range canonjson.SortedKeys(base.Tools) {
			if rev.Tools[name] == nil {
				continue
			}
			for _, schema := range []func(*lockfile.Entry) any{(*lockfile.Entry).InputSchema, (*lockfile.Entry).OutputSchema} {
				old, now := plain(schema(base.Tools[name])), plain(schema(rev.Tools[name]))
				if old == nil || now == nil {
					continue
				}
				name := versions[0].Package + " " + name
				pairs = append(pairs, newPair(setReal, name, old, now), newPair(setReal, name+", back", now, old))
			}
		}
	}
	return pairs
}

// fromSuite makes two kinds of pairs of the 2020-12 groups of the suite: one value and a schema, whose answer the suite
// gives, and two schemas of one file.
func fromSuite(tb testing.TB) (pairs []pair) {
	var last []suite.Group
	for _, g := range suite.Load(tb) {
		if g.Draft != suite.Draft2020 || strings.Contains(g.File, "optional/format/") || strings.Contains(g.File, "content") ||
			g.File == "format.json" {
			continue // these assert what the standard only annotates
		}
		for _, t := range g.Tests {
			p := newPair(setValues, g.Name()+": "+t.Description, map[string]any{"enum": []any{t.Data}}, plain(g.Schema))
			p.known = &t.Valid
			p.values = []string{text(t.Data)}
			pairs = append(pairs, p)
		}
		if len(last) > 0 && last[0].File != g.File {
			last = nil
		}
		for _, other := range last[max(0, len(last)-3):] {
			for _, two := range [][2]suite.Group{{g, other}, {other, g}} {
				p := newPair(setMixed, two[0].Name()+" in "+two[1].Description, plain(two[0].Schema), plain(two[1].Schema))
				p.groups = two[:]
				for _, t := range append(append([]suite.Test{}, g.Tests...), other.Tests...) {
					p.values = append(p.values, text(t.Data))
				}
				pairs = append(pairs, p)
			}
		}
		last = append(last, g)
	}
	return pairs
}

// plain is a schema without the name of its dialect: the pairs that are kept read the same in 2020-12.
func plain(schema any) any {
	m, ok := schema.(map[string]any)
	if !ok {
		return schema
	}
	m, _ = canonjson.Clone(m).(map[string]any)
	delete(m, "$schema")
	return m
}

// sameIn2020 reports whether a schema is read alike by 2020-12 and by the drafts before, and refers to nothing outside of
// itself.
func sameIn2020(schema any) bool {
	m, ok := schema.(map[string]any)
	if !ok {
		return true
	}
	if _, tuple := m["items"].([]any); tuple {
		return false
	}
	if ref, ok := m["$ref"].(string); ok && !strings.HasPrefix(ref, "#") {
		return false
	}
	for k, v := range m {
		switch k {
		case "$schema", "additionalItems", "dependencies", "$recursiveRef", "$recursiveAnchor", "$vocabulary", "id", "$id":
			return false
		case "const", "enum", "default", "examples":
			continue // data
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			for _, named := range members(v) {
				if !sameIn2020(named) {
					return false
				}
			}
			continue
		}
		list, _ := v.([]any)
		for _, e := range append(list[:len(list):len(list)], v) {
			if !sameIn2020(e) {
				return false
			}
		}
	}
	return true
}

func members(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}
