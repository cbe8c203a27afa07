package capture

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/google/go-cmp/cmp"
)

func testEnv(name string) (string, bool) {
	v, ok := map[string]string{"TOKEN": "secret-token", "EMPTY": "", "HOME": "/home/u", "NEST": "${TOKEN}"}[name]
	return v, ok
}

func TestReadConfig(t *testing.T) {
	dir, abs := t.TempDir(), t.TempDir()
	quoted := strings.Trim(string(canonjson.AppendString(nil, abs)), `"`)
	for _, tt := range []struct {
		name, in string
		want     []Source
	}{
		{"claude", `{"mcpServers":{"b":{"command":"npx","args":["-y","x@${VERSION:-1}"],"env":{"T":"${TOKEN}","N":5,"B":true}},"a":{"type":"http","url":"https://h/mcp","headers":{"Authorization":"Bearer ${TOKEN}"}}}}`, []Source{
			{Name: "a", URL: "https://h/mcp", Headers: map[string]string{"Authorization": "Bearer secret-token"}, Transport: "http"},
			{Name: "b", Command: []string{"npx", "-y", "x@1"}, Env: map[string]string{"T": "secret-token", "N": "5", "B": "true"}, Dir: dir},
		}},
		{"vs code", `{"inputs":[],"servers":{"a":{"type":"stdio","command":"node","args":["${workspaceFolder}/x","${env:TOKEN}"],"env":{"X":null}},"s":{"type":"sse","url":"http://h"}}}`, []Source{
			{Name: "a", Command: []string{"node", dir + "/x", "secret-token"}, Dir: dir, Transport: "stdio"},
			{Name: "s", URL: "http://h", Transport: "sse"},
		}},
		{"settings", `{"mcp":{"servers":{"a":{"command":"x"}}}}`, []Source{{Name: "a", Command: []string{"x"}, Dir: dir}}},
		{"other spellings", `{"mcpServers":{"a":{"type":"streamable-http","serverUrl":"http://h"},"b":{"transport":"Streamable_HTTP","httpUrl":"http://i"}}}`, []Source{
			{Name: "a", URL: "http://h", Transport: "http"}, {Name: "b", URL: "http://i", Transport: "http"},
		}},
		{"disabled", `{"mcpServers":{"a":{"command":"x","disabled":true},"b":{"command":"x","enabled":false},"c":{"command":"x","disabled":false}}}`, []Source{{Name: "c", Command: []string{"x"}, Dir: dir}}},
		{"folders", `{"mcpServers":{"a":{"command":"./run","cwd":"sub"},"b":{"command":"x","cwd":"` + quoted + `"}}}`, []Source{
			{Name: "a", Command: []string{filepath.Join(dir, "run")}, Dir: filepath.Join(dir, "sub")}, {Name: "b", Command: []string{"x"}, Dir: abs},
		}},
		{"expanded once", `{"mcpServers":{"a":{"command":"x","args":["${NEST}","${EMPTY:-d}","${EMPTY}","$5","${userHome}","a$${TOKEN}b"]}}}`, []Source{
			{Name: "a", Command: []string{"x", "${TOKEN}", "d", "", "$5", "/home/u", "a$secret-tokenb"}, Dir: dir},
		}},
		{"none", `{"mcpServers":{}}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, err := ParseConfig([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			got, err := ReadConfig(v, testEnv, dir)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// What is wrong with one server is told with it and does not stop the others.
func TestReadConfigServerErrors(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`{"command":"x","args":["${NO_SUCH}"]}`, "args[0]: the variable NO_SUCH is not set"},
		{`{"command":"x","env":{"A":"${input:key}"}}`, "env.A: ${input:key} asks a person in the editor: name a variable instead, as ${env:NAME}"},
		{`{"command":"x","args":["${command:do}"]}`, `args[0]: the reference "${command:do}" is not known`},
		{`{"command":"x","args":["${TOKEN"]}`, `args[0]: a reference that begins with "${" has no "}"`},
		{`{"command":"x","args":"y"}`, "args is not an array"},
		{`{"command":"x","args":[{}]}`, "args[0] is not a string"},
		{`{"command":["x"]}`, "command is not a string"},
		{`{"command":"x","env":[]}`, "env is not an object"},
		{`{"type":"carrier pigeon","command":"x"}`, `type "carrier pigeon" is not known: want stdio, http or sse`},
		{`{"command":"x","envFile":".env"}`, "envFile is not read: set its variables before, and name them under env"},
		{`{"type":"http","command":"x"}`, `transport "http" does not go with a command`},
		{`{"command":"x","url":"http://h"}`, "both a command and a URL are given"},
		{`{}`, "neither a command nor a URL is given"},
		{`7`, "its configuration is not an object"},
	} {
		v, err := ParseConfig([]byte(`{"mcpServers":{"bad":` + tt.in + `,"good":{"command":"y"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		got, err := ReadConfig(v, testEnv, "")
		if err != nil || len(got) != 2 {
			t.Errorf("%s: %v %v", tt.in, got, err)
			continue
		}
		if got[0].Err == nil || got[0].Err.Error() != tt.want || got[1].Err != nil {
			t.Errorf("%s: errors %v and %v, want %s", tt.in, got[0].Err, got[1].Err, tt.want)
		}
		r, err := Capture(t.Context(), got[0], Options{})
		var e *Error
		if !errors.As(err, &e) || r.Server != nil || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("Capture: %v", err)
		}
	}
}

func TestReadConfigErrors(t *testing.T) {
	for in, want := range map[string]string{
		`[]`:               "the configuration is not an object",
		`{"a":1}`:          `the configuration has neither "mcpServers" nor "servers"`,
		`{"mcpServers":7}`: `"mcpServers" is not an object`,
	} {
		v, err := ParseConfig([]byte(in))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadConfig(v, testEnv, ""); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", in, err, want)
		}
	}
}

func TestParseConfig(t *testing.T) {
	for in, want := range map[string]string{
		"// a\n{\"a\": 1, // b\n /* c\n, */ \"b\": [1, 2, /* d */ ], }": `{"a":1,"b":[1,2]}`,
		`{"a":"// no, /* comment */ ,}","b":"\"//"}`:                    `{"a":"// no, /* comment */ ,}","b":"\"//"}`,
		"\ufeff{}":                     `{}`,
		`{"a":{"b":1,},}`:              `{"a":{"b":1}}`,
		"{\"url\":\"http://x\"}// end": `{"url":"http://x"}`,
	} {
		v, err := ParseConfig([]byte(in))
		if err != nil {
			t.Errorf("ParseConfig(%q): %v", in, err)
			continue
		}
		if got := string(canonjson.Append(nil, v)); got != want {
			t.Errorf("ParseConfig(%q) = %s, want %s", in, got, want)
		}
	}
	for in, want := range map[string]string{
		`[,]`: "column 2", `[1,,]`: "column 4", `{,}`: "column 2", `{"a":,}`: "column 6", "{} /* open": "", "// x\n{\"a\":}": "line 2 column 6",
		`{"a":1,"a":2}`: "column", `1 / 2`: "column 3",
	} {
		_, err := ParseConfig([]byte(in))
		if want == "" {
			if err != nil {
				t.Errorf("ParseConfig(%q): %v", in, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseConfig(%q): error %v, want one at %s", in, err, want)
		}
	}
}
