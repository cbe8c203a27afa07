package lockfile

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// lockFolder waits for an exclusive lock that stands for target. Folders cannot be locked on Windows, so a file in the
// folder for temporary files is, named after the path; it stays there, empty.
func lockFolder(target string) (unlock func(), err error) {
	absolute, err := filepath.Abs(target)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(strings.ToLower(absolute)))
	name := filepath.Join(os.TempDir(), "fusionctl-"+hex.EncodeToString(sum[:8])+".lck")
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &windows.Overlapped{}); err != nil {
		file.Close()
		return nil, err
	}
	return func() { file.Close() }, nil
}
