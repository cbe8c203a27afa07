package gosdk

import (
	"runtime"
	"strconv"
	"sync"
	"weak"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/awareness"
)

// call is a call as the hook sees it; e is nil for a tool that is gone.
func (c *catalog) call(e *entry, r *mcp.CallToolRequest, serverText string) awareness.Call {
	call := awareness.Call{Arguments: r.Params.Arguments, Caller: c.callers.of(r), Client: clientOf(r), ServerText: serverText}
	if e != nil {
		call.Tool = e.live()
	}
	return call
}

// clientOf is the program that calls, as it names itself.
func clientOf(r *mcp.CallToolRequest) awareness.Client {
	if r.Session == nil {
		return awareness.Client{}
	}
	info := r.ClientInfo()
	if info == nil {
		return awareness.Client{}
	}
	return awareness.Client{Name: info.Name, Version: info.Version}
}

// callers number the sessions that have no id. An address would not do: it is used again when a session is gone.
type callers struct {
	mu      sync.Mutex
	last    uint64
	numbers map[weak.Pointer[mcp.ServerSession]]uint64
}

// of tells callers apart. Without a session id there is one session for each connection, and over stateless HTTP one for each
// request: then nobody is known to repeat anything.
func (c *callers) of(r *mcp.CallToolRequest) string {
	if r.Session != nil {
		if id := r.Session.ID(); id != "" {
			return "session " + id
		}
	}
	if r.Extra != nil && r.Extra.TokenInfo != nil && r.Extra.TokenInfo.UserID != "" {
		return "user " + r.Extra.TokenInfo.UserID
	}
	if r.Session == nil {
		return ""
	}
	return strconv.FormatUint(c.number(r.Session), 10)
}

func (c *callers) number(session *mcp.ServerSession) uint64 {
	key := weak.Make(session)
	c.mu.Lock()
	defer c.mu.Unlock()
	if n, ok := c.numbers[key]; ok {
		return n
	}
	if c.numbers == nil {
		c.numbers = map[weak.Pointer[mcp.ServerSession]]uint64{}
	}
	c.last++
	c.numbers[key] = c.last
	runtime.AddCleanup(session, c.forget, key)
	return c.last
}

func (c *callers) forget(key weak.Pointer[mcp.ServerSession]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.numbers, key)
}
