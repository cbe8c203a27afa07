package diff

import "fmt"

// Audience says who reads the report.
type Audience string

// The audiences. The zero value is Author.
const (
	Author   Audience = "author"   // does it break callers?
	Consumer Audience = "consumer" // you pin someone else's server: what did it gain?
)

// ParseAudience reads an audience by name; "" is Author.
func ParseAudience(name string) (Audience, error) {
	switch a := Audience(name); a {
	case "", Author:
		return Author, nil
	case Consumer:
		return a, nil
	}
	return "", fmt.Errorf("audience %q: want author or consumer", name)
}

// Options are the terms of a comparison. The zero value is the usual one.
type Options struct {
	Audience     Audience // "" means Author
	AssertFormat bool     // judge schemas as if format were an assertion
	Steps        int      // budget of one decision about two schemas; 0 means the default
	TokenLimit   int      // a tool definition that grew past this many tokens is reported; 0 means no limit
	Workers      int      // entries compared at once; 0 means GOMAXPROCS. The result does not depend on it
}
