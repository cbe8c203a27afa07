package subschema

import (
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/fusionctl/fusionctl/internal/validate"
)

// An ErrorKind tells apart the faults of schemas that callers answer differently.
type ErrorKind uint8

const (
	IllegalSchema  ErrorKind = iota // a keyword's value has the wrong shape
	DanglingRef                     // a local reference leads nowhere
	RemoteRef                       // a reference to another document, which is never fetched
	UnknownDialect                  // $schema or the dialect argument names no known draft
	EndlessRef                      // a reference leads back to itself without consuming a part of the value
	SchemaTooLarge                  // more sub-schemas than this package takes
)

// A SchemaError says why a schema cannot be compiled.
type SchemaError struct {
	Kind    ErrorKind
	Pointer string // RFC 6901 pointer into the schema
	Problem string
}

func (e *SchemaError) Error() string {
	if e.Pointer == "" {
		return e.Problem
	}
	return fmt.Sprintf("at %s: %s", e.Pointer, e.Problem)
}

// maxPlaces bounds the places of a schema that are translated, counted once for each dynamic scope.
const maxPlaces = 50_000

// A Schema is a compiled schema. It is safe for concurrent use. The tree it was compiled from must not be changed.
type Schema struct {
	source  any
	dialect draft
	uri     string // the dialect as the validator wants it, for schemas without $schema

	plain   compiled
	formats func() (compiled, error) // the same with format as an assertion, made on first use

	patterns *patterns
	dynamic  bool // it has dynamic references, which the validator does not follow through every scope

	validators [2]func() (*validate.Schema, error) // by AssertFormat
}

// checkBounds lets the validator take large schemas, and such whose expanded references are many: it computes the work for
// each value before it starts, and witnesses are small.
var checkBounds = validate.Bounds{SchemaWeight: min(1<<40, math.MaxInt/4), SchemaNodes: 60_000}

type compiled struct {
	graph  *graph
	root   lit
	erased *erased
}

// Compile compiles a schema. The dialect is that of $schema, else the argument, else 2020-12; where neither is given and
// the schema is not legal in 2020-12, draft-07 and draft-04 are tried, because older servers publish their forms of
// items and exclusiveMinimum without saying so. The error is a [*SchemaError].
func Compile(root any, dialect string) (*Schema, error) {
	drafts, err := draftsOf(root, dialect)
	if err != nil {
		return nil, err
	}
	var first *SchemaError
	for _, d := range drafts {
		s, err := compileAs(root, d)
		if err == nil {
			return s, nil
		}
		if first == nil {
			first = err
		}
		if first.Kind != IllegalSchema {
			break
		}
	}
	return nil, first
}

func draftsOf(root any, dialect string) ([]draft, error) {
	pointer := ""
	if m, ok := root.(map[string]any); ok {
		if v, ok := m["$schema"]; ok {
			s, ok := v.(string)
			if !ok {
				return nil, &SchemaError{IllegalSchema, "/$schema", "$schema is not a string"}
			}
			dialect, pointer = s, "/$schema"
		}
	}
	if dialect == "" {
		return []draft{draft2020, draft7, draft4}, nil
	}
	d, ok := draftOf(dialect)
	if !ok {
		return nil, &SchemaError{UnknownDialect, pointer, unknownDialect(dialect)}
	}
	return []draft{d}, nil
}

func draftOf(uri string) (draft, bool) {
	u := strings.TrimSuffix(strings.TrimSuffix(uri, "/"), "#")
	u = strings.TrimPrefix(strings.TrimPrefix(u, "http://"), "https://")
	d, ok := dialects[u]
	return d, ok
}

func unknownDialect(uri string) string {
	return fmt.Sprintf("unknown dialect %.200q, want the $schema of draft-04, -06, -07, 2019-09 or 2020-12, such as %q", uri, validate.Draft2020)
}

var validatorURI = map[draft]string{draft4: validate.Draft4, draft6: validate.Draft6, draft7: validate.Draft7,
	draft2019: validate.Draft2019, draft2020: validate.Draft2020}

func compileAs(root any, d draft) (*Schema, *SchemaError) {
	doc, err := newDocument(root, d)
	if err != nil {
		return nil, err
	}
	s := &Schema{source: root, dialect: d, uri: validatorURI[d], patterns: newPatterns(), dynamic: doc.dynamic}
	if s.plain, err = translate(doc, false); err != nil {
		return nil, err
	}
	s.formats = sync.OnceValues(func() (compiled, error) {
		c, err := translate(doc, true)
		if err != nil {
			return c, err
		}
		return c, nil
	})
	for i := range s.validators {
		s.validators[i] = sync.OnceValues(func() (*validate.Schema, error) {
			return validate.Compile(root, validate.Options{Dialect: s.uri, ECMAPatterns: true, AssertFormat: i == 1, Bounds: checkBounds})
		})
	}
	return s, nil
}

// Dialect returns the URI of the dialect that the schema was read in.
func (s *Schema) Dialect() string { return s.uri }

// compiledFor returns the graph that fits the options.
func (s *Schema) compiledFor(o Options) (compiled, error) {
	if !o.AssertFormat {
		return s.plain, nil
	}
	return s.formats()
}
