// Package lockfile holds the contracts of MCP servers as one committed file, fusion.lock.
//
// Start with [Parse] and [Format] for bytes, [ReadFile], [WriteFile] and [Update] for files, and [File] for the value.
//
// # Form
//
// A lockfile is JSON in UTF-8 with an indent of two spaces, keys in code-point order, no HTML escapes and a newline at
// the end. Numbers are exact and have one spelling for each value. It holds no time, no path of a machine and no secret,
// and it does not depend on the order in which a server lists things: equal contracts give equal bytes. [Parse] accepts
// other white space, key order, number spelling and line ends (a checkout on Windows may have changed them), but nothing
// else; every digest in the file is checked. Its errors are of type [ParseError] and wrap one of the Err variables.
//
// # Digests
//
// A digest is "sha256:" and the SHA-256, in lower-case hex, of the canonical form (RFC 8785) of a value:
//
//   - an entry (a tool, prompt, resource or template) without its member "digest";
//   - a server without its member "digest", but with the digests of its entries;
//   - "integrity": the whole file without the member "integrity".
//
// With other tools: decode, delete the member, write with a JCS library, hash. In JavaScript:
//
//	const jcs = v => v === null || typeof v !== "object" ? JSON.stringify(v)
//	  : Array.isArray(v) ? "[" + v.map(jcs).join(",") + "]"
//	  : "{" + Object.keys(v).sort().map(k => JSON.stringify(k) + ":" + jcs(v[k])).join(",") + "}";
//	const digest = (v, without) => {
//	  const rest = {...v};
//	  delete rest[without];
//	  return "sha256:" + require("crypto").createHash("sha256").update(jcs(rest)).digest("hex");
//	};
//
// Numbers are written as RFC 8785 says, except that none is rounded: one with more digits than a 64-bit float gives back,
// such as 9007199254740993 or 333333333.33333329, keeps them. A tool that reads it as a float gets another digest.
//
// The name of an entry is no part of its digest: a renamed tool keeps it. A member that a server itself calls "digest" is
// stored as "_digest" ("_digest" as "__digest", and so on).
//
// # Safety
//
// [WriteFile] and [Update] write whole and atomically: a crash at any moment leaves the old or the new file. Two at once,
// also in two processes, wait for each other. On a file system without advisory locks only the first holds.
//
// # Limits
//
// A file has at most [MaxBytes] bytes and 520 nested levels; what canonjson accepts can be stored and read back.
package lockfile

// Version is the lockfileVersion that this package writes and the newest that it reads.
const Version = 1

// A File is the content of one lockfile: the contracts of one or more servers by the name that the user gave them.
type File struct {
	Servers map[string]*Server
}

// A Server is all that a client can see of one server.
//
// Nil and empty maps mean the same: the server announces none of that kind.
type Server struct {
	ProtocolVersion string         // as negotiated, "2025-11-25"; "" when it is not known (a bare list of tools)
	Info            map[string]any // serverInfo as sent: name, version, title, …; nil when it is not known
	Capabilities    map[string]any // as sent; nil when they are not known
	Instructions    string

	Tools             map[string]*Entry // by tool name
	Prompts           map[string]*Entry // by prompt name
	Resources         map[string]*Entry // by URI
	ResourceTemplates map[string]*Entry // by URI template
}

// Kind names what an entry is.
type Kind string

// The kinds of entries, and the server itself.
const (
	KindServer   Kind = "server"
	KindTool     Kind = "tool"
	KindPrompt   Kind = "prompt"
	KindResource Kind = "resource"
	KindTemplate Kind = "template"
)
