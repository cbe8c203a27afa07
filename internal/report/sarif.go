package report

import (
	"io"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/lockfile"
)

// The parts of SARIF 2.1.0 that are used; see https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID            string       `json:"id"`
		Short         sarifText    `json:"shortDescription"`
		Full          sarifText    `json:"fullDescription"`
		Help          sarifText    `json:"help"`
		Configuration sarifDefault `json:"defaultConfiguration"`
	}
	sarifDefault struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Properties   sarifProperties   `json:"properties"`
	}
	sarifLocation struct {
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
	sarifProperties struct {
		Severity diff.Severity `json:"severity"`
		Side     diff.Side     `json:"side"`
		Server   string        `json:"server"`
		Action   string        `json:"action,omitempty"`
		Pointer  string        `json:"pointer"`
		Before   any           `json:"before,omitempty"`
		After    any           `json:"after,omitempty"`
		Witness  *diff.Witness `json:"witness,omitempty"`
		Hint     string        `json:"hint,omitempty"`
	}
)

func sarifLevel(s diff.Severity) string {
	switch s {
	case diff.Breaking:
		return "error"
	case diff.Risky:
		return "warning"
	}
	return "note"
}

func writeSARIF(w io.Writer, r diff.Report, o Options) error {
	rules, index := sarifRules(r)
	run := sarifRun{
		Tool: sarifTool{sarifDriver{
			Name: "fusionctl", Version: o.Version, InformationURI: "https://github.com/fusionctl/fusionctl", Rules: rules,
		}},
		ColumnKind: "unicodeCodePoints",
		Results:    []sarifResult{},
	}
	for _, d := range r.Diffs {
		for _, c := range d.Changes {
			run.Results = append(run.Results, sarifOf(d, c, index[c.Rule], o))
		}
	}
	text, err := marshal(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// sarifRules are the rules that the report uses, in the order of the table.
func sarifRules(r diff.Report) ([]sarifRule, map[string]int) {
	used := map[string]bool{}
	for _, d := range r.Diffs {
		for _, c := range d.Changes {
			used[c.Rule] = true
		}
	}
	rules, index := []sarifRule{}, map[string]int{}
	for _, rule := range diff.Rules() {
		if !used[rule.ID] {
			continue
		}
		index[rule.ID] = len(rules)
		rules = append(rules, sarifRule{rule.ID, sarifText{rule.Summary}, sarifText{rule.Doc},
			sarifText{rule.Doc}, sarifDefault{sarifLevel(rule.Severity)}})
	}
	return rules, index
}

func sarifOf(d diff.ContractDiff, c diff.Change, index int, o Options) sarifResult {
	line, column := o.locate(d, c)
	logical := c.Pointer
	if d.Kind != lockfile.KindServer {
		logical = d.Name + c.Pointer
	}
	return sarifResult{
		RuleID: c.Rule, RuleIndex: index, Level: sarifLevel(c.Severity),
		Message: sarifText{sentence(d, c)},
		Locations: []sarifLocation{{
			Physical: sarifPhysical{sarifArtifact{uriPath(o.lockfile())}, sarifRegion{line, column}},
			Logical:  []sarifLogical{{Harmless(d.Server + "/" + logical), "object"}},
		}},
		Fingerprints: map[string]string{"fusionctl/v1": c.Fingerprint},
		Properties: sarifProperties{c.Severity, c.Side, d.Server, c.Action, c.Pointer, c.Before, c.After,
			c.Witness, c.Hint},
	}
}
