// Package mcpgo brings fusionctl's error contract and its awareness hook to servers made with github.com/mark3labs/mcp-go.
//
// # Errors
//
// [InstallErrors] turns whatever the handlers of a server return, or panic with, into what may leave the server: an
// [envelope.Envelope] that the model reads, or a JSON-RPC error for the host. [ToolErrors], [ResourceErrors] and [PromptErrors]
// are its parts, [ToResult] is the same for one error.
//
// # The hook
//
// [Install] answers calls that follow an earlier contract with what changed since; see package awareness. To have calls of removed
// tools answered too, serve with [ServeStdio] or through [Handler], see below.
//
// # Corrected answers
//
// The SDK (v1.2.1) sends each error of a handler as -32603 without data, and answers a call of an unknown tool by itself. To let
// code and data of an [envelope.ProtocolError] through, such as -32602 with the URI of a missing resource, and to have calls of
// removed tools explained, serve through [ServeStdio], [Stdio], [Handler] or [HandleMessage]: each notes what the SDK reports to
// its error hook, and corrects the one answer that belongs to it. Everything else passes byte by byte. Served otherwise, such an
// error has its message, and the SDK's code.
//
// # Limits
//
// Tools added with AddTaskTool run outside the SDK's middleware and are not covered. The former HTTP+SSE transport answers on
// another connection than the one that asked; there codes are not corrected.
package mcpgo
