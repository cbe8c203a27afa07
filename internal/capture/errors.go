package capture

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The faults of live servers that callers answer differently. An *Error wraps one of them or another cause.
var (
	ErrTimeout      = errors.New("timed out")
	ErrUnauthorized = errors.New("authorization needed")
	ErrNotFound     = errors.New("program not found")
	ErrCursor       = errors.New("broken paging")
	ErrTooLarge     = errors.New("answer too large")
)

// An Error says why a server could not be captured.
type Error struct {
	Server string   // the source's name
	Doing  string   // "starting", "connecting", "listing tools"
	Hint   string   // what to do; may be empty
	Stderr []string // the last lines that the program wrote to its standard error, made harmless
	Err    error
}

// Error is one line, and the lines of standard error below it.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "capturing server %s: ", quote(e.Server))
	if e.Doing != "" {
		b.WriteString(e.Doing + ": ")
	}
	b.WriteString(e.Err.Error())
	if len(e.Stderr) > 0 {
		b.WriteString("\nlast lines of its standard error:")
		for _, line := range e.Stderr {
			b.WriteString("\n  | " + line)
		}
	}
	return b.String()
}

// Unwrap makes errors.Is find the cause.
func (e *Error) Unwrap() error { return e.Err }

// fault is an error with what the layer that met it knows; explain adds the rest.
type fault struct {
	kind error  // a sentinel, may be nil
	text string // the message
	hint string
}

func (f *fault) Error() string { return f.text }
func (f *fault) Unwrap() error { return f.kind }

func faultf(kind error, hint, format string, args ...any) *fault {
	return &fault{kind: kind, hint: hint, text: fmt.Sprintf(format, args...)}
}

// explain turns whatever ended a capture into an *Error.
func (c *capture) explain(ctx context.Context, err error) error {
	var known *Error
	if errors.As(err, &known) {
		return err
	}
	e := &Error{Server: c.src.Name, Doing: c.doing, Stderr: c.stderr, Err: err}
	var f *fault
	switch {
	case ctx.Err() != nil:
		e.Err, e.Stderr = context.Cause(ctx), nil
	case c.src.Err != nil: // words of ReadConfig, with the place in front
		if errors.As(err, &f) {
			e.Hint = f.hint
		}
	case errors.As(err, &f):
		e.Err, e.Hint = f, f.hint
	default:
		e.Err = &wrapped{text: harmless(c.redact(err.Error()), 1000), err: err}
	}
	for i, line := range e.Stderr {
		e.Stderr[i] = c.redact(line)
	}
	return e
}

// wrapped shows text from outside in a harmless spelling and keeps the error for errors.Is.
type wrapped struct {
	text string
	err  error
}

func (w *wrapped) Error() string { return w.text }
func (w *wrapped) Unwrap() error { return w.err }

// redact removes values of the environment and the headers, which servers like to repeat in their complaints. Short
// values are left: they are no secrets, and "1" is everywhere.
func (c *capture) redact(text string) string {
	var secrets []string
	for _, values := range []map[string]string{c.src.Env, c.src.Headers} {
		for _, v := range values {
			secrets = append(secrets, v)
			if _, token, ok := strings.Cut(v, " "); ok {
				secrets = append(secrets, token)
			}
		}
	}
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	for _, s := range secrets {
		if len(s) >= 6 {
			text = strings.ReplaceAll(text, s, "[hidden]")
		}
	}
	return text
}
