//go:build unix && !aix && !solaris

package lockfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// tryLock locks the folder itself, so that no further file is left in the repository. The lock ends with the process.
func tryLock(target string) (unlock func(), err error) {
	folder, err := os.Open(filepath.Dir(target))
	if errors.Is(err, fs.ErrPermission) { // one may perhaps write into a folder that one cannot read
		return nil, errNoLocks
	}
	if err != nil {
		return nil, fmt.Errorf("opening its folder: %w", cause(err))
	}
	for {
		err = unix.Flock(int(folder.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	switch {
	case err == nil:
		return func() { _ = folder.Close() }, nil
	case errors.Is(err, unix.EWOULDBLOCK):
		err = ErrBusy
	default:
		err = errNoLocks
	}
	_ = folder.Close()
	return nil, err
}
