package capture

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// Read reads a contract from a file, and finds out by the content what the file is: the result of tools/list, alone or
// in its JSON-RPC response; a bare array of tools; a whole capture as [FormatCapture] writes it; or a lockfile, which is
// returned as it is. The server gets the given name; when that is empty, its own name, or "server".
//
// What is malformed is left out and told, as in a live capture.
func Read(data []byte, name string) (*lockfile.File, []Problem, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return nil, nil, errors.New("the input is empty")
	}
	if data[0] == '{' && bytes.Contains(data, []byte(`"lockfileVersion"`)) {
		f, err := lockfile.Parse(data)
		if err == nil {
			return f, nil, nil
		}
		if parts, bad := split(data); bad != nil || parts["lockfileVersion"] != nil {
			return nil, nil, err // its errors are the better ones
		}
	}
	// What is acceptable as a whole is in canonical form from here on. What is not is taken apart.
	text, err := canonjson.Compact(data, canonjson.Limits{})
	if err != nil {
		text = data
	}
	return read(text, name, err == nil)
}

func read(data []byte, name string, canonical bool) (*lockfile.File, []Problem, error) {
	if data[0] == '[' {
		return readManifest(map[string]json.RawMessage{"tools": data}, name, canonical)
	}
	if data[0] != '{' {
		_, err := canonjson.Decode(data)
		if err == nil {
			err = errors.New("a single JSON value")
		}
		return nil, nil, fmt.Errorf("not a list of tools, a capture or a lockfile: %w", err)
	}
	parts, err := membersOf(data, canonical)
	if err != nil {
		return nil, nil, err
	}
	if parts["jsonrpc"] != nil {
		if parts, err = unwrap(parts, canonical); err != nil {
			return nil, nil, err
		}
	}
	return readManifest(parts, name, canonical)
}

// membersOf reads the members of an object and nothing below.
func membersOf(data []byte, canonical bool) (map[string]json.RawMessage, error) {
	if canonical && data[0] == '{' {
		return members(data), nil
	}
	return split(data)
}

// split reads the members of an object and nothing below. A fault of the text is told as canonjson words it.
func split(data []byte) (map[string]json.RawMessage, error) {
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		if _, strict := canonjson.Decode(data); strict != nil {
			err = strict
		}
		return nil, err
	}
	return parts, nil
}

// unwrap takes the result out of a JSON-RPC response.
func unwrap(parts map[string]json.RawMessage, canonical bool) (map[string]json.RawMessage, error) {
	if e := parts["error"]; e != nil && string(e) != "null" {
		rpc := rpcError(e)
		return nil, fmt.Errorf("a JSON-RPC response with error %d %s, not a list of tools", rpc.Code, quote(rpc.Message))
	}
	if parts["result"] == nil {
		return nil, errors.New("a JSON-RPC message without a result, not a list of tools")
	}
	inner, err := membersOf(parts["result"], canonical)
	if err != nil {
		return nil, fmt.Errorf("the result of the JSON-RPC response is not an object: %w", err)
	}
	return inner, nil
}

// readManifest reads the parts of a capture, all of which may be missing but not all at once.
func readManifest(parts map[string]json.RawMessage, name string, canonical bool) (*lockfile.File, []Problem, error) {
	if err := checkManifest(parts); err != nil {
		return nil, nil, err
	}
	server := &lockfile.Server{}
	var problems []Problem
	if raw := parts["initialize"]; raw != nil {
		more, err := readInitialize(server, raw)
		if err != nil {
			return nil, nil, fmt.Errorf("initialize: %w", err)
		}
		problems = append(problems, more...)
	}
	for _, l := range lists {
		raw := parts[l.member]
		if raw == nil || string(raw) == "null" {
			continue
		}
		items, err := readList(raw, l.member, canonical)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", l.member, err)
		}
		problems = append(problems, addEntries(server, l.kind, items)...)
	}
	if c := parts["nextCursor"]; c != nil && string(c) != "null" {
		problems = append(problems, Problem{Kind: lockfile.KindServer, Text: "the list has more pages (nextCursor), which are not in this file"})
	}
	if name == "" {
		name, _ = server.Info["name"].(string)
	}
	if name == "" {
		name = "server"
	}
	return &lockfile.File{Servers: map[string]*lockfile.Server{name: server}}, problems, nil
}

// checkManifest says what an object is when it is no manifest.
func checkManifest(parts map[string]json.RawMessage) error {
	for _, member := range []string{"tools", "initialize", "prompts", "resources", "resourceTemplates"} {
		if parts[member] != nil {
			return nil
		}
	}
	switch {
	case parts["mcpServers"] != nil || parts["servers"] != nil:
		return errors.New("a client configuration, not a list of tools: capture its servers with --config")
	case parts["inputSchema"] != nil:
		return errors.New("a single tool, not a list of tools: put it into an array")
	case parts["protocolVersion"] != nil && parts["serverInfo"] != nil:
		return errors.New("a result of initialize, which has no tools: give the result of tools/list")
	}
	names := canonjson.SortedKeys(parts)
	for i, n := range names {
		names[i] = quote(n)
	}
	if len(names) > 5 {
		names = append(names[:5], "…")
	}
	return fmt.Errorf("not a list of tools, a capture or a lockfile: an object with the members [%s]", strings.Join(names, " "))
}

func readInitialize(server *lockfile.Server, raw json.RawMessage) ([]Problem, error) {
	v, err := canonjson.Decode(raw)
	if err != nil {
		return nil, err
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("not an object")
	}
	if inner, ok := m["result"].(map[string]any); ok && m["jsonrpc"] != nil {
		m = inner
	}
	return readHead(server, m), nil
}

// readList reads an array of definitions. Only when it is not acceptable as a whole is each definition read by itself.
func readList(raw json.RawMessage, member string, canonical bool) ([]item, error) {
	var strict error
	text := []byte(raw)
	if !canonical {
		text, strict = canonjson.Compact(raw, canonjson.Limits{})
	}
	if strict == nil && text[0] == '{' {
		if inner := members(text)[member]; inner != nil && inner[0] == '[' { // a whole result where its array belongs
			text = inner
		}
	}
	if strict == nil && text[0] == '[' {
		return elements(text), nil
	}
	if strict == nil {
		return nil, errors.New("not an array")
	}
	var a []json.RawMessage
	if json.Unmarshal(raw, &a) != nil {
		return nil, strict
	}
	items := splitItems(a)
	if !slices.ContainsFunc(items, func(it item) bool { return it.err != nil }) {
		return nil, strict
	}
	return items, nil
}

// FormatCapture writes a contract in the shape of a capture that [Read] reads:
// {"initialize":{…},"tools":[…],"prompts":[…],"resources":[…],"resourceTemplates":[…]}, canonical, one line.
func FormatCapture(s *lockfile.Server) []byte {
	head := map[string]any{}
	if s.ProtocolVersion != "" {
		head["protocolVersion"] = s.ProtocolVersion
	}
	if s.Info != nil {
		head["serverInfo"] = s.Info
	}
	if s.Capabilities != nil {
		head["capabilities"] = s.Capabilities
	}
	if s.Instructions != "" {
		head["instructions"] = s.Instructions
	}
	capture := map[string]any{"initialize": head}
	for _, l := range lists {
		entries := s.Entries(l.kind)
		definitions := make([]any, 0, len(entries))
		for _, key := range canonjson.SortedKeys(entries) {
			definitions = append(definitions, entries[key].Definition(l.kind, key))
		}
		capture[l.member] = definitions
	}
	return append(canonjson.Append(nil, capture), '\n')
}
