package policy

import (
	"fmt"
	"strings"
	"time"

	"github.com/fusionctl/fusionctl/diff"
)

// A Result is a report as a policy sees it.
type Result struct {
	Report  diff.Report // without ignored changes, the accepted ones apart, with the policy's severities
	Ignored int         // how many changes were left out by "ignore"
	Notes   []Note      // acceptances that do not hold, in the order of the file
}

// NoteKind says why an acceptance does not hold.
type NoteKind string

// The kinds of notes.
const (
	Expired NoteKind = "expired" // its change is there, but its day is over: the change counts
	Altered NoteKind = "altered" // at its place there is another change now: that one counts
	Unused  NoteKind = "unused"  // its change is not there
)

// A Note tells of an acceptance that does not hold.
type Note struct {
	Kind NoteKind
	By   Acceptance
}

// String is one sentence without a period; texts of the policy are quoted.
func (n Note) String() string {
	name := n.By.Fingerprint
	if n.By.Rule != "" {
		name += fmt.Sprintf(" (%s of %q)", n.By.Rule, n.By.Tool)
	}
	switch n.Kind {
	case Expired:
		return fmt.Sprintf("acceptance %s expired after %s", name, n.By.Expires.Format(time.DateOnly))
	case Altered:
		return fmt.Sprintf("acceptance %s no longer matches: the change at %q is another one now", name, n.By.Pointer)
	}
	return fmt.Sprintf("acceptance %s matches no change", name)
}

// Apply puts the policy over a report, as of the day of now. The report given is not changed.
func (p *Policy) Apply(r diff.Report, now time.Time) Result {
	use := make([]bool, len(p.Accept))
	expired := make([]bool, len(p.Accept))
	altered := make([]bool, len(p.Accept))
	today := now.UTC().Truncate(24 * time.Hour)
	result := Result{Report: r}
	result.Report.Diffs = make([]diff.ContractDiff, 0, len(r.Diffs))
	result.Report.Accepted = nil
	for _, d := range r.Diffs {
		kept := make([]diff.Change, 0, len(d.Changes))
		for _, c := range d.Changes {
			if p.ignores(d, c) {
				result.Ignored++
				continue
			}
			c.Severity = p.severity(d, c)
			accepted := -1
			for i, a := range p.Accept {
				switch {
				case !a.sameChange(d, c):
					altered[i] = altered[i] || a.samePlace(d, c)
				case a.Expires.Before(today):
					expired[i] = true
				default:
					use[i] = true
					accepted = i
				}
			}
			if accepted >= 0 {
				result.Report.Accepted = append(result.Report.Accepted, acceptedChange(d, c, p.Accept[accepted]))
				continue
			}
			kept = append(kept, c)
		}
		d.Changes = kept
		result.Report.Diffs = append(result.Report.Diffs, d)
	}
	result.Report.Order()
	for i, a := range p.Accept {
		switch {
		case use[i]:
		case expired[i]:
			result.Notes = append(result.Notes, Note{Expired, a})
		case altered[i]:
			result.Notes = append(result.Notes, Note{Altered, a})
		default:
			result.Notes = append(result.Notes, Note{Unused, a})
		}
	}
	return result
}

func acceptedChange(d diff.ContractDiff, c diff.Change, by Acceptance) diff.Accepted {
	return diff.Accepted{
		Server: d.Server, Kind: d.Kind, Name: d.Name, Change: c,
		Reason: by.Reason, Author: by.Author, Expires: by.Expires.Format(time.DateOnly),
	}
}

// severity is that of the last rule of the policy that fits, so that a general rule can stand above its exceptions.
func (p *Policy) severity(d diff.ContractDiff, c diff.Change) diff.Severity {
	s := c.Severity
	for _, rule := range p.Severities {
		if rule.Rule == c.Rule && rule.matches(d) {
			s = rule.Severity
		}
	}
	return s
}

func (p *Policy) ignores(d diff.ContractDiff, c diff.Change) bool {
	for _, i := range p.Ignore {
		if i.matches(d) && (c.Pointer == i.Pointer || strings.HasPrefix(c.Pointer, i.Pointer+"/")) {
			return true
		}
	}
	return false
}

// sameChange reports whether a is about this change. The fingerprint decides; where the readable fields are given they
// must say the same, so that nobody accepts one thing under the name of another.
func (a Acceptance) sameChange(d diff.ContractDiff, c diff.Change) bool {
	return a.Fingerprint == c.Fingerprint &&
		(a.Rule == "" || a.Rule == c.Rule) &&
		(a.Server == "" || a.Server == d.Server) &&
		(a.Tool == "" || a.Tool == d.Name) &&
		(a.Pointer == "" || a.Pointer == c.Pointer)
}

func (a Acceptance) samePlace(d diff.ContractDiff, c diff.Change) bool {
	return a.Rule != "" && a.Rule == c.Rule && a.Server == d.Server && a.Tool == d.Name && a.Pointer == c.Pointer
}
