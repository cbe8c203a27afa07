package gosdk

import (
	"context"
	"encoding/json"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/awareness"
)

// A catalog keeps the definitions of a server's tools, so that a good call costs no listing. What it keeps may be out of date,
// therefore it never refuses a call without listing again.
type catalog struct {
	hook     *awareness.Hook
	server   *mcp.Server // nil when it is not known
	eachCall bool
	callers  callers

	generation atomic.Uint64 // counts the times that the server told that tools changed
	current    atomic.Pointer[snapshot]
	mu         sync.Mutex // for writers of current
}

// A snapshot is what lists have shown since the last change, of all callers together.
type snapshot struct {
	generation uint64
	tools      map[string]*entry
}

// An entry is one definition. The SDK never changes a definition, it replaces it, so the pointer is the identity.
type entry struct {
	definition *mcp.Tool
	live       func() *awareness.Tool
	verdict    func() verdict
}

// maxKept and maxPages bound what servers that make up tools as they go can cost.
const (
	maxKept  = 20_000
	maxPages = 1_000
)

func newCatalog(h *awareness.Hook) *catalog { return &catalog{hook: h} }

func newEntry(definition *mcp.Tool, hook *awareness.Hook) *entry {
	return &entry{
		definition: definition,
		live:       sync.OnceValue(func() *awareness.Tool { return learn(hook, definition) }),
		verdict:    sync.OnceValue(func() verdict { return verdictOf(definition) }),
	}
}

// learn returns nil for a definition that cannot be judged: its calls pass.
func learn(h *awareness.Hook, definition *mcp.Tool) (tool *awareness.Tool) {
	defer func() {
		if recover() != nil { // a schema whose own MarshalJSON panics
			tool = nil
		}
	}()
	data, err := json.Marshal(definition)
	if err != nil {
		return nil
	}
	if tool, err = h.Learn(data); err != nil {
		return nil
	}
	return tool
}

// kept returns what is known about a tool, or nil when it has to be listed.
func (c *catalog) kept(name string) *entry {
	s := c.current.Load()
	if c.eachCall || s == nil || s.generation != c.generation.Load() {
		return nil
	}
	return s.tools[name]
}

// fits reports whether a call may go on by a definition: whatever the SDK takes may. One that cannot be judged may not: it is
// judged, and told to the events, by the present definition.
func (c *catalog) fits(e *entry, arguments []byte) bool {
	tool := e.live()
	if tool == nil {
		return true
	}
	fits, err := c.hook.Fits(tool, arguments)
	return err == nil && (fits || e.verdict()(arguments))
}

// onlySDK reports whether the SDK takes arguments that the schema as it stands does not, as with defaults: there is nothing wrong
// with them.
func (c *catalog) onlySDK(e *entry, arguments []byte) bool {
	tool := e.live()
	if tool == nil {
		return false
	}
	fits, err := c.hook.Fits(tool, arguments)
	return err == nil && !fits && e.verdict()(arguments)
}

// A listing is one caller's list of tools, as it is now.
type listing struct{ byName map[string]*entry }

func (l *listing) find(name string) *entry {
	if l == nil {
		return nil
	}
	return l.byName[name]
}

// shown are the tools that the caller sees through all middleware, that which was added after the hook too: no other may be named
// to it. None are when the server is not known. The list is not kept.
func (c *catalog) shown(ctx context.Context, r *mcp.CallToolRequest) (tools []*awareness.Tool, ok bool) {
	if c.server == nil {
		return nil, true
	}
	definitions, ok := listTools(ctx, handlerOf(c.server), r)
	if !ok {
		return nil, false
	}
	kept := c.current.Load()
	for _, d := range definitions {
		var e *entry
		if kept != nil {
			e = kept.tools[d.Name]
		}
		if e == nil || e.definition != d {
			e = newEntry(d, c.hook)
		}
		if t := e.live(); t != nil {
			tools = append(tools, t)
		}
	}
	return tools, true
}

// list asks the inner handlers for the tools on behalf of the caller, and keeps them. It returns nil when there is no list.
func (c *catalog) list(ctx context.Context, next mcp.MethodHandler, r *mcp.CallToolRequest) *listing {
	generation := c.generation.Load()
	definitions, ok := listTools(ctx, next, r)
	if !ok {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	tools := map[string]*entry{}
	old := c.current.Load()
	if old != nil && old.generation == generation && len(old.tools) < maxKept {
		// Other callers may see other tools. One that is gone stays until the server says that tools changed, which does no
		// harm: the server itself refuses to call it.
		maps.Copy(tools, old.tools)
	}
	l := &listing{byName: make(map[string]*entry, len(definitions))}
	for _, d := range definitions {
		e := tools[d.Name]
		if e == nil || e.definition != d {
			e = newEntry(d, c.hook)
		}
		tools[d.Name], l.byName[d.Name] = e, e
	}
	if old == nil || old.generation <= generation {
		c.current.Store(&snapshot{generation, tools})
	}
	return l
}

func listTools(ctx context.Context, next mcp.MethodHandler, r *mcp.CallToolRequest) (tools []*mcp.Tool, ok bool) {
	defer func() {
		if recover() != nil { // inner middleware that did not expect the request; the call itself goes on
			tools, ok = nil, false
		}
	}()
	meta := maps.Clone(r.Params.Meta)
	delete(meta, "progressToken")
	cursor := ""
	for range maxPages {
		res, err := next(ctx, methodListTools, &mcp.ListToolsRequest{Session: r.Session, Params: &mcp.ListToolsParams{Meta: meta, Cursor: cursor}, Extra: r.Extra})
		page, isPage := res.(*mcp.ListToolsResult)
		if err != nil || !isPage || page == nil {
			return nil, false
		}
		for _, t := range page.Tools {
			if t != nil {
				tools = append(tools, t)
			}
		}
		if page.NextCursor == "" {
			return tools, true
		}
		cursor = page.NextCursor
	}
	return nil, false
}
