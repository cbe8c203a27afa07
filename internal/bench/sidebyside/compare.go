package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/fusionctl/fusionctl/internal/bench"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/subschema"
)

// An outcome is how the two answers to one pair relate, once they have been judged.
type outcome string

// The outcomes. A wrong "yes" is proved by a witness; a wrong "no" only where the suite gives the answer.
const (
	agreeYes      outcome = "both say yes"
	agreeNo       outcome = "both say no"
	bothWrong     outcome = "both are wrong"
	theirsWrong   outcome = "they are wrong: they say yes, and there is a witness"
	theirsRefuse  outcome = "they are wrong: they say no, and the suite yes"
	theirsUnshown outcome = "they say no, and no witness was found"
	oursWrong     outcome = "we are wrong: we say yes, and there is a witness"
	oursRefuse    outcome = "we are wrong: we say no, and the suite or ajv yes"
	unjudged      outcome = "not judged: about these schemas ajv contradicts the suite"
	undecided     outcome = "we are undecided"
	oursMute      outcome = "we cannot read a schema"
	theirsMute    outcome = "they gave no answer"
)

func outcomes() []outcome {
	return []outcome{agreeYes, agreeNo, bothWrong, theirsWrong, theirsRefuse, theirsUnshown, oursWrong, oursRefuse, unjudged, undecided, oursMute, theirsMute}
}

// A comparison is about one package.
type comparison struct {
	tool    string
	free    bool // it takes names that only the consumer declares as free, as contracts do
	results []result
}

type result struct {
	pair    pair
	ours    subschema.Result
	theirs  string // yes, no, or the error
	outcome outcome
	witness string
	looked  int // values that were tried
	// CPU time of one decision, both schemas read from their texts, in nanoseconds; zero when one gave no answer.
	ourTime, theirTime float64
}

// logSlow makes compare say which pairs take longer than a second.
var logSlow bool

func compare(w *worker, tool string, pairs []pair) (*comparison, error) {
	c := &comparison{tool: tool}
	open := `{"type":"object","properties":{"a":{"type":"number"}}}`
	typed := `{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}}}`
	var err error
	if c.free, err = w.compatible(tool, pair{texts: [2]string{open, typed}}); err != nil {
		return nil, err
	}
	for i, p := range pairs {
		if i%100 == 0 {
			w.stop() // some packages keep memory from call to call
			if err := w.start(); err != nil {
				return nil, err
			}
		}
		if i%500 == 0 {
			fmt.Fprintf(os.Stderr, "%s: %d of %d pairs\n", tool, i, len(pairs))
		}
		start := time.Now()
		r, err := c.one(w, p)
		if err == nil && r.outcome != undecided && r.outcome != oursMute && r.outcome != theirsMute && isTimed(p, i) {
			err = r.time(w, tool, c.free)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		if took := time.Since(start); logSlow && took > time.Second {
			fmt.Fprintf(os.Stderr, "%v: %s: %s %s, %s\n", took.Round(time.Millisecond), p.set, p.name, r.outcome, r.theirs)
		}
		c.results = append(c.results, r)
	}
	return c, nil
}

func (c *comparison) one(w *worker, p pair) (result, error) {
	r := result{pair: p}
	var readable bool
	r.ours, readable = decide(p.texts, c.free)
	yes, err := w.compatible(c.tool, p)
	var f *failure
	switch {
	case errors.As(err, &f):
		r.theirs, r.outcome = f.text, theirsMute
	case err != nil:
		return r, err
	default:
		r.theirs = map[bool]string{true: "yes", false: "no"}[yes]
	}
	switch {
	case f != nil:
		return r, nil
	case !readable:
		r.outcome = oursMute
		return r, nil
	case r.ours.Verdict == subschema.Undecided:
		r.outcome = undecided
		return r, nil
	}
	if p.known != nil {
		r.outcome = settled(r.ours.Verdict == subschema.Compatible, yes, *p.known)
		return r, nil
	}
	return r, r.arbitrate(w, yes, c.free)
}

// settled is the outcome where the answer is known.
func settled(ours, theirs, known bool) outcome {
	switch {
	case ours != known && theirs != known:
		return bothWrong
	case ours == known && theirs == known:
		return map[bool]outcome{true: agreeYes, false: agreeNo}[known]
	case ours == known:
		return map[bool]outcome{true: theirsRefuse, false: theirsWrong}[known]
	}
	return map[bool]outcome{true: oursRefuse, false: oursWrong}[known]
}

// isTimed reports whether a pair is timed: all of those that people wrote, every fourth of those that were made.
func isTimed(p pair, i int) bool { return p.set == setReports || p.set == setReal || i%4 == 0 }

// decide is our answer from texts to verdict.
func decide(texts [2]string, free bool) (r subschema.Result, readable bool) {
	var sides [2]*subschema.Schema
	for i, text := range texts {
		v, err := canonjson.Decode([]byte(text))
		if err != nil {
			return subschema.Result{Verdict: subschema.Undecided, Reason: err.Error()}, false
		}
		if sides[i], err = subschema.Compile(v, ""); err != nil {
			return subschema.Result{Verdict: subschema.Undecided, Reason: err.Error()}, false
		}
	}
	return subschema.Decide(sides[0], sides[1], subschema.Options{Strict: !free}), true
}

// arbitrate looks for a value that the producer accepts and the consumer refuses, and settles the outcome.
func (r *result) arbitrate(w *worker, theirs, free bool) error {
	no := r.ours.Verdict == subschema.Incompatible
	values := slices.Clone(r.pair.values)
	if no {
		values = append([]string{text(r.ours.Witness)}, values...)
	} else {
		values = append(values, w.generate(r.pair.texts[0], 20)...)
		values = append(values, sample(r.pair.texts[0])...)
	}
	r.looked = len(values)
	accepted, err := w.judge(r.pair, values)
	var f *failure
	if err != nil && !errors.As(err, &f) {
		return err
	}
	for i, a := range accepted {
		// A value with a name that only the consumer declares separates the schemas as sets, but is no answer to the
		// question where names are free: our own strict answer tells those apart.
		if a[0] && !a[1] && (no && i == 0 || !free || !no && !strictlyNo(r.pair.texts)) {
			r.witness = values[i]
			break
		}
	}
	switch yes := !no; {
	case !no && r.witness != "" || no && r.witness == "":
		r.outcome = map[bool]outcome{true: oursWrong, false: oursRefuse}[yes]
		if r.doubted(w) {
			r.outcome = unjudged
		}
	case no && theirs:
		r.outcome = theirsWrong
	case !no && !theirs:
		r.outcome = theirsUnshown
	case no:
		r.outcome = agreeNo
	default:
		r.outcome = agreeYes
	}
	return nil
}

// doubted reports whether ajv contradicts the suite about a schema of the pair.
func (r *result) doubted(w *worker) bool {
	for _, g := range r.pair.groups {
		if !w.right(g) {
			return true
		}
	}
	return false
}

func strictlyNo(texts [2]string) bool {
	r, _ := decide(texts, false)
	return r.Verdict == subschema.Incompatible
}

func sample(schema string) []string {
	v, err := canonjson.Decode([]byte(schema))
	if err != nil {
		return nil
	}
	s, err := subschema.Compile(v, "")
	if err != nil {
		return nil
	}
	if value, found, _ := subschema.Sample(s, subschema.Options{}); found {
		return []string{text(value)}
	}
	return nil
}

// turn is how long one side is measured before it is the other's turn.
const turn = 2 * time.Millisecond

// time measures both sides in turns and keeps the medians.
func (r *result) time(w *worker, tool string, free bool) error {
	ours := func(n int) float64 {
		start := bench.CPUTime()
		for range n {
			decide(r.pair.texts, free)
		}
		return float64(bench.CPUTime()-start) / float64(n)
	}
	theirs := func(n int) (float64, error) { return w.timed(tool, r.pair, n) }
	first, err := theirs(1) // the code is compiled while it runs, so the first time only says how often to repeat
	if err != nil {
		return ignore(err)
	}
	n, m := times(ours(1)), times(first)
	rounds := 3
	if first > float64(time.Second) {
		rounds = 1
	}
	var one, two []float64
	for range rounds {
		one = append(one, ours(n))
		t, err := theirs(m)
		if err != nil {
			return ignore(err)
		}
		two = append(two, t)
	}
	r.ourTime, r.theirTime = median(one), median(two)
	return nil
}

func times(ns float64) int { return int(min(2000, max(1, float64(turn)/max(1, ns)))) }

// ignore leaves out of the times what a package did not answer a second time.
func ignore(err error) error {
	var f *failure
	if errors.As(err, &f) {
		return nil
	}
	return err
}

func median(values []float64) float64 {
	values = slices.Clone(values)
	slices.Sort(values)
	return values[len(values)/2]
}

// line is a result in the form that schema check --batch reads, with both answers beside it.
func (r result) line(tool string) []byte {
	id, _ := json.Marshal(map[string]string{"tool": tool, "set": r.pair.set, "name": r.pair.name, "ours": r.ours.Verdict.String(), "reason": r.ours.Reason,
		"theirs": r.theirs, "outcome": string(r.outcome), "witness": r.witness})
	return fmt.Appendf(nil, `{"id":%s,"producer":%s,"consumer":%s}`+"\n", id, r.pair.texts[0], r.pair.texts[1])
}
