package lockfile

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// rename replaces to. While a scanner or an editor has the file open, Windows refuses; that rarely lasts.
func rename(from, to string) (err error) {
	for range 40 {
		err = os.Rename(from, to)
		if !errors.Is(err, windows.ERROR_ACCESS_DENIED) && !errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
			return err
		}
		time.Sleep(25 * time.Millisecond)
	}
	return err
}

// keepOwner does nothing: a new file inherits the rights of its folder.
func keepOwner(*os.File, fs.FileInfo) {}
