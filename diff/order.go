package diff

import (
	"cmp"
	"slices"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// Order puts a report in its total order and counts anew. Compare has done so; whoever changes severities or takes
// changes out (a policy) calls it again. Contract diffs without changes are left out.
func (r *Report) Order() {
	r.FormatVersion = FormatVersion
	r.MaxSeverity = None
	r.Counts = map[Severity]int{Breaking: 0, Risky: 0, Safe: 0, Cosmetic: 0}
	kept := make([]ContractDiff, 0, len(r.Diffs))
	for _, d := range r.Diffs {
		if len(d.Changes) == 0 {
			continue
		}
		slices.SortStableFunc(d.Changes, compareChanges)
		for _, c := range d.Changes {
			r.Counts[c.Severity]++
			r.MaxSeverity = max(r.MaxSeverity, c.Severity)
		}
		kept = append(kept, d)
	}
	slices.SortStableFunc(kept, compareDiffs)
	r.Diffs = kept
}

var kindOrder = map[lockfile.Kind]int{
	lockfile.KindServer:   0,
	lockfile.KindTool:     1,
	lockfile.KindPrompt:   2,
	lockfile.KindResource: 3,
	lockfile.KindTemplate: 4,
}

func compareDiffs(a, b ContractDiff) int {
	return cmp.Or(
		-cmp.Compare(a.MaxSeverity(), b.MaxSeverity()),
		cmp.Compare(kindOrder[a.Kind], kindOrder[b.Kind]),
		cmp.Compare(a.Server, b.Server),
		cmp.Compare(a.Name, b.Name),
	)
}

var sideOrder = map[Side]int{Input: 0, Output: 1, Whole: 2}

// compareChanges orders the changes of one contract diff. Two changes that compare equal here do not exist: the same rule
// fires at most once at one place for one action.
func compareChanges(a, b Change) int {
	return cmp.Or(
		-cmp.Compare(a.Severity, b.Severity),
		cmp.Compare(sideOrder[a.Side], sideOrder[b.Side]),
		cmp.Compare(a.Pointer, b.Pointer),
		cmp.Compare(a.Rule, b.Rule),
		cmp.Compare(a.Action, b.Action),
		cmp.Compare(a.Message, b.Message),
	)
}

// Fingerprint names one change of one item: the first 16 hex digits of the digest of server, kind, item, rule, action,
// pointer, baseline value and revision value. It stays the same as long as the change itself does; severity, message and
// witness, which may get better from release to release, do not take part. Compare adds the message where several changes
// of one item would have the same fingerprint otherwise.
func Fingerprint(d ContractDiff, c Change) string {
	return shortDigest([]any{d.Server, string(d.Kind), d.Name, c.Rule, c.Action, c.Pointer, c.Before, c.After})
}

func shortDigest(v any) string {
	const prefix = len("sha256:")
	return canonjson.Digest(v)[prefix : prefix+16]
}
