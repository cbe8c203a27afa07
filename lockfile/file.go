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
)

// DefaultName is the name of the lockfile in a repository.
const DefaultName = "fusion.lock"

// MaxBytes is the size up to which a lockfile is read.
const MaxBytes = 256 << 20

// ReadFile reads and parses the lockfile at path. The error wraps fs.ErrNotExist when there is none, and a *ParseError
// when its content is wrong.
func ReadFile(path string) (*File, error) {
	data, err := readBounded(path)
	if err != nil {
		return nil, fmt.Errorf("reading lockfile %q: %w", path, plainPathError(err))
	}
	f, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("reading lockfile %q: %w", path, err)
	}
	return f, nil
}

func readBounded(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, errors.New("it is a folder")
	}
	data, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	if err == nil && len(data) > MaxBytes {
		return nil, fmt.Errorf("it has more than %d MiB", MaxBytes>>20)
	}
	return data, err
}

// plainPathError takes the path out of an error, since the message around it has the path already.
func plainPathError(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// WriteFile writes f to path, whole or not at all: a temporary file in the same folder is written, synced and renamed.
// When the file has these bytes already it is not touched and changed is false. A symbolic link is followed, permission
// bits are kept. A lockfile with Windows line ends counts as different, and is rewritten.
func WriteFile(path string, f *File) (changed bool, err error) {
	err = locked(path, func(target string) error {
		changed, err = write(target, f)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("writing lockfile %q: %w", path, plainPathError(err))
	}
	return changed, nil
}

// Update reads the lockfile at path, lets change modify it, and writes it back, while no other Update or WriteFile of any
// process works on the same file. A file that does not exist yet is empty. Before is what the file held. When change
// returns an error, nothing is written and Update returns that error.
func Update(path string, change func(f *File) error) (before *File, changed bool, err error) {
	var changeErr error
	err = locked(path, func(target string) error {
		before, err = ReadFile(target)
		if errors.Is(err, fs.ErrNotExist) {
			before, err = &File{Servers: map[string]*Server{}}, nil
		}
		if err != nil {
			changeErr = err
			return nil
		}
		after := before.clone()
		if changeErr = change(after); changeErr != nil {
			return nil
		}
		changed, err = write(target, after)
		return err
	})
	if changeErr != nil {
		return before, false, changeErr
	}
	if err != nil {
		return before, false, fmt.Errorf("writing lockfile %q: %w", path, plainPathError(err))
	}
	return before, changed, nil
}

// clone copies the maps; entries are shared, as they are replaced and never changed.
func (f *File) clone() *File {
	c := &File{Servers: make(map[string]*Server, len(f.Servers))}
	for name, s := range f.Servers {
		copied := *s
		for _, kind := range EntryKinds() {
			entries := make(map[string]*Entry, len(s.Entries(kind)))
			for key, e := range s.Entries(kind) {
				entries[key] = e
			}
			copied.setEntries(kind, entries)
		}
		c.Servers[name] = &copied
	}
	return c
}

// locked calls work with the path behind any symbolic link, under the lock of its folder.
func locked(path string, work func(target string) error) error {
	target, err := followLink(path)
	if err != nil {
		return err
	}
	unlock, err := lockFolder(target)
	if err != nil {
		return err
	}
	defer unlock()
	return work(target)
}

// followLink resolves a symbolic link at path, also one whose target does not exist yet.
func followLink(path string) (string, error) {
	for range 40 {
		next, err := os.Readlink(path)
		if err != nil {
			return path, nil // not a link, or nothing there
		}
		if !filepath.IsAbs(next) {
			next = filepath.Join(filepath.Dir(path), next)
		}
		path = next
	}
	return "", errors.New("too many symbolic links")
}

func write(target string, f *File) (changed bool, err error) {
	data, err := Format(f)
	if err != nil {
		return false, err
	}
	mode := fs.FileMode(0)
	switch old, err := readBounded(target); {
	case err == nil && bytes.Equal(old, data):
		return false, nil
	case err == nil:
		info, err := os.Stat(target)
		if err != nil {
			return false, err
		}
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	removeStale(target)
	return true, replace(target, data, mode)
}

// replace puts data in place of target. A mode of zero means that the umask decides.
func replace(target string, data []byte, mode fs.FileMode) (err error) {
	var random [6]byte
	rand.Read(random[:]) // never fails
	temporary := temporaryPrefix(target) + hex.EncodeToString(random[:]) + ".tmp"
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(temporary)
		}
	}()
	_, err = file.Write(data)
	if err == nil && mode != 0 {
		err = file.Chmod(mode)
	}
	if err == nil {
		err = file.Sync()
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(temporary, target)
	}
	if err == nil {
		syncFolder(filepath.Dir(target))
	}
	return err
}

func temporaryPrefix(target string) string {
	return filepath.Join(filepath.Dir(target), "."+filepath.Base(target)+".")
}

// removeStale removes what a killed process left behind. The lock is held, so no living process owns such a file.
func removeStale(target string) {
	entries, err := os.ReadDir(filepath.Dir(target))
	if err != nil {
		return
	}
	prefix := filepath.Base(temporaryPrefix(target))
	for _, e := range entries {
		name := e.Name()
		if len(name) == len(prefix)+len("0123456789ab.tmp") && name[:len(prefix)] == prefix && filepath.Ext(name) == ".tmp" {
			os.Remove(filepath.Join(filepath.Dir(target), name))
		}
	}
}

// syncFolder makes a rename durable where the system can do that for folders. The content is safe either way.
func syncFolder(path string) {
	if folder, err := os.Open(path); err == nil {
		folder.Sync()
		folder.Close()
	}
}
