package awareness

import (
	"slices"

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
	var wrong, newlyWrong []place
	for _, issue := range issues {
		for _, at := range issuePlaces(issue) {
			wrong = append(wrong, at)
			if !wrongBefore[at.key()] {
				newlyWrong = append(newlyWrong, at)
			}
		}
	}
	ranked := make([]rankedChange, len(changes))
	for i, c := range changes {
		ranked[i] = rankedChange{knownChange: c, distance: nearest(c.places, wrong)}
		ranked[i].cause = c.Severity == diff.Breaking && nearest(c.places, newlyWrong) < far
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
