package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A fullDevice takes some bytes and no more.
type fullDevice struct{ left int }

func (f *fullDevice) Write(p []byte) (int, error) {
	if len(p) <= f.left {
		f.left -= len(p)
		return len(p), nil
	}
	n := f.left
	f.left = 0
	return n, syscall.ENOSPC
}

// TestLostOutput: whatever a command answers, it failed when the answer could not be written, at its first byte or later.
func TestLostOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	dir := t.TempDir()
	base, rev := ruleFiles(t, dir)
	object := filepath.Join(dir, "schema.json")
	if err := replaceFile(object, []byte(`{"type":"object","required":["x"]}`)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		stdin, args string
		left        int // bytes that can be written before
	}{
		{"", "lock --from " + base, 100},
		{"", "lock --from " + base, 0}, // nothing to write any more
		{"", "lock --check --from " + base, 0},
		{"", "lock --check --from " + rev, 1000},
		{"", "lock --from " + rev, 1000},
		{"", "diff " + base + " " + rev + " --format json", 1000},
		{"", "diff " + base + " " + rev + " --format markdown --fail-on none", 1000},
		{"", "diff " + base + " " + rev, 0},
		{"", "diff " + base + " " + base, 0},
		{"", "show", 100},
		{"", "rules", 1000},
		{"", "explain tool-removed", 10},
		{"", "schema check " + object + " " + object, 0},
		{"", "schema sample " + object, 0},
		{`{"id":1,"producer":true,"consumer":true}`, "schema check --batch", 0},
		{"", "git diff-driver p " + base + " a b " + rev + " c d", 0},
		{"", "git diff-driver p " + base + " a b " + rev + " c d", 1000},
		{"", "init", 0},
		{"", "version", 0},
		{"", "--help", 0},
		{"", "lock --help", 0},
	} {
		var stderr bytes.Buffer
		code := run(strings.Fields(test.args), strings.NewReader(test.stdin), &fullDevice{test.left}, &stderr)
		if code != exitFailed || !strings.HasPrefix(stderr.String(), "fusionctl: ") || !strings.HasSuffix(stderr.String(), "no space left on device\n") {
			t.Errorf("fusionctl %s, after %d bytes: exit code %d, %s", test.args, test.left, code, stderr.String())
		}
	}
}

// TestReaderLeaves: a reader that has seen enough does not make a success a failure.
func TestReaderLeaves(t *testing.T) {
	var stderr bytes.Buffer
	if code := run([]string{"--help"}, strings.NewReader(""), closedPipe{}, &stderr); code != exitOK || stderr.Len() > 0 {
		t.Errorf("exit code %d, %s", code, stderr.String())
	}
}

type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) { return 0, syscall.EPIPE }
