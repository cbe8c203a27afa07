package mcpgo

import (
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/fusionctl/fusionctl/envelope"
)

// ToResult makes of a tool handler's error what has to be returned in its place: a result that the model reads, with isError as
// the severity says (a warning is a success), or an error for the host that leaves as the protocol error it is. Exactly one of
// the two is not nil, unless err is no error: then both are nil.
func ToResult(err error, opts ...envelope.Option) (*mcp.CallToolResult, error) {
	switch own := envelope.From(err, opts...).(type) {
	case nil:
		return nil, nil
	case envelope.Envelope:
		return envelopeResult(own), nil
	case *envelope.ProtocolError:
		return nil, hostError{own}
	default:
		return nil, own
	}
}

func envelopeResult(e envelope.Envelope) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(e.Format())}, IsError: e.IsError()}
}

// withText returns a copy of res with one more block of text: a handler may return the same result many times. The SDK sets the
// result type, and once it wrote into a result of the new era, that type would go to callers of the former era too.
func withText(res *mcp.CallToolResult, text string) *mcp.CallToolResult {
	out := *res
	if out.ResultType == mcp.ResultTypeComplete {
		out.ResultType = ""
	}
	out.Content = append(append(make([]mcp.Content, 0, len(res.Content)+1), res.Content...), mcp.NewTextContent(text))
	return &out
}

// hostError is a protocol error whose text is only the message, because the SDK makes the message of the text.
type hostError struct{ protocol *envelope.ProtocolError }

func (e hostError) Error() string { return e.protocol.Message }
func (e hostError) Unwrap() error { return e.protocol }

// protocolError makes an error for the host of any error of a handler that has no result a model would read: resources and
// prompts. An envelope keeps its text in data.
func protocolError(err error, uri string, opts []envelope.Option) error {
	if isSDKError(err) {
		return err
	}
	switch own := envelope.From(err, opts...).(type) {
	case nil:
		return nil
	case *envelope.ProtocolError:
		return hostError{own}
	case envelope.Envelope:
		return hostError{envelope.AsProtocol(own, uri)}
	default:
		return own
	}
}
