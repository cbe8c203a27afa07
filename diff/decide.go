package diff

import (
	"errors"

	"github.com/fusionctl/fusionctl/internal/canonjson"
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
	valid *validate.Schema
}

func (j *judge) compile(value any) *schema {
	s := &schema{value: value}
	s.valid, s.err = validate.Compile(value, validate.Options{AssertFormat: j.c.o.AssertFormat, ECMAPatterns: true})
	return s
}

// remote reports whether an error of compile is only that another document is needed, which is never fetched.
func remote(err error) bool { return false }

// decide asks the decision procedure. Strict is plain set inclusion, without the exemption for new names.
func (j *judge) decide(producer, consumer *schema, strict bool) outcome {
	switch {
	case producer.err != nil:
		return outcome{reason: producer.err.Error()}
	case consumer.err != nil:
		return outcome{reason: consumer.err.Error()}
	case canonjson.Equal(producer.value, consumer.value):
		return outcome{verdict: compatible}
	}
	return outcome{reason: "not decided yet"}
}

// accepts asks the independent validator. Unknown is true when it cannot say.
func (s *schema) accepts(value any) (accepted, unknown bool) {
	if s.valid == nil {
		return false, true
	}
	ok, err := s.valid.Valid(value)
	return ok, err != nil
}

var errUnjudgeable = errors.New("the change cannot be judged alone")
