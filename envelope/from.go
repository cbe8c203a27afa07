package envelope

import (
	"context"
	"fmt"
	"runtime/debug"
)

// An Envelope is what a model reads: *ToolError or *ValidationError.
type Envelope interface {
	error
	Code() Code
	Level() Severity
	Recovery() string
	Awareness() *ContractAwareness
	IsError() bool
	Format() string
	AppendXML(dst []byte) []byte
}

// An Option changes what From makes of an ordinary error.
type Option func(*fromOptions)

type fromOptions struct {
	safe string
}

// WithSafeMessage shows message in place of an ordinary error's own text, which stays available to the log by [errors.Unwrap].
func WithSafeMessage(message string) Option {
	return func(o *fromOptions) { o.safe = orText(message, "The tool failed") }
}

const (
	maxErrorText = 300
	noBlindRetry = "This is a fault of the server: do not blindly retry. Change what the message names, or tell the user."
)

// From turns the error of a handler into what may leave the server: an [Envelope] for the model or a *[ProtocolError] for the
// host.
//
//   - nil, and a nil *ToolError, *ValidationError or *ProtocolError in an error, is no error.
//   - An envelope or a protocol error anywhere in the chain is returned as it is; the outermost wins.
//   - context.DeadlineExceeded and context.Canceled become TIMEOUT.
//   - Anything else becomes INTERNAL_ERROR. Its text is cut to 300 characters and rid of what looks like a secret.
func From(err error, opts ...Option) error {
	if absent(err) {
		return nil
	}
	switch own := find(err, new(int)); {
	case own == nil:
	case !isContext(own):
		return own
	case own == context.Canceled:
		return Timeout("The call was cancelled before it finished").Because(err)
	default:
		return Timeout("The call took longer than allowed").Because(err)
	}
	var o fromOptions
	for _, opt := range opts {
		if opt != nil {
			opt(&o)
		}
	}
	message := o.safe
	if message == "" {
		message = clean(scrub(limitBytes(errorText(err), maxScrub)), maxErrorText)
	}
	return New(CodeInternalError, message).Suggest(noBlindRetry).Because(err)
}

// absent knows the nil pointers that Go turns into errors that are not nil.
func absent(err error) bool {
	switch e := err.(type) {
	case nil:
		return true
	case *ToolError:
		return e == nil
	case *ValidationError:
		return e == nil
	case *ProtocolError:
		return e == nil
	}
	return false
}

// find walks the chain as errors.As does, outermost first, and returns the first envelope or protocol error, else the first of
// the two errors of package context. It visits at most 1000 errors, so that a chain that loops ends.
func find(err error, visited *int) error {
	var ctx error
	for err != nil {
		if *visited++; *visited > 1000 {
			return ctx
		}
		switch err.(type) {
		case Envelope, *ProtocolError:
			if !absent(err) {
				return err
			}
		default:
			if ctx == nil && isContext(err) {
				ctx = err
			}
		}
		switch e := err.(type) {
		case interface{ Unwrap() []error }:
			for _, inner := range e.Unwrap() {
				own := find(inner, visited)
				if own != nil && !isContext(own) {
					return own
				}
				if ctx == nil {
					ctx = own
				}
			}
			return ctx
		case interface{ Unwrap() error }:
			err = e.Unwrap()
		default:
			return ctx
		}
	}
	return ctx
}

// isContext cannot panic: an interface comparison looks at the values only where the types are equal, and these types compare.
func isContext(err error) bool { return err == context.DeadlineExceeded || err == context.Canceled }

func errorText(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = "The tool failed"
		}
	}()
	return err.Error()
}

// A PanicError is the cause of an INTERNAL_ERROR that was a panic. It is for the log; the model sees neither value nor stack.
type PanicError struct {
	Value any
	Stack []byte
}

// Error returns the value of the panic.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Recover turns a panic into an INTERNAL_ERROR and any error in *err into what [From] makes of it. Defer it directly:
//
//	defer envelope.Recover(&err)
func Recover(err *error, opts ...Option) {
	if v := recover(); v != nil {
		*err = panicked(v, opts)
		return
	}
	if *err != nil {
		*err = From(*err, opts...)
	}
}

func panicked(v any, opts []Option) error {
	// The text of a panic is about the code, not the call: it is never shown. A handler that panics with an envelope means it.
	if e, ok := v.(error); ok {
		if own := find(e, new(int)); own != nil && !isContext(own) {
			return own
		}
	}
	opts = append([]Option{WithSafeMessage("The tool failed unexpectedly")}, opts...)
	return From(&PanicError{Value: v, Stack: debug.Stack()}, opts...)
}

// Call runs a handler so that it returns nil, an [Envelope] or a *[ProtocolError], and never panics. After an error the result
// is what the handler returned beside it, after a panic it is the zero value.
func Call[T any](handler func() (T, error), opts ...Option) (result T, err error) {
	defer Recover(&err, opts...)
	return handler()
}
