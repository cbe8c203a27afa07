package subschema

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/validate"
)

var errSkipped = errors.New("skipped")

type pairStats struct {
	pairs, compatible, incompatible, undecided, skipped atomic.Int64
	reasons                                             sync.Map
}

// checkSeed decides one random pair and looks for a contradiction; "" when there is none.
func checkSeed(seed int64, stats *pairStats) string {
	g := &generator{Rand: rand.New(rand.NewSource(seed))}
	g.dialect = randomDialects[g.Intn(len(randomDialects))]
	a := g.root(1 + g.Intn(3))
	var b any = g.mutate(a)
	switch g.Intn(6) {
	case 0:
		b = g.root(2)
	case 1, 2:
		b = g.mutate(b)
	}
	return checkPair(g, a, b, seed, stats)
}

func checkPair(g *generator, a, b any, seed int64, stats *pairStats) string {
	p, errP := Compile(a, g.dialect)
	c, errC := Compile(b, g.dialect)
	if errP != nil || errC != nil {
		stats.skipped.Add(1)
		return ""
	}
	describe := func(problem string, v any) string {
		return fmt.Sprintf("seed %d: %s, value %s\n%s", seed, problem, canonjson.Append(nil, v),
			canonjson.Append(nil, map[string]any{"dialect": g.dialect, "producer": a, "consumer": b}))
	}
	stats.pairs.Add(1)
	for _, strict := range []bool{true, false} {
		o := Options{Strict: strict, Steps: 20000}
		r := Decide(p, c, o)
		switch r.Verdict {
		case Undecided:
			stats.undecided.Add(1)
			stats.reasons.Store(r.Reason, seed)
			if strings.HasPrefix(r.Reason, "internal") {
				return describe(r.Reason, nil)
			}
		case Incompatible: // Decide has checked the witness with the validator
			stats.incompatible.Add(1)
		case Compatible:
			stats.compatible.Add(1)
			if problem, v := contradiction(g, p, c, strict); problem != "" {
				return describe(problem, v)
			}
		}
	}
	return ""
}

// contradiction looks for a value that the producer accepts and the consumer refuses, although the verdict is compatible.
func contradiction(g *generator, p, c *Schema, strict bool) (string, any) {
	s := newSearch(p, Options{}, 100)
	pl, cl := s.load(p.plain), s.load(c.plain)
	var root int32
	s.places, root = newAlignment(s, pl, cl, strict)
	values := slices.Clip(smallValues())
	for range 30 {
		values = append(values, g.value(3))
	}
	for range 3 { // values that the producer accepts
		d := p.uri
		extra, err := Compile(map[string]any{"$schema": d, "allOf": []any{p.source, g.schema(1)}, "definitions": p.source.(map[string]any)["definitions"]}, d)
		if err == nil {
			x := newSearch(extra, Options{Steps: 2000}, 100)
			l := x.load(extra.plain)
			x.places, _ = newAlignment(x, l, l, true)
			if out := x.solve([]lit{l}, 0); out.status == sat {
				values = append(values, out.value)
			}
		}
	}
	var vp, vc *validate.Schema
	errP, errC := errSkipped, errSkipped
	if g.Intn(4) == 0 {
		vp, errP = p.validators[0]()
		vc, errC = c.validators[0]()
	}
	for i, v := range values {
		s.eval.steps, s.eval.failed = 100000, false
		inP, inC := s.eval.holds(pl, v), s.eval.holds(cl, v)
		if s.eval.failed {
			continue
		}
		if errP == nil && errC == nil && (i%16 == 0 || i >= 500) {
			if ok, err := vp.Valid(v); err == nil && ok != inP {
				return "evaluator and validator disagree about the producer", v
			}
			if ok, err := vc.Valid(v); err == nil && ok != inC {
				return "evaluator and validator disagree about the consumer", v
			}
		}
		if inP && !inC && s.places.respects(v, root) {
			return "wrong compatible", v
		}
	}
	return "", nil
}

// TestRandom runs the pairs that once failed and some new ones.
func TestRandom(t *testing.T) {
	var stats pairStats
	data, err := os.ReadFile("testdata/failed.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range bytes.Split(bytes.TrimSpace(data), []byte{'\n'}) {
		m := mustDecode(t, string(line)).(map[string]any)
		g := &generator{Rand: rand.New(rand.NewSource(1)), dialect: m["dialect"].(string)}
		if problem := checkPair(g, m["producer"], m["consumer"], int64(-i), &stats); problem != "" {
			t.Error(problem)
		}
	}
	for seed := range int64(2000) {
		if problem := checkSeed(seed, &stats); problem != "" {
			t.Error(problem)
		}
	}
	report(t, &stats)
}

func report(t *testing.T, s *pairStats) {
	t.Logf("%d pairs (%d not schemas): %d compatible, %d incompatible, %d undecided", s.pairs.Load(), s.skipped.Load(), s.compatible.Load(),
		s.incompatible.Load(), s.undecided.Load())
	s.reasons.Range(func(k, v any) bool {
		t.Logf("undecided, for example seed %v: %v", v, k)
		return true
	})
	if s.undecided.Load()*200 > s.pairs.Load() {
		t.Errorf("more than 1 %% undecided")
	}
}
