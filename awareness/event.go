package awareness

import (
	"context"
	"log/slog"
	"sync/atomic"
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
	Action   string   // value of the discriminator, as far as the contract knows it
	Stale    bool     // the call was right under a baseline
	Baseline int      // which, 0 is the newest; meaningless unless Stale
	Unknown  bool     // the tool or action does not exist any more
	Repeat   int      // how often the same call had failed before
	Changes  []string // rule ids of the changes that were shown
	Reason   string   // FailedOpen: why
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
		h.onEvent(e)
	}
}

// LogTo is an OnEvent function that writes to a logger: failures of the hook as warnings, everything else as information.
func LogTo(log *slog.Logger) func(Event) {
	return func(e Event) {
		level := slog.LevelInfo
		if e.Kind == FailedOpen {
			level = slog.LevelWarn
		}
		attributes := []slog.Attr{slog.String("tool", e.Tool)}
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
			attributes = append(attributes, slog.Any("changes", e.Changes))
		}
		if e.Reason != "" {
			attributes = append(attributes, slog.String("reason", e.Reason))
		}
		log.LogAttrs(context.Background(), level, "contract awareness: "+string(e.Kind), attributes...)
	}
}
