package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/internal/report"
	"github.com/fusionctl/fusionctl/lockfile"
)

// drivers is what a line of attributes says after its pattern.
const drivers = " diff=fusionctl merge=fusionctl\n"

func newGitCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "git",
		Short:   "Let git diff and merge lockfiles with fusionctl",
		Example: "  fusionctl git install\n  fusionctl git uninstall",
	}
	var path, policyPath string
	install := &cobra.Command{
		Use:   "install",
		Short: "Use fusionctl for diffs and merges of lockfiles in this repository",
		Long: `Install tells this clone to show changes of each fusion.lock as fusionctl does, and to merge it by tools instead of lines:
two branches that changed different tools merge; the same tool changed on both is a conflict that names it. A lockfile of
another name is covered when the policy names it, or --lockfile. It writes to the clone's own configuration (.git/config and
.git/info/attributes), not to files that are committed.`,
		Example: "  fusionctl git install\n  fusionctl git install --lockfile contracts/servers.lock",
		Args:    argsBetween(0, 0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, _, err := loadPolicy(policyPath)
			if err != nil {
				return err
			}
			return gitInstall(cmd.Context(), a, lockfilePath(path, p))
		},
	}
	install.Flags().StringVar(&path, "lockfile", "", "lockfile (default: the policy's, else "+lockfile.DefaultName+")")
	addPolicyFlag(install, &policyPath)
	uninstall := &cobra.Command{
		Use:     "uninstall",
		Short:   "Undo install",
		Example: "  fusionctl git uninstall",
		Args:    argsBetween(0, 0, "none"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return gitUninstall(cmd.Context(), a) },
	}
	return group(cmd, install, uninstall, newDiffDriverCmd(a), newMergeDriverCmd(a))
}

// driverSettings are the entries of the clone's configuration.
var driverSettings = [][2]string{
	{"diff.fusionctl.command", "fusionctl git diff-driver"},
	{"merge.fusionctl.name", "merge of fusion.lock by tools"},
	{"merge.fusionctl.driver", "fusionctl git merge-driver %O %A %B %P"},
}

func gitInstall(ctx context.Context, a *app, lockfilePath string) error {
	repo, path, err := attributesFile(ctx)
	if err != nil {
		return err
	}
	lines := lockfile.DefaultName + drivers
	if filepath.Base(lockfilePath) != lockfile.DefaultName {
		pattern, err := repo.attributePattern(ctx, lockfilePath)
		if err != nil {
			return err
		}
		lines += pattern + drivers
	}
	for _, s := range driverSettings {
		if _, err := repo.git(ctx, "config", "--local", s[0], s[1]); err != nil {
			return err
		}
	}
	text, err := readAttributes(path)
	if err != nil {
		return err
	}
	if err := writeAttributes(path, append(text, lines...)); err != nil {
		return err
	}
	if _, err := exec.LookPath("fusionctl"); err != nil {
		say(a.stderr, "warning", "fusionctl is not on the PATH, where git will look for it")
	}
	_, err = fmt.Fprintf(a.stdout, "installed: git diffs and merges %s with fusionctl in this clone\n", harmless(filepath.Base(lockfilePath)))
	return err
}

func gitUninstall(ctx context.Context, a *app) error {
	repo, path, err := attributesFile(ctx)
	if err != nil {
		return err
	}
	for _, section := range []string{"diff.fusionctl", "merge.fusionctl"} {
		if _, err := repo.git(ctx, "config", "--local", "--get-regexp", "^"+section+"\\."); err != nil {
			continue // not installed
		}
		if _, err := repo.git(ctx, "config", "--local", "--remove-section", section); err != nil {
			return err
		}
	}
	text, err := readAttributes(path)
	if err != nil {
		return err
	}
	if err := writeAttributes(path, text); err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.stdout, "uninstalled: git treats lockfiles as text in this clone")
	return err
}

// attributePattern is the pattern of .git/info/attributes that means this file and no other: the path from the root of the
// work tree, with the signs of patterns escaped, in quotes as git wants it for spaces.
func (r repository) attributePattern(ctx context.Context, path string) (string, error) {
	if filepath.IsAbs(path) || !filepath.IsLocal(path) {
		return "", fmt.Errorf("lockfile %q: want a path below the current folder", path)
	}
	prefix, err := r.line(ctx, "rev-parse", "--show-prefix")
	if err != nil {
		return "", err
	}
	full := "/" + prefix + filepath.ToSlash(filepath.Clean(path))
	return strconv.Quote(strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`, `\`, `\\`).Replace(full)), nil
}

func attributesFile(ctx context.Context) (repository, string, error) {
	repo, err := openRepository(ctx, ".")
	if err != nil {
		return repo, "", err
	}
	path, err := repo.line(ctx, "rev-parse", "--git-path", "info/attributes")
	return repo, path, err
}

// readAttributes reads the file without the lines of install.
func readAttributes(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading %q: %w", path, plain(err))
	}
	var kept []byte
	for _, line := range bytes.SplitAfter(data, []byte("\n")) {
		if !bytes.Contains(line, []byte("merge=fusionctl")) {
			kept = append(kept, line...)
		}
	}
	if n := len(kept); n > 0 && kept[n-1] != '\n' {
		kept = append(kept, '\n')
	}
	return kept, nil
}

func writeAttributes(path string, text []byte) error {
	if len(text) == 0 {
		err := os.Remove(path)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := replaceFile(path, text); err != nil { // whole or not at all: the other lines are the user's
		return fmt.Errorf("writing %q: %w", path, plain(err))
	}
	return nil
}

// newDiffDriverCmd is what git calls: path old-file old-hex old-mode new-file new-hex new-mode, and more for renames.
func newDiffDriverCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "diff-driver PATH OLD-FILE OLD-HEX OLD-MODE NEW-FILE NEW-HEX NEW-MODE",
		Short:   "Show the changes of one lockfile; called by git",
		Example: "  git diff fusion.lock",
		Hidden:  true,
		Args:    argsBetween(1, 9, "the arguments that git gives"),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) < 7 {
				_, err := fmt.Fprintf(a.stdout, "* unmerged: %s\n", harmless(args[0]))
				return err
			}
			// Who leaves the pager early has seen enough; a driver that dies makes git call that a failure.
			signal.Ignore(syscall.SIGPIPE)
			err := diffDriver(a, args[0], args[1], args[4])
			if errors.Is(err, syscall.EPIPE) {
				return nil
			}
			return err
		},
	}
}

func diffDriver(a *app, path, oldFile, newFile string) error {
	fmt.Fprintf(a.stdout, "fusionctl diff %s\n", harmless(path))
	base, err := readSide(oldFile)
	var rev *lockfile.File
	if err == nil {
		rev, err = readSide(newFile)
	}
	if err != nil {
		// A driver that fails ends the whole "git diff": a file that is no lockfile is told, not refused.
		var parse *lockfile.ParseError
		if !errors.As(err, &parse) {
			return err
		}
		_, err = fmt.Fprintf(a.stdout, "not comparable: %s\n", harmless(parse.Error()))
		return err
	}
	return report.Write(a.stdout, "text", diff.Compare(base, rev, diff.Options{}), report.Options{})
}

// readSide reads a lockfile that git wrote out; an absent or empty one is an empty lockfile.
func readSide(path string) (*lockfile.File, error) {
	if path == os.DevNull {
		return &lockfile.File{}, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return &lockfile.File{}, nil
	}
	return lockfile.Parse(data)
}

func newMergeDriverCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "merge-driver BASE OURS THEIRS PATH",
		Short:   "Merge three lockfiles into OURS; called by git",
		Example: "  git merge feature",
		Hidden:  true,
		Args:    argsBetween(4, 4, "the four arguments that git gives"),
		RunE: func(_ *cobra.Command, args []string) error {
			return mergeDriver(a, args[0], args[1], args[2], args[3])
		},
	}
}

// mergeDriver merges into the file of our side. With conflicts it holds our side of them, so that it stays a lockfile; the
// exit code makes git leave the path unmerged.
func mergeDriver(a *app, basePath, oursPath, theirsPath, path string) error {
	var files [3]*lockfile.File
	for i, p := range []string{basePath, oursPath, theirsPath} {
		f, err := readSide(p)
		if err != nil {
			return fmt.Errorf("merging %q: %s side: %w", path, [...]string{"base", "our", "their"}[i], err)
		}
		files[i] = f
	}
	merged, conflicts := mergeFiles(files[0], files[1], files[2])
	data, err := lockfile.Format(merged)
	if err != nil {
		return fmt.Errorf("merging %q: %w", path, err)
	}
	// Whole or not at all: git takes what the file holds even after a driver that failed.
	if err := replaceFile(oursPath, data); err != nil {
		return fmt.Errorf("merging %q: %w", path, plain(err))
	}
	if len(conflicts) == 0 {
		return nil
	}
	return &exitError{
		code: exitChanges,
		err:  fmt.Errorf("merging %q: both sides changed %s", path, strings.Join(conflicts, ", ")),
		hint: `the file holds our side of it; run "fusionctl lock" against the merged server, then "git add ` + path + `"`,
	}
}
