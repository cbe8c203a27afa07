package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/fusionctl/fusionctl/diff"
)

// writeGitHub writes workflow commands that annotate the lockfile. Cosmetic changes are one notice for all: annotations
// are few in the interface. Nothing from outside can start a command of its own, because line ends, percent signs and,
// in properties, colons and commas are escaped as the runner wants it:
// https://docs.github.com/actions/reference/workflow-commands-for-github-actions.
func writeGitHub(w io.Writer, r diff.Report, o Options) error {
	out := &stickyWriter{w: w}
	cosmetic := 0
	for _, d := range r.Diffs {
		for _, c := range d.Changes {
			if c.Severity == diff.Cosmetic {
				cosmetic++
				continue
			}
			line, column := o.locate(d, c)
			out.printf("::%s file=%s,line=%d,col=%d,title=%s::%s\n", githubLevel(c.Severity), property(o.lockfile()), line, column,
				property(fmt.Sprintf("%s: %s (%s)", c.Severity, title(d, serverCount(r)), c.Rule)), data(sentence(d, c)))
		}
	}
	if cosmetic > 0 {
		out.printf("::notice file=%s,title=COSMETIC::%d cosmetic changes\n", property(o.lockfile()), cosmetic)
	}
	if len(r.Diffs) == 0 {
		out.printf("no changes\n")
	}
	return out.err
}

func githubLevel(s diff.Severity) string {
	switch s {
	case diff.Breaking:
		return "error"
	case diff.Risky:
		return "warning"
	}
	return "notice"
}

var (
	dataEscaper     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscaper = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func data(s string) string { return dataEscaper.Replace(Harmless(s)) }

func property(s string) string { return propertyEscaper.Replace(Harmless(s)) }
