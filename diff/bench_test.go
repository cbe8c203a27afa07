package diff

import (
	"encoding/json"
	"fmt"
	"runtime"
	"testing"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// toolList makes a lockfile of n tools of a usual size. Every nth tool of changed is in its second version: one argument
// more, a shorter enum, another bound.
func toolList(t testing.TB, n, changed int) *lockfile.File {
	t.Helper()
	tools := map[string]*lockfile.Entry{}
	for i := range n {
		extra, enum, most := "", `"asc","desc","none"`, 100
		if i < changed {
			extra, enum, most = `,"cursor":{"type":"string","description":"where to go on"}`, `"asc","desc"`, 50
		}
		text := fmt.Sprintf(`{"description":"Searches collection %d for documents that match a query and returns the best of them, best first.",
			"annotations":{"readOnlyHint":true,"openWorldHint":false},
			"inputSchema":{"type":"object","properties":{
				"query":{"type":"string","minLength":1,"description":"what to look for, in plain words"},
				"limit":{"type":"integer","minimum":1,"maximum":%d,"default":10,"description":"how many documents to return"},
				"order":{"type":"string","enum":[%s],"description":"order of the result"},
				"filter":{"type":"object","properties":{"author":{"type":"string"},"after":{"type":"string","format":"date-time"},
					"tags":{"type":"array","items":{"type":"string"},"maxItems":8}},"additionalProperties":false}%s},
				"required":["query"],"additionalProperties":false},
			"outputSchema":{"type":"object","properties":{"documents":{"type":"array","items":{"type":"object",
				"properties":{"id":{"type":"string"},"title":{"type":"string"},"score":{"type":"number"}},"required":["id","title"]}},
				"total":{"type":"integer"}},"required":["documents"]}}`, i, most, enum, extra)
		tools[fmt.Sprintf("search_%04d", i)] = lockfile.EntryOf(decode(t, text).(map[string]any))
	}
	return &lockfile.File{Servers: map[string]*lockfile.Server{"bench": {Tools: tools}}}
}

func format(t testing.TB, f *lockfile.File) []byte {
	t.Helper()
	data, err := lockfile.Format(f)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// BenchmarkDigestAndCompare is the work of lock --check on 100 tools, none of which changed.
func BenchmarkDigestAndCompare(b *testing.B) {
	base, rev := toolList(b, 100, 0), toolList(b, 100, 0)
	for b.Loop() {
		for _, f := range []*lockfile.File{base, rev} {
			_ = f.Servers["bench"].Digest()
		}
		if r := Compare(base, rev, Options{}); len(r.Diffs) != 0 {
			b.Fatal(dump(r))
		}
	}
}

// BenchmarkCompare is the whole of a diff of two lockfiles with 1,000 tools, 100 of them changed; parse/encoding-json
// beside it decodes the same bytes with the standard library. The goal is six times its time.
func BenchmarkCompare(b *testing.B) {
	base, rev := format(b, toolList(b, 1000, 0)), format(b, toolList(b, 1000, 100))
	b.Run("encoding-json", func(b *testing.B) {
		for b.Loop() {
			for _, data := range [][]byte{base, rev} {
				var v any
				if err := json.Unmarshal(data, &v); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			for _, data := range [][]byte{base, rev} {
				if _, err := lockfile.Parse(data); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("parse-and-compare", func(b *testing.B) {
		for b.Loop() {
			x, err := lockfile.Parse(base)
			if err != nil {
				b.Fatal(err)
			}
			y, err := lockfile.Parse(rev)
			if err != nil {
				b.Fatal(err)
			}
			if r := Compare(x, y, Options{}); len(r.Diffs) != 100 {
				b.Fatalf("%d items changed, want 100", len(r.Diffs))
			}
		}
	})
	b.Run("compare", func(b *testing.B) {
		x, _ := lockfile.Parse(base)
		y, _ := lockfile.Parse(rev)
		for b.Loop() {
			Compare(x, y, Options{})
		}
	})
}

// TestCompareIsDeterministic compares the bytes of many runs, on one and on two processors.
func TestCompareIsDeterministic(t *testing.T) {
	files := func() (base, rev *lockfile.File) { return toolList(t, 12, 0), toolList(t, 14, 6) }
	text := func(o Options) string {
		base, rev := files()
		r := Compare(base, rev, o)
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		v, err := canonjson.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		return string(data) + canonjson.Digest(v)
	}
	want := text(Options{})
	for i := range 100 {
		if got := text(Options{Workers: i % 5}); got != want {
			t.Fatalf("run %d differs:\n%s\n%s", i, got, want)
		}
	}
	for _, n := range []int{1, 2} {
		old := runtime.GOMAXPROCS(n)
		got := text(Options{})
		runtime.GOMAXPROCS(old)
		if got != want {
			t.Fatalf("GOMAXPROCS %d differs:\n%s\n%s", n, got, want)
		}
	}
}
