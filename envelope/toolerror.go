package envelope

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"
)

// A ToolError is an error that the model reads and can act on. It is immutable: each method that sets something returns a
// changed copy, so a ToolError may be a package variable that many calls refine at the same time. It is an error as it is,
// without a final step:
//
//	return envelope.New(envelope.CodeNotFound, "No invoice with that ID").Suggest("List invoices first, then retry with a real ID")
//
// Texts are cleaned when they are set (one line, nothing invisible, bounded), so what the methods return is what is written.
type ToolError struct {
	code        Code
	severity    Severity
	message     string
	recovery    string
	actions     []string
	moreActions int
	details     []Detail
	moreDetails int
	retryAfter  time.Duration
	awareness   *ContractAwareness
	limits      Limits
	cause       error
}

// A Detail is one fact beside the message.
type Detail struct{ Key, Value string }

// Safe is the value of a detail that tells about its key and holds no value of a call, such as what an argument named
// api_key has to be: it is shown under a secret-looking key too.
type Safe string

// New returns an error of severity "error". An empty code means INTERNAL_ERROR, an empty message "Unspecified error".
func New(code Code, message string) *ToolError {
	e := &ToolError{code: cleanCode(code), message: clean(message, maxText)}
	if e.message == "" {
		e.message = "Unspecified error"
	}
	return e
}

// Suggest sets the recovery: one imperative sentence that says what to do next.
func (e *ToolError) Suggest(recovery string) *ToolError {
	c := e.copy()
	c.recovery = clean(recovery, maxText)
	return c
}

// Actions adds actions that the model may call instead. Empty and repeated names are dropped; at most 20 are kept, and the
// text says how many more there were.
func (e *ToolError) Actions(names ...string) *ToolError {
	c := e.copy()
	c.actions = slices.Clip(c.actions)
	for _, name := range names {
		name = clean(name, maxName)
		switch {
		case name == "" || slices.Contains(c.actions, name):
		case len(c.actions) == maxEntries:
			c.moreActions++
		default:
			c.actions = append(c.actions, name)
		}
	}
	return c
}

// Severity sets the severity.
func (e *ToolError) Severity(s Severity) *ToolError {
	c := e.copy()
	c.severity = SeverityError
	if int(s) < len(severityNames) {
		c.severity = s
	}
	return c
}

// Critical is short for Severity(SeverityCritical).
func (e *ToolError) Critical() *ToolError { return e.Severity(SeverityCritical) }

// Warning is short for Severity(SeverityWarning): the text rides on a result that is a success.
func (e *ToolError) Warning() *ToolError { return e.Severity(SeverityWarning) }

// Detail adds a fact. Details keep the order in which they were added; a key that is there already keeps its place and gets
// the new value. The value of a secret-looking key is replaced by its type and length, unless it is [Safe]. At most 20 are
// kept.
func (e *ToolError) Detail(key string, value any) *ToolError {
	c := e.copy()
	c.details = slices.Clone(c.details)
	c.setDetail(key, value)
	return c
}

// Details adds facts, sorted by key because a Go map has no order.
func (e *ToolError) Details(m map[string]any) *ToolError {
	c := e.copy()
	c.details = slices.Clone(c.details)
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		c.setDetail(k, m[k])
	}
	return c
}

func (e *ToolError) setDetail(key string, value any) {
	text := ""
	if _, safe := value.(Safe); secretName(key) && !safe {
		text = concealed(value)
	} else {
		text = clean(detailText(value), maxFieldLen)
	}
	key = clean(key, maxName)
	if key == "" {
		return
	}
	for i := range e.details {
		if e.details[i].Key == key {
			e.details[i].Value = text
			return
		}
	}
	if len(e.details) == maxEntries {
		e.moreDetails++
		return
	}
	e.details = append(e.details, Detail{key, text})
}

// RetryAfter says when the same call may work. It is written in whole seconds, a fraction rounded up so that nobody comes too
// early; zero and negative durations mean "unknown" and leave the element out.
func (e *ToolError) RetryAfter(d time.Duration) *ToolError {
	c := e.copy()
	c.retryAfter = wholeSeconds(d)
	return c
}

func wholeSeconds(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	s := d / time.Second
	if d%time.Second != 0 && s < maxSeconds {
		s++
	}
	return s * time.Second
}

const maxSeconds = (1<<63 - 1) / time.Second

// WithAwareness attaches what changed in the contract; nil removes it.
func (e *ToolError) WithAwareness(a *ContractAwareness) *ToolError {
	c := e.copy()
	c.awareness = a.normal()
	return c
}

// Limit sets the limits of the text.
func (e *ToolError) Limit(l Limits) *ToolError {
	c := e.copy()
	c.limits = l
	return c
}

// Because records the error behind this one for [errors.Is], [errors.As] and the server's log. It is never written.
func (e *ToolError) Because(cause error) *ToolError {
	c := e.copy()
	c.cause = cause
	return c
}

func (e *ToolError) copy() *ToolError {
	if e == nil {
		return New("", "")
	}
	c := *e
	return &c
}

// Code returns the code.
func (e *ToolError) Code() Code { return e.read().code }

// Message returns what went wrong.
func (e *ToolError) Message() string { return e.read().message }

// Recovery returns what to do next, or "".
func (e *ToolError) Recovery() string { return e.read().recovery }

// Level returns the severity.
func (e *ToolError) Level() Severity { return e.read().severity }

// AvailableActions returns the actions that may be called instead.
func (e *ToolError) AvailableActions() []string { return slices.Clone(e.read().actions) }

// AllDetails returns the details in their order.
func (e *ToolError) AllDetails() []Detail { return slices.Clone(e.read().details) }

// Wait returns the duration of RetryAfter; zero means unknown.
func (e *ToolError) Wait() time.Duration { return e.read().retryAfter }

// Awareness returns a copy of the attached section, or nil.
func (e *ToolError) Awareness() *ContractAwareness { return e.read().awareness.clone() }

// IsError says whether the result that carries the text is an error: a warning rides on a success.
func (e *ToolError) IsError() bool { return e.read().severity != SeverityWarning }

// Error returns code and message on one line, for logs; Format has the text for the model.
func (e *ToolError) Error() string { e = e.read(); return string(e.code) + ": " + e.message }

// Unwrap returns the error set by Because.
func (e *ToolError) Unwrap() error { return e.read().cause }

var unspecified = New("", "")

// read makes the methods of a nil *ToolError, a common slip in Go, answer instead of panic.
func (e *ToolError) read() *ToolError {
	if e == nil {
		return unspecified
	}
	return e
}

// String returns the XML, as Format does. Note that fmt prints an error by its Error method.
func (e *ToolError) String() string { return e.Format() }

// Format returns the XML, within the limits.
func (e *ToolError) Format() string {
	buf := make([]byte, 0, 512)
	return string(e.AppendXML(buf))
}

// AppendXML appends the XML to dst. Where a limit would be broken, first changes of the contract go, then details, then
// actions (each with a count of what is not shown), then message and recovery are cut.
func (e *ToolError) AppendXML(dst []byte) []byte {
	e = e.read()
	limits, start := e.limits.orDefault(), len(dst)
	for {
		dst = e.appendXML(dst[:start])
		if !limits.exceeded(dst[start:]) {
			return dst
		}
		e = e.shrink()
	}
}

// shrink ends: every step makes a text or a list shorter, and what cannot shrink fits the floor of Limits.
func (e *ToolError) shrink() *ToolError {
	c := *e
	if a, ok := e.awareness.shrink(); ok {
		c.awareness = a
		return &c
	}
	if n := len(e.details); n > 0 {
		c.details, c.moreDetails = e.details[:n-1], e.moreDetails+1
		return &c
	}
	if n := len(e.actions); n > 0 {
		c.actions, c.moreActions = e.actions[:n-1], e.moreActions+1
		return &c
	}
	c.message, c.recovery = halve(e.message, 40), halve(e.recovery, 40)
	if c.message == e.message && c.recovery == e.recovery {
		c.moreActions, c.moreDetails, c.retryAfter = 0, 0, 0
	}
	return &c
}

// halve cuts s to half its runes, but not below the floor.
func halve(s string, floor int) string {
	return cut(s, max(floor, len([]rune(s))/2))
}

func (e *ToolError) appendXML(dst []byte) []byte {
	w := writer{buf: dst}
	w.start("tool_error")
	w.attr("code", string(e.code))
	w.attr("severity", e.severity.String())
	w.enter()
	w.leaf("message", e.message)
	w.leaf("recovery", e.recovery)
	if len(e.actions)+e.moreActions > 0 {
		w.open("available_actions")
		for _, a := range e.actions {
			w.leaf("action", a)
		}
		w.notShown(e.moreActions, "")
		w.close("available_actions")
	}
	if len(e.details)+e.moreDetails > 0 {
		w.open("details")
		for _, d := range e.details {
			w.start("detail")
			w.attr("key", d.Key)
			w.text("detail", d.Value)
		}
		w.notShown(e.moreDetails, "")
		w.close("details")
	}
	if e.retryAfter > 0 {
		w.start("retry_after")
		w.buf = append(w.buf, '>')
		s := int64(e.retryAfter / time.Second)
		w.buf = strconv.AppendInt(w.buf, s, 10)
		w.buf = append(w.buf, " second"...)
		if s != 1 {
			w.buf = append(w.buf, 's')
		}
		w.end("retry_after")
	}
	w.awareness(e.awareness)
	w.close("tool_error")
	return w.buf
}

// MarshalJSON writes the text as a JSON string, so that an error put into a result by mistake is still readable.
func (e *ToolError) MarshalJSON() ([]byte, error) { return json.Marshal(e.Format()) }
