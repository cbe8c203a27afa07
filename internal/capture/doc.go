// Package capture reads the contract of MCP servers: of a live server, of a file, of all servers in a client
// configuration. Start with [Capture] and [CaptureAll] for live servers, [Read] for files and [ReadConfig] for
// configurations.
//
// # Read-only
//
// A capture sends server/discover or initialize, and then tools/list, prompts/list, resources/list and
// resources/templates/list as far as the server announces them. It never calls a tool, reads a resource or gets a
// prompt.
//
// # What is kept
//
// The values come from the bytes that the server sent, decoded by internal/canonjson, and not from the structures of
// the SDK, which lose unknown fields, integers above 2^53 and whole tools. Names and texts are kept as they are; whoever
// prints them has to make them harmless. Nothing of the command, the environment, the URL or the headers is in a result.
// Errors may name the program and the host, never a value of the environment or of a header.
//
// # What the client announces
//
// Servers offer other tools to clients that can do other things. So every capture announces the same: roots (an empty
// list), sampling and form elicitation, in every protocol version. A request that would need a person or a model is
// refused.
//
// # Eras
//
// A server is first asked with server/discover (2026-07-28). One that does not know it is asked with initialize
// (2025-11-25, and any older version that it prefers). Some servers never answer what they do not know: after ten
// seconds, or a quarter of [Options].Timeout if that is less, a program is asked with initialize in the same process, so
// that a slow start is not cut short. If that fails too, a new process is asked with initialize alone. One that answers
// server/discover after all is started once more and asked in the new way only, since the two eras can show different
// contracts.
//
// # Limits
//
// One message is at most 64 MiB, all messages of a server together at most 256 MiB and 200,000 in number, a list at most
// 1,000 pages and 100,000 items. Output that is not a message of the protocol is skipped, and told as a notice.
//
// # End
//
// A program runs in a process group of its own (on Windows in a job). At the end its input is closed; after a second it is asked to
// terminate, after two more it is killed, with all its descendants. The same happens on every error, when the time is
// over and when the context is cancelled.
package capture
