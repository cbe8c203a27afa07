// Package proxy puts the hook in front of an MCP server in any language.
//
// [Stdio] runs a server as a child process and sits between its pipes and the client's; [NewHTTP] is a reverse proxy for
// Streamable HTTP, in its JSON and its SSE form. Both share a [Rewriter], which other transports may use as well.
//
// The proxy enriches, it never refuses: every message goes to the server, and only the answer of a tools/call that failed
// already is touched. Everything else passes byte for byte: other answers, notifications, requests of the server, batches,
// lines that are not JSON. Of a failed call
//
//   - a tool error in a wording that is known as a refusal of arguments is replaced by the envelope;
//   - another tool error keeps its content, and the envelope is added as a further text block, if the arguments do not fit;
//   - a JSON-RPC error for bad arguments (-32602; -32603 of the older TypeScript SDK, whose words are kept) becomes a tool
//     error, which the model reads, where the arguments do not fit;
//   - a server's "unknown tool" becomes a tool error that names the successor, where the baseline knew the tool.
//
// With a hook in mode Observe nothing is changed, and nothing waits. Calls that succeed are looked at, too: some servers
// tolerate what their schema refuses.
//
// # Where the tools come from
//
// Tools are learned from the tools/list answers that pass by. When a call fails and the last listing is older than some
// seconds, or was announced to have changed, the proxy asks the server itself, and the client does not see that: the server may
// have been replaced by its next release since. Calls that fail together share one listing; a server that does not answer it
// within 3 s is left alone for a while, and its answers pass as they are. Over HTTP each caller, told apart by all headers that
// may say who it is, has its own list.
//
// # Limits
//
// Calls that run as tasks, arguments beyond 4 MiB and messages beyond 16 MiB are not looked at; the latter pass in pieces. Of
// calls that are open at once, the newest 10,000 and 64 MiB of arguments are remembered. An id that two open calls share makes
// both pass untouched. The answer of a failed call is worked out aside, and later messages may overtake it; when to compare the contracts takes
// longer than 2 s it passes as it is, and the comparison is there for later calls.
//
// Interactive OAuth does not work through an HTTP proxy of another origin, as the discovery documents name the server behind
// it; static headers pass. The older transport with a separate SSE stream passes untouched.
package proxy
