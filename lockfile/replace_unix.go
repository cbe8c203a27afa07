//go:build unix

package lockfile

import (
	"io/fs"
	"os"
	"syscall"
)

func rename(from, to string) error { return os.Rename(from, to) }

// keepOwner gives the file to the owner of the one before, so that a run as root, usual in containers, takes no file away
// from the user. Others may not do that; then the file is theirs.
func keepOwner(file *os.File, before fs.FileInfo) {
	if stat, ok := before.Sys().(*syscall.Stat_t); ok {
		_ = file.Chown(int(stat.Uid), int(stat.Gid))
	}
}
