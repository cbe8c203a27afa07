package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/validate"
)

func acceptedReport(n int) diff.Report {
	a := diff.Accepted{
		Server: "billing", Kind: "tool", Name: "void_invoice", Reason: "no client @used `it`\x1b[31m", Author: "Ada", Expires: "2027-01-31",
		Change: diff.Change{Rule: "tool-removed", Severity: diff.Breaking, Side: diff.Whole, Message: `the tool "void_invoice" was removed`, Fingerprint: "934bfdfc5f997197"},
	}
	r := diff.Report{Advice: diff.Advice{}}
	for range n {
		r.Accepted = append(r.Accepted, a)
	}
	r.Order()
	return r
}

// TestAccepted: a change that was accepted stays visible in what machines and reviewers read.
func TestAccepted(t *testing.T) {
	markdown := write(t, "markdown", acceptedReport(1), Options{})
	for _, want := range []string{"### Contract changes: no other changes, 1 accepted\n", "until 2027-01-31, by `Ada`: `` no client @used `it`", "(`tool-removed`)"} {
		if !strings.Contains(markdown, want) {
			t.Errorf("the markdown has no %q:\n%s", want, markdown)
		}
	}
	if strings.Contains(markdown, "\x1b") {
		t.Error("the reason reaches the terminal raw")
	}
	text := write(t, "json", acceptedReport(1), Options{})
	var got diff.Report
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Accepted) != 1 || got.Accepted[0].Change.Fingerprint != "934bfdfc5f997197" || got.Counts[diff.Breaking] != 0 {
		t.Errorf("read back: %+v", got)
	}
	schema, err := canonjson.Decode(Schema)
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := validate.Compile(schema, validate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	value, err := canonjson.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if issues, err := compiled.Validate(value); err != nil || len(issues) > 0 {
		t.Errorf("against the schema of the format: %v %v", issues, err)
	}
}

func TestAcceptedSize(t *testing.T) {
	if got := write(t, "markdown", acceptedReport(5000), Options{}); len(got) > 65_536 || !strings.Contains(got, " more\n") {
		t.Errorf("%d bytes", len(got))
	}
}
