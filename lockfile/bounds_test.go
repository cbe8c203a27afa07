package lockfile

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// TestDeepDefinition: a definition as deep as canonjson reads it is not too deep for the file, where it stands deeper.
func TestDeepDefinition(t *testing.T) {
	t.Parallel()
	const levels = 510
	definition := decode(t, `{"name":"deep","inputSchema":{"default":`+strings.Repeat("[", levels)+strings.Repeat("]", levels)+`}}`)
	key, e, err := NewEntry(KindTool, definition)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{}
	s.SetEntry(KindTool, key, e)
	f, err := Parse(format(t, &File{Servers: map[string]*Server{"s": s}}))
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Servers["s"].Tools["deep"].Definition(KindTool, "deep"); !canonjson.Equal(got, definition) {
		t.Error("another definition came back")
	}
}

// TestIndentationBomb: a few kilobytes that would become megabytes of spaces are refused, and before memory is full.
func TestIndentationBomb(t *testing.T) {
	t.Parallel()
	bomb := decode(t, `{"name":"bomb","inputSchema":{"default":`+strings.Repeat("[", 500)+strings.Repeat("0,", 9_000)+"0"+strings.Repeat("]", 500)+`}}`)
	key, e, err := NewEntry(KindTool, bomb)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{}
	s.SetEntry(KindTool, key, e)
	f := &File{Servers: map[string]*Server{"s": s}}
	if data, err := Format(f); err != nil || len(data) < 9<<20 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if _, err := formatWithin(f, 2<<20); err == nil || err.Error() != "formatting lockfile: it would have more than 2 MiB" {
		t.Errorf("error %v", err)
	}
}

// TestManyValues: the densest file that Format writes has fewer values than Parse takes for its size.
func TestManyValues(t *testing.T) {
	t.Parallel()
	s := &Server{Capabilities: decode(t, `{"":[`+strings.Repeat("1,", 1_300_000)+`1]}`)}
	data := format(t, &File{Servers: map[string]*Server{"s": s}})
	if f, err := Parse(data); err != nil || len(f.Servers) != 1 {
		t.Errorf("%v, %v", f, err)
	}
	compact := append(canonjson.Append([]byte(`{"lockfileVersion":1,"servers":{"s":`), s.Capabilities), "}}"...)
	if _, err := Parse(compact); err == nil || !strings.Contains(err.Error(), "more than 1000000 values") {
		t.Errorf("error %v", err)
	}
}

func TestFormatErrors(t *testing.T) {
	t.Parallel()
	tool := EntryOf(map[string]any{"inputSchema": map[string]any{}})
	for _, test := range []struct {
		name string
		s    *Server
		want string
	}{
		{"", &Server{}, `server "": its name is empty`},
		{"a\xff", &Server{}, `server "a\xff": its name is not UTF-8`},
		{"s", nil, `server "s": it is nil`},
		{"s", &Server{Tools: map[string]*Entry{"": tool}}, `server "s": tool "": its name is empty`},
		{"s", &Server{Prompts: map[string]*Entry{"p\xff": {}}}, `server "s": prompt "p\xff": its name is not UTF-8`},
		{"s", &Server{Resources: map[string]*Entry{"r": nil}}, `server "s": resource "r": it is nil`},
		{"s", &Server{Tools: map[string]*Entry{"t": {}}}, `server "s": tool "t": "inputSchema" is missing`},
	} {
		_, err := Format(&File{Servers: map[string]*Server{test.name: test.s}})
		if err == nil || err.Error() != "formatting lockfile: "+test.want {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
	for _, empty := range []*File{{}, {Servers: map[string]*Server{"s": {}}}, {Servers: map[string]*Server{"s": {Prompts: map[string]*Entry{"p": {}}}}}} {
		if _, err := Parse(format(t, empty)); err != nil {
			t.Error(err)
		}
	}
}

// TestMemory: a check allocates, all in all, a small multiple of the file. What is in use at once can only be less.
func TestMemory(t *testing.T) { // not parallel: it counts what the process allocates
	data := format(t, contract(2000))
	for name, test := range map[string]struct {
		most uint64 // times the bytes of the file, which itself counts once more
		work func() error
	}{
		"check":         {5, func() error { _, err := Parse(data); return err }},
		"encoding/json": {5, func() error { var v any; return json.Unmarshal(data, &v) }}, // to compare with
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := test.work(); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		allocated := after.TotalAlloc - before.TotalAlloc
		t.Logf("%s allocates %.1f times the file", name, float64(allocated)/float64(len(data)))
		if allocated > test.most*uint64(len(data)) {
			t.Errorf("%s of %d bytes allocates %d", name, len(data), allocated)
		}
	}
}

// FuzzEntry: what NewEntry takes from a server can be stored, and comes back the same.
func FuzzEntry(f *testing.F) {
	f.Add([]byte(`{"name":"t","inputSchema":{"type":"object"},"digest":1,"_digest":[1.50,"\u2028<"],"__digest":{}}`))
	f.Add([]byte(`{"name":"\u0000","inputSchema":{"a":9e-400,"b":-0},"annotations":{},"execution":{}}`))
	f.Add([]byte(`{"uri":"file:///x","name":"x","size":1e3,"mimeType":"text/plain"}`))
	f.Add([]byte(`{"uriTemplate":"a://{b}","_meta":{"digest":null}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := canonjson.Decode(data)
		definition, ok := v.(map[string]any)
		if err != nil || !ok {
			return
		}
		file := &File{Servers: map[string]*Server{"s": {Info: definition, Capabilities: definition}}}
		keys := map[Kind]string{}
		for _, kind := range EntryKinds() {
			if key, e, err := NewEntry(kind, definition); err == nil {
				keys[kind] = key
				file.Servers["s"].SetEntry(kind, key, e)
			}
		}
		again, err := Parse(format(t, file))
		if err != nil {
			t.Fatal(err)
		}
		for kind, key := range keys {
			if got := again.Servers["s"].Entries(kind)[key].Definition(kind, key); !canonjson.Equal(got, definition) {
				t.Fatalf("%s became %s", canonjson.Append(nil, definition), canonjson.Append(nil, got))
			}
		}
	})
}

// FuzzActions: whatever the schema, the answer comes soon, twice the same, and the schema is left alone.
func FuzzActions(f *testing.F) {
	f.Add([]byte(`{"properties":{"action":{"$ref":"#/$defs/A"}},"required":["action"],"oneOf":[{"$ref":"#"},{"if":{},"else":{"$ref":"#/oneOf"}}],"$defs":{"A":{"enum":["a","b"]}}}`))
	f.Add([]byte(`{"allOf":[{"if":{"properties":{"op":{"const":"x"}}},"then":{"$ref":"#/allOf/0"}}],"properties":{"op":{"anyOf":[{"const":"x"},{"const":"y"}]}},"required":["op"]}`))
	f.Add([]byte(`{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/a","definitions":{"a":{"$ref":"#/definitions/b"},"b":{"$ref":"#/definitions/a"}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := canonjson.Decode(data)
		if err != nil {
			return
		}
		before := canonjson.Digest(v)
		first, found := Actions(v)
		again, _ := Actions(v)
		if found == (len(first.Actions) == 0) || first.Property != again.Property || len(first.Actions) != len(again.Actions) {
			t.Fatalf("%v, then %v", first, again)
		}
		seen := map[string]bool{}
		for i, a := range first.Actions {
			if canonjson.Digest(a.Schema) != canonjson.Digest(again.Actions[i].Schema) || seen[a.Name] {
				t.Fatalf("action %q has two schemas", a.Name)
			}
			seen[a.Name] = true
		}
		if canonjson.Digest(v) != before {
			t.Fatal("the schema was changed")
		}
	})
}
