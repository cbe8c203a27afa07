package validate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// Options change how a schema is read.
type Options struct {
	Dialect      string // the dialect where $schema is absent; "" tries 2020-12, draft-07 and draft-04
	AssertFormat bool   // format is an assertion, for the formats the library knows
	ECMAPatterns bool   // patterns that need backtracking are enforced, in limited time; otherwise they are dropped
	Bounds       Bounds // zero fields mean the defaults
}

// A Schema is a compiled schema. It is safe for concurrent use. It keeps the tree it was compiled from, which must not be
// changed afterwards; issues refer to parts of it.
type Schema struct {
	root     any
	dialect  string
	bounds   Bounds
	compiled *jsonschema.Schema
	rewriter *rewriter
	weight   int  // sub-schemas when references are expanded
	loops    bool // weight counts recursive references once

	index func() *index
}

// Dialect returns the dialect that the schema was compiled with, in its canonical form.
func (s *Schema) Dialect() string { return s.dialect }

// Dropped returns the pointers of the keywords that are not enforced, sorted.
func (s *Schema) Dropped() []string { return slices.Clone(s.rewriter.dropped) }

// location is the made-up address of the schema: absolute, so that no working directory gets into it.
const location = "mem:///schema"

// Compile compiles a schema. The error is an [*Error].
func Compile(root any, o Options) (*Schema, error) {
	bounds := o.Bounds.orDefault()
	if _, err := bounds.measureSchema(root); err != nil {
		return nil, err
	}
	switch root.(type) {
	case bool, map[string]any:
	default:
		return nil, &Error{Kind: ErrSchema, Problem: "want an object or a boolean"}
	}
	dialects, err := dialectsOf(root, o)
	if err != nil {
		return nil, err
	}
	var first *Error
	for _, d := range dialects {
		if first != nil && !(first.Kind == ErrSchema && olderForm(root, d)) {
			continue
		}
		s, err := compileAs(root, d, o, bounds)
		if err == nil {
			return s, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

func compileAs(root any, dialect string, o Options, bounds Bounds) (s *Schema, err *Error) {
	doc := newDocument(root, version(dialect))
	if err := foreignDialect(root, "", dialect); err != nil {
		return nil, err
	}
	var compiled *jsonschema.Schema
	var rw *rewriter
	failure := error(&Error{})
	common := doc.common()
	if !common && doc.version == 2020 && len(doc.order) > maxDynamic {
		return nil, &Error{Kind: ErrBounds, Problem: fmt.Sprintf("more than %d sub-schemas of 2020-12", maxDynamic)}
	}
	if common {
		compiled, rw, failure = compileLibrary(doc, Draft7, o)
	}
	if failure != nil {
		compiled, rw, failure = compileLibrary(doc, dialect, o)
	}
	if failure != nil {
		return nil, explain(failure, doc, rw)
	}
	s = &Schema{root: root, dialect: dialect, bounds: bounds, compiled: compiled, rewriter: rw}
	w := weigher{limit: bounds.SchemaWeight, known: map[*jsonschema.Schema]int{}}
	s.weight = w.weigh(compiled)
	s.loops = w.loops
	if s.weight > bounds.SchemaWeight {
		return nil, &Error{Kind: ErrBounds, Problem: fmt.Sprintf("more than %d sub-schemas after expanding references", bounds.SchemaWeight)}
	}
	s.index = sync.OnceValue(func() *index { return newIndex(s) })
	return s, nil
}

// maxDynamic bounds the sub-schemas of 2020-12: for each the library looks for dynamic anchors in all others.
const maxDynamic = 5000

// foreignDialect finds an embedded resource of another dialect, which the library would read in the dialect of the root.
func foreignDialect(v any, pointer, dialect string) *Error {
	switch v := v.(type) {
	case map[string]any:
		uri, ok := v["$schema"].(string)
		if ok && pointer != "" && (isText(v["$id"]) || isText(v["id"])) {
			if c, known := CanonicalDialect(uri); !known || c != dialect {
				return &Error{Kind: ErrDialect, Pointer: pointer + "/$schema", Problem: "an embedded schema of another dialect"}
			}
		}
		for _, k := range canonjson.SortedKeys(v) {
			if err := foreignDialect(v[k], pointer+"/"+canonjson.EscapeToken(k), dialect); err != nil {
				return err
			}
		}
	case []any:
		for i, e := range v {
			if err := foreignDialect(e, pointer+"/"+strconv.Itoa(i), dialect); err != nil {
				return err
			}
		}
	}
	return nil
}

func isText(v any) bool {
	_, ok := v.(string)
	return ok
}

// deniedError is what the library gets instead of a document that it wants to load.
type deniedError struct{ url string }

func (e *deniedError) Error() string { return "document is not part of the schema" }

// compileLibrary compiles with a compiler of its own, so that an $id cannot collide with that of another schema. A document
// of another dialect may be compiled as draft-07, see common.
func compileLibrary(doc *document, dialect string, o Options) (compiled *jsonschema.Schema, rw *rewriter, err error) {
	copied, rw := rewrite(doc, dialect, o.ECMAPatterns, dialect == Draft7 && doc.version != version(Draft7))
	compiled, err = compileCopy(canonjson.Append(nil, copied), rw, dialect, o)
	return compiled, rw, err
}

func compileCopy(text []byte, rw *rewriter, dialect string, o Options) (compiled *jsonschema.Schema, err error) {
	defer func() {
		if r := recover(); r != nil {
			compiled, err = nil, &Error{Kind: ErrFault, Problem: "the schema cannot be compiled"}
		}
	}()
	c := jsonschema.NewCompiler()
	c.Draft = libraryDraft(dialect)
	c.LoadURL = func(url string) (io.ReadCloser, error) { return nil, &deniedError{url} }
	c.AssertFormat = o.AssertFormat
	if !o.AssertFormat {
		// Up to draft-07, and wherever there is no $schema, the library asserts formats all the same.
		for name := range jsonschema.Formats {
			c.Formats[name] = func(any) bool { return true }
		}
	}
	c.RegisterExtension("ecma", nil, ecmaCompiler{rw})
	if err := c.AddResource(location, bytes.NewReader(text)); err != nil {
		return nil, err
	}
	return c.Compile(location)
}

func libraryDraft(dialect string) *jsonschema.Draft {
	switch dialect {
	case Draft4:
		return jsonschema.Draft4
	case Draft6:
		return jsonschema.Draft6
	case Draft7:
		return jsonschema.Draft7
	case Draft2019:
		return jsonschema.Draft2019
	}
	return jsonschema.Draft2020
}

// explain turns a failure of the library into an error with a place, in our words.
func explain(failure error, doc *document, rw *rewriter) *Error {
	var ours *Error
	if errors.As(failure, &ours) {
		return ours
	}
	var denied *deniedError
	if errors.As(failure, &denied) {
		return &Error{Kind: ErrRef, Pointer: doc.findRef(denied.url), Problem: "no document " + quote(denied.url) + " in the schema, and none is loaded"}
	}
	var invalid *jsonschema.ValidationError
	if errors.As(failure, &invalid) {
		return illegal(invalid, doc, rw)
	}
	var loop jsonschema.InfiniteLoopError
	if errors.As(failure, &loop) {
		return &Error{Kind: ErrRef, Problem: "a reference leads back to itself"}
	}
	if p, ref, ok := doc.dangling(); ok {
		return &Error{Kind: ErrRef, Pointer: p, Problem: "nothing at " + quote(ref)}
	}
	if strings.HasSuffix(failure.Error(), " not found") {
		return &Error{Kind: ErrRef, Problem: "an anchor or identifier is not in the schema"}
	}
	return &Error{Kind: ErrSchema, Problem: "an identifier or reference is malformed or given twice"}
}

// findRef names the first reference to a document that is not there.
func (d *document) findRef(url string) string {
	for _, n := range d.order {
		for _, keyword := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
			ref, ok := n.m[keyword].(string)
			ref, _, _ = strings.Cut(ref, "#")
			if ok && ref != "" && strings.HasSuffix(url, strings.TrimLeft(ref, "./")) {
				return n.pointer + "/" + keyword
			}
		}
	}
	return ""
}

// dangling returns the first reference by pointer that leads to nothing.
func (d *document) dangling() (pointer, ref string, ok bool) {
	for _, n := range d.order {
		target, isRef := d.pointerRef(n, "$ref")
		if !isRef {
			continue
		}
		if _, found := canonjson.Lookup(d.root, target); !found {
			ref, _ := n.m["$ref"].(string)
			return n.pointer + "/$ref", ref, true
		}
	}
	return "", "", false
}

// illegal names the first place where the schema does not fit the meta-schema.
func illegal(e *jsonschema.ValidationError, doc *document, rw *rewriter) *Error {
	var best *Error
	var visit func(e *jsonschema.ValidationError)
	visit = func(e *jsonschema.ValidationError) {
		for _, c := range e.Causes {
			visit(c)
		}
		if len(e.Causes) > 0 {
			return
		}
		pointer := rw.inOriginal(canonjson.Pointer(libraryTokens(e.InstanceLocation)...))
		keyword := e.AbsoluteKeywordLocation[strings.LastIndexByte(e.AbsoluteKeywordLocation, '/')+1:]
		problem := "a value that the dialect does not allow here (" + keyword + ")"
		if v, ok := canonjson.Lookup(doc.root, pointer); ok {
			problem = quote(string(canonjson.Append(nil, v))) + " is not allowed here (" + keyword + ")"
		}
		if best == nil || pointer < best.Pointer || pointer == best.Pointer && problem < best.Problem {
			best = &Error{Kind: ErrSchema, Pointer: pointer, Problem: problem}
		}
	}
	visit(e)
	return best
}
