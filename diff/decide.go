package diff

import (
	"errors"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/subschema"
	"github.com/fusionctl/fusionctl/internal/validate"
)

// A verdict answers: is every value that the producer allows allowed by the consumer?
type verdict uint8

const (
	undecided verdict = iota
	compatible
	incompatible
)

// An outcome is a verdict with its proof or its reason.
type outcome struct {
	verdict verdict
	witness any    // incompatible: a value that the producer allows and the consumer refuses
	reason  string // undecided: why
}

// A schema is a schema made ready for decisions. Err says why it is none.
type schema struct {
	value any
	err   error
	sub   *subschema.Schema
}

func (j *judge) compile(value any) *schema {
	s := &schema{value: value}
	s.sub, s.err = subschema.Compile(value, "")
	return s
}

// remote reports whether an error of compile is only that another document is needed, which is never fetched.
func remote(err error) bool {
	var e *subschema.SchemaError
	return errors.As(err, &e) && (e.Kind == subschema.RemoteRef || e.Kind == subschema.SchemaTooLarge || e.Kind == subschema.UnknownDialect)
}

// A question is how decide is to be asked.
type question uint8

const (
	checked   question = iota // the witness is checked: for what a change rests on
	unchecked                 // the witness is a candidate that the caller confirms, or only its existence matters
	strictly                  // unchecked, and plain set inclusion without the exemption for new names
)

// decide asks the decision procedure.
func (j *judge) decide(producer, consumer *schema, q question) outcome {
	switch {
	case canonjson.Equal(producer.value, consumer.value):
		return outcome{verdict: compatible}
	case producer.err != nil:
		return outcome{reason: producer.err.Error()}
	case consumer.err != nil:
		return outcome{reason: consumer.err.Error()}
	}
	r := subschema.Decide(producer.sub, consumer.sub, subschema.Options{
		Strict: q == strictly, Unchecked: q != checked, Steps: j.steps(q), AssertFormat: j.c.o.AssertFormat,
	})
	if q != checked {
		j.spent += r.Steps
	}
	switch r.Verdict {
	case subschema.Compatible:
		return outcome{verdict: compatible}
	case subschema.Incompatible:
		return outcome{verdict: incompatible, witness: r.Witness}
	}
	return outcome{reason: r.Reason}
}

// maxJudgedSteps bounds what all judgements of single changes of one schema may cost together, beside the one on the whole.
// A schema with a thousand changes, each of which uses a budget up, would take minutes.
const maxJudgedSteps = 3 * subschema.DefaultSteps

// fewestSteps are enough for a change that is plain.
const fewestSteps = subschema.DefaultSteps / 100

// steps is the budget of one question.
func (j *judge) steps(q question) int {
	most := j.c.o.Steps
	if most <= 0 {
		most = subschema.DefaultSteps
	}
	if q == checked {
		return most
	}
	return min(most, max(fewestSteps, maxJudgedSteps-j.spent))
}

// validator is the independent validator of the schema, nil when it cannot be made.
func (j *judge) validator(s *schema) *validate.Schema {
	if s.err != nil {
		return nil
	}
	v, err := s.sub.Validator(j.c.o.AssertFormat)
	if err != nil {
		return nil
	}
	return v
}

// accepts asks the independent validator. Unknown is true when it cannot say.
func (j *judge) accepts(s *schema, value any) (accepted, unknown bool) {
	v := j.validator(s)
	if v == nil {
		return false, true
	}
	ok, err := v.Valid(value)
	return ok, err != nil
}

var errUnjudgeable = errors.New("the change cannot be judged alone")
