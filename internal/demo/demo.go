// Package demo is a small MCP server for billing in two versions of its contract, for "fusionctl demo", tests and examples.
//
// [NewServer] builds it, [Serve] runs it over a pair of streams, [Call] makes one call of it in memory. Version 2 breaks
// version 1 in the ways that happen in practice: an argument became required, an allowed value went away, a tool was
// renamed, a description changed its meaning, a tool reaches other systems now.
package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/awareness/gosdk"
)

// A Version is one of the two contracts.
type Version string

// The versions.
const (
	V1 Version = "v1"
	V2 Version = "v2"
)

// ParseVersion reads a version by name.
func ParseVersion(name string) (Version, error) {
	switch v := Version(name); v {
	case V1, V2:
		return v, nil
	}
	return "", fmt.Errorf("version %q: want v1 or v2", name)
}

// The stale call: what an agent that learned version 1 sends.
const (
	StaleTool      = "get_invoice"
	StaleArguments = `{"id":"2026-0017"}`
)

// A Wrapper changes a server before it runs. Nil changes nothing.
type Wrapper func(*mcp.Server) error

// Healing installs the hook that tells a caller what changed since the contract of the lockfile at path.
func Healing(path string) Wrapper {
	return func(s *mcp.Server) error {
		_, err := gosdk.Install(s, awareness.FromFile(path), awareness.SelfHealing(true))
		return err
	}
}

// A tool is one definition and what it answers to every good call.
type tool struct {
	name, description string
	schema            string
	annotations       mcp.ToolAnnotations
	answer            string
}

var (
	yes, no  = true, false
	reads    = mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no}
	fetches  = mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &yes}
	destroys = mcp.ToolAnnotations{DestructiveHint: &yes, OpenWorldHint: &no}
)

var tools = map[Version][]tool{
	V1: {
		{"get_invoice", "Read one invoice.",
			`{"type":"object","properties":{"id":{"type":"string","description":"Number of the invoice"}},"required":["id"]}`,
			reads, "invoice 2026-0017: 120.00 EUR, open"},
		{"list_invoices", "List invoices, the newest first.",
			`{"type":"object","properties":{"status":{"type":"string","enum":["open","paid","void"]},"limit":{"type":"integer","minimum":1,"maximum":100,"default":20}}}`,
			reads, "2026-0017 open"},
		{"payments", "Take or return a payment.",
			`{"type":"object","properties":{"action":{"type":"string","enum":["charge","refund"]},"invoice":{"type":"string"},"cents":{"type":"integer","minimum":1}},"required":["action","invoice","cents"]}`,
			destroys, "done"},
		{"export_invoices", "Write all invoices to a file.",
			`{"type":"object","properties":{"format":{"type":"string","enum":["csv","pdf"]}},"required":["format"]}`,
			reads, "exported"},
	},
	V2: {
		{"get_invoice", "Read one invoice in the currency asked for.",
			`{"type":"object","properties":{"id":{"type":"string","description":"Number of the invoice"},"currency":{"type":"string","enum":["EUR","USD"]}},"required":["id","currency"]}`,
			reads, "invoice 2026-0017: 120.00 EUR, open"},
		{"list_invoices", "List invoices, the newest first.",
			`{"type":"object","properties":{"status":{"type":"string","enum":["open","paid"]},"limit":{"type":"integer","minimum":1,"maximum":500,"default":20},"customer":{"type":"string"}}}`,
			reads, "2026-0017 open"},
		{"payments", "Take or return a payment.",
			`{"type":"object","properties":{"action":{"type":"string","enum":["charge","refund","settle"]},"invoice":{"type":"string"},"cents":{"type":"integer","minimum":1}},"required":["action","invoice","cents"]}`,
			destroys, "done"},
		{"download_invoices", "Write all invoices to a file.",
			`{"type":"object","properties":{"format":{"type":"string","enum":["csv","pdf"]}},"required":["format"]}`,
			fetches, "exported"},
	},
}

var numbers = map[Version]string{V1: "1.4.0", V2: "2.0.0"}

// NewServer builds the server in one version, wrapped.
func NewServer(v Version, wrap Wrapper) (*mcp.Server, error) {
	if numbers[v] == "" {
		return nil, fmt.Errorf("version %q: want v1 or v2", string(v))
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "billing", Version: numbers[v]}, nil)
	for _, t := range tools[v] {
		add(s, t)
	}
	if wrap != nil {
		if err := wrap(s); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func add(s *mcp.Server, t tool) {
	definition := &mcp.Tool{Name: t.name, Description: t.description, InputSchema: json.RawMessage(t.schema), Annotations: &t.annotations}
	mcp.AddTool(s, definition, func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: t.answer}}}, nil, nil
	})
}

// Serve runs the server over a pair of streams until the client leaves or ctx ends.
func Serve(ctx context.Context, v Version, wrap Wrapper, in io.Reader, out io.Writer) error {
	s, err := NewServer(v, wrap)
	if err != nil {
		return err
	}
	return s.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(in), Writer: nopCloser{out}})
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// An Answer is what a caller gets to see.
type Answer struct {
	Text    string
	IsError bool // the tool refused
}

// Call makes one call of the server in memory. Arguments are JSON text.
func Call(ctx context.Context, v Version, wrap Wrapper, name, arguments string) (Answer, error) {
	s, err := NewServer(v, wrap)
	if err != nil {
		return Answer{}, err
	}
	forServer, forClient := mcp.NewInMemoryTransports()
	serving, err := s.Connect(ctx, forServer, nil)
	if err != nil {
		return Answer{}, err
	}
	defer serving.Close()
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil)
	session, err := client.Connect(ctx, forClient, nil)
	if err != nil {
		return Answer{}, err
	}
	defer session.Close()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		return Answer{}, err
	}
	var text strings.Builder
	for _, c := range result.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	return Answer{Text: text.String(), IsError: result.IsError}, nil
}
