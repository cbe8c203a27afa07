package subschema

import (
	"fmt"
	"sync/atomic"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/regular"
	"github.com/fusionctl/fusionctl/internal/validate"
)

// A Verdict is the answer to producer ⊆ consumer.
type Verdict uint8

const (
	Compatible   Verdict = iota // proven: the consumer accepts whatever the producer accepts
	Incompatible                // refuted by a witness
	Undecided                   // neither; Result.Reason says why
)

var verdictNames = [...]string{"compatible", "incompatible", "undecided"}

func (v Verdict) String() string {
	if int(v) < len(verdictNames) {
		return verdictNames[v]
	}
	return fmt.Sprintf("Verdict(%d)", uint8(v))
}

// MarshalText writes the name of the verdict.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads the name of a verdict.
func (v *Verdict) UnmarshalText(text []byte) error {
	for i, name := range verdictNames {
		if name == string(text) {
			*v = Verdict(i)
			return nil
		}
	}
	return fmt.Errorf("unknown verdict %q", text)
}

// DefaultSteps is the budget of one decision.
const DefaultSteps = 100_000

// Options change what is decided. The zero value is the one for contracts.
type Options struct {
	Strict       bool // plain set inclusion; otherwise new names are free
	Steps        int  // the budget; 0 means DefaultSteps
	AssertFormat bool // format is an assertion
	Unchecked    bool // leave the check of the witness to the caller: it is likely right, but not proven
}

// A Result is a verdict with what it rests on.
type Result struct {
	Verdict Verdict
	Witness any    // when incompatible: a value that the producer accepts and the consumer refuses
	Reason  string // when undecided
	Steps   int    // how much of the budget was used
}

// Faults counts the witnesses that failed their check since the program started. Each one is a bug of this package, or of the
// validator.
var faults atomic.Int64

// Faults returns the number of witnesses that failed their check. Each is a bug; tests expect 0.
func Faults() int { return int(faults.Load()) }

// Decide decides whether every value that the producer accepts is accepted by the consumer. The same input gives the same
// result, also the same witness, everywhere.
func Decide(producer, consumer *Schema, o Options) Result {
	p, err := producer.compiledFor(o)
	if err != nil {
		return Result{Verdict: Undecided, Reason: err.Error()}
	}
	c, err := consumer.compiledFor(o)
	if err != nil {
		return Result{Verdict: Undecided, Reason: err.Error()}
	}
	if p.graph.digestOf(p.root) == c.graph.digestOf(c.root) || c.root == litTrue || p.root == litFalse {
		return Result{Verdict: Compatible}
	}
	s := newSearch(producer, o, len(p.graph.nodes)+len(c.graph.nodes))
	pl, cl := s.load(p), s.load(c)
	var root int32
	s.places, root = newAlignment(s, pl, cl, o.Strict)
	out := s.light(s.solve([]lit{pl, cl.not()}, root))
	r := Result{Steps: min(s.steps, s.limit)}
	switch out.status {
	case unsat:
		r.Verdict = Compatible
	case unknown:
		r.Verdict, r.Reason = Undecided, s.reason
		if r.Reason == "" {
			r.Reason = reasonSize
		}
	default:
		v := canonjson.Clone(out.value)
		if problem := s.checkUnless(o.Unchecked, v, pl, cl, root, producer, consumer, o); problem != "" {
			r.Verdict, r.Reason = Undecided, problem
			break
		}
		r.Verdict, r.Witness = Incompatible, v
	}
	return r
}

// Sample returns a small value that the schema accepts. When there is none, or none was found, reason says why.
func Sample(schema *Schema, o Options) (value any, found bool, reason string) {
	c, err := schema.compiledFor(o)
	if err != nil {
		return nil, false, err.Error()
	}
	s := newSearch(schema, o, len(c.graph.nodes))
	l := s.load(c)
	s.places, _ = newAlignment(s, l, l, true)
	out := s.light(s.solve([]lit{l}, 0))
	switch out.status {
	case unsat:
		return nil, false, "no value satisfies the schema"
	case unknown:
		return nil, false, s.reason
	}
	v := canonjson.Clone(out.value)
	if problem := s.check(v, l, litFalse, 0, schema, nil, o); problem != "" {
		return nil, false, problem
	}
	return v, true, ""
}

func newSearch(producer *Schema, o Options, size int) *search {
	s := &search{graph: newGraph(size + 64), limit: o.Steps, memo: map[string]outcome{},
		masks: map[lit]int{}, kids: map[memberKey][]lit{}, langs: map[string]*regular.Language{}}
	if s.limit <= 0 {
		s.limit = DefaultSteps
	}
	if c, err := producer.compiledFor(o); err == nil {
		s.erased = c.erased
	}
	s.patterns = &matcher{cache: producer.patterns, met: map[string]*pattern{}, spend: s.spend}
	s.nodeLimit = size + maxNodes
	s.eval = evaluator{g: s.graph, patterns: s.patterns, format: formatHolds}
	return s
}

// load copies a compiled graph into the search, sharing equal nodes.
func (s *search) load(c compiled) lit {
	to := make([]lit, len(c.graph.nodes))
	first := len(s.nodes)
	for i := range c.graph.nodes {
		to[i] = s.intern(c.graph.nodes[i])
	}
	total := 0
	for i := first; i < len(s.nodes); i++ {
		total += len(s.nodes[i].kids)
	}
	slab := make([]lit, 0, total)
	for i := first; i < len(s.nodes); i++ {
		at := len(slab)
		for _, k := range s.nodes[i].kids {
			slab = append(slab, to[k.node()]^k&1)
		}
		s.nodes[i].kids = slab[at:len(slab):len(slab)]
	}
	return to[c.root.node()] ^ c.root&1
}

// check judges a witness, by the graph and by the validator; "" when both agree with the search.
func (s *search) check(v any, pl, cl lit, root int32, producer, consumer *Schema, o Options) string {
	e := evaluator{g: s.graph, patterns: s.patterns, format: formatHolds, steps: 1 << 20}
	if !e.holds(pl, v) || e.holds(cl, v) {
		if e.failed {
			return "the witness could not be judged within the limits"
		}
		faults.Add(1)
		return "internal: the witness does not separate the schemas"
	}
	if !s.places.respects(v, root) {
		return "the only counter-example found carries a name that is new at one of two places"
	}
	for _, side := range [...]struct {
		schema *Schema
		want   bool
	}{{producer, true}, {consumer, false}} {
		if side.schema == nil {
			continue
		}
		i := 0
		if o.AssertFormat {
			i = 1
		}
		validator, err := side.schema.validators[i]()
		if err != nil {
			return "the counter-example could not be checked: " + err.Error()
		}
		if len(validator.Dropped()) > 0 {
			continue // judged by the graph alone: the validator does not enforce everything
		}
		ok, err := validator.Valid(v)
		if err != nil {
			return "the counter-example could not be checked: " + err.Error()
		}
		if ok != side.want && side.schema.dynamic {
			return "the validator does not follow $dynamicRef and $recursiveRef through every scope, and disagrees about the counter-example"
		}
		if ok != side.want {
			faults.Add(1)
			return "internal: the validator disagrees about the counter-example"
		}
	}
	return ""
}

// formatHolds judges a format by the validator.
func formatHolds(name, value string) (ok, known bool) {
	s, err := validate.Compile(map[string]any{"format": name}, validate.Options{AssertFormat: true})
	if err != nil {
		return false, false
	}
	ok, err = s.Valid(value)
	return ok, err == nil
}
