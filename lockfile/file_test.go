package lockfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestWriteFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, DefaultName)
	if changed, err := WriteFile(path, billing(t)); err != nil || !changed {
		t.Fatalf("the first write: %v, %v", changed, err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if changed, err := WriteFile(path, billing(t)); err != nil || changed {
		t.Errorf("the second write: %v, %v", changed, err)
	}
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) || after.ModTime() != before.ModTime() {
		t.Errorf("an unchanged file was touched: %v", err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(folder, "link.lock")
	if err := os.Symlink(DefaultName, link); err != nil {
		t.Fatal(err)
	}
	if changed, err := WriteFile(link, large("a")); err != nil || !changed {
		t.Errorf("write through a link: %v, %v", changed, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v; want 0640", info.Mode(), err)
	}
	if _, err := ReadFile(path); err != nil {
		t.Error(err)
	}
}

func TestWriteFileErrors(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, path := range []string{folder, filepath.Join(folder, "missing", DefaultName)} {
		_, err := WriteFile(path, billing(t))
		if err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("writing lockfile %q: ", path)) {
			t.Errorf("WriteFile(%q): %v", path, err)
		}
	}
	_, changed, err := Update(filepath.Join(folder, DefaultName), func(*File) error { return errors.New("no") })
	if changed || err == nil || err.Error() != "no" {
		t.Errorf("Update with an error = %v, %v", changed, err)
	}
	if left, _ := os.ReadDir(folder); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := os.WriteFile(filepath.Join(folder, "bad.lock"), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Update(filepath.Join(folder, "bad.lock"), func(*File) error { return nil }); !errors.Is(err, ErrTruncated) {
		t.Errorf("Update of a cut file: %v", err)
	}
}

// TestWriteFileLinks follows links to where the file is, also through a folder that is a link itself, and to a file that
// does not exist yet.
func TestWriteFileLinks(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, made := range []error{
		os.MkdirAll(filepath.Join(folder, "real", "deep"), 0o777),
		os.Symlink(filepath.Join("real", "deep"), filepath.Join(folder, "short")),
		os.Symlink(filepath.Join("..", "shared.lock"), filepath.Join(folder, "real", "deep", DefaultName)),
		os.Symlink("round.lock", filepath.Join(folder, "round.lock")),
	} {
		if made != nil {
			t.Fatal(made)
		}
	}
	if changed, err := WriteFile(filepath.Join(folder, "short", DefaultName), billing(t)); err != nil || !changed {
		t.Fatalf("WriteFile = %v, %v", changed, err)
	}
	if _, err := ReadFile(filepath.Join(folder, "real", "shared.lock")); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(filepath.Join(folder, "shared.lock")); err == nil {
		t.Error("the link was resolved from the wrong folder")
	}
	if _, err := WriteFile(filepath.Join(folder, "round.lock"), billing(t)); err == nil || !strings.Contains(err.Error(), "too many symbolic links") {
		t.Errorf("a link to itself: %v", err)
	}
}

// TestStale removes what a killed writer left, and nothing else.
func TestStale(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	stale := ".fusion.lock.0123456789ab.tmp"
	kept := []string{".fusion.lock.mine.tmp", ".fusion.lock.0123456789xy.tmp", ".other.lock.0123456789ab.tmp", "fusion.lock.0123456789ab.tmp"}
	for _, name := range append(kept, stale) {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := WriteFile(filepath.Join(folder, DefaultName), billing(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, stale)); err == nil {
		t.Error("a temporary file stays")
	}
	for _, name := range kept {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Errorf("somebody else's file was removed: %v", err)
		}
	}
}

func TestReadFileErrors(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if _, err := ReadFile(folder); err == nil || err.Error() != fmt.Sprintf("reading lockfile %q: it is a folder", folder) {
		t.Errorf("a folder: %v", err)
	}
	missing := filepath.Join(folder, DefaultName)
	_, err := ReadFile(missing)
	if !errors.Is(err, fs.ErrNotExist) || strings.Count(err.Error(), DefaultName) != 1 {
		t.Errorf("no file: %v", err)
	}
}
