// Package awareness tells a stale caller what changed, in the turn in which its call failed.
//
// Clients keep tool lists for days; their models repeat calls of yesterday's contract. A [Hook] compares the contract that
// callers may have learned (the lockfile of a release, the baseline) with the live tools, and adds to the answer of a
// failing call what is wrong, what changed, and what is right now.
//
//	hook, err := awareness.New(awareness.FromFile("fusion.lock"))
//	verdict := hook.Check(awareness.Call{Tool: tool, Arguments: arguments})
//	if verdict.Status == awareness.Invalid {
//		return verdict.Envelope // for the model; the handler is not called
//	}
//
// Servers use the packages awareness/gosdk and awareness/mcpgo, which do this for every tool; awareness/proxy does it in
// front of a server in any language. This package knows no SDK.
//
// # Guarantees
//
//   - The hook never makes a call worse. Whatever it cannot judge (a schema that does not compile, arguments beyond the
//     bounds, a fault of its own) passes untouched and is told to the events.
//   - A call is refused in mode Enforce only, and only by the gate, which is lenient: formats and patterns that cannot be
//     expressed are not enforced.
//   - Contracts are compared once for each definition of a tool, when a call of it first fails, never on a call that is right.
//   - Texts that come from elsewhere (names, values, schemas) are escaped, cut and without control characters; values that
//     may be secret are not shown.
//
// A Hook is safe for concurrent use.
package awareness
