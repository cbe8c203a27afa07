package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/fusionctl/fusionctl/lockfile"
)

// benchFiles writes two lockfiles of 1,000 tools; every tenth tool differs in what real releases change.
func benchFiles(b *testing.B) (base, rev string) {
	b.Helper()
	dir := b.TempDir()
	paths := [2]string{filepath.Join(dir, "base.lock"), filepath.Join(dir, "rev.lock")}
	for i, path := range paths {
		s := &lockfile.Server{}
		for n := range 1000 {
			key := fmt.Sprintf("tool_%04d", n)
			s.SetEntry(lockfile.KindTool, key, benchTool(n, i == 1 && n%10 == 0))
		}
		f := &lockfile.File{Servers: map[string]*lockfile.Server{"bench": s}}
		if _, err := lockfile.WriteFile(path, f); err != nil {
			b.Fatal(err)
		}
	}
	return paths[0], paths[1]
}

func benchTool(n int, changed bool) *lockfile.Entry {
	properties := map[string]any{}
	for i := range 6 {
		properties[fmt.Sprintf("argument_%d", i)] = map[string]any{
			"type": "string", "description": fmt.Sprintf("What argument %d of tool %d stands for.", i, n), "maxLength": json.Number("200"),
		}
	}
	properties["mode"] = map[string]any{"type": "string", "enum": []any{"fast", "slow", "careful"}}
	description := fmt.Sprintf("Does the %d-th of a thousand things.", n)
	if changed {
		properties["mode"] = map[string]any{"type": "string", "enum": []any{"fast", "slow"}}
		properties["argument_0"] = map[string]any{"type": []any{"string", "null"}, "maxLength": json.Number("300")}
		description += " Slowly."
	}
	return lockfile.EntryOf(map[string]any{
		"description": description,
		"inputSchema": map[string]any{"type": "object", "properties": properties, "required": []any{"mode"}, "additionalProperties": false},
	})
}

// BenchmarkDiff compares two files of 1,000 tools, 100 of them changed, as the command does: reading, checking digests,
// comparing, deciding, writing. BenchmarkDecode beside it is encoding/json on the same bytes.
func BenchmarkDiff(b *testing.B) {
	base, rev := benchFiles(b)
	for b.Loop() {
		if code := run([]string{"diff", base, rev, "--format", "json"}, bytes.NewReader(nil), io.Discard, os.Stderr); code != exitChanges {
			b.Fatalf("exit code %d", code)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	base, rev := benchFiles(b)
	var texts [][]byte
	for _, path := range []string{base, rev} {
		data, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		texts = append(texts, data)
	}
	for b.Loop() {
		for _, data := range texts {
			var v any
			if err := json.Unmarshal(data, &v); err != nil {
				b.Fatal(err)
			}
		}
	}
}
