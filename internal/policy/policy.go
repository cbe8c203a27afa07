// Package policy reads .fusionctl.yaml: which servers a repository has, and what its people decided about changes.
//
// Start with [Load] or [Parse]; [Policy.Apply] puts a policy over a report, [AddAcceptance] writes one more decision into
// the text of a policy and leaves every other byte of it alone.
//
// Reading is strict: a key that is not known, a key given twice, a value of the wrong kind, a rule that does not exist is
// an error that names the line. Anchors and aliases are refused. It is the only package that knows about dates: an
// acceptance ends on a day, and the caller says which day it is.
package policy

import (
	"fmt"
	"strings"
	"time"

	"github.com/fusionctl/fusionctl/diff"
)

// DefaultName is the name of the policy in a repository.
const DefaultName = ".fusionctl.yaml"

// A Policy is the content of one file. The zero value decides nothing.
type Policy struct {
	Lockfile   string         // path of the lockfile; "" means fusion.lock
	Servers    map[string]any // in the shape of mcpServers of a client configuration, as canonjson values; nil when absent
	FailOn     Threshold      // "" when absent
	Audience   diff.Audience  // "" when absent
	TokenLimit int            // a definition that grew past this many tokens is reported; 0 means no limit
	Severities []SeverityRule
	Ignore     []Ignored
	Accept     []Acceptance
}

// A Scope says which items a decision is about. Empty fields match everything; * in a name stands for any characters, ?
// for one.
type Scope struct {
	Server string
	Tool   string // name of the tool, prompt, resource or template
}

func (s Scope) matches(d diff.ContractDiff) bool {
	return matchName(s.Server, d.Server) && matchName(s.Tool, d.Name)
}

// A SeverityRule gives the changes of one rule another severity.
type SeverityRule struct {
	Scope
	Rule     string
	Severity diff.Severity
	Line     int
}

// Ignored takes changes at a pointer, and below it, out of the report.
type Ignored struct {
	Scope
	Pointer string // into the definition of the item, as in a report
	Line    int
}

// An Acceptance is a decision about one change: it is known, and meant.
type Acceptance struct {
	Fingerprint string // as in the report, 16 hex digits
	Rule        string // these four repeat what the fingerprint stands for, so that people can read it; "" is not compared
	Server      string
	Tool        string
	Pointer     string
	Reason      string
	Author      string
	Expires     time.Time // the last day on which it holds, midnight UTC
	Line        int
}

// Threshold says from which severity on a report fails.
type Threshold string

// The thresholds.
const (
	FailBreaking Threshold = "breaking"
	FailRisky    Threshold = "risky"
	FailSafe     Threshold = "safe"
	FailAny      Threshold = "any"
	FailNone     Threshold = "none"
)

// Thresholds lists the names of the thresholds, the strictest last but one.
func Thresholds() []string {
	return []string{string(FailBreaking), string(FailRisky), string(FailSafe), string(FailAny), string(FailNone)}
}

// ParseThreshold reads a threshold by name.
func ParseThreshold(name string) (Threshold, error) {
	for _, t := range Thresholds() {
		if t == name {
			return Threshold(name), nil
		}
	}
	return "", fmt.Errorf("%q: want breaking, risky, safe, any or none", name)
}

// Fails reports whether a report whose worst severity is worst fails. The zero Threshold is FailBreaking.
func (t Threshold) Fails(worst diff.Severity) bool {
	switch t {
	case FailNone:
		return false
	case FailAny:
		return worst >= diff.Cosmetic
	case FailSafe:
		return worst >= diff.Safe
	case FailRisky:
		return worst >= diff.Risky
	}
	return worst >= diff.Breaking
}

// matchName reports whether name fits the pattern; an empty pattern fits all. It takes time in proportion to the product
// of the two lengths at worst.
func matchName(pattern, name string) bool {
	if pattern == "" {
		return true
	}
	p, n := []rune(pattern), []rune(name)
	i, j, star, mark := 0, 0, -1, 0
	for j < len(n) {
		switch {
		case i < len(p) && p[i] == '*':
			star, mark = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == n[j]):
			i++
			j++
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(string(p[i:]), "*") == ""
}
