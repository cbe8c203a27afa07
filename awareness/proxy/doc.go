// Package proxy puts the hook in front of an MCP server in any language.
//
// [Stdio] runs a server as a child process and sits between its pipes and the client's; [NewHTTP] is a reverse proxy for
// Streamable HTTP, in its JSON and its SSE form. Both share a [Rewriter].
//
// The proxy enriches, it never refuses: every message goes to the server, and only the answer of a tools/call that failed
// already is touched. Everything else passes byte for byte: other answers, notifications, requests of the server, batches,
// lines that are not JSON. Of a failed call
//
//   - a tool error in a wording that is known as a refusal of arguments is replaced by the envelope;
//   - another tool error keeps its content, and the envelope is added as a further text block, if the arguments do not fit;
//   - a JSON-RPC error for bad arguments (-32602; -32603 of the older TypeScript SDK) becomes a tool error, which the model
//     reads, where the arguments do not fit; an unknown tool becomes one where the baseline knew the tool.
//
// Tools are learned from the tools/list answers that pass by. When a call fails of which nothing was seen yet, the proxy
// asks the server itself, once, within a few seconds, and the client does not see that.
//
// Limits: interactive OAuth does not work through an HTTP proxy of another origin, as the discovery documents name the
// server behind it; static headers pass. Calls that run as tasks are not touched.
package proxy
