package awareness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/fusionctl/fusionctl/internal/hooktest/foreign"
)

// Text from elsewhere stays in its place (reports S02, S04, S06): names and values of both contracts, arguments of callers and
// what servers say, in each envelope that a hook makes, in its events and in the log.
func TestForeignText(t *testing.T) {
	t.Parallel()
	for _, text := range foreign.Texts() {
		t.Run(text.Name, func(t *testing.T) {
			t.Parallel()
			f := newForeigner(t, text)
			f.calls(t)
			f.serverTexts(t)
			f.events(t)
		})
	}
}

// A foreigner is a hook between two contracts that are made of one text.
type foreigner struct {
	text  foreign.Text
	hook  *Hook
	tools map[string]*Tool
	shown int // envelopes
	heard []Event
	json  bytes.Buffer
	plain bytes.Buffer
}

func newForeigner(t *testing.T, text foreign.Text) *foreigner {
	f := &foreigner{text: text}
	before, now := text.Before(), text.Now()
	if !text.Legal {
		// Such a contract cannot be read; the callers' arguments and the servers' words can be like that all the same.
		order := foreign.Texts()[2]
		before, now = order.Before(), order.Now()
	}
	base := contract(t, text.String(), before...)
	bridges := []func(Event){LogTo(slog.New(slog.NewJSONHandler(&f.json, nil))), LogTo(slog.New(slog.NewTextHandler(&f.plain, nil)))}
	f.hook, f.tools = scene(t, base, contract(t, "2", now...), AllSeverities(), MaxChanges(20), Undeclared(true), OnEvent(func(e Event) {
		f.heard = append(f.heard, e)
		for _, log := range bridges {
			log(e)
		}
	}))
	if !text.Legal {
		for _, definition := range text.Now() {
			if _, err := f.hook.Learn([]byte(definition)); err == nil {
				t.Errorf("a definition with illegal text was learned: %s", definition)
			}
		}
	}
	return f
}

func (f *foreigner) check(t *testing.T, what string, v Verdict) {
	t.Helper()
	if v.Envelope != nil {
		f.shown++
		foreign.Envelope(t, what, v.Envelope.Format())
		foreign.Harmless(t, what+", for the server's log", v.Envelope.Error())
	}
}

// calls sends wrong calls of every kind, twice, so that the advice about repetition is seen too.
func (f *foreigner) calls(t *testing.T) {
	h := f.hook
	var live []*Tool
	for name, tool := range f.tools {
		live = append(live, tool)
		client := Client{f.text.String(), f.text.String()}
		for _, arguments := range f.text.Calls() {
			for range 2 {
				f.check(t, fmt.Sprintf("Check(%.20q, %.60s)", name, arguments), h.Check(Call{Tool: tool, Arguments: []byte(arguments), Caller: f.text.String(), Client: client}))
			}
		}
		if w := h.Warning(Call{Tool: tool, Arguments: []byte(`{` + f.text.After("more ") + `:` + f.text.JSON + `}`)}); w != nil {
			f.shown++
			foreign.Envelope(t, "Warning", w.Format())
		}
	}
	gone := 0
	for name := range h.baselines[0].Tools {
		for range 2 {
			if v := h.Unknown(name, Call{Arguments: []byte(f.text.JSON)}, live); v.Envelope != nil && f.tools[name] == nil {
				gone++
				f.check(t, "Unknown", v)
			}
		}
		f.check(t, "Unknown, without a successor", h.Unknown(name, Call{}, nil))
	}
	if gone == 0 {
		t.Error("no answer to a call of the renamed tool")
	}
}

// serverTexts has servers say the text, in words of their own and in those of a known refusal.
func (f *foreigner) serverTexts(t *testing.T) {
	h := f.hook
	fitting := 0
	for name, tool := range f.tools {
		for _, said := range []string{f.text.String(), "Input validation error: " + f.text.String(), "Error executing tool x: 1 validation error for\n" + f.text.String()} {
			for _, arguments := range append(f.text.Calls(), `{"action":"list",`+foreign.Texts()[2].After("is name ")+`:"x"}`) {
				v := h.Explain(Call{Tool: tool, Arguments: []byte(arguments), ServerText: said})
				f.check(t, fmt.Sprintf("Explain(%.20q, %.60s)", name, arguments), v)
				if v.Envelope != nil && strings.Contains(v.Envelope.Format(), `<field name="server">`) {
					fitting++
				}
			}
		}
	}
	if fitting == 0 && !IsEnvelope(f.text.String()) {
		t.Error("nothing that a server says was shown")
	}
}

func (f *foreigner) events(t *testing.T) {
	t.Helper()
	if f.shown < 20 || len(f.heard) < f.shown {
		t.Fatalf("%d envelopes and %d events, want more: the test shows nothing", f.shown, len(f.heard))
	}
	for _, e := range f.heard {
		texts := map[string]string{"tool": e.Tool, "action": e.Action, "client": e.Client.Name, "version": e.Client.Version, "reason": e.Reason}
		for i, c := range e.Changes {
			texts[fmt.Sprint("change ", i)] = c.Rule + c.Field
		}
		for what, text := range texts {
			foreign.Line(t, "event, "+what, text, 400)
		}
	}
	foreign.Harmless(t, "the log as text", f.plain.String())
	for _, log := range []*bytes.Buffer{&f.json, &f.plain} {
		if lines := bytes.Count(log.Bytes(), []byte("\n")); lines != len(f.heard) {
			t.Errorf("%d lines for %d events", lines, len(f.heard))
		}
	}
	for line := range bytes.Lines(f.json.Bytes()) {
		var fields map[string]any
		if err := json.Unmarshal(line, &fields); err != nil {
			t.Errorf("%v: %s", err, line)
		}
		foreign.Line(t, "the log as JSON", string(bytes.TrimSpace(line)), 12_000)
	}
}
