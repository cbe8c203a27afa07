package proxy

import (
	"encoding/json"
	"strings"

	"github.com/fusionctl/fusionctl/awareness"
)

// JSON-RPC codes with which servers answer a call of a tool that they do not carry out.
const (
	codeMethodNotFound = -32601 // what some servers say of a tool that they do not know
	codeInvalidParams  = -32602
	codeInternal       = -32603 // what the older TypeScript SDK makes of any error of a handler
)

// resultTypeSince is the first revision whose results carry a resultType. Revisions are dates, so they compare as text.
const resultTypeSince = "2026-07-28"

type rpcError struct {
	Code    int
	Message string
}

type contentBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// An answer is a failed call, decoded.
type answer struct {
	message map[string]json.RawMessage
	result  map[string]json.RawMessage // nil for a protocol error
	content []json.RawMessage
	fault   *rpcError // nil for a tool error
	texts   []string
	text    string // all that it says
}

func readAnswer(b []byte) (a *answer, ok bool) {
	a = &answer{}
	if json.Unmarshal(b, &a.message) != nil {
		return nil, false
	}
	if fault := a.message["error"]; fault != nil && string(fault) != "null" {
		return a, a.readFault(fault)
	}
	if json.Unmarshal(a.message["result"], &a.result) != nil || a.result == nil {
		return nil, false
	}
	if content, there := a.result["content"]; there && json.Unmarshal(content, &a.content) != nil {
		return nil, false
	}
	for _, raw := range a.content {
		if block, ok := textBlock(raw); ok {
			a.texts = append(a.texts, block.Text)
		}
	}
	a.text = strings.Join(a.texts, "\n")
	return a, true
}

func (a *answer) readFault(data []byte) bool {
	a.fault = &rpcError{}
	if json.Unmarshal(data, a.fault) != nil {
		return false
	}
	a.text = a.fault.Message
	a.texts = []string{a.text}
	return true
}

func textBlock(raw []byte) (block contentBlock, ok bool) {
	ok = json.Unmarshal(raw, &block) == nil && block.Type == "text"
	return block, ok
}

// explained reports whether a hook nearer to the server has answered.
func (a *answer) explained() bool {
	for _, text := range a.texts {
		if awareness.IsEnvelope(text) {
			return true
		}
	}
	return false
}

// mayBeArguments reports whether the failure can come from the arguments of the call.
func (a *answer) mayBeArguments() bool {
	if a.fault == nil {
		return true
	}
	if strings.Contains(a.text, "_meta") {
		return false // the same code tells that the client lacks a field of the protocol
	}
	return a.fault.Code == codeInvalidParams || a.fault.Code == codeInternal
}

// saysUnknown reports whether the server says that it does not know the tool. A tool that is not listed may work all the
// same, and fail for reasons of its own.
func (a *answer) saysUnknown() bool {
	if a.fault != nil {
		switch a.fault.Code {
		case codeInvalidParams:
			return !awareness.IsRefusal(a.text) && !strings.Contains(a.text, "_meta")
		case codeMethodNotFound:
			return true
		case codeInternal:
		default:
			return false
		}
	}
	text := strings.ToLower(a.text)
	for _, wording := range [...]string{"unknown tool", "not found", "no such tool", "does not exist", "doesn't exist", "unknown action", "no tool named", "unrecognized tool"} {
		if strings.Contains(text, wording) {
			return true
		}
	}
	return false
}

// asToolError turns a protocol error into a tool error, which clients hand to the model. What an internal error says is
// kept, because it may have another cause.
func (a *answer) asToolError(call *pending, v awareness.Verdict) []byte {
	var content []contentBlock
	if a.fault.Code == codeInternal && v.Status != awareness.Gone && a.text != "" && !awareness.IsRefusal(a.text) {
		content = append(content, contentBlock{"text", a.text})
	}
	content = append(content, contentBlock{"text", v.Envelope.Format()})
	result := map[string]any{"content": content, "isError": true}
	if call.protocol >= resultTypeSince {
		result["resultType"] = "complete"
	}
	return encode(map[string]any{"jsonrpc": "2.0", "id": a.message["id"], "result": result})
}

// with puts the envelope into a tool error: in place of its texts, or after its content. Every other member is kept.
func (a *answer) with(text string, replace bool) []byte {
	block := json.RawMessage(encode(contentBlock{"text", text}))
	content := append(a.content[:len(a.content):len(a.content)], block)
	if replace {
		content = []json.RawMessage{block}
		for _, raw := range a.content {
			if _, ok := textBlock(raw); !ok {
				content = append(content, raw)
			}
		}
	}
	a.result["content"] = encode(content)
	a.message["result"] = encode(a.result)
	return encode(a.message)
}
