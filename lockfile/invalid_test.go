package lockfile

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the expected messages under testdata/invalid")

// kinds names the sentinel errors as the files under testdata/invalid do.
var kinds = map[string]error{
	"newer": ErrNewer, "edited": ErrEdited, "conflict": ErrConflict, "truncated": ErrTruncated, "duplicate": ErrDuplicate,
	"syntax": ErrSyntax, "encoding": ErrEncoding, "not-lock": ErrNotLock, "type": ErrType, "missing": ErrMissing,
	"unknown": ErrUnknown, "definition": ErrDefinition,
}

// TestInvalid reads one file per mistake; beside each stands what the user is told.
func TestInvalid(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "invalid", "*.lock"))
	if err != nil || len(files) < 40 {
		t.Fatalf("found %d files, %v", len(files), err)
	}
	seen := map[string]bool{}
	messages := map[string]string{}
	for _, file := range files {
		_, err := ReadFile(file)
		var parseErr *ParseError
		if !errors.As(err, &parseErr) {
			t.Errorf("%s: error %v, want a *ParseError", file, err)
			continue
		}
		kind := ""
		for name, sentinel := range kinds {
			if errors.Is(err, sentinel) {
				kind += name
			}
		}
		seen[kind] = true
		got := fmt.Sprintf("kind: %s\n%v\nhint: %s\n", kind, parseErr, parseErr.Hint)
		wantFile := strings.TrimSuffix(file, ".lock") + ".want"
		if *update {
			if err := os.WriteFile(wantFile, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(wantFile)
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
		if parseErr.Line == 0 || parseErr.Hint == "" || len(got) > 700 || strings.ContainsFunc(strings.ReplaceAll(got, "\n", ""), unprintable) {
			t.Errorf("%s: no place, no way out, or not fit for a terminal: %q", file, got)
		}
		if other := messages[got]; other != "" {
			t.Errorf("%s and %s are told apart by nothing: %s", file, other, got)
		}
		messages[got] = file
	}
	for kind := range kinds {
		if !seen[kind] {
			t.Errorf("no file shows the kind %q", kind)
		}
	}
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// TestValid reads files that look odd and are lockfiles all the same.
func TestValid(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "valid", "*.lock"))
	if err != nil || len(files) < 4 {
		t.Fatalf("found %d files, %v", len(files), err)
	}
	want := string(format(t, billing(t)))
	for _, file := range files {
		f, err := ReadFile(file)
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(want, string(format(t, f))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}
