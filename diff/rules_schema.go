package diff

func schemaRules() []Rule {
	return []Rule{
		{ID: "input-undecided", Side: Input, Severity: Risky, Summary: "x", Doc: "x"},
		{ID: "output-undecided", Side: Output, Severity: Risky, Summary: "x", Doc: "x"},
		{ID: "output-schema-removed", Side: Output, Severity: Breaking, Summary: "x", Doc: "x"},
		{ID: "output-schema-added", Side: Output, Severity: Safe, Summary: "x", Doc: "x"},
	}
}
