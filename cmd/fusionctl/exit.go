package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/fusionctl/fusionctl/internal/capture"
	"github.com/fusionctl/fusionctl/internal/policy"
	"github.com/fusionctl/fusionctl/internal/report"
	"github.com/fusionctl/fusionctl/lockfile"
)

// The exit codes, the same for every command and format.
const (
	exitOK        = 0 // nothing at or above the threshold
	exitChanges   = 1 // such changes exist; a stale lockfile; incompatible schemas
	exitFailed    = 2 // it could not run
	exitUndecided = 3 // schema check only
)

// An exitError carries the exit code and what to print. With a nil err nothing is printed: the result said it all.
type exitError struct {
	code int
	err  error
	hint string
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// silent ends the command with a code and without a message.
func silent(code int) error { return &exitError{code: code} }

// saysNothing reports whether err prints no message: a success, or a result that stood on standard output.
func saysNothing(err error) bool {
	var exit *exitError
	return err == nil || errors.As(err, &exit) && exit.err == nil
}

// hinted is an error that could not run, with what to do.
func hinted(hint, format string, args ...any) error {
	return &exitError{code: exitFailed, err: fmt.Errorf(format, args...), hint: hint}
}

// finish prints err in the command's wording and returns the exit code.
func finish(stderr io.Writer, err error) int {
	if err == nil {
		return exitOK
	}
	code := exitFailed
	var exit *exitError
	if errors.As(err, &exit) {
		code = exit.code
		if exit.err == nil {
			return code
		}
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	say(stderr, "error", err.Error())
	if hint := hintOf(err); hint != "" {
		say(stderr, "hint", hint)
	}
	return code
}

// hintOf finds what to do about an error in the packages that know it.
func hintOf(err error) string {
	var exit *exitError
	if errors.As(err, &exit) && exit.hint != "" {
		return exit.hint
	}
	var parse *lockfile.ParseError
	if errors.As(err, &parse) {
		return parse.Hint
	}
	var server *capture.Error
	if errors.As(err, &server) {
		return server.Hint
	}
	var decision *policy.Error
	if errors.As(err, &decision) {
		return decision.Hint
	}
	return ""
}

// say prints one message on standard error. Parts of it may come from outside, so each of its lines is made harmless.
func say(stderr io.Writer, kind, text string) {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = report.Harmless(l)
	}
	fmt.Fprintf(stderr, "fusionctl: %s: %s\n", kind, strings.Join(lines, "\n"))
}
