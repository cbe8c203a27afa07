package diff

import "github.com/fusionctl/fusionctl/lockfile"

// FormatVersion is the version of the JSON form of a Report. Within it, fields are only added.
const FormatVersion = 1

// Side says which way values flow through the place that changed.
type Side string

// The sides.
const (
	Input  Side = "input"  // a caller that learned the baseline calls the revision
	Output Side = "output" // a reader that learned the baseline reads what the revision returns
	Whole  Side = "whole"  // the item itself: its name, texts and annotations
)

// A Change is one difference between baseline and revision.
type Change struct {
	Rule        string   `json:"rule"`                 // rule id, permanent
	Severity    Severity `json:"severity"`             // after the verdict and before any policy
	Side        Side     `json:"side"`                 //
	Tool        string   `json:"tool,omitempty"`       // name of the tool; "" for other kinds
	Action      string   `json:"action,omitempty"`     // value of the discriminator; "" when the whole tool is meant
	Pointer     string   `json:"pointer"`              // RFC 6901, into the definition (entry) of the item; "" = all of it
	Before      any      `json:"before,omitempty"`     // baseline value at Pointer, nil when absent
	After       any      `json:"after,omitempty"`      // revision value at Pointer, nil when absent
	Message     string   `json:"message"`              // one sentence, no period; texts from outside are quoted
	Witness     *Witness `json:"witness,omitempty"`    // the proof; nil where the rule needs none
	Hint        string   `json:"hint,omitempty"`       // likely rename, successor, what to do; never lowers a severity
	Successors  []string `json:"successors,omitempty"` // names in the revision that likely took the place of a removed one
	Fingerprint string   `json:"fingerprint"`          // names this very change: see Fingerprint
}

// A Witness is a value that one side of a change accepts and the other refuses. It was checked by the validator.
type Witness struct {
	Value  any    `json:"value"`            // arguments of a call (input) or structured content (output)
	Call   string `json:"call,omitempty"`   // Value as a call: search({"q":"x"})
	Reason string `json:"reason,omitempty"` // why it is refused: missing "lang"
}

// A ContractDiff holds the changes of one tool, prompt, resource, template or of the server itself.
type ContractDiff struct {
	Server  string        `json:"server"`
	Kind    lockfile.Kind `json:"kind"`
	Name    string        `json:"name"`
	Changes []Change      `json:"changes"`
}

// A Report is the result of one comparison, totally ordered: worst first, then kind, server, name, side, pointer, rule.
type Report struct {
	FormatVersion int              `json:"formatVersion"`
	MaxSeverity   Severity         `json:"maxSeverity"`
	Counts        map[Severity]int `json:"counts"` // one member for each severity but None
	Diffs         []ContractDiff   `json:"diffs"`  // only items that changed; never nil
	Advice        Advice           `json:"advice"` // which part of the version number to raise

	// Accepted are the changes that a policy took out of Diffs. Compare leaves it empty; they are not counted.
	Accepted []Accepted `json:"accepted,omitempty"`
}

// Accepted is a change that people know and mean, with their words from a policy.
type Accepted struct {
	Server  string        `json:"server"`
	Kind    lockfile.Kind `json:"kind"`
	Name    string        `json:"name"`
	Change  Change        `json:"change"`
	Reason  string        `json:"reason"`
	Author  string        `json:"author"`
	Expires string        `json:"expires"` // the last day on which it holds, as 2027-01-31
}

// MaxSeverity is the worst severity of d's changes, None when there is no change.
func (d ContractDiff) MaxSeverity() Severity {
	worst := None
	for _, c := range d.Changes {
		worst = max(worst, c.Severity)
	}
	return worst
}
