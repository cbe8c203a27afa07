package envelope

import (
	"encoding/json"
	"slices"
)

// DefaultRecovery is the recovery of a validation error.
const DefaultRecovery = "Fix the fields above and call the tool again. Do not explain the error."

// A ValidationError says which arguments of a call do not fit, one line per problem. Like a [ToolError] it is immutable and an
// error as it is.
type ValidationError struct {
	action    string
	fields    []Field
	more      int
	recovery  string
	example   string
	awareness *ContractAwareness
	limits    Limits
	cause     error
}

// A Field is one line of a validation error: where, as in items[2].price, and what.
type Field struct{ Name, Message string }

// Validation explains issues with the default limits. The lines keep the order of the issues. A name that was misspelt is one
// line, not two (undeclared and missing); of oneOf and anyOf only the nearest branch is explained.
func Validation(action string, issues ...Issue) *ValidationError {
	return Limits{}.Validation(action, issues...)
}

// Validation explains issues within l.
func (l Limits) Validation(action string, issues ...Issue) *ValidationError {
	limits := l.orDefault()
	x := explainer{limits: limits}
	fields, more := x.lines(issues, limits.Issues, 0)
	e := &ValidationError{action: clean(action, maxName), fields: fields, more: more, recovery: DefaultRecovery, limits: l}
	if len(fields) == 0 {
		e.recovery = "Check the arguments against the input schema and call the tool again. Do not explain the error."
	}
	return e
}

// Fields makes a validation error from lines that are worded already, for checks that no schema expresses.
func Fields(action string, fields ...Field) *ValidationError {
	limits := Limits{}.orDefault()
	e := &ValidationError{action: clean(action, maxName), recovery: DefaultRecovery}
	for i, f := range fields {
		if i == limits.Issues {
			e.more = len(fields) - i
			break
		}
		e.fields = append(e.fields, Field{clean(f.Name, maxName), clean(f.Message, maxFieldLen)})
	}
	return e
}

func (e *ValidationError) read() *ValidationError {
	if e == nil {
		return &ValidationError{}
	}
	return e
}

func (e *ValidationError) copy() *ValidationError {
	c := *e.read()
	return &c
}

// Suggest replaces the recovery; the empty text leaves it out.
func (e *ValidationError) Suggest(recovery string) *ValidationError {
	c := e.copy()
	c.recovery = clean(recovery, maxText)
	return c
}

// WithExample attaches a call that would be right, as JSON. The element is an addition to the format of the design: it stands
// between recovery and contract_awareness, and is left out when arguments is nil, longer than 1000 characters, deep
// or wide (half an example misleads), or not encodable. Values of secret-looking names are concealed. Do not invent values that matter: use
// examples and defaults of the schema, or the values sent.
func (e *ValidationError) WithExample(arguments map[string]any) *ValidationError {
	c := e.copy()
	c.example = ""
	if arguments == nil || !whole(arguments, 0) {
		return c
	}
	text, err := encodeJSON(arguments)
	// With something else in place of a value that must not be shown it would be a wrong call, which a reader copies.
	if shown, failed := encodeJSON(conceal(arguments, 0)); err == nil && failed == nil && shown == text && len(text) <= maxText {
		c.example = clean(text, maxText)
	}
	return c
}

// WithAwareness attaches what changed in the contract; nil removes it.
func (e *ValidationError) WithAwareness(a *ContractAwareness) *ValidationError {
	c := e.copy()
	c.awareness = a.normal()
	return c
}

// Limit sets the limits of the text. The limit on values has been applied when the issues were explained.
func (e *ValidationError) Limit(l Limits) *ValidationError {
	c := e.copy()
	c.limits = l
	return c
}

// Because records the error behind this one. It is never written.
func (e *ValidationError) Because(cause error) *ValidationError {
	c := e.copy()
	c.cause = cause
	return c
}

// Code returns VALIDATION_ERROR.
func (e *ValidationError) Code() Code { return CodeValidationError }

// Action returns the full name of the tool or action that was called.
func (e *ValidationError) Action() string { return e.read().action }

// Fields returns the lines.
func (e *ValidationError) Fields() []Field { return slices.Clone(e.read().fields) }

// NotShown returns how many more problems there were.
func (e *ValidationError) NotShown() int { return e.read().more }

// Recovery returns what to do next, or "".
func (e *ValidationError) Recovery() string { return e.read().recovery }

// Example returns the JSON of a call that would be right, or "".
func (e *ValidationError) Example() string { return e.read().example }

// Awareness returns a copy of the attached section, or nil.
func (e *ValidationError) Awareness() *ContractAwareness { return e.read().awareness.clone() }

// Level returns SeverityError.
func (e *ValidationError) Level() Severity { return SeverityError }

// IsError returns true.
func (e *ValidationError) IsError() bool { return true }

// Error names the action and the first problem, for logs. It holds no more than the text for the model.
func (e *ValidationError) Error() string {
	e = e.read()
	s := string(CodeValidationError) + ": " + e.action
	if len(e.fields) > 0 {
		s += ": " + e.fields[0].Name + ": " + e.fields[0].Message
	}
	return s
}

// Unwrap returns the error set by Because.
func (e *ValidationError) Unwrap() error { return e.read().cause }

// String returns the XML, as Format does. Note that fmt prints an error by its Error method.
func (e *ValidationError) String() string { return e.Format() }

// Format returns the XML, within the limits.
func (e *ValidationError) Format() string { return string(e.AppendXML(make([]byte, 0, 1024))) }

// AppendXML appends the XML to dst. Where a limit would be broken, changes of the contract go first, then the example, then
// field lines from the end (counted), then texts are cut.
func (e *ValidationError) AppendXML(dst []byte) []byte {
	e = e.read()
	limits, start := e.limits.orDefault(), len(dst)
	if n := len(e.fields); n > limits.Issues {
		c := *e
		c.fields, c.more = e.fields[:limits.Issues], e.more+n-limits.Issues
		e = &c
	}
	for {
		dst = e.appendXML(dst[:start])
		if !limits.exceeded(dst[start:]) {
			return dst
		}
		e = e.shrink()
	}
}

// shrink ends for the reason given at ToolError.shrink.
func (e *ValidationError) shrink() *ValidationError {
	c := *e
	if a, ok := e.awareness.shrink(); ok {
		c.awareness = a
		return &c
	}
	switch n := len(e.fields); {
	case e.example != "":
		c.example = ""
	case n > 1:
		c.fields, c.more = e.fields[:n-1], e.more+1
	case n == 1:
		f := e.fields[0]
		c.fields = []Field{{halve(f.Name, 20), halve(f.Message, 40)}}
		c.recovery, c.action = halve(e.recovery, 40), halve(e.action, 20)
	default:
		c.recovery, c.action = halve(e.recovery, 40), halve(e.action, 20)
	}
	return &c
}

func (e *ValidationError) appendXML(dst []byte) []byte {
	w := writer{buf: dst}
	w.start("validation_error")
	w.attr("action", e.action)
	w.enter()
	for _, f := range e.fields {
		w.start("field")
		w.attr("name", f.Name)
		w.text("field", f.Message)
	}
	w.notShown(e.more, "")
	w.leaf("recovery", e.recovery)
	w.leaf("example", e.example)
	w.awareness(e.awareness)
	w.close("validation_error")
	return w.buf
}

// MarshalJSON writes the text as a JSON string.
func (e *ValidationError) MarshalJSON() ([]byte, error) { return json.Marshal(e.Format()) }
