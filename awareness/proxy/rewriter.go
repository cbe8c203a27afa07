package proxy

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/fusionctl/fusionctl/awareness"
)

// A Rewriter looks at the messages between one client and one server and rewrites answers of failed calls. It does no
// input or output of its own. It is safe for concurrent use.
type Rewriter struct {
	hook    *awareness.Hook
	catalog *catalog
	calls   calls
	caller  string
}

// NewRewriter returns a rewriter. The hook should be in mode Enrich or Observe.
func NewRewriter(h *awareness.Hook) *Rewriter {
	return &Rewriter{hook: h, catalog: newCatalog()}
}

const protocolKey = "io.modelcontextprotocol/protocolVersion"

// ClientMessage looks at a message on its way to the server, and keeps nothing of b.
func (r *Rewriter) ClientMessage(b []byte) {
	// Cheap, because most messages are of no interest. Some writers of JSON escape the slash in the names of methods.
	if !bytes.Contains(b, []byte("tools")) && !bytes.Contains(b, []byte("cancelled")) {
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
		if string(key) == protocolKey {
			p.protocol = string(plainText(value))
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
	answer []byte
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
		r.succeeded(call)
		return nil, nil
	case r.catalog.ready():
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
		r.hook.Check(awareness.Call{Tool: tool, Arguments: call.arguments, Caller: r.caller})
	}
}

// Resolve lists the tools of the server and returns what to send in place of the answer that waits, nil when nothing
// changes. It takes no longer than the context.
func (r *Rewriter) Resolve(ctx context.Context, w *Waiting, ask Ask) []byte {
	r.catalog.refresh(ctx, r.hook, w.call.meta, ask)
	return r.rewrite(w.answer, w.call)
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
		c := awareness.Call{Tool: tool, Arguments: call.arguments, Caller: r.caller}
		if a.fault == nil {
			c.ServerText = a.text // of a protocol error the wording does not matter
		}
		v = r.hook.Explain(c)
	case tool == nil && a.saysUnknown():
		v = r.hook.Unknown(call.tool, call.arguments, r.caller, r.catalog.all())
	}
	if v.Envelope == nil {
		return nil
	}
	if a.fault != nil {
		return a.asToolError(call, v)
	}
	return a.with(v.Envelope.Format(), v.Replace)
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
