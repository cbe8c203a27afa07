package awareness

import (
	"fmt"
	"strings"

	"github.com/fusionctl/fusionctl/envelope"
)

// refusals are the beginnings, after what is trimmed, by which servers word that arguments do not fit their schema. They
// are facts about the SDKs named beside them.
var refusals = []string{
	"Input validation error: ",                         // TypeScript 2.x, Python 1.x low level
	"MCP error -32602: Input validation error: ",       // TypeScript 1.21 and later
	"MCP error -32602: Invalid arguments for tool ",    // TypeScript up to 1.20
	"Invalid arguments for tool ",                      //
	`validating "arguments": `,                         // go-sdk
	"input schema validation failed: ",                 // mcp-go
	"failed to deserialize parameters: ",               // Rust
	"Missing required arguments: ",                     // Ruby
	"Invalid arguments: ",                              // Ruby
	"Invalid parameters for tool ",                     // PHP
	"Invalid params: ",                                 // Swift
	"Invalid tools/call request: ",                     // TypeScript 2.x, arguments that are not an object
	"MCP error -32602: Invalid task creation result: ", // TypeScript 1.x, a call as a task
	`argument "`,          // mcp-go helpers of handlers
	`required argument "`, //
}

// IsRefusal reports whether the text of an error is a known wording for "the arguments do not fit the schema".
func IsRefusal(text string) bool {
	text = strings.TrimSpace(text)
	for _, beginning := range refusals {
		if strings.HasPrefix(text, beginning) {
			return true
		}
	}
	switch {
	case strings.HasPrefix(text, "Error executing tool ") && strings.Contains(text, " validation error"): // Python FastMCP
		return true
	case strings.HasPrefix(text, "Tool (") && strings.Contains(text, ") input validation failed: "): // Java
		return true
	case strings.HasPrefix(text, "MCP error -32602: Tool '") && strings.Contains(text, "' parameter validation failed: "): // fastmcp (TypeScript)
		return true
	case strings.Contains(firstLine(text), " validation error for ") || strings.Contains(firstLine(text), " validation errors for "): // pydantic
		return true
	}
	return false
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// IsEnvelope reports whether a text holds an envelope already: an inner hook answered, and this one stays silent.
func IsEnvelope(text string) bool {
	if !strings.Contains(text, "<validation_error") && !strings.Contains(text, "<tool_error") {
		return false
	}
	_, err := envelope.Parse(text)
	return err == nil
}

// maxServerText is how much of the server's own words is kept, in characters.
const maxServerText = 300

// withServerText keeps what the server said, as the last field of the envelope. It stands in quotes: it may repeat what anybody
// wrote, and must not read as a sentence of ours.
func withServerText(e envelope.Envelope, text string, limits envelope.Limits) envelope.Envelope {
	v, ok := e.(*envelope.ValidationError)
	if text = envelope.Line(text, maxServerText); !ok || len(v.Fields()) > 0 || text == "" {
		return e // the fields say it better
	}
	said := envelope.Field{Name: "server", Message: fmt.Sprintf("The server said: %q", text)}
	return envelope.Fields(v.Action(), said).Suggest(v.Recovery()).WithAwareness(v.Awareness()).Limit(limits)
}
