package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fusionctl/fusionctl/lockfile"
)

// anyFile draws small lockfiles that often have parts in common.
func anyFile() *rapid.Generator[*lockfile.File] {
	return rapid.Custom(func(t *rapid.T) *lockfile.File {
		f := &lockfile.File{Servers: map[string]*lockfile.Server{}}
		for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"s", "t"}), rapid.ID[string]).Draw(t, "servers") {
			s := &lockfile.Server{Instructions: rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "instructions")}
			for _, key := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), rapid.ID[string]).Draw(t, "tools") {
				s.SetEntry(lockfile.KindTool, key, lockfile.EntryOf(map[string]any{
					"inputSchema": map[string]any{"type": "object"},
					"description": rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "description"),
				}))
			}
			f.Servers[name] = s
		}
		return f
	})
}

func text(t *rapid.T, f *lockfile.File) string {
	data, err := lockfile.Format(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestMergeLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		base, ours, theirs := anyFile().Draw(t, "base"), anyFile().Draw(t, "ours"), anyFile().Draw(t, "theirs")
		for _, c := range []struct {
			name             string
			base, ours, them *lockfile.File
			want             *lockfile.File
		}{
			{"only we changed", base, ours, base, ours},
			{"only they changed", base, base, theirs, theirs},
			{"both changed alike", base, ours, ours, ours},
		} {
			merged, conflicts := mergeFiles(c.base, c.ours, c.them)
			if d := cmp.Diff(text(t, c.want), text(t, merged)); d != "" || len(conflicts) != 0 {
				t.Fatalf("%s: conflicts %v (-want +got):\n%s", c.name, conflicts, d)
			}
		}
		there, conflicts := mergeFiles(base, ours, theirs)
		back, mirrored := mergeFiles(base, theirs, ours)
		if !slices.Equal(conflicts, mirrored) {
			t.Fatalf("conflicts depend on the side: %v, %v", conflicts, mirrored)
		}
		if len(conflicts) == 0 && text(t, there) != text(t, back) {
			t.Fatalf("the result depends on the side:\n%s", cmp.Diff(text(t, there), text(t, back)))
		}
	})
}

func TestMergeNamesConflicts(t *testing.T) {
	t.Parallel()
	server := func(version, description string) *lockfile.File {
		s := &lockfile.Server{Info: map[string]any{"name": "x", "version": version}}
		s.SetEntry(lockfile.KindTool, "a", lockfile.EntryOf(map[string]any{"description": description}))
		return &lockfile.File{Servers: map[string]*lockfile.Server{"billing": s}}
	}
	empty := &lockfile.File{}
	for _, c := range []struct {
		base, ours, theirs *lockfile.File
		want               []string
	}{
		{server("1", "x"), server("2", "x"), server("3", "x"), []string{`name and version of server "billing"`}},
		{server("1", "x"), server("1", "y"), server("1", "z"), []string{`tool "a" of server "billing"`}},
		{server("1", "x"), empty, server("1", "z"), []string{`server "billing"`}},
		{empty, server("1", "x"), server("1", "y"), []string{`tool "a" of server "billing"`}},
		{empty, server("1", "x"), server("1", "x"), nil},
	} {
		_, got := mergeFiles(c.base, c.ours, c.theirs)
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("conflicts = %v, want %v", got, c.want)
		}
	}
}
