package lockfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
)

// DefaultName is the name of the lockfile in a repository.
const DefaultName = "fusion.lock"

// MaxBytes is the size up to which a lockfile is read.
const MaxBytes = 256 << 20

// ReadFile reads and parses the lockfile at path. The error wraps fs.ErrNotExist when there is none, and a *ParseError
// when its content is wrong.
func ReadFile(path string) (*File, error) {
	return readAs(path, path)
}

// readAs reads the file at target, which messages call path.
func readAs(target, path string) (*File, error) {
	data, err := readBounded(target)
	if err != nil {
		return nil, fmt.Errorf("reading lockfile %q: %w", path, cause(err))
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
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, errors.New("it is a folder")
	}
	return ReadAll(file)
}

// ReadAll reads a file to its end, MaxBytes at most, into as much memory as it needs.
func ReadAll(r io.Reader) ([]byte, error) {
	var b bytes.Buffer
	if file, ok := r.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() && info.Size() <= MaxBytes {
			b.Grow(int(info.Size()) + bytes.MinRead)
		}
	}
	_, err := b.ReadFrom(io.LimitReader(r, MaxBytes+1))
	if err == nil && b.Len() > MaxBytes {
		return nil, fmt.Errorf("it has more than %d MiB", MaxBytes>>20)
	}
	return b.Bytes(), err
}

// cause takes paths out of an error, since the message around it has the path already.
func cause(err error) error {
	switch err := err.(type) {
	case *fs.PathError:
		return err.Err
	case *os.LinkError:
		return err.Err
	}
	return err
}

// WriteFile writes f to path, whole or not at all: a temporary file in the same folder is written, synced and renamed.
// When the file has these bytes already it is not touched and changed is false. A symbolic link is followed, permission
// bits are kept. A lockfile with Windows line ends counts as different, and is rewritten.
//
// The error is ErrBusy when another process keeps the lock for half a minute. A process that is killed may leave a file
// named like ".fusion.lock.0123456789ab.tmp" behind; the next write removes it.
func WriteFile(path string, f *File) (changed bool, err error) {
	l, err := lay(f, MaxBytes)
	if err == nil {
		err = locked(path, func(target string, alone bool) error {
			changed, err = write(target, l, alone)
			return err
		})
	}
	if err != nil {
		return false, fmt.Errorf("writing lockfile %q: %w", path, err)
	}
	return changed, nil
}

// Update reads the lockfile at path, lets change modify it, and writes it back, while no other Update or WriteFile of any
// process works on a lockfile of the same folder. A file that does not exist yet is empty. Before is what the file held.
// When change returns an error, nothing is written and Update returns that error. Change should not take long: others wait.
func Update(path string, change func(f *File) error) (before *File, changed bool, err error) {
	var inner error // has its own words already
	err = locked(path, func(target string, alone bool) error {
		before, inner = readAs(target, path)
		if errors.Is(inner, fs.ErrNotExist) {
			before, inner = &File{Servers: map[string]*Server{}}, nil
		}
		if inner != nil {
			return nil
		}
		after := before.clone()
		if inner = change(after); inner != nil {
			return nil
		}
		l, err := lay(after, MaxBytes)
		if err != nil {
			return err
		}
		changed, err = write(target, l, alone)
		return err
	})
	if inner != nil {
		return before, false, inner
	}
	if err != nil {
		return before, false, fmt.Errorf("writing lockfile %q: %w", path, err)
	}
	return before, changed, nil
}

// clone copies the maps; entries are shared, as they are replaced and never changed.
func (f *File) clone() *File {
	c := &File{Servers: make(map[string]*Server, len(f.Servers))}
	for name, s := range f.Servers {
		copied := *s
		for _, kind := range EntryKinds() {
			copied.setEntries(kind, maps.Clone(s.Entries(kind)))
		}
		c.Servers[name] = &copied
	}
	return c
}
