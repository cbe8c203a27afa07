package envelope

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
)

type panickingError struct{}

func (panickingError) Error() string { panic("in Error") }

// loopingError is a chain without an end; errors.Is and errors.As would not return from it.
type loopingError struct{}

func (e *loopingError) Error() string { return "loop" }
func (e *loopingError) Unwrap() error { return e }

func TestFrom(t *testing.T) {
	t.Parallel()
	tool, validation, protocol := NotFound("no such invoice"), Validation("a", repeated(1)...), ResourceNotFound("file:///x", "")
	for name, c := range map[string]struct{ err, want error }{
		"nil":                 {nil, nil},
		"nil tool error":      {(*ToolError)(nil), nil},
		"nil validation":      {(*ValidationError)(nil), nil},
		"nil protocol error":  {(*ProtocolError)(nil), nil},
		"tool error":          {tool, tool},
		"wrapped":             {fmt.Errorf("a: %w", fmt.Errorf("b: %w", tool)), tool},
		"joined":              {errors.Join(io.EOF, tool), tool},
		"wrapped twice":       {fmt.Errorf("%w %w", io.EOF, validation), validation},
		"protocol":            {fmt.Errorf("a: %w", protocol), protocol},
		"outermost of two":    {tool.Because(protocol), nil},
		"envelope beside nil": {fmt.Errorf("%w %w", (*ToolError)(nil), validation), validation},
	} {
		got := From(c.err)
		if name == "outermost of two" {
			if e, ok := got.(*ToolError); !ok || e.Code() != CodeNotFound {
				t.Errorf("%s: %v", name, got)
			}
			continue
		}
		if got != c.want {
			t.Errorf("%s: From = %v, want %v", name, got, c.want)
		}
	}
	for name, c := range map[string]struct {
		err     error
		code    Code
		message string
	}{
		"deadline":    {fmt.Errorf("query: %w", context.DeadlineExceeded), CodeTimeout, "The call took longer than allowed"},
		"cancelled":   {context.Canceled, CodeTimeout, "The call was cancelled before it finished"},
		"ordinary":    {errors.New("disk full"), CodeInternalError, "disk full"},
		"empty":       {errors.New(""), CodeInternalError, "Unspecified error"},
		"panicking":   {panickingError{}, CodeInternalError, "The tool failed"},
		"looping":     {&loopingError{}, CodeInternalError, "loop"},
		"secret":      {errors.New("login: password=hunter2"), CodeInternalError, "login: password=[hidden]"},
		"long":        {errors.New(strings.Repeat("x", 1<<20)), CodeInternalError, strings.Repeat("x", 299) + "…"},
		"wrapped nil": {fmt.Errorf("a: %w", (*ToolError)(nil)), CodeInternalError, "a: INTERNAL_ERROR: Unspecified error"},
	} {
		got, ok := From(c.err).(*ToolError)
		if !ok || got.Code() != c.code || got.Message() != c.message || !got.IsError() {
			t.Errorf("%s: From = %v, want %s: %s", name, got, c.code, c.message)
			continue
		}
		if got.Unwrap() == nil {
			t.Errorf("%s: the cause is lost", name)
		}
		if c.code == CodeInternalError && !strings.Contains(got.Recovery(), "do not blindly retry") {
			t.Errorf("%s: recovery %q", name, got.Recovery())
		}
	}
}

func TestFromSafeMessage(t *testing.T) {
	t.Parallel()
	cause := errors.New("table users_secret is locked")
	got := From(cause, WithSafeMessage("The invoice store is not available"), nil).(*ToolError)
	if got.Message() != "The invoice store is not available" || strings.Contains(got.Format(), "users_secret") || !errors.Is(got, cause) {
		t.Errorf("%s", got)
	}
	if e := From(NotFound("x"), WithSafeMessage("hidden")).(*ToolError); e.Message() != "x" {
		t.Errorf("an envelope is passed on as it is, got %s", e)
	}
}

func TestCall(t *testing.T) {
	t.Parallel()
	if v, err := Call(func() (int, error) { return 7, nil }); v != 7 || err != nil {
		t.Error(v, err)
	}
	_, err := Call(func() (int, error) { return 0, fmt.Errorf("x: %w", NotFound("gone")) })
	if e, ok := err.(*ToolError); !ok || e.Message() != "gone" {
		t.Error(err)
	}
	_, err = Call(func() (int, error) { var m map[string]int; m["CANARY"] = 1; return 0, nil })
	e, ok := err.(*ToolError)
	if !ok || e.Code() != CodeInternalError || strings.Contains(e.Format(), "nil map") || e.Message() != "The tool failed unexpectedly" {
		t.Fatal(err)
	}
	var p *PanicError
	if !errors.As(err, &p) || len(p.Stack) == 0 || !strings.Contains(p.Error(), "nil map") {
		t.Error("the log cannot see the panic")
	}
	_, err = Call(func() (int, error) { panic(Conflict("taken")) })
	if e, ok := err.(*ToolError); !ok || e.Code() != CodeConflict {
		t.Error(err)
	}
	_, err = Call(func() (int, error) { panic("p") }, WithSafeMessage("Sorry"))
	if e, ok := err.(*ToolError); !ok || e.Message() != "Sorry" {
		t.Error(err)
	}
}

func TestProtocolError(t *testing.T) {
	t.Parallel()
	data, err := json.Marshal(ResourceNotFound("file:///x", ""))
	if want := `{"code":-32602,"message":"Resource not found","data":{"uri":"file:///x"}}`; err != nil || string(data) != want {
		t.Errorf("got %s, %v, want %s", data, err, want)
	}
	data, _ = json.Marshal(&ProtocolError{Code: RPCMethodNotFound, Message: "no"})
	if want := `{"code":-32601,"message":"no"}`; string(data) != want {
		t.Errorf("got %s, want %s", data, want)
	}
}

// TestSharedError: a package variable is refined by many calls at once and stays what it was. Run with -race.
func TestSharedError(t *testing.T) {
	t.Parallel()
	shared := NotFound("m").Actions("a").Detail("k", "v").WithAwareness(twoChanges)
	before := shared.Format()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			e := shared.Actions(fmt.Sprint(i)).Detail("k", i).Details(map[string]any{"x": i}).RetryAfter(time.Duration(i) * time.Second).Suggest("s").Critical().WithAwareness(nil)
			if got := e.AvailableActions(); len(got) != 2 || got[1] != fmt.Sprint(i) {
				t.Errorf("got %v", got)
			}
			shared.AvailableActions()[0] = "changed"
			shared.AllDetails()[0].Value = "changed"
			shared.Awareness().Changes[0].Field = "changed"
		})
	}
	wg.Wait()
	if after := shared.Format(); after != before {
		t.Errorf("the shared error changed:\n%s", after)
	}
}

func TestNilReceivers(t *testing.T) {
	t.Parallel()
	var e *ToolError
	if e.Format() == "" || e.Error() == "" || e.Code() != CodeInternalError || e.Suggest("x").Recovery() != "x" || e.Unwrap() != nil || !e.IsError() {
		t.Error("nil *ToolError")
	}
	var v *ValidationError
	if v.Format() == "" || v.Error() == "" || len(v.Fields()) != 0 || v.Suggest("x").Recovery() != "x" {
		t.Error("nil *ValidationError")
	}
	if (*ProtocolError)(nil).Error() == "" {
		t.Error("nil *ProtocolError")
	}
}

func TestSeverityText(t *testing.T) {
	t.Parallel()
	for _, s := range []Severity{SeverityError, SeverityWarning, SeverityCritical} {
		text, _ := s.MarshalText()
		var back Severity
		if err := back.UnmarshalText(text); err != nil || back != s {
			t.Errorf("%s: %v, %v", text, back, err)
		}
		if got := New("X", "m").Severity(s).IsError(); got != (s != SeverityWarning) {
			t.Errorf("IsError of %s = %v", s, got)
		}
	}
	var s Severity
	if s.UnmarshalText([]byte("fatal")) == nil {
		t.Error("an unknown severity was taken")
	}
}

func TestDetailValues(t *testing.T) {
	t.Parallel()
	type account struct {
		User     string `json:"user"`
		APIKey   string `json:"api_key"`
		Children []any  `json:"children"`
	}
	for want, v := range map[string]any{
		`{"api_key":"a string of 3 characters (hidden)","children":[{"token":"a number (hidden)"}],"user":"<ann>"}`: account{"<ann>", "abc", []any{map[string]any{"token": 5}}},
		"a value that cannot be shown": make(chan int), "1.5": 1.5, "true": true, "null": nil, "1m0s": time.Minute, "disk password=[hidden]": errors.New("disk password=x1"),
	} {
		if got := New("X", "m").Detail("k", v).AllDetails()[0].Value; got != want {
			t.Errorf("Detail(%v) = %q, want %q", v, got, want)
		}
	}
	for want, v := range map[string]any{"a string of 2 characters (hidden)": "é!", "a number (hidden)": 5, "null": nil, "a value (hidden)": account{}, "a list of 2 items (hidden)": []any{1, 2}} {
		if got := New("X", "m").Detail("secret", v).AllDetails()[0].Value; got != want {
			t.Errorf("secret Detail(%v) = %q, want %q", v, got, want)
		}
	}
}
