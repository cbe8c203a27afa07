// Package hooktest is what the tests of the hooks share: two versions of a contract, clients over each protocol era and
// transport, the official TypeScript clients, and checks of what a model gets to see.
package hooktest

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/hooktest/foreign"
	"github.com/fusionctl/fusionctl/lockfile"
)

// Two versions of a contract: days became nights, and find was renamed. BookWide takes the arguments of both versions.
const (
	BookV1 = `{"name":"book","inputSchema":{"type":"object","additionalProperties":false,"required":["city","days"],
		"properties":{"city":{"type":"string"},"days":{"type":"integer","minimum":1}}}}`
	BookV2 = `{"name":"book","inputSchema":{"type":"object","additionalProperties":false,"required":["city","nights"],
		"properties":{"city":{"type":"string"},"nights":{"type":"integer","minimum":1}}}}`
	BookWide = `{"name":"book","inputSchema":{"type":"object","properties":{"city":{"type":"string"}}}}`
	FindV1   = `{"name":"find","description":"Find hotels by their name","inputSchema":{"type":"object","required":["query"],"properties":{"query":{"type":"string"}}}}`
	FindV2   = `{"name":"search","description":"Find hotels by their name","inputSchema":{"type":"object","required":["query"],"properties":{"query":{"type":"string"}}}}`
	Same     = `{"name":"same","inputSchema":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}}`
)

// V1 and V2 are the tools of the two versions.
func V1() []string { return []string{BookV1, FindV1, Same} }
func V2() []string { return []string{BookV2, FindV2, Same} }

// NotFound is an envelope that handlers answer with.
var NotFound = envelope.New(envelope.CodeNotFound, "No invoice with that ID").
	Suggest("List invoices first, then retry with a real ID").Actions("billing.list_invoices").Detail("requestedId", "inv_2026_9999")

// Args are the arguments of a call.
type Args map[string]any

// Baseline is a lockfile of version 1.0.0 of a server with these tools.
func Baseline(definitions ...string) awareness.Source {
	s := &lockfile.Server{Info: map[string]any{"name": "hotels", "version": "1.0.0"}}
	for _, d := range definitions {
		tree, err := canonjson.Decode([]byte(d))
		if err != nil {
			panic(err)
		}
		name, e, err := lockfile.NewEntry(lockfile.KindTool, tree.(map[string]any))
		if err != nil {
			panic(err)
		}
		s.SetEntry(lockfile.KindTool, name, e)
	}
	return awareness.FromLockfile(&lockfile.File{Servers: map[string]*lockfile.Server{"hotels": s}})
}

// Hook is a hook with a baseline of these tools.
func Hook(t testing.TB, definitions []string, opts ...awareness.Option) *awareness.Hook {
	t.Helper()
	h, err := awareness.New(Baseline(definitions...), opts...)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// Parse is what a model makes of a text.
func Parse(t testing.TB, text string) envelope.Envelope {
	t.Helper()
	e, err := envelope.Parse(text)
	if err != nil {
		t.Fatalf("no envelope in %q: %v", text, err)
	}
	return e
}

// CheckHealed checks that an answer is one error that tells a caller of book that days became nights.
func CheckHealed(t testing.TB, texts []string, isError bool) {
	t.Helper()
	if len(texts) != 1 || !isError {
		t.Fatalf("isError %v, texts %q, want one error", isError, texts)
	}
	e, ok := Parse(t, texts[0]).(*envelope.ValidationError)
	if !ok || e.Action() != "book" {
		t.Fatalf("%s, want a validation error of book", texts[0])
	}
	a := e.Awareness()
	if a == nil || a.MaxSeverity != "BREAKING" || len(a.Changes) == 0 || !strings.Contains(texts[0], "nights") {
		t.Fatalf("%s, want a section that tells of nights", texts[0])
	}
}

// CheckGone checks that an answer is one error that tells a caller of find to call search in its place.
func CheckGone(t testing.TB, texts []string, isError bool) {
	t.Helper()
	if len(texts) != 1 || !isError {
		t.Fatalf("isError %v, texts %q, want one error", isError, texts)
	}
	e, ok := Parse(t, texts[0]).(*envelope.ToolError)
	if !ok || e.Code() != envelope.CodeUnknownAction || len(e.AvailableActions()) == 0 || e.AvailableActions()[0] != "search" {
		t.Fatalf("%s, want UNKNOWN_ACTION and search", texts[0])
	}
}

// Events collects the events of a hook.
type Events struct {
	mu  sync.Mutex
	all []awareness.Event
}

// Add is for awareness.OnEvent.
func (e *Events) Add(event awareness.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, event)
}

// All are the events so far.
func (e *Events) All() []awareness.Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.all)
}

// CheckClient checks that each of so many events says that the client of these tests called, and is not silent about causes.
func (e *Events) CheckClient(t testing.TB, number int) {
	t.Helper()
	all := e.All()
	if len(all) != number {
		t.Errorf("%d events, want %d", len(all), number)
	}
	for _, event := range all {
		if event.Client != (awareness.Client{Name: "test", Version: "1"}) || event.Stale != (len(event.Causes()) > 0) {
			t.Errorf("event %+v, want one of client test 1, with causes if the call was right before", event)
		}
	}
}

// Churn adds, replaces and removes tools until stop is closed; same is there all the time.
func Churn(stop <-chan struct{}, add func(definition string), remove func(name string)) {
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		add([]string{BookV2, BookWide, BookV1}[i%3])
		if i%5 == 0 {
			remove("search")
		} else if i%5 == 1 {
			add(FindV2)
		}
		add(Same)
		time.Sleep(200 * time.Microsecond) // the calls that this is about need the processor, too
	}
}

// OnWire is a text as it arrives over the wire: bytes that are not UTF-8 are replaced, one by one.
func OnWire(s string) string { return string([]rune(s)) }

// CheckForeign checks the texts of a tool error: what the server said, as it is, an envelope in which nothing got out of its
// place, or both. It returns the number of envelopes.
func CheckForeign(t testing.TB, what string, texts []string, said string) int {
	t.Helper()
	said = OnWire(said)
	if len(texts) > 0 && texts[0] == said {
		texts = texts[1:]
	}
	if len(texts) > 1 {
		t.Errorf("%s: more than what the server said and an envelope: %.300q", what, texts)
	}
	for _, text := range texts {
		foreign.Envelope(t, what, text)
	}
	return len(texts)
}
