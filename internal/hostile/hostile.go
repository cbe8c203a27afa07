// Package hostile holds no code: its tests feed what a malicious or broken server could publish to every function that reads
// contracts, and to the whole command.
//
// The inputs are made by code: nesting, huge numbers, reference bombs, cycles, duplicate keys, text that is not UTF-8, terminal
// escapes, direction marks and tag characters, markup, patterns that blow up automata or backtracking engines, and lists of a
// size that nobody reads. Each must end with a clear answer: no panic, no hang, no file or address that only a schema named,
// memory in proportion to the input, and nothing in a report that a terminal or a browser would obey.
//
// go test -short leaves out the largest lists.
package hostile
