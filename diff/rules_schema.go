package diff

// A schemaRule is a rule about schemas on both sides: input-<name> and output-<name>. The same two schemas are the example
// of both; what breaks on one side is harmless on the other more often than not.
type schemaRule struct {
	name          string
	input, output Severity // the usual outcome; output None: there is no such rule on the output side
	consumer      Severity // for consumers, on the input side and where a text is read on both
	plain         bool     // an annotation: no verdict is asked for
	summary       string
	inputDoc      string
	outputDoc     string // "" means inputDoc
	base, rev     string
	outputBase    string // "" means base; else another example for the output side
	outputRev     string
	inputWitness  string
	outputWitness string
}

// schemaRules makes the rules of both sides.
func schemaRules() []Rule {
	var all []Rule
	for _, table := range [][]schemaRule{valueSchemaRules, objectSchemaRules, arraySchemaRules, combinedSchemaRules, noteSchemaRules} {
		for _, r := range table {
			all = append(all, r.onSide(Input))
			if r.output != None {
				all = append(all, r.onSide(Output))
			}
		}
	}
	return all
}

func (r schemaRule) onSide(side Side) Rule {
	out := Rule{
		ID: string(side) + "-" + r.name, Side: side, Severity: r.input, Verdict: !r.plain,
		Summary: string(side) + ": " + r.summary, Doc: r.inputDoc, Example: Example{r.base, r.rev, r.inputWitness},
	}
	if side == Output {
		out.Severity, out.Example.Witness = r.output, r.outputWitness
		if r.outputBase != "" {
			out.Example.Base, out.Example.Rev = r.outputBase, r.outputRev
		}
		if r.outputDoc != "" {
			out.Doc = r.outputDoc
		}
	}
	if side == Input || r.plain {
		out.Consumer = max(r.consumer, out.Severity)
	}
	return out
}
