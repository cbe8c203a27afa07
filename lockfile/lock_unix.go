//go:build unix && !aix && !solaris

package lockfile

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// lockFolder waits for the exclusive lock of the folder that holds target. The folder itself is locked, so that no
// further file is left in the repository. A file system without locks is not an obstacle: the rename is atomic anyway.
func lockFolder(target string) (unlock func(), err error) {
	folder, err := os.Open(filepath.Dir(target))
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(folder.Fd()), unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	return func() { folder.Close() }, nil
}
