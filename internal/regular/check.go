package regular

import "errors"

// Check returns why a pattern is not an ECMA-262 regular expression, with or without the u flag; nil when it is, or when it is
// too long to be read.
func Check(pattern string) error {
	if _, err := parse(pattern); errors.Is(err, ErrSyntax) {
		return err
	}
	return nil
}
