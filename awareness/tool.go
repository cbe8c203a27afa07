package awareness

import (
	"errors"
	"fmt"
	"hash/maphash"
	"sync"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/validate"
	"github.com/fusionctl/fusionctl/lockfile"
)

// A Tool is one live definition, with everything that is worked out for it. Adapters keep it as long as the definition
// stays the same; everything is worked out when it is first needed.
type Tool struct {
	name  string
	key   string // name and digest
	hook  *Hook
	entry *lockfile.Entry

	gate, strict lazySchema
	pasts        []*past // one for each baseline that has the tool, newest first
	discriminate func() (lockfile.Discriminator, bool)
}

// Name is the tool's name.
func (t *Tool) Name() string { return t.name }

// Prepare works out now what the first failing call would work out: what changed since the baselines. It may take seconds.
func (t *Tool) Prepare() {
	for _, p := range t.pasts {
		p.changes()
	}
}

// PrepareUnknown is Prepare for [Hook.Unknown].
func (h *Hook) PrepareUnknown(name string, live []*Tool) { h.lostTool(name, live) }

// A past is the tool as one baseline knew it.
type past struct {
	baseline     *lockfile.Server
	index        int // of the baseline, 0 is the newest
	gate, strict lazySchema
	compared     func() comparison
	discriminate func() (lockfile.Discriminator, bool)
}

// A lazySchema compiles a schema once.
type lazySchema func() (*validate.Schema, error)

func lazy(schema any, o validate.Options) lazySchema {
	return sync.OnceValues(func() (*validate.Schema, error) { return validate.Compile(schema, o) })
}

// The gate may refuse a call, so it enforces only what it surely can; the strict one explains.
var (
	gateOptions   = validate.Options{}
	strictOptions = validate.Options{AssertFormat: true, ECMAPatterns: true}
)

// maxTools bounds the definitions that a hook remembers; beyond it the oldest memory is dropped as a whole.
const maxTools = 20_000

// Learn returns what the hook knows about a live definition, a tool as it stands in tools/list. The same definition gives
// the same Tool. The error says what is wrong with a definition that cannot be used; its calls pass untouched, and the events
// hear of it once.
func (h *Hook) Learn(definition []byte) (*Tool, error) {
	name, entry, err := readTool(definition)
	if err != nil {
		h.refuse(name, definition, err)
		return nil, err
	}
	return h.LearnEntry(name, entry), nil
}

func readTool(definition []byte) (name string, entry *lockfile.Entry, err error) {
	tree, err := canonjson.Decode(definition)
	if err != nil {
		return "", nil, fmt.Errorf("tool definition: %w", err)
	}
	object, ok := tree.(map[string]any)
	if !ok {
		return "", nil, errors.New("tool definition: not an object")
	}
	if name, entry, err = lockfile.NewEntry(lockfile.KindTool, object); err != nil {
		name, _ = object["name"].(string)
		return name, nil, fmt.Errorf("tool definition: %w", err)
	}
	return name, entry, nil
}

// maxRefused bounds the memory for definitions that cannot be used; beyond it some are reported again.
const maxRefused = 4096

// refuse tells the events of a definition that cannot be used, once.
func (h *Hook) refuse(name string, definition []byte, err error) {
	hash := maphash.Bytes(h.repeated.seed, definition)
	h.mu.Lock()
	known := h.refused[hash]
	if len(h.refused) >= maxRefused {
		clear(h.refused)
	}
	h.refused[hash] = true
	h.mu.Unlock()
	if !known {
		h.skip(name, Client{}, err)
	}
}

// LearnEntry is Learn for a definition that was read already.
func (h *Hook) LearnEntry(name string, entry *lockfile.Entry) *Tool {
	digest := entry.Digest()
	key := name + "\x00" + digest
	h.mu.Lock()
	defer h.mu.Unlock()
	if t, ok := h.tools[key]; ok {
		return t
	}
	if len(h.tools) >= maxTools {
		clear(h.tools)
	}
	t := h.newTool(name, entry, digest)
	h.tools[key] = t
	return t
}

func (h *Hook) newTool(name string, entry *lockfile.Entry, digest string) *Tool {
	schema := entry.InputSchema()
	t := &Tool{
		name: name, key: name + "\x00" + digest, hook: h, entry: entry,
		gate: lazy(schema, gateOptions), strict: lazy(schema, strictOptions),
		discriminate: sync.OnceValues(func() (lockfile.Discriminator, bool) { return lockfile.Actions(schema) }),
	}
	for i, baseline := range h.baselines {
		base, ok := baseline.Tools[name]
		if !ok {
			continue
		}
		p := &past{baseline: baseline, index: i}
		if base.Digest() == digest {
			p.gate, p.strict, p.discriminate = t.gate, t.strict, t.discriminate
			p.compared = func() comparison { return comparison{} }
		} else {
			old := base.InputSchema()
			p.gate, p.strict = lazy(old, gateOptions), lazy(old, strictOptions)
			p.discriminate = sync.OnceValues(func() (lockfile.Discriminator, bool) { return lockfile.Actions(old) })
			p.compared = sync.OnceValue(func() comparison { return h.compare(name, base, entry) })
		}
		t.pasts = append(t.pasts, p)
	}
	return t
}

// A knownChange is a change with everything about it that does not depend on a call.
type knownChange struct {
	diff.Change
	places []place
	text   envelope.ContractChange
}

// A comparison is what is known of the way from a baseline to the live definition.
type comparison struct {
	changes []*knownChange
	moves   []move
}

func (p *past) changes() []*knownChange { return p.compared().changes }

func (p *past) moves() []move { return p.compared().moves }

const actionRemoved = "input-action-removed"

// compare lists the changes of a tool that concern a call: not those of its results. One that tells where an argument went is
// shown whatever its severity.
func (h *Hook) compare(name string, base, rev *lockfile.Entry) (c comparison) {
	defer func() {
		if r := recover(); r != nil { // a fault of the comparison must not reach the server
			h.event(Event{Kind: FailedOpen, Tool: name, Reason: "comparing contracts: " + fault(r).Error()})
			c = comparison{}
		}
	}()
	refs := references{}
	refs.add(base.InputSchema())
	refs.add(rev.InputSchema())
	all := diff.CompareEntry(lockfile.KindTool, "", name, base, rev, diff.Options{Workers: 1}).Changes
	c.moves = findMoves(base.InputSchema(), rev.InputSchema(), all, refs)
	for _, change := range all {
		if change.Side == diff.Output || !h.shown(change.Severity) && !tells(c.moves, change.Pointer) {
			continue
		}
		known := &knownChange{Change: change, places: changePlaces(change, refs)}
		for _, m := range c.moves {
			if m.about == change.Pointer && m.told != "" { // the new place belongs to this change too
				known.places = append(known.places, m.to)
			}
		}
		secret := isSecret(change, known.places, refs, base.InputSchema(), rev.InputSchema())
		known.text = describe(change, secret, c.moves)
		c.changes = append(c.changes, known)
	}
	return c
}
