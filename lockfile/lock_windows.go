package lockfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// tryLock locks a file that stands for the folder of target. Folders themselves cannot be locked on Windows, so it lies in
// the folder for temporary files, named after the path; it stays there, empty.
func tryLock(target string) (unlock func(), err error) {
	folder, err := filepath.Abs(filepath.Dir(target))
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	sum := sha256.Sum256([]byte(strings.ToLower(folder)))
	name := filepath.Join(os.TempDir(), "fusionctl-"+hex.EncodeToString(sum[:8])+".lck")
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, errNoLocks
	}
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err = windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, &windows.Overlapped{})
	switch {
	case err == nil:
		return func() { _ = file.Close() }, nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		err = ErrBusy
	default:
		err = errNoLocks
	}
	_ = file.Close()
	return nil, err
}
