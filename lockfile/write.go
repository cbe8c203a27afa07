package lockfile

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// locked calls work with the path behind any symbolic link, under the lock of its folder. Alone is false on a file system
// that has no locks.
func locked(path string, work func(target string, alone bool) error) error {
	target, err := followLink(path)
	if err != nil {
		return err
	}
	unlock, err := lock(target)
	if errors.Is(err, errNoLocks) {
		return work(target, false)
	}
	if err != nil {
		return err
	}
	defer unlock()
	return work(target, true)
}

// followLink resolves a symbolic link at path, also one whose target does not exist yet.
func followLink(path string) (string, error) {
	for range 40 {
		next, err := os.Readlink(path)
		if err != nil {
			return path, nil // not a link, or nothing there
		}
		if !filepath.IsAbs(next) {
			// ".." in a link starts at the real folder, which may be another one than the path says.
			folder, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err != nil {
				return "", cause(err)
			}
			next = filepath.Join(folder, next)
		}
		path = next
	}
	return "", errors.New("too many symbolic links")
}

func write(target string, l layout, alone bool) (changed bool, err error) {
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		info = nil
	case err != nil:
		return false, cause(err)
	case info.IsDir():
		return false, errors.New("it is a folder")
	case !info.Mode().IsRegular(): // to rename over a device would destroy it
		return false, errors.New("it is not a regular file")
	case holds(target, l):
		return false, nil
	}
	if alone {
		removeStale(target)
	}
	return true, replace(target, l, info)
}

// holds reports whether a file has the bytes of l already.
func holds(path string, l layout) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	c := comparer{file: file}
	if l.write(&c) != nil {
		return false
	}
	n, err := file.Read(make([]byte, 1))
	return n == 0 && err == io.EOF
}

// A comparer takes what a file holds and no other bytes.
type comparer struct {
	file io.Reader
	have []byte
}

func (c *comparer) Write(want []byte) (int, error) {
	c.have = slices.Grow(c.have[:0], len(want))[:len(want)]
	if _, err := io.ReadFull(c.file, c.have); err != nil {
		return 0, err
	}
	if !bytes.Equal(c.have, want) {
		return 0, errors.New("other bytes")
	}
	return len(want), nil
}

// replace puts l in place of target, with the permission bits of the file before it if there is one.
func replace(target string, l layout, before fs.FileInfo) error {
	var random [6]byte
	rand.Read(random[:]) // never fails
	temporary := filepath.Join(filepath.Dir(target), temporaryPrefix(target)+hex.EncodeToString(random[:])+temporarySuffix)
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("creating a temporary file beside it: %w", cause(err))
	}
	err = fill(file, l, before)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if errors.Is(err, errTooLong) {
		// says enough
	} else if err != nil {
		err = fmt.Errorf("writing a temporary file beside it: %w", cause(err))
	} else if err = rename(temporary, target); err != nil {
		err = fmt.Errorf("renaming a temporary file to it: %w", cause(err))
	}
	if err != nil {
		_ = os.Remove(temporary) // the error before matters more
		return err
	}
	syncFolder(filepath.Dir(target))
	return nil
}

func fill(file *os.File, l layout, before fs.FileInfo) error {
	if err := l.write(file); err != nil {
		return err
	}
	if before != nil {
		keepOwner(file, before)
		info, err := file.Stat()
		if err != nil {
			return err
		}
		// Some file systems refuse any change of bits, even to what they are.
		if mode := before.Mode().Perm(); info.Mode().Perm() != mode {
			if err := file.Chmod(mode); err != nil {
				return err
			}
		}
	}
	return file.Sync()
}

const temporarySuffix = ".tmp"

func temporaryPrefix(target string) string { return "." + filepath.Base(target) + "." }

// removeStale removes what a killed process left behind. The lock is held, so no living process owns such a file.
func removeStale(target string) {
	entries, err := os.ReadDir(filepath.Dir(target))
	if err != nil {
		return // the write itself will tell
	}
	for _, e := range entries {
		random, ok := strings.CutPrefix(e.Name(), temporaryPrefix(target))
		if !ok {
			continue
		}
		random, ok = strings.CutSuffix(random, temporarySuffix)
		if ok && len(random) == 12 && strings.Trim(random, "0123456789abcdef") == "" {
			_ = os.Remove(filepath.Join(filepath.Dir(target), e.Name()))
		}
	}
}

// syncFolder makes a rename durable where the system can do that for folders. The content is safe either way.
func syncFolder(path string) {
	if folder, err := os.Open(path); err == nil {
		_ = folder.Sync()
		_ = folder.Close()
	}
}
