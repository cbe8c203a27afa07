package lockfile

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// TestMain runs this binary as a writer when the tests ask for one.
func TestMain(m *testing.M) {
	if path := os.Getenv("LOCKFILE_TEST_WRITE"); path != "" {
		writeForever(path)
	}
	os.Exit(m.Run())
}

// writeForever writes two contracts in turns, and says when it has begun.
func writeForever(path string) {
	files := [2]*File{large("a"), large("b")}
	fmt.Println("ready")
	for i := 0; ; i++ {
		if _, err := WriteFile(path, files[i%2]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
}

func large(text string) *File {
	s := &Server{}
	for i := range 200 {
		s.SetEntry(KindTool, fmt.Sprintf("tool%03d", i), &Entry{Fields: map[string]any{
			"description": strings.Repeat(text, 500), "inputSchema": map[string]any{},
		}})
	}
	return &File{Servers: map[string]*Server{text: s}}
}

// TestKilledWriter kills writers at many moments: the file is one of the two contracts, and the next writer leaves no
// temporary file.
func TestKilledWriter(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), DefaultName)
	for round := range 12 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "LOCKFILE_TEST_WRITE="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
			t.Fatalf("writer says %q, %v", line, err)
		}
		for range 1000 * round { // another moment in each round
			runtime.Gosched()
		}
		cmd.Process.Kill()
		cmd.Wait()
		if _, err := ReadFile(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("after a kill: %v", err)
		}
	}
	if _, err := WriteFile(path, large("last")); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestConcurrentUpdates adds one server per writer; none may be lost.
func TestConcurrentUpdates(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), DefaultName)
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			_, changed, err := Update(path, func(f *File) error {
				f.Servers[fmt.Sprintf("server%02d", i)] = &Server{Instructions: "x"}
				return nil
			})
			if err != nil || !changed {
				t.Errorf("Update = %v, %v", changed, err)
			}
		})
	}
	group.Wait()
	f, err := ReadFile(path)
	if err != nil || len(f.Servers) != 16 {
		t.Errorf("%d servers, want 16, %v", len(f.Servers), err)
	}
}

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
