package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestReplaceFile: a reader that opened the policy before sees it as it was, a link stays a link, bits stay, nothing is left over.
func TestReplaceFile(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "policy"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("policy", link); err != nil {
		link = file // no links here
	}
	before, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	if err := replaceFile(link, []byte("new, and longer")); err != nil {
		t.Fatal(err)
	}
	old := make([]byte, 16)
	if n, _ := before.Read(old); string(old[:n]) != "old" {
		t.Errorf("the file was written in place: %q", old[:n])
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "new, and longer" {
		t.Errorf("got %q, %v", data, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("bits %v, %v", info.Mode(), err)
	}
	entries, _ := os.ReadDir(dir)
	if want := 1 + btoi(link != file); len(entries) != want {
		t.Errorf("%d files, want %d", len(entries), want)
	}
	if err := replaceFile(filepath.Join(dir, "new"), []byte("x")); err != nil {
		t.Error(err)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
