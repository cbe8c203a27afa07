package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/fusionctl/fusionctl/internal/bench"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/realservers"
	"github.com/fusionctl/fusionctl/internal/subschema"
	"github.com/fusionctl/fusionctl/internal/validate"
	"github.com/fusionctl/fusionctl/internal/validate/suite"
)

// A validation puts our validator beside ajv: the answers where the suite gives the right one, and the times with the input
// schemas of published tools.
type validation struct {
	values                  int // of the suite
	oursRight, theirsRight  int
	oursMute, theirsMute    int
	schemas                 int       // of published tools
	compileOurs, compileAjv []float64 // nanoseconds
	valueOurs, valueAjv     []float64
}

type verdicts struct {
	Verdicts              []bool
	Compiling, Validating float64
}

func validators(w *worker) (*validation, error) {
	fmt.Fprintln(os.Stderr, "ajv")
	v := &validation{}
	for _, g := range suite.Load(bench.Stop{}) {
		if g.Source != "official" || g.Draft != suite.Draft2020 && g.Draft != suite.Draft7 || strings.Contains(g.File, "optional") ||
			strings.Contains(g.File, "format") || strings.Contains(g.File, "content") || strings.Contains(text(g.Schema), "localhost") {
			continue // ajv is asked here without its formats, and documents on a server are nobody's business
		}
		if err := v.answers(w, g); err != nil {
			return nil, err
		}
	}
	newest := map[string]realservers.Release{}
	for _, r := range realservers.Releases(bench.Stop{}) {
		newest[r.Package] = r
	}
	for _, name := range canonjson.SortedKeys(newest) {
		tools := newest[name].Server.Tools
		for _, tool := range canonjson.SortedKeys(tools) {
			if err := v.times(w, plain(tools[tool].InputSchema())); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

func (v *validation) answers(w *worker, g suite.Group) error {
	values := make([]string, len(g.Tests))
	for i, t := range g.Tests {
		values[i] = text(t.Data)
	}
	var theirs verdicts
	err := w.ask(map[string]any{"op": "validate", "schema": text(g.Schema), "dialect": g.Dialect, "values": values, "compiles": 1, "rounds": 1}, &theirs)
	var f *failure
	if err != nil && !errors.As(err, &f) {
		return err
	}
	ours, ourError := validate.Compile(g.Schema, validate.Options{Dialect: g.Dialect})
	for i, t := range g.Tests {
		v.values++
		if f != nil {
			v.theirsMute++
		} else if theirs.Verdicts[i] == t.Valid {
			v.theirsRight++
		}
		if ourError != nil {
			v.oursMute++
			continue
		}
		if valid, err := ours.Valid(t.Data); err != nil {
			v.oursMute++
		} else if valid == t.Valid {
			v.oursRight++
		}
	}
	return nil
}

// times measures the compiling of one schema and the judging of a smallest valid value and of an empty object.
func (v *validation) times(w *worker, schema any) error {
	if !sameIn2020(schema) {
		return nil
	}
	s, err := subschema.Compile(schema, "")
	if err != nil {
		return nil
	}
	value, found, _ := subschema.Sample(s, subschema.Options{})
	if !found {
		return nil
	}
	values := []any{value, map[string]any{}}
	const compiles, rounds = 5, 200
	var theirs verdicts
	var ours [2][]float64
	for range 3 {
		compile, check, err := ourTimes(schema, values, compiles, rounds)
		if err != nil {
			return nil
		}
		ours[0], ours[1] = append(ours[0], compile), append(ours[1], check)
	}
	err = w.ask(map[string]any{"op": "validate", "schema": text(schema), "dialect": dialect2020, "values": []string{text(value), "{}"},
		"compiles": compiles, "rounds": 20 * rounds}, &theirs)
	if err != nil {
		return ignore(err)
	}
	v.schemas++
	v.compileOurs, v.compileAjv = append(v.compileOurs, median(ours[0])), append(v.compileAjv, theirs.Compiling)
	v.valueOurs, v.valueAjv = append(v.valueOurs, median(ours[1])), append(v.valueAjv, theirs.Validating)
	return nil
}

func ourTimes(schema any, values []any, compiles, rounds int) (compile, check float64, err error) {
	start := bench.CPUTime()
	var s *validate.Schema
	for range compiles {
		if s, err = validate.Compile(schema, validate.Options{}); err != nil {
			return 0, 0, err
		}
	}
	compile = float64(bench.CPUTime()-start) / float64(compiles)
	start = bench.CPUTime()
	for range rounds {
		for _, v := range values {
			if _, err := s.Valid(v); err != nil {
				return 0, 0, err
			}
		}
	}
	return compile, float64(bench.CPUTime()-start) / float64(rounds*len(values)), nil
}
