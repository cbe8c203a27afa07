package awareness

import (
	"slices"
	"strings"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/envelope"
)

// A rankedChange is a change with what makes it important for a call.
type rankedChange struct {
	*knownChange
	cause    bool // the arguments were right there under the baseline, and are wrong now
	distance int  // to the nearest place that is wrong
}

// rank orders changes: causes first, then the nearest to what is wrong, then the worst, then in the order of the report.
func rank(changes []*knownChange, issues []envelope.Issue, wrongBefore map[string]bool) []rankedChange {
	all, undeclared := misfits{}, misfits{}
	for _, issue := range issues {
		all.add(issue, wrongBefore)
		if issue.Keyword == "additionalProperties" || issue.Keyword == "unevaluatedProperties" || len(issue.Branches) > 0 {
			undeclared.add(issue, wrongBefore)
		}
	}
	ranked := make([]rankedChange, len(changes))
	for i, c := range changes {
		wrong := &all
		if c.closes() {
			wrong = &undeclared
		}
		ranked[i] = rankedChange{knownChange: c, distance: nearest(c.places, wrong.all)}
		ranked[i].cause = c.Severity == diff.Breaking && nearest(c.places, wrong.newly) < far
	}
	slices.SortStableFunc(ranked, func(a, b rankedChange) int {
		switch {
		case a.cause != b.cause:
			if a.cause {
				return -1
			}
			return 1
		case a.distance != b.distance:
			return a.distance - b.distance
		}
		return int(b.Severity) - int(a.Severity)
	})
	return ranked
}

// misfits are the places at which something is wrong, and those at which it was not wrong under the baseline.
type misfits struct{ all, newly []place }

func (w *misfits) add(issue envelope.Issue, wrongBefore map[string]bool) {
	for _, at := range issuePlaces(issue) {
		w.all = append(w.all, at)
		if !wrongBefore[at.key()] {
			w.newly = append(w.newly, at)
		}
	}
}

// closes reports whether a change refuses undeclared names: it explains nothing else that is wrong at the same places.
func (c *knownChange) closes() bool {
	return c.After == false && (strings.HasSuffix(c.Pointer, "/additionalProperties") || strings.HasSuffix(c.Pointer, "/unevaluatedProperties"))
}

// nearest is the least distance between places of a change and places that are wrong.
func nearest(places, wrong []place) int {
	best := 2 * far
	for _, p := range places {
		for _, w := range wrong {
			best = min(best, distance(p, w))
		}
	}
	return best
}
