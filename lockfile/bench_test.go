package lockfile

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// contract is n tools of a usual size, about 1 KB each.
func contract(n int) *File {
	s := &Server{ProtocolVersion: "2025-11-25", Info: map[string]any{"name": "bench", "version": "1.0.0"}}
	for i := range n {
		schema, _ := canonjson.Decode(fmt.Appendf(nil, `{"type":"object","properties":{
			"id":{"type":"string","description":"identifier of thing %d","pattern":"^[a-z]+-[0-9]{1,8}$","maxLength":64},
			"limit":{"type":"integer","minimum":1,"maximum":%d,"default":20},
			"filter":{"type":"object","properties":{"state":{"enum":["open","closed","any"]},"tags":{"type":"array","items":{"type":"string"},"uniqueItems":true}},"additionalProperties":false}},
			"required":["id"],"additionalProperties":false}`, i, 100+i))
		s.SetEntry(KindTool, fmt.Sprintf("tool_%05d", i), EntryOf(map[string]any{
			"description": fmt.Sprintf("Reads thing %d and what belongs to it. Use it when an identifier is known.", i),
			"inputSchema": schema,
			"annotations": map[string]any{"readOnlyHint": true, "openWorldHint": false},
		}))
	}
	return &File{Servers: map[string]*Server{"bench": s}}
}

// BenchmarkCheck compares what a check of an unchanged lockfile costs with its limit, decoding the same bytes with
// encoding/json. Read the ratio, not the times.
func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		f := contract(n)
		data := format(b, f)
		run := func(name string, work func() error) {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					if err := work(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		tree, _ := canonjson.Decode(data)
		run("encoding-json", func() error { var v any; return json.Unmarshal(data, &v) })
		run("decode", func() error { _, err := canonjson.Decode(data); return err })
		run("canonicalise", func() error { canonjson.Append(nil, tree); return nil })
		run("digest", func() error { canonjson.Digest(tree); return nil })
		run("check", func() error { _, err := Parse(data); return err })
		run("format", func() error { _, err := Format(f); return err })
	}
}

// BenchmarkRatio measures both in turns, so that whatever else the machine does weighs on both.
func BenchmarkRatio(b *testing.B) {
	for _, n := range []int{10, 1000, 10000} {
		f := contract(n)
		data := format(b, f)
		for name, work := range map[string]func() error{
			"check":  func() error { _, err := Parse(data); return err },
			"format": func() error { _, err := Format(f); return err },
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				var ours, theirs time.Duration
				for b.Loop() {
					start := time.Now()
					if err := work(); err != nil {
						b.Fatal(err)
					}
					middle := time.Now()
					var v any
					if err := json.Unmarshal(data, &v); err != nil {
						b.Fatal(err)
					}
					ours += middle.Sub(start)
					theirs += time.Since(middle)
				}
				b.ReportMetric(float64(ours)/float64(theirs), "×encoding/json")
			})
		}
	}
}
