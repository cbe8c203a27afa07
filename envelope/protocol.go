package envelope

import "fmt"

// The JSON-RPC error codes that MCP uses.
const (
	RPCParseError     = -32700
	RPCInvalidRequest = -32600
	RPCMethodNotFound = -32601
	RPCInvalidParams  = -32602
	RPCInternalError  = -32603
)

// A ProtocolError is an error that a wiser model could not have avoided. It travels as a JSON-RPC error and is read by the
// host, not by the model. Its JSON form is the error object of JSON-RPC.
type ProtocolError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// Error returns message and code, for logs.
func (e *ProtocolError) Error() string {
	if e == nil {
		return fmt.Sprintf("protocol error %d", RPCInternalError)
	}
	return fmt.Sprintf("%s (protocol error %d)", e.Message, e.Code)
}

// ResourceNotFound is the answer to a read of a resource that does not exist: -32602 with the URI in data. An empty message
// means "Resource not found".
func ResourceNotFound(uri, message string) *ProtocolError {
	return &ProtocolError{Code: RPCInvalidParams, Message: orText(clean(message, maxText), "Resource not found"), Data: map[string]any{"uri": uri}}
}

// AsProtocol is an envelope as a protocol error, for answers that have no place for a text to the model: those of resources
// and prompts. What the caller could have avoided is -32602, the rest -32603; the envelope goes into data, with its code and
// the URI, which may be empty. NOT_FOUND of a URI is ResourceNotFound.
func AsProtocol(e Envelope, uri string) *ProtocolError {
	message := e.Error()
	if t, ok := e.(*ToolError); ok {
		message = t.Message()
	}
	if uri != "" && e.Code() == CodeNotFound {
		return ResourceNotFound(uri, message)
	}
	data := map[string]any{"code": e.Code(), "envelope": e.Format()}
	if uri != "" {
		data["uri"] = uri
	}
	code := RPCInternalError
	switch e.Code() {
	case CodeValidationError, CodeMissingRequiredField, CodeUnknownAction, CodeMissingDiscriminator:
		code = RPCInvalidParams
	}
	return &ProtocolError{Code: code, Message: message, Data: data}
}
