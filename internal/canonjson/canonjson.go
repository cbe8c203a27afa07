// Package canonjson reads JSON strictly and writes it canonically.
//
// It is the only JSON reader of fusionctl for everything that is compared, locked or validated. [Decode] gives the plain
// tree that other packages expect: nil, bool, string, [json.Number], []any and map[string]any. Unlike encoding/json it
//
//   - keeps every number exactly, in one spelling for each value: 1, 1.0 and 1e0 all become "1";
//   - refuses duplicate keys, invalid UTF-8, lone surrogates and anything after the value;
//   - bounds bytes, depth, values and the length of numbers, and names line, column and JSON pointer in its errors.
//
// An exponent may have nine digits and more. Look at it before you turn a number into a [math/big.Rat], which writes the
// zeros out.
//
// [Append] writes the canonical form of RFC 8785 (JCS), with one deviation that makes it exact: a number is written from
// its decimal digits in the layout of ECMAScript's Number::toString, without passing through a 64-bit float. For every
// number that a float gives back as it was written, up to layout, the bytes are those of RFC 8785. Any other, such as
// 9007199254740993 or 333333333.33333329, would be rounded there; here it stays itself.
// [Digest] is "sha256:" and the lower-case hex of the SHA-256 of these bytes.
//
// [AppendIndent] writes the form for files: two spaces, keys in code-point order, no HTML escapes.
package canonjson

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Limits bounds what Decode accepts. A zero field means the default.
type Limits struct {
	Bytes        int // length of the text, default 256 MiB
	Depth        int // nesting of arrays and objects, default 512
	Values       int // values in the text, default 10 million: an empty object of two bytes fills fifty in memory
	NumberDigits int // significant digits of one number, default 4096
}

func (l Limits) orDefault() Limits {
	if l.Bytes == 0 {
		l.Bytes = 256 << 20
	}
	if l.Depth == 0 {
		l.Depth = 512
	}
	if l.Values == 0 {
		l.Values = 10_000_000
	}
	if l.NumberDigits == 0 {
		l.NumberDigits = 4096
	}
	return l
}

// A SyntaxError says where and why a text is not acceptable JSON.
type SyntaxError struct {
	Offset       int    // byte offset, from 0
	Line, Column int    // from 1; the column counts bytes
	Pointer      string // RFC 6901 pointer of the innermost value being read
	Problem      string // what is wrong
	Kind         Kind

	path []string // the tokens of Pointer while the reader unwinds, innermost first
}

// Kind tells apart the faults that callers answer differently.
type Kind uint8

const (
	Malformed    Kind = iota // not JSON
	Truncated                // the text ends inside a value
	DuplicateKey             // an object has one key twice
	TooLarge                 // a limit of Limits
	BadText                  // invalid UTF-8, a lone surrogate, a byte order mark, UTF-16
)

func (e *SyntaxError) Error() string {
	if e.Pointer == "" {
		return fmt.Sprintf("line %d column %d: %s", e.Line, e.Column, e.Problem)
	}
	return fmt.Sprintf("line %d column %d (at %s): %s", e.Line, e.Column, ShowPointer(e.Pointer), e.Problem)
}

// Decode reads exactly one JSON value with the default limits.
func Decode(data []byte) (any, error) { return DecodeLimits(data, Limits{}) }

// Digest returns the digest of v's canonical form.
func Digest(v any) string { return DigestBytes(Append(nil, v)) }

// DigestBytes returns the digest of bytes that are canonical already.
func DigestBytes(canonical []byte) string {
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Equal reports whether two decoded values are the same JSON value: objects without regard to order, numbers by value.
func Equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, av := range a {
			bv, ok := b[k]
			if !ok || !Equal(av, bv) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !Equal(a[i], b[i]) {
				return false
			}
		}
		return true
	case json.Number:
		b, ok := b.(json.Number)
		return ok && a == b
	default:
		return a == b
	}
}

// Clone returns a deep copy of v.
func Clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = Clone(e)
		}
		return m
	case []any:
		a := make([]any, len(v))
		for i, e := range v {
			a[i] = Clone(e)
		}
		return a
	default:
		return v
	}
}
