package proxy

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fusionctl/fusionctl/awareness"
)

// A Rewriter looks at the messages between one client and one server and rewrites answers of failed calls. It does no
// input or output of its own and starts no goroutine. It is safe for concurrent use.
type Rewriter struct {
	hook    *awareness.Hook
	catalog *catalog

	mu      sync.Mutex
	pending map[string]pending // by raw id of the request
	own     int                // numbers of own requests
}

// A catalog holds the tools of one server as one caller sees them.
type catalog struct {
	mu       sync.Mutex
	tools    map[string]*awareness.Tool
	partial  map[string]*awareness.Tool // pages seen of a listing that is not complete
	complete bool                       // tools is a whole listing
}

// A pending request is one whose answer matters.
type pending struct {
	method     string
	tool       string
	arguments  []byte
	task       bool
	protocol   string          // of the request's _meta, "" in the older eras
	meta       json.RawMessage // copied to own requests
	firstPage  bool
	receivedID json.RawMessage
}

// maxPending bounds what is remembered; a client with more open calls than that gets plain answers for the rest.
const maxPending = 10_000

// NewRewriter returns a rewriter. The hook should be in mode Enrich or Observe.
func NewRewriter(h *awareness.Hook) *Rewriter {
	return &Rewriter{hook: h, catalog: &catalog{}, pending: map[string]pending{}}
}

// A message is as much of a JSON-RPC message as matters here.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *rpcError       `json:"error"`
}

type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

type callParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Task      json.RawMessage `json:"task"`
	Cursor    *string         `json:"cursor"`
	Meta      json.RawMessage `json:"_meta"`
	RequestID json.RawMessage `json:"requestId"`
}

const protocolKey = "io.modelcontextprotocol/protocolVersion"

// interesting tells cheaply whether a message from the client can matter: most do not, and are not decoded.
func interesting(b []byte) bool {
	return bytes.Contains(b, []byte("tools/")) || bytes.Contains(b, []byte("notifications/cancelled"))
}

// ClientMessage looks at a message on its way to the server.
func (r *Rewriter) ClientMessage(b []byte) {
	if !interesting(b) {
		return
	}
	var m message
	if json.Unmarshal(b, &m) != nil {
		return // a batch, or not JSON: passes unseen
	}
	var params callParams
	switch m.Method {
	case "tools/call", "tools/list", "notifications/cancelled":
		if len(m.Params) > 0 && json.Unmarshal(m.Params, &params) != nil {
			return
		}
	default:
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if m.Method == "notifications/cancelled" {
		delete(r.pending, string(params.RequestID))
		return
	}
	if len(m.ID) == 0 || len(r.pending) >= maxPending {
		return
	}
	r.pending[string(m.ID)] = pending{
		method: m.Method, tool: params.Name, arguments: slices.Clone(params.Arguments), task: len(params.Task) > 0,
		protocol: protocolOf(params.Meta), meta: slices.Clone(params.Meta), firstPage: params.Cursor == nil,
	}
}

func protocolOf(meta json.RawMessage) string {
	var object map[string]json.RawMessage
	if json.Unmarshal(meta, &object) != nil {
		return ""
	}
	var version string
	json.Unmarshal(object[protocolKey], &version)
	return version
}

// A ListRequest is a tools/list that the proxy has to make before it can explain an answer.
type ListRequest struct {
	Body   []byte // the request, ready to send
	id     string
	answer []byte  // of the server, to be rewritten afterwards
	call   pending // the call that it answers
	pages  int
}

// ID is the id of the request, as it stands in Body.
func (l *ListRequest) ID() string { return l.id }

// ServerMessage looks at a message on its way to the client and returns what to send: b itself when nothing changes. When
// need is not nil, the tools of the server have to be listed first, and Learn gives the answer.
func (r *Rewriter) ServerMessage(b []byte) (out []byte, need *ListRequest) {
	if bytes.Contains(b, []byte("notifications/tools/list_changed")) {
		r.forget(b)
		return b, nil
	}
	r.mu.Lock()
	idle := len(r.pending) == 0
	r.mu.Unlock()
	if idle {
		return b, nil
	}
	var m message
	if json.Unmarshal(b, &m) != nil || m.Method != "" || len(m.ID) == 0 {
		return b, nil
	}
	r.mu.Lock()
	call, ok := r.pending[string(m.ID)]
	delete(r.pending, string(m.ID))
	r.mu.Unlock()
	switch {
	case !ok:
		return b, nil
	case call.method == "tools/list":
		r.learnPage(m.Result, call.firstPage)
		return b, nil
	case call.task || !failed(m):
		return b, nil
	}
	call.receivedID = m.ID
	if r.catalog.listed() {
		return r.rewrite(b, m, call), nil
	}
	return b, r.newList(b, call, "")
}

// failed reports whether an answer is an error: of the protocol, or of the tool.
func failed(m message) bool {
	if m.Error != nil {
		return m.Error.Code == codeInvalidParams || m.Error.Code == codeInternal
	}
	var result struct {
		IsError bool `json:"isError"`
	}
	return bytes.Contains(m.Result, []byte(`"isError"`)) && json.Unmarshal(m.Result, &result) == nil && result.IsError
}

const (
	codeInvalidParams = -32602
	codeInternal      = -32603
)

func (r *Rewriter) forget(b []byte) {
	var m message
	if json.Unmarshal(b, &m) == nil && m.Method == "notifications/tools/list_changed" {
		r.catalog.mu.Lock()
		r.catalog.complete = false
		r.catalog.mu.Unlock()
	}
}

// listed reports whether the whole list of tools has been seen.
func (c *catalog) listed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.complete
}

// get returns a tool, or all of them, sorted by name, when there is none of that name.
func (c *catalog) get(name string) (tool *awareness.Tool, live []*awareness.Tool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if tool = c.tools[name]; tool != nil {
		return tool, nil
	}
	for _, t := range c.tools {
		live = append(live, t)
	}
	slices.SortFunc(live, func(a, b *awareness.Tool) int { return strings.Compare(a.Name(), b.Name()) })
	return nil, live
}

type listResult struct {
	Tools      []json.RawMessage `json:"tools"`
	NextCursor *string           `json:"nextCursor"`
}

// learnPage takes a page of tools/list; a first page begins anew.
func (r *Rewriter) learnPage(result json.RawMessage, first bool) (next *string) {
	var page listResult
	if json.Unmarshal(result, &page) != nil {
		return nil
	}
	c := r.catalog
	c.mu.Lock()
	defer c.mu.Unlock()
	if first || c.partial == nil {
		c.partial = map[string]*awareness.Tool{}
	}
	for _, definition := range page.Tools {
		if t, err := r.hook.Learn(definition); err == nil {
			c.partial[t.Name()] = t
		}
	}
	if page.NextCursor != nil {
		return page.NextCursor
	}
	c.tools, c.partial, c.complete = c.partial, nil, true
	return nil
}

func (r *Rewriter) newList(answer []byte, call pending, cursor string) *ListRequest {
	r.mu.Lock()
	r.own++
	id := strconv.Quote("fusionctl-" + strconv.Itoa(r.own))
	r.mu.Unlock()
	params := map[string]any{}
	if cursor != "" {
		params["cursor"] = cursor
	}
	if len(call.meta) > 0 {
		params["_meta"] = call.meta
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": json.RawMessage(id), "method": "tools/list", "params": params})
	if err != nil {
		return nil
	}
	return &ListRequest{Body: body, id: id, answer: answer, call: call}
}

// maxPages bounds the own listing.
const maxPages = 100

// Learn takes the answer of the server to a ListRequest, a whole JSON-RPC message, nil when none came in time. It gives
// the next page to ask for, or the answer to the call that waits.
func (r *Rewriter) Learn(list *ListRequest, answer []byte) (out []byte, more *ListRequest) {
	var m message
	if answer == nil || json.Unmarshal(answer, &m) != nil || m.Error != nil {
		return list.answer, nil
	}
	if next := r.learnPage(m.Result, list.pages == 0); next != nil && list.pages < maxPages && *next != "" {
		more = r.newList(list.answer, list.call, *next)
		more.pages = list.pages + 1
		return nil, more
	}
	var original message
	if json.Unmarshal(list.answer, &original) != nil || !r.catalog.listed() {
		return list.answer, nil
	}
	return r.rewrite(list.answer, original, list.call), nil
}

// rewrite gives the answer with the envelope, b itself when there is nothing to say.
func (r *Rewriter) rewrite(b []byte, m message, call pending) []byte {
	var v awareness.Verdict
	tool, live := r.catalog.get(call.tool)
	switch {
	case tool == nil:
		v = r.hook.Unknown(call.tool, call.arguments, "", live)
	case m.Error != nil: // its wording does not matter: only arguments that do not fit make it a tool error
		v = r.hook.Explain(awareness.Call{Tool: tool, Arguments: call.arguments})
	default:
		v = r.hook.Explain(awareness.Call{Tool: tool, Arguments: call.arguments, ServerText: answerText(m)})
	}
	if v.Envelope == nil {
		return b
	}
	if m.Error != nil {
		return asToolError(m, call, v.Envelope.Format())
	}
	return withText(b, m, v.Envelope.Format(), v.Replace)
}

type contentBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// answerText is what the server says in a tool error.
func answerText(m message) string {
	var result struct {
		Content []contentBlock `json:"content"`
	}
	if json.Unmarshal(m.Result, &result) != nil {
		return ""
	}
	text := ""
	for _, block := range result.Content {
		if block.Type == "text" {
			text += block.Text
		}
	}
	return text
}

// asToolError turns a protocol error into a tool error, which clients hand to the model.
func asToolError(m message, call pending, text string) []byte {
	result := map[string]any{"content": []contentBlock{{"text", text}}, "isError": true}
	if call.protocol >= "2026-07-28" {
		result["resultType"] = "complete"
	}
	return encode(map[string]any{"jsonrpc": "2.0", "id": call.receivedID, "result": result})
}

// withText puts the envelope into a tool error: in place of its text, or after its content. Every other member of the
// message is kept.
func withText(b []byte, m message, text string, replace bool) []byte {
	var whole, result map[string]json.RawMessage
	var content []json.RawMessage
	if json.Unmarshal(b, &whole) != nil || json.Unmarshal(m.Result, &result) != nil {
		return b
	}
	json.Unmarshal(result["content"], &content)
	block := encode(contentBlock{"text", text})
	if replace {
		kept := []json.RawMessage{block}
		for _, old := range content {
			var c contentBlock
			if json.Unmarshal(old, &c) == nil && c.Type != "text" {
				kept = append(kept, old)
			}
		}
		content = kept
	} else {
		content = append(content, block)
	}
	result["content"] = encode(content)
	whole["result"] = encode(result)
	return encode(whole)
}

// encode writes JSON on one line, without HTML escapes. The values are made of text and JSON, so it cannot fail.
func encode(v any) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return []byte("null")
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}

// idOf is the id of an answer, as it stands in the text.
func idOf(b []byte) (string, bool) {
	var m message
	if json.Unmarshal(b, &m) != nil || m.Method != "" {
		return "", false
	}
	return string(m.ID), len(m.ID) > 0
}
