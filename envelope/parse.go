package envelope

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// ErrNoEnvelope says that a text holds neither a tool_error nor a validation_error.
var ErrNoEnvelope = errors.New("no envelope in the text")

// Parse reads the first envelope of a text, which may stand inside other text. It returns a *[ToolError] or a
// *[ValidationError], or [ErrNoEnvelope]. What Format wrote is read back as it was. From other implementations it also takes
// attributes in any order and either quotes, any white space, a missing severity (error), a missing end tag, CDATA, unescaped
// "&", actions separated by commas and details that are elements of their own. Unknown elements are passed over. It reads at
// most 256 KiB and never panics. Texts are cleaned as if they had been set by the methods.
func Parse(text string) (Envelope, error) {
	e, _, _ := parse(text)
	if e == nil {
		return nil, ErrNoEnvelope
	}
	return e, nil
}

// parse also returns where the element stands in text.
func parse(text string) (e Envelope, start, end int) {
	text = text[:min(len(text), maxRead)]
	for pos, tries := 0, 0; tries < maxCandidates; tries++ {
		i := candidate(text[pos:])
		if i < 0 {
			return nil, 0, 0
		}
		pos += i
		if n, size := root(text[pos:]); size > 0 {
			switch n.name {
			case "tool_error":
				if t := readToolError(n); t != nil {
					return t, pos, pos + size
				}
			case "validation_error":
				if v := readValidationError(n); v != nil {
					return v, pos, pos + size
				}
			}
		}
		pos++
	}
	return nil, 0, 0
}

// candidate finds the first place where an envelope may begin.
func candidate(text string) int {
	t, v := strings.Index(text, "<tool_error"), strings.Index(text, "<validation_error")
	if t < 0 || v >= 0 && v < t {
		return v
	}
	return t
}

// root reads the outermost element; without an end tag it reaches to the end of the text. One that holds the start of another
// is prose that mentions the element.
func root(text string) (n node, size int) {
	n, size, closed := element(text, nil)
	if size == 0 {
		return n, 0
	}
	if !closed {
		n.body = text[tagClose(text, 1+len(n.name))+1:]
		size = len(text)
	}
	if opens(n.body, text[:1+len(n.name)]) {
		return n, 0
	}
	return n, size
}

// opens reports whether text holds a tag that begins with tag and has no longer name.
func opens(text, tag string) bool {
	for {
		i := strings.Index(text, tag)
		if i < 0 {
			return false
		}
		text = text[i+len(tag):]
		if text == "" || !nameByte(text[0]) {
			return true
		}
	}
}

func children(body string) scanner { return scanner{text: body, left: maxChildren} }

func readToolError(n node) *ToolError {
	e := &ToolError{code: cleanCode(Code(strings.TrimSpace(n.attr("code"))))}
	for i, name := range severityNames {
		if strings.EqualFold(strings.TrimSpace(n.attr("severity")), name) {
			e.severity = Severity(i)
		}
	}
	s := children(n.body)
	for c, ok := s.next(); ok; c, ok = s.next() {
		switch c.name {
		case "message":
			e.message = clean(c.content(), maxText)
		case "recovery":
			e.recovery = clean(c.content(), maxText)
		case "available_actions":
			e.readActions(c)
		case "details":
			e.readDetails(c)
		case "retry_after":
			e.retryAfter = readDuration(strings.TrimSpace(c.content()))
		case "contract_awareness":
			e.awareness = readAwareness(c)
		}
	}
	if e.message == "" {
		if n.attr("code") == "" {
			return nil // the words of a text about envelopes, not an envelope
		}
		e.message = unspecified.message
		if body := clean(n.content(), maxText); body != "" && !strings.Contains(body, "<") {
			e.message = body
		}
	}
	return e
}

func (e *ToolError) readActions(n node) {
	s := children(n.body)
	var names []string
	more := 0
	for c, ok := s.next(); ok; c, ok = s.next() {
		if c.name == "not_shown" {
			more = readCount(c.content())
			continue
		}
		names = append(names, c.content())
	}
	if names == nil && more == 0 {
		names = strings.Split(n.content(), ",")
	}
	t := e.Actions(names...)
	e.actions, e.moreActions = t.actions, t.moreActions+more
}

func (e *ToolError) readDetails(n node) {
	s := children(n.body)
	for c, ok := s.next(); ok; c, ok = s.next() {
		if c.name == "not_shown" {
			e.moreDetails += readCount(c.content())
			continue
		}
		key := c.name
		if key == "detail" {
			key = c.attr("key")
		}
		key = clean(key, maxName)
		switch {
		case key == "":
		case len(e.details) == maxEntries:
			e.moreDetails++
		default:
			e.details = append(e.details, Detail{key, clean(c.content(), maxFieldLen)})
		}
	}
}

func readValidationError(n node) *ValidationError {
	e := &ValidationError{action: clean(n.attr("action"), maxName)}
	s := children(n.body)
	for c, ok := s.next(); ok; c, ok = s.next() {
		switch c.name {
		case "field":
			if len(e.fields) == 100 {
				e.more++
				continue
			}
			e.fields = append(e.fields, Field{clean(c.attr("name"), maxName), clean(c.content(), maxFieldLen)})
		case "not_shown":
			e.more += readCount(c.content())
		case "recovery":
			e.recovery = clean(c.content(), maxText)
		case "example":
			e.example = clean(c.content(), maxText)
		case "contract_awareness":
			e.awareness = readAwareness(c)
		}
	}
	if !strings.Contains(n.attrs, "action") && e.fields == nil && e.recovery == "" && e.awareness == nil && e.more == 0 {
		return nil
	}
	return e
}

func readAwareness(n node) *ContractAwareness {
	a := &ContractAwareness{}
	s := children(n.body)
	for c, ok := s.next(); ok; c, ok = s.next() {
		switch c.name {
		case "system_note":
			a.Note = c.content()
		case "instructions":
			a.Instructions = c.content()
		case "change_count":
			a.ChangeCount = readCount(c.content())
		case "max_severity":
			a.MaxSeverity = c.content()
		case "not_shown":
			a.NotShown = readCount(c.content())
		case "contract_changes":
			changes := children(c.body)
			for ch, ok := changes.next(); ok; ch, ok = changes.next() {
				if ch.name == "change" {
					a.Changes = append(a.Changes, readChange(ch))
				}
			}
		}
	}
	return a.normal()
}

func readChange(n node) ContractChange {
	c := ContractChange{Severity: n.attr("severity"), Field: n.attr("field")}
	s := children(n.body)
	for part, ok := s.next(); ok; part, ok = s.next() {
		switch part.name {
		case "description":
			c.Description = part.content()
		case "before":
			c.Before = part.content()
		case "after":
			c.After = part.content()
		}
	}
	return c
}

// readCount reads the first number of a text such as "and 3 more".
func readCount(s string) int {
	start := strings.IndexAny(s, "0123456789")
	if start < 0 {
		return 0
	}
	end := start
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	n, err := strconv.ParseInt(s[start:end], 10, 32)
	if err != nil {
		return 0
	}
	return int(n)
}

// readDuration reads "30 seconds", and as others write it "30", "1.5s", "2 minutes", "500ms".
func readDuration(s string) time.Duration {
	end := 0
	for end < len(s) && (s[end] >= '0' && s[end] <= '9' || s[end] == '.') {
		end++
	}
	unit := strings.ToLower(strings.TrimSpace(s[end:]))
	scale := time.Second
	switch unit {
	case "", "s", "sec", "secs", "second", "seconds":
	case "ms", "millisecond", "milliseconds":
		scale = time.Millisecond
	case "m", "min", "mins", "minute", "minutes":
		scale = time.Minute
	case "h", "hour", "hours":
		scale = time.Hour
	default:
		return 0
	}
	if n, err := strconv.ParseInt(s[:end], 10, 64); err == nil && n <= int64((1<<63-1)/scale) {
		return wholeSeconds(time.Duration(n) * scale)
	}
	f, err := strconv.ParseFloat(s[:end], 64)
	if err != nil || f < 0 || f*float64(scale) > 1e18 {
		return 0
	}
	return wholeSeconds(time.Duration(f * float64(scale)))
}

// A CallError is what a client makes of a tool result that is an error.
type CallError struct {
	Code             Code
	Message          string // of a validation error: its first line
	Recovery         string
	AvailableActions []string
	Severity         Severity
	Raw              string   // the element as it stood in the text; the whole text when there is no envelope
	Envelope         Envelope // nil when there is none
}

// Error returns code and message.
func (e *CallError) Error() string {
	if e.Code == "" {
		return e.Message
	}
	return string(e.Code) + ": " + e.Message
}

// Unwrap returns the envelope, so that errors.As finds a *ToolError or *ValidationError.
func (e *CallError) Unwrap() error {
	if e.Envelope == nil {
		return nil
	}
	return e.Envelope
}

// AsError makes a Go error from the text of a tool result and its isError flag. The result is nil when the call succeeded,
// also when the text carries a warning (use [Parse] to read it). A result that forgot isError but whose whole text is an
// envelope of an error counts as failed; an envelope quoted inside a successful text does not. An error without an envelope
// has an empty code and its text, cut, as the message.
func AsError(text string, isError bool) error {
	e, start, end := parse(text)
	if e == nil {
		if !isError {
			return nil
		}
		return &CallError{Message: orText(clean(text, maxText), unspecified.message), Raw: text}
	}
	if !isError && (!e.IsError() || strings.TrimSpace(text) != strings.TrimSpace(text[start:end])) {
		return nil
	}
	c := &CallError{Code: e.Code(), Recovery: e.Recovery(), Severity: e.Level(), Raw: text[start:end], Envelope: e}
	switch t := e.(type) {
	case *ToolError:
		c.Message, c.AvailableActions = t.Message(), t.AvailableActions()
	case *ValidationError:
		c.Message = "Invalid arguments for " + t.action
		if len(t.fields) > 0 {
			c.Message = t.fields[0].Name + ": " + t.fields[0].Message
		}
	}
	return c
}
