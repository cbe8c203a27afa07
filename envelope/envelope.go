// Package envelope writes errors of an MCP server as messages to the language model that made the call.
package envelope
