package validate

import (
	"errors"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Valid reports whether v satisfies the schema. An error means that this could not be found out: v is beyond the bounds, a
// pattern took too long, or the library failed. It is always an [*Error].
func (s *Schema) Valid(v any) (bool, error) {
	defer s.begin()()
	invalid, err := s.run(v)
	if err != nil {
		return false, err
	}
	return invalid == nil, nil
}

// begin limits the time for backtracking patterns.
func (s *Schema) begin() (end func()) {
	if s.rewriter.backtracking {
		return s.rewriter.watch.start()
	}
	return func() {}
}

func (s *Schema) run(v any) (invalid *jsonschema.ValidationError, failure *Error) {
	nodes, err := s.bounds.measureValue(v)
	if err != nil {
		return nil, err
	}
	if err := s.affordable(v, nodes); err != nil {
		return nil, err
	}
	defer func() {
		if r := recover(); r != nil {
			invalid = nil
			if e, ok := r.(*Error); ok {
				failure = e
			} else {
				failure = &Error{Kind: ErrFault, Problem: "the value cannot be judged"}
			}
		}
	}()
	result := s.compiled.Validate(v)
	if result == nil {
		return nil, nil
	}
	if errors.As(result, &invalid) {
		return invalid, nil
	}
	var loop jsonschema.InfiniteLoopError
	if errors.As(result, &loop) {
		return nil, &Error{Kind: ErrRef, Problem: "a reference leads back to itself on the same value"}
	}
	return nil, &Error{Kind: ErrFault, Problem: "the value cannot be judged"}
}
