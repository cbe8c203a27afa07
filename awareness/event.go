package awareness

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"

	"github.com/fusionctl/fusionctl/envelope"
)

// An EventKind says what a hook decided.
type EventKind string

// The kinds of events.
const (
	Refused    EventKind = "refused"     // Enforce: the call did not reach the handler
	Enriched   EventKind = "enriched"    // Enrich: the answer of the server was explained
	Observed   EventKind = "observed"    // Observe: it would have been refused or explained
	FailedOpen EventKind = "failed-open" // the hook could not judge; the call passed untouched
	Warned     EventKind = "warned"      // an undeclared argument was reported on a success
)

// An Event tells of one decision. It never holds a value of an argument.
type Event struct {
	Kind     EventKind
	Tool     string
	Client   Client        // who called
	Action   string        // value of the discriminator, as far as the contract knows it
	Stale    bool          // the call was right under a baseline
	Baseline int           // which, 0 is the newest; meaningless unless Stale
	Unknown  bool          // the tool or action does not exist any more
	Repeat   int           // how often the same call had failed before
	Changes  []ShownChange // the changes that were shown, or would have been, the causes first
	Reason   string        // FailedOpen: why
}

// A Client is a program that calls, as it names itself when it initializes, or from revision 2026-07-28 on with each request.
// It is empty when it did not say.
type Client struct{ Name, Version string }

// String is name and version.
func (c Client) String() string { return strings.TrimSpace(c.Name + " " + c.Version) }

// A ShownChange is a change of the contract that an event is about.
type ShownChange struct {
	Rule  string // rule id
	Field string // JSON pointer into the input schema, or into the definition; "" is the whole tool
	Cause bool   // the call was right there under the baseline, and is wrong now
}

// String is the rule and the field.
func (c ShownChange) String() string { return strings.TrimSpace(c.Rule + " " + c.Field) }

// Causes are those of the changes because of which the call is wrong.
func (e Event) Causes() []ShownChange {
	var causes []ShownChange
	for _, c := range e.Changes {
		if c.Cause {
			causes = append(causes, c)
		}
	}
	return causes
}

// Limits on texts of events that come from elsewhere, in characters.
const (
	maxEventName = 128
	maxReason    = 300
)

// harmless makes the texts of an event, which come from contracts and clients, fit for any log: one line each, cut, without
// invisible characters and without what looks like a credential.
func (e *Event) harmless() {
	for _, s := range [...]*string{&e.Tool, &e.Action, &e.Client.Name, &e.Client.Version} {
		*s = envelope.Line(*s, maxEventName)
	}
	for i := range e.Changes {
		e.Changes[i].Field = envelope.Line(e.Changes[i].Field, maxReason)
	}
	e.Reason = envelope.Line(e.Reason, maxReason)
}

// Counts are the numbers of decisions since the hook was made.
type Counts struct {
	Refused, Enriched, Observed, FailedOpen, Warned uint64
	Stale, Unknown, Repeated                        uint64
}

type counters struct {
	refused, enriched, observed, failedOpen, warned, stale, unknown, repeated atomic.Uint64
}

// Counts returns the counters.
func (h *Hook) Counts() Counts {
	c := &h.counters
	return Counts{
		Refused: c.refused.Load(), Enriched: c.enriched.Load(), Observed: c.observed.Load(),
		FailedOpen: c.failedOpen.Load(), Warned: c.warned.Load(),
		Stale: c.stale.Load(), Unknown: c.unknown.Load(), Repeated: c.repeated.Load(),
	}
}

func (h *Hook) event(e Event) {
	c := &h.counters
	switch e.Kind {
	case Refused:
		c.refused.Add(1)
	case Enriched:
		c.enriched.Add(1)
	case Observed:
		c.observed.Add(1)
	case FailedOpen:
		c.failedOpen.Add(1)
	case Warned:
		c.warned.Add(1)
	}
	if e.Stale {
		c.stale.Add(1)
	}
	if e.Unknown {
		c.unknown.Add(1)
	}
	if e.Repeat > 0 {
		c.repeated.Add(1)
	}
	if h.onEvent != nil {
		e.harmless()
		h.onEvent(e)
	}
}

// GaveUp tells that an answer passed untouched because to compare the contracts takes too long; later calls are explained.
func (h *Hook) GaveUp(tool string, client Client) {
	h.event(Event{Kind: FailedOpen, Tool: tool, Client: client, Reason: "comparing the contracts takes long; later calls are explained"})
}

// LogTo is an OnEvent function that writes to a logger: failures of the hook as warnings, everything else as information.
func LogTo(log *slog.Logger) func(Event) {
	return func(e Event) {
		level := slog.LevelInfo
		if e.Kind == FailedOpen {
			level = slog.LevelWarn
		}
		attributes := []slog.Attr{slog.String("tool", e.Tool)}
		if e.Client.Name != "" {
			attributes = append(attributes, slog.String("client", e.Client.Name), slog.String("client_version", e.Client.Version))
		}
		if e.Action != "" {
			attributes = append(attributes, slog.String("action", e.Action))
		}
		if e.Stale {
			attributes = append(attributes, slog.Bool("stale", true), slog.Int("baseline", e.Baseline))
		}
		if e.Unknown {
			attributes = append(attributes, slog.Bool("unknown", true))
		}
		if e.Repeat > 0 {
			attributes = append(attributes, slog.Int("repeat", e.Repeat))
		}
		if len(e.Changes) > 0 {
			attributes = append(attributes, slog.Any("changes", texts(e.Changes)))
		}
		if causes := e.Causes(); len(causes) > 0 {
			attributes = append(attributes, slog.Any("causes", texts(causes)))
		}
		if e.Reason != "" {
			attributes = append(attributes, slog.String("reason", e.Reason))
		}
		log.LogAttrs(context.Background(), level, "contract awareness: "+string(e.Kind), attributes...)
	}
}

func texts(changes []ShownChange) []string {
	list := make([]string, len(changes))
	for i, c := range changes {
		list[i] = c.String()
	}
	return list
}
