// Fusionctl locks the contracts of MCP servers, compares them, and says what breaks.
//
// Usage:
//
//	fusionctl lock [flags] [-- COMMAND ARG…]     write fusion.lock from a server, a file or a configuration
//	fusionctl lock --check                       fail when fusion.lock is out of date
//	fusionctl show [FILE]                        list what a lockfile holds
//	fusionctl diff [BASELINE REVISION]           say what changed and what breaks
//	fusionctl accept FINGERPRINT --reason TEXT   accept one change for a time
//	fusionctl rules, explain RULE                what kinds of changes there are
//	fusionctl schema check, schema sample        decide about two JSON Schemas
//	fusionctl proxy [flags] [-- COMMAND ARG…]    tell stale callers of a server what changed
//	fusionctl init                               write .fusionctl.yaml
//	fusionctl git install, git uninstall         diff and merge lockfiles in git
//	fusionctl demo                               see all of it, without network
//	fusionctl version, completion
//
// # Streams and exit codes
//
// Results go to standard output, everything else to standard error. Exit codes are the same for every format:
//
//	0  nothing at or above --fail-on (default: breaking)
//	1  there is; for "lock --check": the lockfile is out of date; for "schema check": incompatible
//	2  it could not run: usage, a file that cannot be read, a server that did not answer
//	3  "schema check" only: undecided
//
// "proxy" before a command ends with the exit code of that command.
//
// # Limits
//
// Capturing is read-only: no tool is ever called. Secrets are given by the name of an environment variable only and are
// never written. Files beyond 256 MiB are refused.
package main
