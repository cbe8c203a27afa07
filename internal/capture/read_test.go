package capture

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/fusionctl/fusionctl/lockfile"
)

func TestRead(t *testing.T) {
	lock, err := lockfile.Format(&lockfile.File{Servers: map[string]*lockfile.Server{"other": {}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name     string
		in       string
		server   string
		entries  string
		problems string
	}{
		{"result", `{"tools":[` + toolB + `,` + toolA + `]}`, "n", "a,b", ""},
		{"result with more", `{"tools":[` + toolA + `],"_meta":{},"ttlMs":0,"nextCursor":null}`, "n", "a", ""},
		{"no tools", `{"tools":[]}`, "n", "", ""},
		{"null", `{"tools":null,"prompts":[{"name":"p"}]}`, "n", "|p", ""},
		{"response", `{"jsonrpc":"2.0","id":1,"result":{"tools":[` + toolA + `]}}`, "n", "a", ""},
		{"array", ` [` + toolA + `] `, "n", "a", ""},
		{"byte order mark", "\ufeff[" + toolA + "]\r\n", "n", "a", ""},
		{"capture", `{"initialize":` + initResult("2025-11-25", allCaps) + `,"tools":[` + toolA + `],"prompts":[{"name":"p"}],"resources":[{"uri":"r:1"}],"resourceTemplates":[{"uriTemplate":"t:{x}"}]}`, "n", "a|p|r:1|t:{x}", ""},
		{"responses in a capture", `{"initialize":{"jsonrpc":"2.0","id":0,"result":` + initResult("2025-11-25", allCaps) + `},"tools":{"tools":[` + toolA + `]}}`, "n", "a", ""},
		{"lockfile", string(lock), "other", "", ""},
		{"about lockfiles", `{"tools":[` + toolA + `],"_meta":{"lockfileVersion":1}}`, "n", "a", ""},
		{"array about lockfiles", `[{"name":"a","inputSchema":{"properties":{"lockfileVersion":{}}}}]`, "n", "a", ""},
		{"malformed", `[` + toolA + `,{"name":"bad"}]`, "n", "a", `left out: tool "bad": left out: "inputSchema" is missing`},
		{"duplicate key", `[` + toolA + `,{"name":"bad","name":"bad","inputSchema":{}}]`, "n", "a", `left out: tool "bad": left out: line 1`},
		{"page", `{"tools":[` + toolA + `],"nextCursor":"x"}`, "n", "a", "left out: the list has more pages (nextCursor), which are not in this file"},
		{"twins", `[` + toolA + `,` + strings.Replace(toolA, "A", "B", 1) + `]`, "n", "", `left out: tool "a": left out: listed more than once with different definitions`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, problems, err := Read([]byte(tt.in), "n")
			if err != nil {
				t.Fatal(err)
			}
			s := f.Servers[tt.server]
			if s == nil || len(f.Servers) != 1 {
				t.Fatalf("servers %v, want %s", f.Servers, tt.server)
			}
			if got := names(s); got != tt.entries {
				t.Errorf("entries %s, want %s", got, tt.entries)
			}
			if got := shown(problems); !strings.HasPrefix(got, tt.problems) || tt.problems == "" && got != "" {
				t.Errorf("problems %s, want %s", got, tt.problems)
			}
		})
	}
}

func TestReadErrors(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", "the input is empty"},
		{" \n", "the input is empty"},
		{"\"text\"", "not a list of tools, a capture or a lockfile: a single JSON value"},
		{"<html>", "not a list of tools, a capture or a lockfile: line 1 column 1"},
		{"[1,", "line 1 column 4"},
		{`{"tools":[`, "line 1 column 11"},
		{`{"tools":{"a":1}}`, "tools: not an array"},
		{`{"a":1,"b":2}`, `not a list of tools, a capture or a lockfile: an object with the members ["a" "b"]`},
		{`{}`, "an object with the members []"},
		{`{"mcpServers":{}}`, "a client configuration, not a list of tools: capture its servers with --config"},
		{toolA, "a single tool, not a list of tools: put it into an array"},
		{initResult("1", `{}`), "a result of initialize, which has no tools"},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no\u001b"}}`, `a JSON-RPC response with error -32601 "no\x1b"`},
		{`{"jsonrpc":"2.0","method":"x"}`, "a JSON-RPC message without a result"},
		{`{"jsonrpc":"2.0","id":1,"result":[]}`, "the result of the JSON-RPC response is not an object"},
		{`{"initialize":7,"tools":[]}`, "initialize: not an object"},
		{"[\"\xff\"]", "tools: "},
	} {
		_, _, err := Read([]byte(tt.in), "n")
		if tt.in == "[\"\xff\"]" {
			if err != nil { // one bad item is left out, not an error
				t.Errorf("Read(%q): %v", tt.in, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Read(%q): error %v, want one with %q", tt.in, err, tt.want)
		}
	}
}

func TestReadLockfileErrors(t *testing.T) {
	for in, want := range map[string]error{
		`{"lockfileVersion":99,"integrity":"","servers":{}}`:                 lockfile.ErrNewer,
		"{\n<<<<<<< ours\n\"lockfileVersion\":1\n=======\n>>>>>>> theirs\n}": lockfile.ErrConflict,
		`{"lockfileVersion":1,"servers":{`:                                   lockfile.ErrTruncated,
	} {
		if _, _, err := Read([]byte(in), "n"); !errors.Is(err, want) {
			t.Errorf("Read(%q): error %v, want %v", in, err, want)
		}
	}
}

func TestReadNames(t *testing.T) {
	for in, want := range map[string]string{
		`[]`: "server",
		`{"initialize":` + initResult("2025-11-25", `{}`) + `,"tools":[]}`: "fake",
	} {
		f, _, err := Read([]byte(in), "")
		if err != nil || f.Servers[want] == nil {
			t.Errorf("Read(%q): %v, %v, want the name %s", in, f, err, want)
		}
	}
}

// checkRoundTrip: what FormatCapture writes, Read reads, and it gives the same lockfile.
func checkRoundTrip(t *testing.T, s *lockfile.Server) {
	t.Helper()
	text := FormatCapture(s)
	f, problems, err := Read(text, "n")
	if err != nil || len(problems) > 0 {
		t.Fatalf("reading %s: %v %v", text, err, problems)
	}
	if again := FormatCapture(f.Servers["n"]); !bytes.Equal(again, text) {
		t.Errorf("round trip:\n%s%s", text, again)
	}
	if a, b := s.Digest(), f.Servers["n"].Digest(); a != b {
		t.Errorf("digest %s, then %s", a, b)
	}
}

func TestFormatCapture(t *testing.T) {
	f, _, err := Read([]byte(`{"initialize":`+initResult("2025-11-25", allCaps)+`,"tools":[`+toolB+`,`+toolA+`],"resources":[{"uri":"r:1","x":1.0}]}`), "n")
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"initialize":{"capabilities":{"prompts":{},"resources":{},"tools":{}},"instructions":"be kind","protocolVersion":"2025-11-25","serverInfo":{"name":"fake","version":"1"}},"prompts":[],"resourceTemplates":[],"resources":[{"uri":"r:1","x":1}],"tools":[` +
		`{"description":"A","inputSchema":{"type":"object"},"name":"a"},{"description":"B","inputSchema":{"type":"object"},"name":"b"}]}` + "\n"
	if got := string(FormatCapture(f.Servers["n"])); got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	checkRoundTrip(t, f.Servers["n"])
	checkRoundTrip(t, &lockfile.Server{})
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`[` + toolA + `]`, `{"tools":[` + toolA + `,{"name":"b"}]}`, `{"jsonrpc":"2.0","result":{"tools":[]}}`,
		`{"initialize":` + initResult("1", allCaps) + `,"tools":[],"prompts":[{"name":"p"}]}`, `{"lockfileVersion":1,"servers":{}}`,
		`[{"name":"a","name":"b","inputSchema":{}}]`, `{"tools":[{"inputSchema":{"maximum":1e99}}]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, problems, err := Read(data, "n")
		if err != nil {
			if file != nil {
				t.Error("a file beside an error")
			}
			return
		}
		for _, p := range problems {
			if p.Text == "" || strings.ContainsAny(p.String(), "\x1b\n\x00") {
				t.Errorf("problem %q", p)
			}
		}
		for _, s := range file.Servers {
			checkRoundTrip(t, s)
		}
		if _, err := lockfile.Format(file); err != nil {
			t.Errorf("what was read cannot be locked: %v", err)
		}
	})
}
