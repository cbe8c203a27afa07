package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/capture"
	"github.com/fusionctl/fusionctl/internal/policy"
	"github.com/fusionctl/fusionctl/lockfile"
)

// defaultServer is the name of a server that nobody named.
const defaultServer = "server"

// A side is one half of a comparison.
type side struct {
	file  *lockfile.File
	text  []byte // the lockfile's text, when the side is one; for lines and columns
	label string // as the user named it
	only  string // the side is this one server, not all of a lockfile; "" otherwise
	named bool   // the user or the server chose the name in only
}

// loadSide reads one operand of diff: standard input, an address, a file, a file of a commit, or a configured server.
func (a *app) loadSide(ctx context.Context, operand string, o *sourceOptions, p *policy.Policy) (side, error) {
	if operand == "-" {
		return a.sideFromText(operand, o.name)
	}
	if strings.Contains(operand, "://") {
		return a.sideFromServer(ctx, operand, &sourceOptions{name: o.name, url: operand, headers: o.headers, timeout: o.timeout})
	}
	if _, err := os.Stat(operand); err == nil {
		return a.sideFromText(operand, o.name)
	}
	if ref, path, ok := strings.Cut(operand, ":"); ok && ref != "" && path != "" {
		return a.sideFromCommit(ctx, ref, path, o.name)
	}
	if _, configured := p.Servers[operand]; configured || o.config != "" {
		return a.sideFromConfig(ctx, operand, o, p)
	}
	return side{}, hinted("a side is a file, - for standard input, REF:PATH, an address, or a server of "+policy.DefaultName, "no file and no configured server %q", operand)
}

func (a *app) sideFromText(path, name string) (side, error) {
	data, err := a.readInput(path)
	if err != nil {
		return side{}, err
	}
	return a.sideFromData(data, path, name)
}

func (a *app) sideFromData(data []byte, label, name string) (side, error) {
	s := side{label: label, named: name != ""}
	if looksLocked(data) {
		f, err := lockfile.Parse(data)
		if err == nil {
			s.file, s.text = f, data
			return s, nil
		}
		if !errors.Is(err, lockfile.ErrNotLock) {
			return s, fmt.Errorf("reading lockfile %q: %w", label, err)
		}
	}
	if name == "" {
		name = defaultServer
	}
	f, problems, err := capture.Read(data, name)
	if err != nil {
		return s, fmt.Errorf("reading %q: %w", label, err)
	}
	m := manifest{file: f}
	m.add("", problems)
	a.tell(m)
	s.file = f
	s.only = singleServer(f)
	return s, m.incomplete()
}

// looksLocked tells a damaged lockfile from another kind of file, so that the message is about the damage.
func looksLocked(data []byte) bool { return bytes.Contains(data, []byte(`"lockfileVersion"`)) }

func singleServer(f *lockfile.File) string {
	if len(f.Servers) != 1 {
		return ""
	}
	return canonjson.SortedKeys(f.Servers)[0]
}

func (a *app) sideFromServer(ctx context.Context, label string, o *sourceOptions) (side, error) {
	m, err := a.read(ctx, o, &policy.Policy{}, false)
	if err != nil {
		return side{}, err
	}
	a.tell(m)
	return side{file: m.file, label: label, only: singleServer(m.file), named: true}, m.incomplete()
}

func (a *app) sideFromConfig(ctx context.Context, name string, o *sourceOptions, p *policy.Policy) (side, error) {
	m, err := a.read(ctx, &sourceOptions{config: o.config, servers: []string{name}, timeout: o.timeout}, p, true)
	if err != nil {
		return side{}, err
	}
	a.tell(m)
	return side{file: m.file, label: name, only: name, named: true}, m.incomplete()
}

func (a *app) sideFromCommit(ctx context.Context, ref, path, name string) (side, error) {
	repo, err := openRepository(ctx, ".")
	if err != nil {
		return side{}, err
	}
	if !repo.exists(ctx, ref) {
		if repo.shallow(ctx) {
			return side{}, hinted(hintUnshallow, "finding %q: %w", ref, errShallow)
		}
		return side{}, hinted("a side is a file, - for standard input, REF:PATH, an address, or a server of "+policy.DefaultName, "no file %q, and git knows no commit %q", ref+":"+path, ref)
	}
	data, found, err := repo.file(ctx, ref, "./"+filepath.ToSlash(path))
	if err != nil {
		return side{}, err
	}
	if !found {
		return side{}, fmt.Errorf("commit %q has no file %q", ref, path)
	}
	return a.sideFromData(data, ref+":"+path, name)
}

// align makes two sides talk about the same servers: a single server is compared with the one of the other side that is
// meant, whatever each side calls it.
func align(base, rev *side) error {
	switch {
	case base.only == "" && rev.only == "":
		return nil
	case base.only != "" && rev.only != "":
		name := base.only
		if !base.named && rev.named {
			name = rev.only
		}
		base.rename(base.only, name)
		rev.rename(rev.only, name)
		return nil
	case base.only != "":
		return rev.restrict(base)
	default:
		return base.restrict(rev)
	}
}

func (s *side) rename(from, to string) {
	if from == to {
		return
	}
	s.file = &lockfile.File{Servers: map[string]*lockfile.Server{to: s.file.Servers[from]}}
	s.only = to
}

// restrict keeps of a lockfile the one server that the other side is about.
func (s *side) restrict(single *side) error {
	name := single.only
	if s.file.Servers[name] == nil {
		only := singleServer(s.file)
		if only == "" {
			return hinted("name the server of the lockfile that is meant: --name NAME", "%q holds %s, none of them %q", s.label, count(len(s.file.Servers), "server"), name)
		}
		single.rename(name, only)
		name = only
	}
	s.file = &lockfile.File{Servers: map[string]*lockfile.Server{name: s.file.Servers[name]}}
	return nil
}
