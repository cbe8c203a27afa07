package awareness

import (
	"crypto/sha256"
	"errors"
	"sync"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/lockfile"
)

// A Mode says what a hook may do with a call.
type Mode uint8

const (
	// Enforce answers a call whose arguments do not fit, and the handler is not called. It is for servers, whose author
	// declares the schema binding by installing the hook.
	Enforce Mode = iota
	// Enrich lets the server answer and touches only an answer that is an error already. It is for proxies: real servers
	// accept what their schemas refuse.
	Enrich
	// Observe changes nothing; events and counters tell what would have been done.
	Observe
)

// String is the mode's name.
func (m Mode) String() string {
	switch m {
	case Enforce:
		return "enforce"
	case Enrich:
		return "enrich"
	}
	return "observe"
}

// An Option changes how a Hook works.
type Option func(*options)

type options struct {
	mode          Mode
	server        string
	older         []Source
	selfHealing   bool
	maxChanges    int
	allSeverities bool
	limits        envelope.Limits
	example       bool
	repeats       bool
	onEvent       func(Event)
	undeclared    bool
}

// WithMode sets the mode; the default is Enforce.
func WithMode(m Mode) Option { return func(o *options) { o.mode = m } }

// Server names the server of the lockfile, for a lockfile that holds several.
func Server(name string) Option { return func(o *options) { o.server = name } }

// Older adds baselines of earlier releases, the newest first. The section then names the newest baseline under which the
// call was right.
func Older(sources ...Source) Option {
	return func(o *options) { o.older = append(o.older, sources...) }
}

// SelfHealing turns the section about contract changes off or on (the default). Without it errors are explained all the
// same.
func SelfHealing(on bool) Option { return func(o *options) { o.selfHealing = on } }

// MaxChanges is how many changes are shown at most; the default is 5.
func MaxChanges(n int) Option { return func(o *options) { o.maxChanges = n } }

// AllSeverities shows SAFE and COSMETIC changes too. By default only BREAKING and RISKY ones reach a model.
func AllSeverities() Option { return func(o *options) { o.allSeverities = true } }

// WithLimits sets the limits of the texts.
func WithLimits(l envelope.Limits) Option { return func(o *options) { o.limits = l } }

// WithExample turns off or on (the default) the example of a right call, made from the caller's own arguments.
func WithExample(on bool) Option { return func(o *options) { o.example = on } }

// Repeats turns off or on (the default) that the same wrong call, made again, is answered more firmly.
func Repeats(on bool) Option { return func(o *options) { o.repeats = on } }

// Undeclared makes Warning report arguments that the schema tolerates but does not declare.
func Undeclared(on bool) Option { return func(o *options) { o.undeclared = on } }

// OnEvent sets a function that hears of each decision. It runs on the path of the call and must not block. See LogTo.
func OnEvent(f func(Event)) Option { return func(o *options) { o.onEvent = f } }

// A Hook judges and explains calls of one server.
type Hook struct {
	options
	baselines []*lockfile.Server // newest first

	mu       sync.Mutex
	tools    map[string]*Tool                              // by name and digest
	refused  map[uint64]bool                               // definitions that cannot be used, by hash
	missing  map[[sha256.Size]byte]func() map[string]*lost // removed tools by name, by the set of live tools
	repeated *repeats
	counters counters
}

// New makes a hook. It fails when the baseline cannot be read, so that a server notices at its start and not in a turn.
func New(baseline Source, opts ...Option) (*Hook, error) {
	h := &Hook{
		options: options{selfHealing: true, maxChanges: 5, example: true, repeats: true},
		tools:   map[string]*Tool{},
		refused: map[uint64]bool{},
		missing: map[[sha256.Size]byte]func() map[string]*lost{},
	}
	for _, option := range opts {
		option(&h.options)
	}
	for _, source := range append([]Source{baseline}, h.older...) {
		if source.load == nil {
			return nil, errors.New("baseline: no source; use awareness.FromFile, FromBytes, FromFS or FromLockfile")
		}
		f, err := source.load()
		if err != nil {
			return nil, err
		}
		s, err := server(f, h.server)
		if err != nil {
			return nil, err
		}
		h.baselines = append(h.baselines, s)
	}
	h.repeated = newRepeats()
	return h, nil
}

// Mode is the mode of the hook.
func (h *Hook) Mode() Mode { return h.mode }

// shown reports whether a change of this severity reaches a model.
func (h *Hook) shown(s diff.Severity) bool { return h.allSeverities || s >= diff.Risky }
