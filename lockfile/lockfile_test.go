package lockfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// billing is a small contract with one of everything.
func billing(t testing.TB) *File {
	t.Helper()
	s := &Server{
		ProtocolVersion: "2025-11-25",
		Info:            decode(t, `{"name": "billing", "version": "1.4.0"}`),
		Capabilities:    decode(t, `{"tools": {"listChanged": true}}`),
		Instructions:    "Use <ids>, never names & numbers.",
	}
	for kind, definition := range map[Kind]string{
		KindTool:     `{"name": "get_invoice", "description": "Reads.", "inputSchema": {"type": "object", "properties": {"n": {"maximum": 9007199254740993, "multipleOf": 1e-1}}}}`,
		KindPrompt:   `{"name": "review", "arguments": [{"name": "id", "required": true}]}`,
		KindResource: `{"uri": "file:///a b", "name": "a", "digest": "theirs", "_digest": 1}`,
		KindTemplate: `{"uriTemplate": "invoice://{id}", "name": "invoice"}`,
	} {
		key, e, err := NewEntry(kind, decode(t, definition))
		if err != nil {
			t.Fatal(err)
		}
		s.SetEntry(kind, key, e)
	}
	return &File{Servers: map[string]*Server{"billing": s, "zeta\U0001F600": {Instructions: "x"}, "zeta\uFB01": {}}}
}

func decode(t testing.TB, text string) map[string]any {
	t.Helper()
	v, err := canonjson.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v.(map[string]any)
}

func format(t testing.TB, f *File) []byte {
	t.Helper()
	data, err := Format(f)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	data := format(t, billing(t))
	golden, err := os.ReadFile(filepath.Join("testdata", "valid", "billing.lock"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(golden), string(data)); diff != "" {
		t.Errorf("the form of a lockfile may not change without another version (-want +got):\n%s", diff)
	}
	f, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	if again := format(t, f); string(again) != string(data) {
		t.Errorf("Format(Parse(x)) (-want +got):\n%s", cmp.Diff(string(data), string(again)))
	}
	e := f.Servers["billing"].Resources["file:///a b"]
	if e.Fields()["digest"] != "theirs" || e.Fields()["_digest"] != json.Number("1") {
		t.Errorf("a member that the server calls digest: %v", e.Fields())
	}
	if !strings.Contains(string(data), "<ids>, never names & numbers") {
		t.Error("HTML was escaped")
	}
	if _, err := Parse([]byte(strings.ReplaceAll(string(data), "\n", "\r\n"))); err != nil {
		t.Errorf("with Windows line ends: %v", err)
	}
}

func TestNewEntry(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ kind, text, want string }{
		{"tool", `{"inputSchema": {}}`, `tool: "name" is missing`},
		{"tool", `{"name": 5}`, `tool: "name" is a number, want a string`},
		{"tool", `{"name": ""}`, `tool: "name" is empty`},
		{"tool", `{"name": "x"}`, `tool "x": "inputSchema" is missing`},
		{"tool", `{"name": "x", "inputSchema": null}`, `tool "x": "inputSchema" is null, want an object`},
		{"tool", `{"name": "x", "inputSchema": {}, "annotations": []}`, `tool "x": "annotations" is an array, want an object`},
		{"prompt", `{"name": "x", "arguments": {}}`, `prompt "x": "arguments" is an object, want an array`},
		{"template", `{"name": "x"}`, `template: "uriTemplate" is missing`},
		{"server", `{}`, `server: not a kind of entry`},
		{"tool", `{"name": "x\u001b", "annotations": 1}`, `tool "x\x1b": "annotations" is a number, want an object`},
		{"tool", `{"name": "x", "inputSchema": {}}`, ""},
	} {
		_, _, err := NewEntry(Kind(test.kind), decode(t, test.text))
		if got := fmt.Sprint(err); got != test.want && (err != nil || test.want != "") {
			t.Errorf("NewEntry(%s, %s) = %s, want %q", test.kind, test.text, got, test.want)
		}
	}
}

// TestNewEntryFromEncodingJSON: who decodes with encoding/json gets the same digest, as far as floats reach.
func TestNewEntryFromEncodingJSON(t *testing.T) {
	t.Parallel()
	text := `{"name":"t","inputSchema":{"properties":{"n":{"minimum":1.0,"maximum":1e21,"multipleOf":0.5}}}}`
	_, want, err := NewEntry(KindTool, decode(t, text))
	if err != nil {
		t.Fatal(err)
	}
	var floats, numbers map[string]any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := errors.Join(json.Unmarshal([]byte(text), &floats), decoder.Decode(&numbers)); err != nil {
		t.Fatal(err)
	}
	for _, definition := range []map[string]any{floats, numbers} {
		if _, got, err := NewEntry(KindTool, definition); err != nil || got.Digest() != want.Digest() {
			t.Errorf("NewEntry = %v, %v, want %v", got, err, want)
		}
	}
	if _, _, err := NewEntry(KindTool, map[string]any{"name": "t", "inputSchema": map[string]any{"default": struct{}{}}}); err == nil || err.Error() != `tool "t": a struct {} is no JSON value` {
		t.Errorf("error %v", err)
	}
}

// TestSpelling: order of the list, key order, white space and number spelling change no byte.
func TestSpelling(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := genValue(3).Draw(t, "schema")
		seed := rapid.Uint64().Draw(t, "seed")
		text := respell(v, rand.New(rand.NewPCG(seed, 1)))
		again, err := canonjson.Decode([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		one := (EntryOf(map[string]any{"inputSchema": v})).Digest()
		two := (EntryOf(map[string]any{"inputSchema": again})).Digest()
		if one != two {
			t.Fatalf("another spelling, another digest: %s", text)
		}
	})
}

func genValue(depth int) *rapid.Generator[any] {
	leaves := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.String().AsAny(),
		rapid.Custom(func(t *rapid.T) any { return json.Number(fmt.Sprint(rapid.Int().Draw(t, "n"))) }),
	}
	if depth > 0 {
		leaves = append(leaves,
			rapid.Custom(func(t *rapid.T) any { return rapid.SliceOfN(genValue(depth-1), 0, 4).Draw(t, "a") }),
			rapid.Custom(func(t *rapid.T) any { return rapid.MapOfN(rapid.String(), genValue(depth-1), 0, 4).Draw(t, "o") }))
	}
	return rapid.OneOf(leaves...)
}

// respell writes v in another spelling of the same value.
func respell(v any, r *rand.Rand) string {
	space := strings.Repeat([]string{" ", "\n", "\t", "\r\n"}[r.IntN(4)], r.IntN(3))
	switch v := v.(type) {
	case json.Number:
		return space + string(v) + []string{"", ".0", "e0", ".00E+0", ".0e-0"}[r.IntN(5)] + space
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = respell(e, r)
		}
		return space + "[" + strings.Join(parts, ",") + "]" + space
	case map[string]any:
		keys := canonjson.SortedKeys(v)
		r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		parts := make([]string, len(keys))
		for i, k := range keys {
			parts[i] = string(canonjson.AppendString(nil, k)) + space + ":" + respell(v[k], r)
		}
		return "{" + strings.Join(parts, ",") + space + "}"
	}
	text, _ := json.Marshal(v)
	return string(text)
}

func TestProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringN(1, 8, -1)
		fields := rapid.MapOfN(name, genValue(2), 0, 4).Draw(t, "fields")
		for known := range fieldTypes {
			delete(fields, known)
		}
		fields["inputSchema"] = map[string]any{}
		delete(fields, "outputSchema")
		s := &Server{Tools: map[string]*Entry{name.Draw(t, "tool"): EntryOf(fields)}, Instructions: rapid.String().Draw(t, "instructions")}
		f := &File{Servers: map[string]*Server{name.Draw(t, "server"): s}}
		data, err := Format(f)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := Parse(data)
		if err != nil {
			t.Fatalf("%v in\n%s", err, data)
		}
		again, _ := Format(parsed)
		if string(again) != string(data) {
			t.Fatalf("(-want +got):\n%s", cmp.Diff(string(data), string(again)))
		}
		for name, s := range f.Servers {
			if parsed.Servers[name].Digest() != s.Digest() {
				t.Fatal("the digest changed")
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add(format(f, billing(f)))
	seeds, err := filepath.Glob(filepath.Join("testdata", "*", "*.lock"))
	if err != nil || len(seeds) == 0 {
		f.Fatalf("no seeds, %v", err)
	}
	for _, seed := range seeds {
		data, err := os.ReadFile(seed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse(data)
		if err != nil {
			var parseErr *ParseError
			if !errors.As(err, &parseErr) || parseErr.Hint == "" || parseErr.Line == 0 || parseErr.Kind == nil {
				t.Fatalf("error %#v has no place, kind or hint", err)
			}
			if len(err.Error()) > 2000 {
				t.Fatalf("a message of %d bytes", len(err.Error()))
			}
			return
		}
		text := format(t, file)
		again, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(format(t, again), text) {
			t.Fatal("another text for the same contract")
		}
	})
}
