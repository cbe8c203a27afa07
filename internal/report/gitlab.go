package report

import (
	"io"

	"github.com/fusionctl/fusionctl/diff"
)

// The format of GitLab's code quality report: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format.
type (
	gitlabIssue struct {
		Description string         `json:"description"`
		CheckName   string         `json:"check_name"`
		Fingerprint string         `json:"fingerprint"`
		Severity    string         `json:"severity"`
		Location    gitlabLocation `json:"location"`
	}
	gitlabLocation struct {
		Path  string      `json:"path"`
		Lines gitlabLines `json:"lines"`
	}
	gitlabLines struct {
		Begin int `json:"begin"`
	}
)

func writeGitLab(w io.Writer, r diff.Report, o Options) error {
	issues := []gitlabIssue{}
	for _, d := range r.Diffs {
		for _, c := range d.Changes {
			line, _ := o.locate(d, c)
			issues = append(issues, gitlabIssue{sentence(d, c), c.Rule, c.Fingerprint, gitlabSeverity(c.Severity),
				gitlabLocation{o.lockfile(), gitlabLines{line}}})
		}
	}
	text, err := marshal(issues)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

func gitlabSeverity(s diff.Severity) string {
	switch s {
	case diff.Breaking:
		return "critical"
	case diff.Risky:
		return "major"
	case diff.Safe:
		return "minor"
	}
	return "info"
}
