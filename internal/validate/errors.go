package validate

import "errors"

// The kinds of [Error], for errors.Is.
var (
	ErrBounds  = errors.New("beyond the bounds of the validator")
	ErrDialect = errors.New("unknown schema dialect")
	ErrSchema  = errors.New("not a legal schema")
	ErrRef     = errors.New("reference cannot be resolved")
	ErrPattern = errors.New("pattern took too long")
	ErrFault   = errors.New("fault in the validator")
)

// An Error says why a schema cannot be compiled or a value cannot be judged. It never means that a value is invalid.
type Error struct {
	Kind    error  // one of the Err… values
	Pointer string // RFC 6901 pointer into the schema or, for bounds of a value, into the value; "" is the root
	Problem string // what is wrong, in our words
}

func (e *Error) Error() string {
	text := e.Kind.Error()
	if e.Pointer != "" {
		text = "at " + e.Pointer + ": " + text
	}
	if e.Problem != "" {
		text += ": " + e.Problem
	}
	return text
}

// Unwrap makes errors.Is work with the kinds.
func (e *Error) Unwrap() error { return e.Kind }
