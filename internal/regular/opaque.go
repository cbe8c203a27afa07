package regular

import (
	"fmt"
	"time"

	"github.com/dlclark/regexp2"
)

// matchTimeout bounds one match of a backtracking engine.
const matchTimeout = 50 * time.Millisecond

// An Opaque is a pattern that can only be tried on single strings.
type Opaque struct{ re *regexp2.Regexp }

// CompileOpaque prepares a pattern for a backtracking engine. Patterns that this package can parse are rewritten so that
// sets, anchors and boundaries mean what ECMA-262 says; others are given to the engine's own ECMAScript mode.
func CompileOpaque(pattern string) (*Opaque, error) {
	text, options := pattern, regexp2.RegexOptions(regexp2.ECMAScript)
	if p, err := parse(pattern); err == nil {
		if rewritten, ok := printPattern(p, dialectBacktracking); ok {
			text, options = rewritten, regexp2.None
		}
	}
	re, err := compileRegexp2(text, options)
	if err != nil {
		return nil, &PatternError{Kind: ErrSyntax, Problem: err.Error()}
	}
	re.MatchTimeout = matchTimeout
	return &Opaque{re}, nil
}

// compileRegexp2 turns a panic of the engine's parser into an error.
func compileRegexp2(text string, options regexp2.RegexOptions) (re *regexp2.Regexp, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("compiling pattern: %v", p)
		}
	}()
	return regexp2.Compile(text, options)
}

// Match reports whether the pattern is found in s. The error means that the time was up (or the engine failed); unlike
// everything else in this package that depends on the machine.
func (o *Opaque) Match(s string) (found bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("matching pattern: %v", p)
		}
	}()
	return o.re.MatchString(s)
}
