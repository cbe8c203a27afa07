package proxy

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fusionctl/fusionctl/awareness"
)

// How long a listing is trusted. A server may be replaced by its next release while the proxy runs, and not every client
// and server hear of that; a failed call is rare enough to ask again.
const (
	trusted = 10 * time.Second
	backoff = 30 * time.Second // after a listing that failed
)

// A catalog holds the tools of one server as one caller sees them.
type catalog struct {
	token string           // part of the ids of own requests, so that proxies in a row tell theirs apart
	now   func() time.Time // for tests

	mu      sync.Mutex
	tools   map[string]*awareness.Tool // nil for a definition that cannot be used
	known   bool                       // tools is a whole listing, and no change was announced since
	at      time.Time                  // of the listing
	failed  time.Time                  // when an own listing failed last
	changes int                        // announced so far
	passing listing                    // that the client makes
	running chan struct{}              // closed when the own listing ends; nil when there is none
	own     int                        // number of own requests
}

// A listing is what the pages seen so far gave.
type listing struct {
	open    bool
	tools   map[string]*awareness.Tool
	next    string // the cursor of the next page
	changes int    // announced before it began
}

func newCatalog() *catalog {
	var random [6]byte
	rand.Read(random[:]) // never fails
	return &catalog{token: "fusionctl-" + hex.EncodeToString(random[:]) + "-", now: time.Now}
}

// changed takes the announcement that the list is another one now.
func (c *catalog) changed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known, c.failed = false, time.Time{}
	c.passing = listing{}
	c.changes++
}

// ready reports whether calls can be judged without asking the server.
func (c *catalog) ready() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.readyLocked()
}

func (c *catalog) readyLocked() bool {
	now := c.now()
	return c.known && now.Sub(c.at) < trusted || !c.failed.IsZero() && now.Sub(c.failed) < backoff
}

// get finds a tool. Listed is true for a tool whose definition cannot be used as well; known is false when there is no
// listing to go by.
func (c *catalog) get(name string) (tool *awareness.Tool, listed, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	tool, listed = c.tools[name]
	return tool, listed, c.known
}

// all are the usable tools, sorted by name.
func (c *catalog) all() []*awareness.Tool {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []*awareness.Tool
	for _, t := range c.tools {
		if t != nil {
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b *awareness.Tool) int { return strings.Compare(a.Name(), b.Name()) })
	return all
}

func (c *catalog) store(l listing) {
	c.tools, c.known, c.at, c.failed = l.tools, l.changes == c.changes, c.now(), time.Time{}
}

// pass takes a page that the client asked for. Only pages that follow one another make a listing.
func (c *catalog) pass(h *awareness.Hook, result []byte, cursor *string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cursor == nil {
		c.passing = listing{open: true, tools: map[string]*awareness.Tool{}, changes: c.changes}
	} else if !c.passing.open || c.passing.next != *cursor {
		c.passing = listing{}
		return
	}
	next, ok := addPage(h, result, c.passing.tools)
	switch {
	case !ok:
		c.passing = listing{}
	case next != nil:
		c.passing.next = *next
	default:
		c.store(c.passing)
		c.passing = listing{}
	}
}

// addPage adds the tools of one page; ok is false when it is none.
func addPage(h *awareness.Hook, result []byte, tools map[string]*awareness.Tool) (next *string, ok bool) {
	var page struct {
		Tools      []json.RawMessage `json:"tools"`
		NextCursor *string           `json:"nextCursor"`
	}
	if json.Unmarshal(result, &page) != nil || page.Tools == nil {
		return nil, false
	}
	for _, definition := range page.Tools {
		if t, err := h.Learn(definition); err == nil {
			tools[t.Name()] = t
			continue
		}
		members(definition, func(key, value []byte) {
			if string(key) == "name" {
				tools[string(plainText(value))] = nil
			}
		})
	}
	return page.NextCursor, true
}

// An Ask sends a request to the server and returns the whole answer, nil when none came before the context ended.
type Ask func(ctx context.Context, id string, request []byte) (answer []byte)

// refresh lists the tools of the server unless that was done lately. Callers at the same time share one listing.
func (c *catalog) refresh(ctx context.Context, h *awareness.Hook, meta []byte, ask Ask) {
	for ctx.Err() == nil {
		c.mu.Lock()
		if c.readyLocked() {
			c.mu.Unlock()
			return
		}
		if c.running == nil {
			c.running = make(chan struct{})
			changes := c.changes
			c.mu.Unlock()
			c.list(ctx, h, meta, ask, changes)
			return
		}
		running := c.running
		c.mu.Unlock()
		select {
		case <-running: // if its caller left in the middle, the next one begins anew
		case <-ctx.Done():
		}
	}
}

// maxPages bounds the own listing.
const maxPages = 100

func (c *catalog) list(ctx context.Context, h *awareness.Hook, meta []byte, ask Ask, changes int) {
	l := listing{tools: map[string]*awareness.Tool{}, changes: changes}
	whole := c.listPages(ctx, h, meta, ask, l.tools)
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.running)
	c.running = nil
	if whole {
		c.store(l)
	} else if ctx.Err() != context.Canceled { // a caller that left says nothing about the server
		c.failed = c.now()
	}
}

func (c *catalog) listPages(ctx context.Context, h *awareness.Hook, meta []byte, ask Ask, tools map[string]*awareness.Tool) (whole bool) {
	var cursor *string
	seen := map[string]bool{}
	for range maxPages {
		id, request := c.request(cursor, meta)
		answer := ask(ctx, id, request)
		head, ok := readHead(answer)
		if !ok || head.result == nil {
			return false
		}
		before := len(tools)
		next, ok := addPage(h, head.result, tools)
		switch {
		case !ok:
			return false
		case next == nil:
			return true
		case seen[*next]: // some servers end with a cursor that leads to the page before
			return len(tools) == before
		}
		seen[*next], cursor = true, next
	}
	return false
}

// request makes an own tools/list. The _meta of the call that failed says what the server wants to know of a client.
func (c *catalog) request(cursor *string, meta []byte) (id string, request []byte) {
	c.mu.Lock()
	c.own++
	id = c.token + strconv.Itoa(c.own)
	c.mu.Unlock()
	params := map[string]any{}
	if cursor != nil {
		params["cursor"] = *cursor
	}
	if json.Valid(meta) {
		params["_meta"] = json.RawMessage(meta)
	}
	return id, encode(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": params})
}
