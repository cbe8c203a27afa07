package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/internal/policy"
)

// acceptFor is how long an acceptance holds when nothing else is said.
const acceptFor = 90 * 24 * time.Hour

type acceptOptions struct {
	compareOptions
	reason  string
	author  string
	expires string
}

func newAcceptCmd(a *app) *cobra.Command {
	o := &acceptOptions{}
	cmd := &cobra.Command{
		Use:   "accept FINGERPRINT --reason TEXT [BASELINE REVISION]",
		Short: "Accept one change for a time",
		Long: `Accept writes into the policy that one change is known and meant, why, who said so, and until when. The fingerprint is
the "id" of the change in the report of diff, or its first digits. The change is looked up as diff would: without sides,
between the default branch and the lockfile here.`,
		Example: `  fusionctl accept 3f2a91c04d7e0b15 --reason "no client used it" --expires 2027-01-31
  fusionctl accept 3f2a --reason "agreed with the app team" old.lock new.lock`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError(cmd, errors.New("want the fingerprint of a change"))
			}
			if strings.TrimSpace(o.reason) == "" {
				return usageError(cmd, errors.New("--reason: want why this change is meant"))
			}
			return runAccept(cmd, a, o, args[0], args[1:])
		},
	}
	o.addFlags(cmd)
	cmd.Flags().StringVar(&o.reason, "reason", "", "why the change is meant (required)")
	cmd.Flags().StringVar(&o.author, "author", "", "who accepts it (default: the name that git knows)")
	cmd.Flags().StringVar(&o.expires, "expires", "", "last day on which it holds, as 2027-01-31 (default: in 90 days)")
	return cmd
}

func runAccept(cmd *cobra.Command, a *app, o *acceptOptions, fingerprint string, sides []string) error {
	expires := clock().UTC().Truncate(24 * time.Hour).Add(acceptFor)
	if o.expires != "" {
		day, err := policy.ParseDay(o.expires)
		if err != nil {
			return usageError(cmd, fmt.Errorf("--expires %w", err))
		}
		if today := clock().UTC().Truncate(24 * time.Hour); day.Before(today) {
			return usageError(cmd, fmt.Errorf("--expires %s: that day is over; want %s or later", o.expires, today.Format(time.DateOnly)))
		}
		expires = day
	}
	author, err := o.authorName(cmd.Context())
	if err != nil {
		return err
	}
	c, err := a.compare(cmd, &o.compareOptions, sides)
	if err != nil {
		return err
	}
	d, change, err := findChange(c.result, fingerprint)
	if err != nil {
		return err
	}
	path := o.policy
	if path == "" {
		path = policy.DefaultName
	}
	return a.addAcceptance(path, policy.Acceptance{
		Fingerprint: change.Fingerprint, Rule: change.Rule, Server: d.Server, Tool: d.Name, Pointer: change.Pointer,
		Reason: o.reason, Author: author, Expires: expires,
	})
}

func (o *acceptOptions) authorName(ctx context.Context) (string, error) {
	if o.author != "" {
		return o.author, nil
	}
	name, err := repository{"."}.line(ctx, "config", "user.name")
	if err != nil || name == "" {
		return "", hinted("say who you are with --author", "git does not know your name")
	}
	return name, nil
}

// findChange finds the one change whose fingerprint begins with prefix.
func findChange(r policy.Result, prefix string) (diff.ContractDiff, diff.Change, error) {
	const least = 4
	if len(prefix) < least {
		return diff.ContractDiff{}, diff.Change{}, hinted(`"fusionctl diff" prints it as "id"`, "fingerprint %q: want at least %d digits", prefix, least)
	}
	var item diff.ContractDiff
	var change diff.Change
	found := 0
	for _, d := range r.Report.Diffs {
		for _, c := range d.Changes {
			if strings.HasPrefix(c.Fingerprint, prefix) {
				found++
				item, change = d, c
			}
		}
	}
	for _, accepted := range r.Report.Accepted {
		if found == 0 && strings.HasPrefix(accepted.Change.Fingerprint, prefix) {
			return item, change, hinted(`to extend it, change its "expires" in the policy`, "fingerprint %q: %w", prefix, policy.ErrAccepted)
		}
	}
	switch found {
	case 0:
		return item, change, hinted(`"fusionctl diff" prints the fingerprint of each change as "id"`, "no change with the fingerprint %q", prefix)
	case 1:
		return item, change, nil
	}
	return item, change, hinted("write more of its digits", "fingerprint %q: %d changes begin with it", prefix, found)
}

func (a *app) addAcceptance(path string, accepted policy.Acceptance) error {
	data, err := policy.ReadText(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	edited, err := policy.AddAcceptance(data, accepted)
	if err != nil {
		return fmt.Errorf("accepting in %q: %w", path, err)
	}
	if err := replaceFile(path, edited); err != nil {
		return fmt.Errorf("writing policy %q: %w", path, plain(err))
	}
	_, err = fmt.Fprintf(a.stdout, "%s: accepted %s (%s of %s) until %s\n", harmless(path), accepted.Fingerprint, accepted.Rule, harmless(fmt.Sprintf("%q", accepted.Tool)), accepted.Expires.Format(time.DateOnly))
	return err
}

// replaceFile writes a file whole or not at all, through a symbolic link and with the permission bits of the file before.
func replaceFile(path string, data []byte) error {
	mode := fs.FileMode(0o644)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name()) // the error before matters more
	}
	return err
}
