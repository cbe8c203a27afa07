package capture

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync"
)

// A tap sees every message in both directions and keeps the raw result of each answer, by the method that it answers.
type tap struct {
	mu      sync.Mutex
	pending map[string]string          // id of a request → method
	results map[string]json.RawMessage // method → the result of the last answer
	changed map[string]int             // list_changed notifications by method
	bytes   int64
	count   int
	orphans int // answers to nothing that was asked
	limit   error
}

const (
	maxMessage      = 64 << 20
	maxBytes        = 256 << 20
	maxMessages     = 200_000
	maxFromServer   = 200 // requests of the server to the client that are answered
	methodDiscover  = "server/discover"
	methodInit      = "initialize"
	methodTools     = "tools/list"
	methodPrompts   = "prompts/list"
	methodResources = "resources/list"
	methodTemplates = "resources/templates/list"
)

func newTap() *tap {
	return &tap{pending: map[string]string{}, results: map[string]json.RawMessage{}, changed: map[string]int{}}
}

// A message is one JSON-RPC message, its parts as sent.
type message struct {
	kind   messageKind
	id     json.RawMessage
	method string // of a response: the method that it answers
	params json.RawMessage
	result json.RawMessage
	err    json.RawMessage
}

type messageKind uint8

const (
	noise    messageKind = iota // not JSON-RPC
	orphan                      // a response to nothing that was asked
	response                    // a response to a request of ours
	request
	notification
)

// parseMessage reads one message. Members are looked up by their exact names; encoding/json would also take "Result".
func parseMessage(data []byte) (m message) {
	var parts map[string]json.RawMessage
	if json.Unmarshal(data, &parts) != nil || string(parts["jsonrpc"]) != `"2.0"` {
		return m
	}
	id, hasID := parts["id"]
	hasID = hasID && string(id) != "null"
	m.id, m.params, m.result, m.err = id, parts["params"], parts["result"], parts["error"]
	if method, ok := parts["method"]; ok {
		if json.Unmarshal(method, &m.method) != nil {
			return m
		}
		m.kind = notification
		if hasID {
			m.kind = request
		}
		return m
	}
	if string(m.err) == "null" { // sent beside a result by some old servers
		m.err = nil
	}
	switch {
	case m.result == nil && m.err == nil:
		return m
	case !hasID:
		m.kind = orphan
		return m
	}
	m.kind = response
	return m
}

// idKey is the same for all spellings of one id.
func idKey(raw json.RawMessage) string {
	if n, err := strconv.ParseFloat(string(raw), 64); err == nil {
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	return string(raw)
}

// sent sees a message to the server.
func (t *tap) sent(data []byte) {
	if m := parseMessage(data); m.kind == request {
		t.mu.Lock()
		t.pending[idKey(m.id)] = m.method
		t.mu.Unlock()
	}
}

// received sees a message from the server and says what it is. The error is for a server that sends without end.
func (t *tap) received(data []byte) (message, error) {
	m := parseMessage(data)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.bytes += int64(len(data))
	t.count++
	if t.limit == nil && (t.bytes > maxBytes || t.count > maxMessages) {
		t.limit = faultf(ErrTooLarge, "", "the server sent more than %d messages or %d MiB", maxMessages, maxBytes>>20)
	}
	switch m.kind {
	case response:
		method, ok := t.pending[idKey(m.id)]
		if !ok {
			m.kind = orphan
			break
		}
		delete(t.pending, idKey(m.id))
		m.method = method
		if m.result != nil {
			t.results[method] = m.result
		}
	case notification:
		if strings.HasSuffix(m.method, "/list_changed") {
			t.changed[m.method]++
		}
	}
	if m.kind == orphan {
		t.orphans++
	}
	return m, t.limit
}

// take returns the last result for method and forgets it.
func (t *tap) take(method string) (json.RawMessage, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, ok := t.results[method]
	delete(t.results, method)
	return r, ok
}

// answered reports whether a result for method has come and was not taken yet.
func (t *tap) answered(method string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.results[method]
	return ok
}

// waits reports whether a request of that method was sent and not answered.
func (t *tap) waits(method string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range t.pending {
		if m == method {
			return true
		}
	}
	return false
}

// orphaned counts the answers to nothing that was asked.
func (t *tap) orphaned() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.orphans
}

// changes counts the notifications that the lists of one kind have changed.
func (t *tap) changes(notification string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.changed[notification]
}
