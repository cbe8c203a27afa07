package proxy

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/fusionctl/fusionctl/awareness"
)

// A Rewriter looks at the messages between one client and one server and rewrites answers of failed calls. It does no
// input or output of its own. It is safe for concurrent use.
type Rewriter struct {
	hook    *awareness.Hook
	catalog *catalog
	calls   calls
	caller  string
	client  atomic.Pointer[awareness.Client] // as it named itself when it initialized; nil before that

	aside    bool          // nothing is compared in ServerMessage, so that no other message waits for it
	patience time.Duration // for comparisons; 0 means maxComparing
}

// NewRewriter returns a rewriter. The hook should be in mode Enrich or Observe.
func NewRewriter(h *awareness.Hook) *Rewriter {
	return &Rewriter{hook: h, catalog: newCatalog()}
}

// What requests of the new era say in their _meta.
const (
	protocolKey = "io.modelcontextprotocol/protocolVersion"
	clientKey   = "io.modelcontextprotocol/clientInfo"
)

// ClientMessage looks at a message on its way to the server, and keeps nothing of b.
func (r *Rewriter) ClientMessage(b []byte) {
	// Cheap, because most messages are of no interest. Some writers of JSON escape the slash in the names of methods.
	if !bytes.Contains(b, []byte("tools")) && !bytes.Contains(b, []byte("cancelled")) && !bytes.Contains(b, []byte("initialize")) {
		return
	}
	m, ok := readHead(b)
	if !ok {
		return // a batch, or not JSON: passes unseen
	}
	switch string(plainText(m.method)) {
	case "tools/call":
		r.call(m)
	case "tools/list":
		p := &pending{list: true}
		members(m.params, func(key, value []byte) {
			if string(key) == "cursor" && len(value) > 0 && value[0] == '"' {
				cursor := string(plainText(value))
				p.cursor = &cursor
			}
		})
		r.remember(m, p)
	case "initialize":
		members(m.params, func(key, value []byte) {
			if string(key) == "clientInfo" {
				r.client.Store(readClient(value))
			}
		})
	case "notifications/cancelled":
		members(m.params, func(key, value []byte) {
			if string(key) == "requestId" {
				r.calls.take(idKey(value))
			}
		})
	}
}

func (r *Rewriter) call(m head) {
	p := &pending{}
	task := false
	members(m.params, func(key, value []byte) {
		switch string(key) {
		case "name":
			p.tool = string(plainText(value))
		case "arguments":
			p.arguments = value
		case "task":
			task = true // is answered with a handle, and the result comes elsewhere
		case "_meta":
			p.meta = value
		}
	})
	if p.tool == "" || task || p.size() > maxArguments {
		return
	}
	p.arguments, p.meta = bytes.Clone(p.arguments), bytes.Clone(p.meta)
	members(p.meta, func(key, value []byte) {
		switch string(key) {
		case protocolKey:
			p.protocol = string(plainText(value))
		case clientKey:
			p.client = readClient(value)
		}
	})
	r.remember(m, p)
}

func (r *Rewriter) remember(m head, p *pending) {
	if len(m.id) > 0 && string(m.id) != "null" {
		r.calls.add(string(idKey(m.id)), p)
	}
}

// Waiting is the answer of a failed call that cannot be judged before the tools of the server have been listed.
type Waiting struct {
	answer []byte // nil for a call that went well, which is only looked at
	call   *pending
}

// ServerMessage looks at a message on its way to the client and returns what to send in its place: nil when nothing
// changes. When wait is not nil, Resolve says what to send.
func (r *Rewriter) ServerMessage(b []byte) (out []byte, wait *Waiting) {
	if r.calls.empty() && !bytes.Contains(b, []byte("list_changed")) {
		return nil, nil
	}
	m, ok := readHead(b)
	if !ok {
		return nil, nil
	}
	if m.method != nil {
		if string(plainText(m.method)) == "notifications/tools/list_changed" {
			r.catalog.changed()
		}
		return nil, nil
	}
	call := r.calls.take(idKey(m.id))
	switch {
	case call == nil || call.ambiguous:
		return nil, nil
	case call.list:
		if m.fault == nil {
			r.catalog.pass(r.hook, m.result, call.cursor)
		}
		return nil, nil
	case m.fault == nil && !isTrue(m.result, "isError"):
		if r.aside && r.hook.Mode() == awareness.Observe {
			return nil, &Waiting{nil, call}
		}
		r.succeeded(call)
		return nil, nil
	case !r.aside && r.catalog.ready():
		return r.rewrite(b, call), nil
	}
	return nil, &Waiting{bytes.Clone(b), call}
}

// succeeded looks at calls that went well, in mode Observe only: some servers tolerate what their schema refuses, and who
// calls like that follows an old contract all the same.
func (r *Rewriter) succeeded(call *pending) {
	if r.hook.Mode() != awareness.Observe {
		return
	}
	if tool, _, known := r.catalog.get(call.tool); tool != nil && known {
		r.hook.Check(r.called(call, tool))
	}
}

// Resolve lists the tools of the server and returns what to send in place of the answer that waits, nil when nothing
// changes. It takes no longer than the context.
func (r *Rewriter) Resolve(ctx context.Context, w *Waiting, ask Ask) []byte {
	if w.answer == nil {
		r.succeeded(w.call)
		return nil
	}
	r.catalog.refresh(ctx, r.hook, w.call.meta, ask)
	if !r.compared(w.call) {
		return nil
	}
	return r.rewrite(w.answer, w.call)
}

// maxComparing is how long an answer waits for contracts to be compared. The comparison goes on, for later calls.
const maxComparing = 2 * time.Second

// compared sees to it that everything about the contracts that the call needs is worked out. It is false when that takes too long.
func (r *Rewriter) compared(call *pending) bool {
	tool, _, _ := r.catalog.get(call.tool)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = recover() }() // the call itself meets the fault again, and tells it
		if tool != nil {
			tool.Prepare()
		} else if r.hook.Knows(call.tool) {
			r.hook.PrepareUnknown(call.tool, r.catalog.all())
		}
	}()
	limit := time.NewTimer(or(r.patience, maxComparing))
	defer limit.Stop()
	select {
	case <-done:
		return true
	case <-limit.C:
		r.hook.GaveUp(call.tool, r.called(call, nil).Client)
		return false
	}
}

// rewrite gives the answer with the envelope, nil when there is nothing to say. A fault of its own leaves the answer as it is.
func (r *Rewriter) rewrite(b []byte, call *pending) (out []byte) {
	defer func() {
		if recover() != nil {
			out = nil
		}
	}()
	a, ok := readAnswer(b)
	if !ok || a.explained() {
		return nil
	}
	tool, listed, known := r.catalog.get(call.tool)
	var v awareness.Verdict
	switch {
	case !known || listed && tool == nil:
		return nil
	case tool != nil && a.mayBeArguments():
		c := r.called(call, tool)
		if a.fault == nil {
			c.ServerText = a.text // of a protocol error the wording does not matter
		}
		v = r.hook.Explain(c)
	case tool == nil && a.saysUnknown():
		v = r.hook.Unknown(call.tool, r.called(call, nil), r.catalog.all())
	}
	if v.Envelope == nil {
		return nil
	}
	if a.fault != nil {
		return a.asToolError(call, v)
	}
	return a.with(v.Envelope.Format(), v.Replace)
}

// called is a call as the hook sees it.
func (r *Rewriter) called(call *pending, tool *awareness.Tool) awareness.Call {
	c := awareness.Call{Tool: tool, Arguments: call.arguments, Caller: r.caller}
	if client := cmp.Or(call.client, r.client.Load()); client != nil {
		c.Client = *client
	}
	return c
}

// maxClient is how much of a client's name and version is kept, in bytes.
const maxClient = 256

// readClient reads how a client names itself.
func readClient(info []byte) *awareness.Client {
	c := &awareness.Client{}
	members(info, func(key, value []byte) {
		if len(value) > maxClient {
			return
		}
		switch string(key) {
		case "name":
			c.Name = string(plainText(value))
		case "version":
			c.Version = string(plainText(value))
		}
	})
	return c
}

// encode writes JSON on one line, without HTML escapes. The values are made of text and valid JSON, so it cannot fail.
func encode(v any) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}
