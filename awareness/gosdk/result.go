package gosdk

import (
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/envelope"
)

// resultTypeSince is the first revision whose results carry a resultType. Revisions are dates, so they compare as text.
const resultTypeSince = "2026-07-28"

// ToResult makes of a tool handler's error what has to be returned in its place: a result that the model reads, with isError as
// the severity says (a warning is a success), or a JSON-RPC error for the host. Exactly one of the two is not nil, unless err
// is no error: then both are nil.
//
// The request tells the protocol revision, which decides whether the result carries a resultType; nil stands for the revisions
// before 2026-07-28.
func ToResult(req mcp.Request, err error, opts ...envelope.Option) (*mcp.CallToolResult, error) {
	switch own := envelope.From(err, opts...).(type) {
	case nil:
		return nil, nil
	case envelope.Envelope:
		return envelopeResult(req, own), nil
	case *envelope.ProtocolError:
		return nil, wireError(own)
	default:
		return nil, own
	}
}

func envelopeResult(req mcp.Request, e envelope.Envelope) *mcp.CallToolResult {
	res := newResult(req)
	res.Content = []mcp.Content{&mcp.TextContent{Text: e.Format()}}
	res.IsError = e.IsError()
	return res
}

// newResult returns a result with the resultType that the revision of the request asks for. Decoding is the only way to set it
// from outside the SDK (v1.8.0).
func newResult(req mcp.Request) *mcp.CallToolResult {
	res := new(mcp.CallToolResult)
	if v, ok := req.(interface{ ProtocolVersion() string }); ok && v.ProtocolVersion() >= resultTypeSince {
		if json.Unmarshal([]byte(`{"content":[],"resultType":"complete"}`), res) != nil {
			panic("a constant result does not decode: not the SDK this was written for")
		}
	}
	return res
}

// rebuilt returns a complete copy of res with more content: a handler may return the same result many times. A nil res is an
// empty one.
func rebuilt(req mcp.Request, res *mcp.CallToolResult, more ...mcp.Content) *mcp.CallToolResult {
	out := newResult(req)
	out.Content = []mcp.Content{} // not nil, which would be "null"
	if res != nil {
		out.Meta, out.StructuredContent, out.IsError = res.Meta, res.StructuredContent, res.IsError
		out.Content = append(out.Content, res.Content...)
	}
	out.Content = append(out.Content, more...)
	return out
}

// wireError is the SDK's form of a protocol error. Data that is not JSON is left out: the code and the message matter more.
func wireError(e *envelope.ProtocolError) error {
	out := &jsonrpc.Error{Code: int64(e.Code), Message: e.Message}
	if e.Data != nil {
		if data, err := json.Marshal(e.Data); err == nil {
			out.Data = data
		}
	}
	return out
}

// protocolError makes a JSON-RPC error of any error of a handler that has no result a model would read: resources, prompts,
// completions. An envelope keeps its text in data. What has no answer at all is an internal error.
func protocolError(err error, uri string, opts []envelope.Option) error {
	var wire *jsonrpc.Error
	if errors.As(err, &wire) {
		return err
	}
	switch own := envelope.From(err, opts...).(type) {
	case nil:
		return nil
	case *envelope.ProtocolError:
		return wireError(own)
	case envelope.Envelope:
		return wireError(envelope.AsProtocol(own, uri))
	default:
		return own
	}
}
