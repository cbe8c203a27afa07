package diff

import (
	"slices"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// A judge turns the edits that a walk found into changes: each judged alone, all together reconciled with the verdict on
// the whole schemas.
//
//   - Compatible as a whole: no change is BREAKING, whatever one of them would do alone. Equal both ways: one COSMETIC change.
//   - Refuted as a whole: the edits that alone refuse a value which the other side refuses too carry the break with that
//     value. When there is none, the change at the root carries the witness of the whole.
//   - Undecided: the edits that were not decided are RISKY with the reason; when all were, the change at the root is.
//
// What set inclusion does not see (a removed argument of an open object, a default) keeps the severity of its rule.
type judge struct {
	c         *collector
	side      Side
	prefix    string // "/inputSchema"
	base, rev any
	b, r      *schema
	walk      *walker
	actions   actionMap
	samples   map[string]any // values of parts, by pointer
	spent     int            // steps of the judgements of single changes
	sent      int            // calls made up
}

// compareSchemas reports all changes of one schema of a tool.
func compareSchemas(c *collector, side Side, prefix string, base, rev any) {
	j := &judge{c: c, side: side, prefix: prefix, base: base, rev: rev}
	j.b, j.r = j.compile(base), j.compile(rev)
	if j.illegal() {
		return
	}
	j.walk = walkSchemas(side, base, rev, c.o.AssertFormat)
	if j.walk.overflowed {
		j.walk.edits = slices.DeleteFunc(j.walk.edits, func(e *edit) bool { return !e.plain })
	}
	j.actions = j.findActions()
	var structural []*edit
	for _, e := range j.walk.edits {
		if !e.plain {
			structural = append(structural, e)
		}
	}
	j.annotations()
	if j.actions.ok && unionKeyword(node{v: base}) != unionKeyword(node{v: rev}) {
		j.byAction()
		return
	}
	if canonjson.Equal(j.acceptance(base), j.acceptance(rev)) {
		return // nothing that says which values are accepted changed
	}
	rest := j.actionChanges(structural)
	j.reconcile(rest, len(rest) < len(structural))
}

// acceptance is a schema without its annotations, wherever they stand.
func (j *judge) acceptance(schema any) any {
	return mapSchema(schema, func(keyword string) bool {
		return keyword == "$schema" || !isAnnotation(keyword) || keyword == "format" && j.c.o.AssertFormat
	})
}

// withoutDialect is a schema without $schema, which has a change of its own.
func withoutDialect(schema any) any {
	m, ok := schema.(map[string]any)
	if !ok {
		return schema
	}
	return without(m, []string{"$schema"})
}

// illegal reports a schema that is none, and ends the comparison where it cannot go on.
func (j *judge) illegal() bool {
	rule := "tool-input-schema"
	if j.side == Output {
		rule = "tool-output-schema"
	}
	wasBad, isBad := j.fault(j.b), j.fault(j.r)
	switch {
	case isBad != "" && wasBad == "":
		j.c.add(rule+"-broken", j.prefix, j.base, j.rev, "the schema is not legal any more: %s", isBad)
		j.c.hint("clients drop the tool, or the whole list")
		return true
	case isBad == "" && wasBad == "" && j.spoiled() != "":
		j.c.add(rule+"-broken", j.prefix, j.base, j.rev, "the schema is not legal any more: %s", j.spoiled())
		j.c.hint("clients that check it against its meta-schema drop the tool, or the whole list")
		return true
	case isBad == "" && wasBad != "":
		j.c.add(rule+"-repaired", j.prefix, j.base, j.rev, "the schema is legal now; the baseline's was not (%s), so old calls cannot be compared", wasBad)
		return true
	}
	return false
}

// spoiled says which keyword became malformed though the schema can still be read, "" when none did.
func (j *judge) spoiled() string {
	problem := malformed(j.rev)
	if problem == "" || malformed(j.base) != "" {
		return ""
	}
	return cut(escapeHidden(problem), 3*maxQuoted)
}

// fault says why a schema is not legal, "" when it is or when only another document is missing.
func (j *judge) fault(s *schema) string {
	if s.err != nil && !remote(s.err) {
		return cut(escapeHidden(s.err.Error()), 3*maxQuoted)
	}
	if m := mapOf(s.value); j.side == Input && m["type"] != "object" {
		return `its root has no "type":"object", which the protocol requires`
	}
	return ""
}

// reportIllegal reports the schemas of a new tool that are not legal: clients that drop the whole list for it lose the other
// tools.
func reportIllegal(c *collector, rev *lockfile.Entry) {
	for _, part := range []struct {
		side   Side
		name   string
		schema any
	}{{Input, "inputSchema", rev.InputSchema()}, {Output, "outputSchema", rev.OutputSchema()}} {
		if part.schema == nil && part.side == Output {
			continue
		}
		j := &judge{c: c, side: part.side}
		problem := j.fault(j.compile(part.schema))
		if problem == "" {
			problem = malformed(part.schema)
		}
		if problem != "" {
			c.add("tool-"+string(part.side)+"-schema-broken", "/"+part.name, nil, part.schema, "the %s schema of the new tool is not legal: %s",
				part.side, cut(escapeHidden(problem), 3*maxQuoted))
			c.hint("clients drop the tool, or the whole list")
		}
	}
}

// against asks whether old values still fit when the other side is x: on the input side x consumes what the baseline
// allows, on the output side x produces for readers of the baseline.
func (j *judge) against(x *schema, q question) outcome {
	if j.side == Output {
		return j.decide(x, j.b, q)
	}
	return j.decide(j.b, x, q)
}

// same reports whether x accepts exactly what the baseline accepts.
func (j *judge) same(x *schema) bool { return j.equal(x, j.b) }

func (j *judge) equal(x, y *schema) bool {
	return j.decide(x, y, strictly).verdict == compatible && j.decide(y, x, strictly).verdict == compatible
}

// confirmed reports whether the independent validator agrees that value separates the baseline from x. A value that refutes
// one edit alone may not refute the whole: other edits may make up for it.
func (j *judge) confirmed(value any, x *schema) bool {
	inBase, unknown := j.accepts(j.b, value)
	inX, unknownX := j.accepts(x, value)
	if unknown || unknownX {
		return false
	}
	if j.side == Output {
		return inX && !inBase
	}
	return inBase && !inX
}

// A ruling is one edit with what came out.
type ruling struct {
	*edit
	severity Severity
	outcome  outcome
	proof    any
	proven   bool
	refusing *schema // the schema that refuses the proof for this very edit
}

// maxJudgedBytes bounds the work of judging edits alone: for each, a schema of this size is made ready and decided. Edits
// beyond it are RISKY unless the whole was proved compatible.
const maxJudgedBytes = 4 << 20

// reconcile weighs the edits against the verdict on the whole. Told is true when changes of actions were told already.
func (j *judge) reconcile(edits []*edit, told bool) {
	whole := j.against(j.r, checked)
	if whole.verdict == compatible && !slices.ContainsFunc(edits, func(e *edit) bool { return e.real || len(e.lost) > 0 }) && j.same(j.r) {
		if !told && !(len(edits) == 0 && canonjson.Equal(withoutDialect(j.acceptance(j.base)), withoutDialect(j.acceptance(j.rev)))) {
			j.respelled(edits)
		}
		return
	}
	rulings := make([]ruling, len(edits))
	affordable := maxJudgedBytes / (1 + len(canonjson.Append(nil, j.base)) + len(canonjson.Append(nil, j.rev)))
	confirmable := whole.verdict != undecided || j.validator(j.b) != nil && j.validator(j.r) != nil
	for i, e := range edits {
		if !confirmable {
			// Too large for the validator: no witness could be confirmed, and nothing is asked in vain.
			rulings[i] = ruling{edit: e, severity: Risky, outcome: whole}
			rulings[i].addHint("not decided: " + whole.reason)
			continue
		}
		rulings[i] = j.rule(e, whole, len(edits) == 1, i < affordable)
	}
	explained := slices.ContainsFunc(rulings, func(r ruling) bool { return r.proven })
	doubted := slices.ContainsFunc(rulings, func(r ruling) bool { return r.severity == Risky && r.outcome.verdict == undecided })
	for i := range rulings {
		j.report(&rulings[i])
		if r := &rulings[i]; !r.proven {
			for _, e := range r.lost {
				j.report(&ruling{edit: e, severity: Safe, outcome: outcome{verdict: compatible}})
			}
		}
	}
	switch {
	case whole.verdict == incompatible && !explained && !j.actions.onlyGone(j):
		hint := "the changes together break it, though none of them does alone"
		if len(edits) == 0 {
			hint = j.causeHint()
		}
		j.root("narrowed", "widened", whole, hint)
	case whole.verdict == undecided && !explained && !doubted:
		j.root("undecided", "undecided", whole, "")
	case whole.verdict == compatible && len(edits) == 0 && !told:
		j.root("widened", "narrowed", whole, "")
	}
}

// rule judges one edit. Only is true when it is the only one: then the verdict on the whole is the verdict on it, if there
// is one. Affordable is false when judging one more edit against the whole would cost too much.
func (j *judge) rule(e *edit, whole outcome, only, affordable bool) ruling {
	r := ruling{edit: e}
	var applied *schema
	same := func() bool { return applied != nil && j.same(applied) }
	small, found := outcome{}, false
	if !only || whole.verdict == undecided {
		var pair localPair
		if small, pair, found = j.local(e); found {
			same = func() bool { return j.equal(pair.base, pair.edited) }
		}
	}
	switch {
	case found:
		r.outcome = small
	case only || len(e.ops) == 0 && whole.verdict == compatible:
		r.outcome = whole
	case len(e.ops) == 0 && e.floor:
		r.outcome = outcome{verdict: compatible} // told because a name is lost, whatever is accepted
	case affordable:
		if applied = j.alone(e); applied != nil {
			r.refusing, r.outcome = applied, j.against(applied, unchecked)
			break
		}
		fallthrough
	default:
		r.outcome = outcome{reason: errUnjudgeable.Error()}
	}
	switch {
	case r.outcome.verdict == incompatible && whole.verdict == compatible && e.name == "property-removed":
		r.severity, r.outcome = Safe, whole // the object was opened too: the name is lost all the same
	case r.outcome.verdict == incompatible && whole.verdict == compatible:
		r.severity = Safe
		r.addHint("alone it would refuse " + show(r.outcome.witness) + ", but with the other changes no old value fails")
	case r.outcome.verdict == incompatible && (only || j.confirmed(r.outcome.witness, j.r)):
		r.severity, r.proof, r.proven = Breaking, r.outcome.witness, true
	case r.outcome.verdict == incompatible && whole.verdict == incompatible && j.explains(applied, whole.witness):
		r.severity, r.proof, r.proven = Breaking, whole.witness, true
	case r.outcome.verdict == incompatible:
		r.severity = Safe // another change makes up for it, or the change at the root tells
		if whole.verdict == undecided {
			r.severity, r.outcome = Risky, outcome{reason: whole.reason}
		}
	case r.outcome.verdict == compatible && whole.verdict == incompatible && j.refusesLost(&r):
		r.severity, r.proven = Breaking, true
	case r.outcome.verdict == undecided && whole.verdict == compatible:
		r.severity = Safe
	case r.outcome.verdict == undecided:
		r.severity = Risky
		r.addHint("not decided: " + r.outcome.reason)
	case !only && !e.real && same():
		r.severity = Cosmetic
	default:
		r.severity = Safe
	}
	return r
}

// explains reports whether an edit alone already makes the witness of the whole a break: with it the revision refuses what
// the baseline accepts, or returns what the baseline refuses.
func (j *judge) explains(applied *schema, witness any) bool {
	if applied == nil {
		return false
	}
	accepted, unknown := j.accepts(applied, witness)
	return !unknown && accepted == (j.side == Output)
}

func (r *ruling) addHint(hint string) {
	if r.hint != "" {
		hint = r.hint + "; " + hint
	}
	e := *r.edit
	e.hint = hint
	r.edit = &e
}

// alone applies an edit to the baseline. It is nil when that cannot be done.
func (j *judge) alone(e *edit) *schema {
	if len(e.ops) == 0 {
		return nil
	}
	value, ok := e.apply(j.base, j.rev, j.walk.sameDefs)
	if !ok {
		return nil
	}
	if s := j.compile(value); s.err == nil {
		return s
	}
	return nil
}

// report adds the change of a ruling, once for each action that it concerns.
func (j *judge) report(r *ruling) {
	j.rename(r)
	rule := mustRule(string(j.side) + "-" + r.name)
	severity := r.severity
	if r.floor {
		severity = max(severity, rule.severity(j.c.o.Audience))
	}
	if severity == Safe && rule.Consumer > Safe && j.c.o.Audience == Consumer {
		severity = rule.Consumer
	}
	change := Change{
		Rule: rule.ID, Severity: severity, Side: j.side, Pointer: j.prefix + canonjson.Pointer(r.at...),
		Before: r.before, After: r.after, Message: r.message, Hint: r.hint, Successors: r.heirs,
	}
	if r.name == "property-removed" && j.side == Input && !r.proven && j.tolerated(r.edit) {
		change.Message += "; calls that send it are still accepted, but it is ignored"
	}
	for _, part := range j.actions.split(j, r) {
		c := change
		c.Action = part.action
		if part.proven {
			c.Witness = j.witness(part.proof, r)
		}
		j.c.diff.Changes = append(j.c.diff.Changes, c)
	}
}

// rename corrects an edit that was named by the types that came, or went, and is proven to do the contrary: the alternatives
// say something else about the types that stayed.
func (j *judge) rename(r *ruling) {
	if r.proven && r.name == map[Side]string{Input: "type-widened", Output: "type-narrowed"}[j.side] {
		e := *r.edit
		e.name, e.message = "alternatives-changed", j.walk.subject(e.at)+" is described by other alternatives, which fit other values of its types"
		r.edit = &e
	}
}

// maxRespelled is how many bytes of a schema are shown when nothing but its spelling changed.
const maxRespelled = 1000

// respelled reports that the schema is another spelling of the same contract, in one change.
func (j *judge) respelled(edits []*edit) {
	at := []string(nil)
	for i, e := range edits {
		if i == 0 {
			at = e.at
		}
		at = commonPath(at, e.at)
	}
	before, _ := canonjson.Lookup(j.base, canonjson.Pointer(at...))
	after, _ := canonjson.Lookup(j.rev, canonjson.Pointer(at...))
	if len(at) == 0 || before == nil || after == nil || len(canonjson.Append(nil, before)) > maxRespelled {
		before, after = nil, nil // large parts would say little and fill the report
	}
	j.c.add(string(j.side)+"-schema-respelled", j.prefix+canonjson.Pointer(at...), before, after,
		"the schema is written otherwise and allows exactly the same values")
}

func commonPath(a, b []string) []string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// root reports what no edit tells. The names are those of the input and the output side.
func (j *judge) root(inputName, outputName string, whole outcome, hint string) {
	name, text := inputName, map[string]string{
		"narrowed":  "the schema allows less than before",
		"widened":   "the schema allows more than before",
		"undecided": "the schema changed, and it could not be decided what that means: " + whole.reason,
	}
	if j.side == Output {
		name = outputName
	}
	severity := map[verdict]Severity{compatible: Safe, incompatible: Breaking, undecided: Risky}[whole.verdict]
	for _, part := range j.actions.splitWhole(j, whole) {
		c := j.c.add(string(j.side)+"-schema-"+name, j.prefix, nil, nil, "%s", text[name])
		c.Severity, c.Hint, c.Action = severity, hint, part.action
		if part.proven {
			c.Witness = j.witness(part.proof, nil)
		}
	}
}
