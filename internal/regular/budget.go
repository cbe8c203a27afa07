package regular

import (
	"errors"
	"fmt"
)

var (
	// ErrSyntax: the pattern is not an ECMA-262 regular expression, with or without the u flag.
	ErrSyntax = errors.New("not an ECMA-262 pattern")
	// ErrNotRegular: the pattern is legal (or may be) but outside of what this package decides.
	ErrNotRegular = errors.New("pattern is outside of the decided class")
	// ErrTooLarge: the budget is used up, or the pattern is nested too deeply.
	ErrTooLarge = errors.New("automaton exceeds the budget")
)

// A PatternError says what is wrong with a pattern. It unwraps to ErrSyntax, ErrNotRegular or ErrTooLarge.
type PatternError struct {
	Kind    error
	Offset  int // in code points of the pattern
	Problem string
}

func (e *PatternError) Error() string {
	return fmt.Sprintf("%v: at %d: %s", e.Kind, e.Offset, e.Problem)
}

func (e *PatternError) Unwrap() error { return e.Kind }

// DefaultBudget is what a nil *Budget stands for.
const DefaultBudget = 1_000_000

// A Budget bounds the work of a computation: it counts states, transitions and program steps, never time. It may be
// shared by any number of calls of one goroutine. A nil *Budget means a fresh one of DefaultBudget for each call.
type Budget struct {
	limit, used int
}

// NewBudget returns a budget of n steps.
func NewBudget(n int) *Budget { return &Budget{limit: n} }

// Used returns the number of steps spent so far.
func (b *Budget) Used() int { return min(b.used, b.limit) }

// Left returns the number of steps that remain.
func (b *Budget) Left() int { return max(b.limit-b.used, 0) }

// Spend takes n steps, for callers that count other work in the same budget, and reports ErrTooLarge when too few are left.
func (b *Budget) Spend(n int) error {
	if !b.spend(n) {
		return ErrTooLarge
	}
	return nil
}

func (b *Budget) spend(n int) bool {
	if n > b.limit-b.used {
		b.used = b.limit
		return false
	}
	b.used += n
	return true
}

// orDefault makes a nil budget usable.
func (b *Budget) orDefault() *Budget {
	if b == nil {
		return NewBudget(DefaultBudget)
	}
	return b
}
