package awareness

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/fusionctl/fusionctl/lockfile"
)

// A Source is where a baseline comes from. It is read when a Hook is made.
type Source struct {
	load func() (*lockfile.File, error)
}

// FromFile reads a lockfile.
func FromFile(path string) Source {
	return Source{func() (*lockfile.File, error) { return lockfile.ReadFile(path) }}
}

// FromBytes takes the content of a lockfile, for instance from go:embed.
func FromBytes(data []byte) Source {
	return Source{func() (*lockfile.File, error) { return lockfile.Parse(data) }}
}

// FromFS reads a lockfile out of a file system, such as an embed.FS.
func FromFS(fsys fs.FS, path string) Source {
	return Source{func() (*lockfile.File, error) {
		file, err := fsys.Open(path)
		if err != nil {
			return nil, fmt.Errorf("reading lockfile %q: %w", path, err)
		}
		defer file.Close()
		data, err := io.ReadAll(io.LimitReader(file, lockfile.MaxBytes+1))
		if err != nil {
			return nil, fmt.Errorf("reading lockfile %q: %w", path, err)
		}
		f, err := lockfile.Parse(data)
		if err != nil {
			return nil, fmt.Errorf("reading lockfile %q: %w", path, err)
		}
		return f, nil
	}}
}

// FromLockfile takes a lockfile that was read already. It must not be changed afterwards.
func FromLockfile(f *lockfile.File) Source {
	return Source{func() (*lockfile.File, error) { return f, nil }}
}

// server picks the one server of a lockfile that is meant.
func server(f *lockfile.File, name string) (*lockfile.Server, error) {
	if f == nil {
		return nil, errors.New("baseline: no lockfile")
	}
	if name != "" {
		s, ok := f.Servers[name]
		if !ok {
			return nil, fmt.Errorf("baseline: the lockfile has no server %.100q", name)
		}
		return s, nil
	}
	if len(f.Servers) != 1 {
		return nil, fmt.Errorf("baseline: the lockfile has %d servers, say which one with awareness.Server", len(f.Servers))
	}
	for _, s := range f.Servers {
		return s, nil
	}
	panic("unreachable")
}
