package proxy

import (
	"sync"

	"github.com/fusionctl/fusionctl/awareness"
)

// A pending request is one whose answer matters.
type pending struct {
	list      bool    // tools/list, else tools/call
	cursor    *string // of a tools/list, nil for the first page
	tool      string
	arguments []byte
	protocol  string            // of the request's _meta, "" in the older eras
	client    *awareness.Client // likewise, nil there
	meta      []byte            // copied to own requests
	ambiguous bool              // its id was used twice: nobody can tell whose answer comes
	number    int
}

// Bounds of what is remembered. Beyond them the oldest calls are forgotten, whose answers then pass untouched.
const (
	maxPending   = 10_000
	maxHeld      = 64 << 20 // bytes of arguments of all pending calls
	maxArguments = 4 << 20  // of one call
)

// calls remembers the pending requests by id.
type calls struct {
	mu    sync.Mutex
	byID  map[string]*pending
	queue []queued // the oldest first; some are answered already
	held  int
	last  int
}

type queued struct {
	key    string
	number int
}

func (p *pending) size() int { return len(p.arguments) + len(p.meta) + len(p.tool) }

func (c *calls) add(key string, p *pending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.byID[key]; old != nil {
		c.remove(key, old)
		p = &pending{ambiguous: true}
	}
	c.last++
	p.number = c.last
	if c.byID == nil {
		c.byID = map[string]*pending{}
	}
	c.byID[key] = p
	c.held += p.size()
	c.queue = append(c.queue, queued{key, p.number})
	for len(c.byID) > maxPending || c.held > maxHeld {
		oldest := c.queue[0]
		c.queue = c.queue[1:]
		if p := c.byID[oldest.key]; p != nil && p.number == oldest.number {
			c.remove(oldest.key, p)
		}
	}
	if len(c.queue) > 2*len(c.byID)+64 {
		c.compact()
	}
}

func (c *calls) compact() {
	kept := make([]queued, 0, len(c.byID)+64)
	for _, q := range c.queue {
		if p := c.byID[q.key]; p != nil && p.number == q.number {
			kept = append(kept, q)
		}
	}
	c.queue = kept
}

func (c *calls) remove(key string, p *pending) {
	delete(c.byID, key)
	c.held -= p.size()
}

// take gives the request with an id and forgets it.
func (c *calls) take(key []byte) *pending {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.byID[string(key)]
	if p != nil {
		c.remove(string(key), p)
	}
	return p
}

func (c *calls) empty() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.byID) == 0
}
