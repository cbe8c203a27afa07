package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// errShallow says that history is missing, not that something is wrong with it.
var errShallow = errors.New("the clone is shallow: the commits that would show it are not here")

// A repository is a place where git is called as a program.
type repository struct{ dir string }

// git runs one git command and returns what it printed.
func (r repository) git(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, hinted("install git; to compare without it, name both sides: fusionctl diff BASELINE REVISION", "git is not installed")
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		message, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		if message == "" {
			message = err.Error()
		}
		return nil, fmt.Errorf("git %s: %s", args[0], strings.TrimPrefix(message, "fatal: "))
	}
	return stdout.Bytes(), nil
}

func (r repository) line(ctx context.Context, args ...string) (string, error) {
	out, err := r.git(ctx, args...)
	return strings.TrimSpace(string(out)), err
}

// open finds the repository of a folder.
func openRepository(ctx context.Context, dir string) (repository, error) {
	r := repository{dir}
	_, err := r.line(ctx, "rev-parse", "--git-dir")
	if err != nil && strings.Contains(err.Error(), "not a git repository") {
		return r, hinted(`to compare without git, name both sides: fusionctl diff BASELINE REVISION`, "this is not a git repository")
	}
	return r, err // git may also refuse a repository, of another owner for instance: its own words say so
}

// exists reports whether a name stands for a commit.
func (r repository) exists(ctx context.Context, ref string) bool {
	if ref == "" || strings.HasPrefix(ref, "-") {
		return false // git would take it for an option
	}
	_, err := r.git(ctx, "rev-parse", "--verify", "--quiet", ref+"^{commit}")
	return err == nil
}

// defaultBranch is what the remote calls its default, else the usual names.
func (r repository) defaultBranch(ctx context.Context) (string, error) {
	if ref, err := r.line(ctx, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"); err == nil && r.exists(ctx, ref) {
		return ref, nil
	}
	for _, ref := range []string{"origin/main", "origin/master", "main", "master"} {
		if r.exists(ctx, ref) {
			return ref, nil
		}
	}
	if r.shallow(ctx) {
		return "", hinted(hintUnshallow+"; of a clone of one branch also "+hintFetch, "finding the default branch: %w", errShallow)
	}
	return "", hinted("name it with --base; fetch it first if it is not here: "+hintFetch, "the default branch is not known here")
}

// mergeBase is the commit at which the current branch left ref.
func (r repository) mergeBase(ctx context.Context, ref string) (string, error) {
	if !r.exists(ctx, ref) {
		if r.shallow(ctx) {
			return "", hinted(hintUnshallow, "finding %q: %w", ref, errShallow)
		}
		return "", hinted("it must be a branch, tag or commit that is here; fetch it first", "git knows no commit %q", ref)
	}
	commit, err := r.line(ctx, "merge-base", ref, "HEAD")
	switch {
	case err == nil && commit != "":
		return commit, nil
	case r.shallow(ctx):
		return "", hinted(hintUnshallow, "finding where this branch left %q: %w", ref, errShallow)
	}
	return "", hinted("to compare with that very commit, write "+ref+":PATH", "this branch and %q have no commit in common", ref)
}

const hintFetch = `"git fetch origin +refs/heads/*:refs/remotes/origin/*"`

const hintUnshallow = `fetch the history: "git fetch --unshallow", or "fetch-depth: 0" for actions/checkout`

func (r repository) shallow(ctx context.Context) bool {
	answer, err := r.line(ctx, "rev-parse", "--is-shallow-repository")
	return err == nil && answer == "true"
}

// file reads a file of a commit. Found is false when the commit has no such file.
func (r repository) file(ctx context.Context, ref, path string) (data []byte, found bool, err error) {
	if !r.exists(ctx, ref) {
		return nil, false, fmt.Errorf("git knows no commit %q", ref)
	}
	object := ref + ":" + path
	if _, err := r.git(ctx, "cat-file", "-e", object); err != nil {
		return nil, false, ctx.Err()
	}
	data, err = r.git(ctx, "cat-file", "blob", object)
	return data, err == nil, err
}

// relative is a path as git wants it after a colon: slashes, and relative to the folder of the repository value.
func relative(path string) string { return "./" + filepath.ToSlash(filepath.Base(path)) }
