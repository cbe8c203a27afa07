package diff

import (
	"fmt"
	"slices"
	"strings"
)

// A Rule is one kind of change. The walk finds a difference and names a rule, the verdict gives the severity, and the
// rule explains.
type Rule struct {
	ID       string   `json:"id"`       // permanent, never reused: "input-required-added"
	Side     Side     `json:"side"`     // Input, Output, or Whole: the item itself, its names and annotations
	Severity Severity `json:"severity"` // for Input and Output: when the verdict is the one that the rule is named after
	Consumer Severity `json:"consumer"` // the severity for the audience of consumers
	Summary  string   `json:"summary"`  // one line, no period: "a required property was added"
	Doc      string   `json:"doc"`      // why it matters; what to do instead
	Example  Example  `json:"example"`  // baseline and revision that yield exactly this rule
	Verdict  bool     `json:"verdict"`  // the verdict on the schemas decides; Severity is then only the usual outcome
}

// An Example is a pair of contracts as JSON text. For rules of the input and the output side Base and Rev are the schema;
// for the others they are a server in the shape that it has in a lockfile, without digests.
type Example struct {
	Base    string `json:"base"`
	Rev     string `json:"rev"`
	Witness string `json:"witness,omitempty"` // a value on which the two schemas disagree; "" where the rule has none
}

// Rules lists all rules, sorted by id.
func Rules() []Rule { return slices.Clone(allRules) }

// Lookup finds a rule by id.
func Lookup(id string) (Rule, bool) {
	i, ok := ruleIndex[id]
	if !ok {
		return Rule{}, false
	}
	return allRules[i], true
}

var (
	allRules  = buildRules()
	ruleIndex = indexRules(allRules)
)

func buildRules() []Rule {
	var all []Rule
	for _, table := range [][]Rule{toolRules, behaviorRules, itemRules, serverRules, schemaRules()} {
		for _, r := range table {
			if r.Consumer == None {
				r.Consumer = r.Severity
			}
			if r.Side == "" {
				r.Side = Whole
			}
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b Rule) int { return strings.Compare(a.ID, b.ID) })
	return all
}

func indexRules(rules []Rule) map[string]int {
	index := make(map[string]int, len(rules))
	for i, r := range rules {
		index[r.ID] = i
	}
	return index
}

// severity is the severity of the rule for the given audience.
func (r Rule) severity(a Audience) Severity {
	if a == Consumer {
		return r.Consumer
	}
	return r.Severity
}

// mustRule finds a rule that the code itself names.
func mustRule(id string) Rule {
	r, ok := Lookup(id)
	if !ok {
		panic(fmt.Sprintf("diff: rule %q is not in the table", id)) // cannot happen: every id in the code is tested
	}
	return r
}
