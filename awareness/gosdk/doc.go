// Package gosdk brings fusionctl's error contract and its awareness hook to servers made with the official Go SDK,
// github.com/modelcontextprotocol/go-sdk.
//
// # Errors
//
// [Errors] is a receiving middleware that turns whatever a handler returns, or panics with, into what may leave the server: an
// [envelope.Envelope] that the model reads, or a JSON-RPC error for the host. [ToResult] is the same for one error, and [Tool]
// for one typed handler. [Tool] is the only way for a typed handler to give a warning beside its output, because the SDK drops
// the output of a handler that returns an error.
//
// # The hook
//
// [Install] answers calls that follow an earlier contract with what changed since; see package awareness. The tools are those
// that the server lists to the caller. A list is kept, and made anew before a call is refused, so that a tool may be added,
// replaced and removed at any time without a good call being refused.
//
// # Protocol eras
//
// From revision 2026-07-28 on each result carries a resultType. The SDK (v1.8.0) sets it only on results of handlers, not on
// those that middleware makes, and the field is not exported; this package sets it by decoding a result that has it. No result
// is shared between calls, because the SDK writes into results on their way out.
//
// # Limits
//
// Where a tool added with (*mcp.Server).AddTool is replaced by a stricter one while the server runs, a kept list may let calls to
// its handler that fit the former definition only, until the SDK notifies a client; see [ListEachCall]. The SDK itself checks the
// arguments of tools added with mcp.AddTool.
//
// The answer of the SDK itself to arguments that do not fit (`validating "arguments": …`) is not touched by [Errors]: to explain
// it takes the schema.
package gosdk
