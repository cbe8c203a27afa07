package report

import (
	"encoding/xml"
	"fmt"
	"io"

	"github.com/fusionctl/fusionctl/diff"
)

type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Failure *junitFailure `xml:"failure"`
		Output  string        `xml:"system-out,omitempty"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// writeJUnit writes a suite for each item and a test case for each change; a change from FailOn on is a failure. A report
// without changes is one case that passed, since several viewers take an empty file for a crash.
func writeJUnit(w io.Writer, r diff.Report, o Options) error {
	failOn := o.FailOn
	if failOn == diff.None {
		failOn = diff.Breaking
	}
	all := junitSuites{Name: "fusionctl"}
	servers := serverCount(r)
	for _, d := range r.Diffs {
		s := junitSuite{Name: title(d, servers)}
		for _, c := range d.Changes {
			one := junitCase{Name: cut(Harmless(c.Rule+" "+c.Pointer), maxValue), Class: cut(Harmless(d.Server+"."+d.Name), maxValue)}
			if c.Severity >= failOn {
				one.Failure = &junitFailure{cut(Harmless(c.Message), 2*maxValue), c.Rule, details(c)}
				s.Failures++
			} else {
				one.Output = details(c)
			}
			s.Cases = append(s.Cases, one)
		}
		s.Tests = len(s.Cases)
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Suites = append(all.Suites, s)
	}
	if all.Tests == 0 {
		all.Tests = 1
		all.Suites = []junitSuite{{Name: "contracts", Tests: 1, Cases: []junitCase{{Name: "no changes", Class: "fusionctl"}}}}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// details are the lines of one change for formats that show plain text.
func details(c diff.Change) string {
	s := fmt.Sprintf("%s %s [%s]\n", c.Severity, Harmless(c.Message), c.Rule)
	line := func(name, text string) { s += fmt.Sprintf("%s: %s\n", name, text) }
	if c.Pointer != "" {
		line("at", cut(Harmless(c.Pointer), maxValue))
	}
	before, after := values(c.Before, c.After, maxValue)
	if c.Before != nil {
		line("baseline", before)
	}
	if c.After != nil {
		line("revision", after)
	}
	if c.Witness != nil {
		line("proof", proof(c))
	}
	if c.Hint != "" {
		line("hint", Harmless(c.Hint))
	}
	line("id", c.Fingerprint)
	return s
}
