package lockfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func init() { roles["full"] = writeToFullDisk }

// writeToFullDisk writes more than the system lets this process write, and says what it was told. The system refuses in the
// middle of the file, as it does when a disk is full.
func writeToFullDisk(path string) error {
	signal.Ignore(syscall.SIGXFSZ)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 50_000, Max: 50_000}); err != nil {
		return err
	}
	_, err := WriteFile(path, large("b"))
	fmt.Print(err)
	return nil
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), DefaultName)
	if _, err := WriteFile(path, billing(t)); err != nil {
		t.Fatal(err)
	}
	cmd, output := start(t, "full", path)
	said, _ := io.ReadAll(output)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	want := fmt.Sprintf("writing lockfile %q: writing a temporary file beside it: file too large", path)
	if string(said) != want {
		t.Errorf("error %q, want %q", said, want)
	}
	if f, err := ReadFile(path); err != nil || f.Servers["billing"] == nil {
		t.Errorf("the old file is gone: %v", err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, DefaultName)
	if _, err := WriteFile(path, billing(t)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(folder, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(folder, 0o755) }) // so that it can be removed
	_, err := asNobody(t, folder, func() (bool, error) { return WriteFile(path, large("b")) })
	want := fmt.Sprintf("writing lockfile %q: creating a temporary file beside it: permission denied", path)
	if err == nil || err.Error() != want || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("error %v, want %q", err, want)
	}
	if changed, err := asNobody(t, folder, func() (bool, error) { return WriteFile(path, billing(t)) }); err != nil || changed {
		t.Errorf("nothing to write: %v, %v", changed, err)
	}
}

// asNobody takes from root what lets it write everywhere, for one thread that then ends. Folder is made reachable.
func asNobody(t *testing.T, folder string, work func() (bool, error)) (changed bool, err error) {
	t.Helper()
	if os.Getuid() == 0 {
		for _, parent := range []string{filepath.Dir(folder), filepath.Dir(filepath.Dir(folder))} {
			if info, err := os.Stat(parent); err == nil && info.Mode().Perm() == 0o700 && strings.HasPrefix(parent, os.TempDir()+"/") {
				if err := os.Chmod(parent, 0o711); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if os.Getuid() == 0 {
			runtime.LockOSThread() // and never unlock: the thread ends with the goroutine
			if _, err = unix.SetfsuidRetUid(65534); err != nil {
				return
			}
		}
		changed, err = work()
	}()
	<-done
	return changed, err
}

// TestNotRegular: to replace a device or a pipe would destroy it, and to read a pipe first would wait for ever.
func TestNotRegular(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), DefaultName)
	if err := unix.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, os.DevNull} {
		_, err := WriteFile(p, billing(t))
		if want := fmt.Sprintf("writing lockfile %q: it is not a regular file", p); err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestOwnerKept: a run as root takes no file away from its owner.
func TestOwnerKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), DefaultName)
	if _, err := WriteFile(path, billing(t)); err != nil {
		t.Fatal(err)
	}
	owner := uint32(os.Getuid())
	if owner == 0 {
		owner = 65534
		if err := os.Chown(path, int(owner), int(owner)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := WriteFile(path, large("b")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Sys().(*syscall.Stat_t).Uid != owner {
		t.Errorf("%v, %v; want owner %d", info, err, owner)
	}
}
