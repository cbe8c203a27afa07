//go:build !unix && !windows

package lockfile

import (
	"io/fs"
	"os"
)

func rename(from, to string) error { return os.Rename(from, to) }

func keepOwner(*os.File, fs.FileInfo) {}
