package validate

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// Bounds limit what is given to the library, whose compile time grows with the cube of the depth and whose validation time
// is exponential for hostile schemas. A zero field means its default.
type Bounds struct {
	SchemaBytes  int // canonical text of the schema; default 1 MiB
	SchemaDepth  int // nesting of the schema; default 64
	SchemaNodes  int // values in the schema; default 5,000
	SchemaWeight int // sub-schemas after expanding references, a recursive one counted once; default 10,000

	ValueBytes int // texts and numbers in a value; default 4 MiB
	ValueDepth int // nesting of a value; default 512
	Work       int // sub-schema evaluations of one validation; default 2,000,000

	NumberDigits   int // characters of a number; default 1,100
	NumberExponent int // absolute decimal exponent of a number; default 400
}

func (b Bounds) orDefault() Bounds {
	for _, f := range []struct {
		field *int
		value int
	}{
		{&b.SchemaBytes, 1 << 20},
		{&b.SchemaDepth, 64},
		{&b.SchemaNodes, 5000},
		{&b.SchemaWeight, 10_000},
		{&b.ValueBytes, 4 << 20},
		{&b.ValueDepth, 512},
		{&b.Work, 2_000_000},
		{&b.NumberDigits, 1100},
		{&b.NumberExponent, 400},
	} {
		if *f.field <= 0 {
			*f.field = f.value
		}
	}
	return b
}

// measure walks a value and refuses what is too deep, too large, too many, no JSON value, or a number that the library
// cannot carry. It returns the number of values seen.
type measure struct {
	depth, nodes, bytes int // what is still allowed
	digits, exponent    int
	seen                int
	path                []string
	sorted              bool // walk members in order
}

func (b Bounds) measureSchema(root any) (int, *Error) {
	return measure{depth: b.SchemaDepth, nodes: b.SchemaNodes, bytes: b.SchemaBytes, digits: b.NumberDigits, exponent: b.NumberExponent}.run(root)
}

func (b Bounds) measureValue(v any) (int, *Error) {
	return measure{depth: b.ValueDepth, nodes: b.ValueBytes, bytes: b.ValueBytes, digits: b.NumberDigits, exponent: b.NumberExponent}.run(v)
}

// run walks without sorting first: which of several faults is named matters only for the text of the error.
func (m measure) run(v any) (int, *Error) {
	walk := m
	err := walk.value(v)
	if err != nil {
		m.sorted = true
		if first := m.value(v); first != nil {
			err = first
		}
	}
	return walk.seen, err
}

func (m *measure) fail(format string, args ...any) *Error {
	return &Error{Kind: ErrBounds, Pointer: shortPointer(m.path), Problem: fmt.Sprintf(format, args...)}
}

// shortPointer keeps error texts small for deep values.
func shortPointer(path []string) string {
	if len(path) > 16 {
		path = path[:16]
	}
	p := canonjson.Pointer(path...)
	if len(p) > 200 {
		p = strings.ToValidUTF8(p[:200], "")
	}
	return p
}

func (m *measure) value(v any) *Error {
	m.seen++
	m.nodes--
	m.bytes--
	if m.nodes < 0 {
		return m.fail("too many values")
	}
	switch v := v.(type) {
	case nil, bool:
	case string:
		m.bytes -= len(v)
	case json.Number:
		m.bytes -= len(v)
		return m.number(v)
	case []any:
		if len(m.path) >= m.depth {
			return m.fail("nested too deeply")
		}
		for i, e := range v {
			m.path = append(m.path, strconv.Itoa(i))
			if err := m.value(e); err != nil {
				return err
			}
			m.path = m.path[:len(m.path)-1]
		}
	case map[string]any:
		if len(m.path) >= m.depth {
			return m.fail("nested too deeply")
		}
		return m.object(v)
	default:
		return &Error{Kind: ErrFault, Pointer: shortPointer(m.path), Problem: fmt.Sprintf("%T is not a JSON value", v)}
	}
	if m.bytes < 0 {
		return m.fail("too many bytes")
	}
	return nil
}

func (m *measure) object(v map[string]any) *Error {
	if m.sorted {
		for _, k := range canonjson.SortedKeys(v) {
			if err := m.member(k, v[k]); err != nil {
				return err
			}
		}
		return nil
	}
	for k, e := range v {
		if err := m.member(k, e); err != nil {
			return err
		}
	}
	return nil
}

func (m *measure) member(name string, v any) *Error {
	m.bytes -= len(name)
	if m.bytes < 0 {
		return m.fail("too many bytes")
	}
	m.path = append(m.path, name)
	err := m.value(v)
	m.path = m.path[:len(m.path)-1]
	return err
}

// number refuses what big.Rat turns into nil (the library then panics) or into megabytes.
func (m *measure) number(n json.Number) *Error {
	text := string(n)
	if len(text) > m.digits {
		return m.fail("a number of %d characters", len(text))
	}
	if _, err := canonjson.Number(text); err != nil {
		return m.fail("number %q: %v", text, err)
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		e, err := strconv.Atoi(text[i+1:])
		if err != nil || e > m.exponent || e < -m.exponent {
			return m.fail("number %s", text)
		}
	}
	if m.bytes < 0 {
		return m.fail("too many bytes")
	}
	return nil
}
