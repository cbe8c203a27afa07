package awareness

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/realservers"
	"github.com/fusionctl/fusionctl/internal/subschema"
	"github.com/fusionctl/fusionctl/internal/validate"
	"github.com/fusionctl/fusionctl/lockfile"
)

// Healing is measured: the witness of each BREAKING change is the call of a caller that learned the baseline. It goes
// through the hook, and a mechanical agent gets the returned text, and nothing else, to make another call from it.

// An encounter is one stale call.
type encounter struct {
	pair, tool string
	call       map[string]any
	change     diff.Change
}

// An outcome is what became of it.
type outcome struct {
	encounter
	text       string
	section    int  // bytes of the section about the contract
	firstRight bool // the change that broke the call is the first one shown
	healed     bool // the agent's next call is right
	gone       bool // the agent is told that no successor of the tool is known: nothing is to be repaired
	plain      bool // the agent's next call is right without the section, and without the example
	why        string
}

// A measurement sums up outcomes.
type measurement struct {
	outcomes []outcome
}

func (m *measurement) share(is func(outcome) bool) float64 {
	n := 0
	for _, o := range m.outcomes {
		if is(o) {
			n++
		}
	}
	return 100 * float64(n) / float64(max(1, len(m.outcomes)))
}

// healed is the share of repaired calls among those that can be repaired.
func (m *measurement) healed() float64 {
	n, all := 0, 0
	for _, o := range m.outcomes {
		if !o.gone {
			all++
			if o.healed {
				n++
			}
		}
	}
	return 100 * float64(n) / float64(max(1, all))
}

func (m *measurement) table() string {
	var sizes []int
	for _, o := range m.outcomes {
		sizes = append(sizes, o.section)
	}
	slices.Sort(sizes)
	var b strings.Builder
	fmt.Fprintf(&b, "stale calls                              %d\n", len(m.outcomes))
	fmt.Fprintf(&b, "the cause is the first change shown      %.0f %%\n", m.share(func(o outcome) bool { return o.firstRight }))
	fmt.Fprintf(&b, "repaired in one turn                     %.0f %%\n", m.healed())
	fmt.Fprintf(&b, "told that no successor is known          %.0f %% (not counted above)\n", m.share(func(o outcome) bool { return o.gone }))
	fmt.Fprintf(&b, "repaired without section and example     %.0f %%\n", m.share(func(o outcome) bool { return o.plain }))
	if len(sizes) > 0 {
		fmt.Fprintf(&b, "size of the section, median and largest  %d and %d bytes\n", sizes[len(sizes)/2], sizes[len(sizes)-1])
	}
	for _, o := range m.outcomes {
		if !o.healed || !o.firstRight {
			fmt.Fprintf(&b, "  %s %s %s: first %v, healed %v %s\n", o.pair, o.tool, o.change.Rule+" "+o.change.Pointer, o.firstRight, o.healed, o.why)
		}
	}
	return b.String()
}

// encounters lists the stale calls of one pair of contracts.
func encounters(pair string, base, rev *lockfile.Server) []encounter {
	var all []encounter
	report := diff.Compare(
		&lockfile.File{Servers: map[string]*lockfile.Server{"s": base}},
		&lockfile.File{Servers: map[string]*lockfile.Server{"s": rev}}, diff.Options{})
	for _, d := range report.Diffs {
		if d.Kind != lockfile.KindTool {
			continue
		}
		for _, c := range d.Changes {
			if c.Severity != diff.Breaking || c.Side == diff.Output {
				continue
			}
			switch {
			case c.Witness != nil:
				if call, ok := c.Witness.Value.(map[string]any); ok {
					all = append(all, encounter{pair, d.Name, call, c})
				}
			case c.Rule == "tool-removed":
				all = append(all, encounter{pair, d.Name, usualCall(base.Tools[d.Name].InputSchema()), c})
			}
		}
	}
	return all
}

// usualCall is a small call that a schema accepts.
func usualCall(schema any) map[string]any {
	if s, err := subschema.Compile(schema, ""); err == nil {
		if v, ok, _ := subschema.Sample(s, subschema.Options{}); ok {
			if call, ok := v.(map[string]any); ok {
				return call
			}
		}
	}
	return map[string]any{}
}

// meet sends the call through the hook and its text to the agent.
func (m *measurement) meet(t testing.TB, base, rev *lockfile.Server, all []encounter) {
	t.Helper()
	hook := newHook(t, base, WithLimits(envelope.Limits{}))
	bare := newHook(t, base, SelfHealing(false), WithExample(false))
	tools := map[*Hook][]*Tool{}
	byName := map[*Hook]map[string]*Tool{}
	for _, h := range []*Hook{hook, bare} {
		byName[h] = map[string]*Tool{}
		for _, name := range canonjson.SortedKeys(rev.Tools) {
			tool := h.LearnEntry(name, rev.Tools[name])
			tools[h] = append(tools[h], tool)
			byName[h][name] = tool
		}
	}
	for _, e := range all {
		arguments := canonjson.Append(nil, e.call)
		ask := func(h *Hook) envelope.Envelope {
			if byName[h][e.tool] == nil {
				return h.Unknown(e.tool, Call{Arguments: arguments}, tools[h]).Envelope
			}
			return h.Check(Call{Tool: byName[h][e.tool], Arguments: arguments}).Envelope
		}
		o := outcome{encounter: e}
		if answer := ask(hook); answer != nil {
			o.text = answer.Format()
			o.section = sectionSize(o.text)
			o.firstRight = firstShown(answer, e.change, wrongPlaces(rev, e))
			o.healed, o.why = tryAgain(rev, e, o.text)
			o.gone = o.why == errGone.Error()
		} else {
			o.why = "the call is accepted"
		}
		if answer := ask(bare); answer != nil {
			o.plain, _ = tryAgain(rev, e, answer.Format())
		}
		m.outcomes = append(m.outcomes, o)
	}
}

func newHook(t testing.TB, base *lockfile.Server, opts ...Option) *Hook {
	t.Helper()
	h, err := New(FromLockfile(&lockfile.File{Servers: map[string]*lockfile.Server{"s": base}}), opts...)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func sectionSize(text string) int {
	start := strings.Index(text, "<contract_awareness>")
	end := strings.Index(text, "</contract_awareness>")
	if start < 0 || end < 0 {
		return 0
	}
	return end + len("</contract_awareness>") - start
}

// firstShown reports whether the first change that is shown is the one that the call was made from, or another BREAKING one
// at a place at which the live contract refuses the call: a call may have several causes.
func firstShown(e envelope.Envelope, c diff.Change, wrong []string) bool {
	a := e.Awareness()
	if a == nil || len(a.Changes) == 0 {
		return false
	}
	shown := a.Changes[0]
	if shown.Field == field(c.Pointer) || c.Rule == "tool-removed" {
		return true
	}
	at, _ := schemaPlace(canonjson.Tokens(shown.Field))
	return shown.Severity == "BREAKING" && slices.Contains(wrong, canonjson.Pointer(at...))
}

// wrongPlaces are the pointers at which the live contract refuses a call.
func wrongPlaces(rev *lockfile.Server, e encounter) []string {
	entry, ok := rev.Tools[e.tool]
	if !ok {
		return nil
	}
	schema, err := validate.Compile(entry.InputSchema(), validate.Options{ECMAPatterns: true})
	if err != nil {
		return nil
	}
	issues, _ := schema.Validate(e.call)
	var wrong []string
	for _, issue := range issues {
		pointer := issue.Path
		if issue.Property != "" {
			pointer += "/" + canonjson.EscapeToken(issue.Property)
		}
		wrong = append(wrong, pointer)
	}
	return wrong
}

// tryAgain lets the agent make a call out of the text, and judges that call by the live contract.
func tryAgain(rev *lockfile.Server, e encounter, text string) (healed bool, why string) {
	tool, call, err := agent(e.tool, e.call, text)
	if err != nil {
		return errors.Is(err, errGone), err.Error()
	}
	entry, ok := rev.Tools[tool]
	if !ok {
		return false, "the agent called " + tool
	}
	schema, err := validate.Compile(entry.InputSchema(), validate.Options{ECMAPatterns: true})
	if err != nil {
		return false, err.Error()
	}
	issues, err := schema.Validate(call)
	if err != nil {
		return false, err.Error()
	}
	if len(issues) > 0 {
		return false, fmt.Sprintf("still wrong: %s %s%s", issues[0].Keyword, issues[0].Path, issues[0].Property)
	}
	return true, ""
}

// errGone says that the text tells that there is nothing to call instead, which is the truth.
var errGone = errors.New("told that no successor is known")

// agent is the mechanical reader: it takes the example if there is one; otherwise it follows the lines.
func agent(tool string, call map[string]any, text string) (string, map[string]any, error) {
	answer, err := envelope.Parse(text)
	if err != nil {
		return "", nil, err
	}
	switch answer := answer.(type) {
	case *envelope.ToolError:
		return instead(tool, call, answer)
	case *envelope.ValidationError:
		if answer.Example() != "" {
			tree, err := canonjson.Decode([]byte(answer.Example()))
			if err != nil {
				return "", nil, err
			}
			return tool, tree.(map[string]any), nil
		}
		next := canonjson.Clone(call).(map[string]any)
		for _, f := range answer.Fields() {
			if !rename(next, f) {
				follow(next, f)
			}
		}
		return tool, next, nil
	}
	return "", nil, errors.New("unknown envelope")
}

// instead calls what is named in place of a tool or action that is gone.
func instead(tool string, call map[string]any, answer *envelope.ToolError) (string, map[string]any, error) {
	actions := answer.AvailableActions()
	if strings.Contains(answer.Recovery(), "no successor is known") {
		return "", nil, errGone
	}
	if answer.Code() != envelope.CodeUnknownAction || len(actions) == 0 {
		return "", nil, errors.New("nothing to call instead")
	}
	next := canonjson.Clone(call).(map[string]any)
	if name, action, ok := strings.Cut(actions[0], "."); ok && name == tool {
		for key, value := range call {
			if s, ok := value.(string); ok && strings.Contains(answer.Message(), tool+"."+s) {
				next[key] = action
			}
		}
		return tool, next, nil
	}
	if strings.Contains(answer.Recovery(), "with the same arguments") {
		return actions[0], next, nil
	}
	declared := map[string]bool{}
	for _, d := range answer.AllDetails() {
		declared[d.Key] = true
		if wish, ok := strings.CutPrefix(d.Value, "required, "); ok && next[d.Key] == nil {
			next[d.Key] = wished(nil, "Expected "+wish+".")
		}
	}
	for key := range call {
		if !declared[key] {
			delete(next, key)
		}
	}
	return actions[0], next, nil
}

// follow applies one line of a validation error.
func follow(call map[string]any, f envelope.Field) {
	var at []any
	for _, part := range regexp.MustCompile(`[^.\[\]]+`).FindAllString(f.Name, -1) {
		if i, err := strconv.Atoi(part); err == nil && len(at) > 0 {
			at = append(at, i)
		} else {
			at = append(at, part)
		}
	}
	change(call, at, f.Message)
}

var renamed = regexp.MustCompile(`^Unknown name\..* Expected the (?:required )?name '([^']+)'(?: with the same value|, and there (.*))\.$`)

// rename applies a line that says under which name of the same object a value belongs now.
func rename(call map[string]any, f envelope.Field) bool {
	parts := renamed.FindStringSubmatch(f.Message)
	if parts == nil {
		return false
	}
	object := call
	way := strings.Split(f.Name, ".")
	for _, step := range way[:len(way)-1] {
		if object, _ = object[step].(map[string]any); object == nil {
			return false
		}
	}
	value, sent := object[way[len(way)-1]]
	if _, is := value.([]any); !is && strings.HasPrefix(parts[2], "a list") {
		value = []any{value}
	} else if parts[2] != "" && !is {
		value = wished(value, "Expected "+parts[2]+".")
	}
	delete(object, way[len(way)-1])
	if sent {
		object[parts[1]] = value
	}
	return sent
}

// change walks to the place and changes what is there.
func change(v any, at []any, line string) {
	if len(at) == 0 {
		return
	}
	switch container := v.(type) {
	case map[string]any:
		name, ok := at[0].(string)
		if !ok {
			return
		}
		if len(at) > 1 {
			change(container[name], at[1:], line)
			return
		}
		if regexp.MustCompile(`leave (it|this name) out|null is not allowed`).MatchString(line) {
			delete(container, name)
			return
		}
		container[name] = wished(container[name], line)
	case []any:
		i, ok := at[0].(int)
		if !ok || i >= len(container) {
			return
		}
		if len(at) > 1 {
			change(container[i], at[1:], line)
			return
		}
		container[i] = wished(container[i], line)
	}
}

var amount = regexp.MustCompile(`(at least|at most|more than|less than|a multiple of) (-?[0-9.]+)`)

// wished is a value as the line asks for it, made from the present one.
func wished(value any, line string) any {
	_, wish, _ := strings.Cut(line, "Expected ")
	number := 0
	found := amount.FindStringSubmatch(wish)
	if found != nil {
		found[2] = strings.TrimSuffix(found[2], ".")
		number, _ = strconv.Atoi(found[2])
	}
	switch {
	case strings.HasPrefix(wish, "one of "), strings.HasPrefix(wish, "always "):
		return firstOption(strings.TrimPrefix(strings.TrimPrefix(wish, "one of "), "always "))
	case strings.HasPrefix(wish, "'"):
		return firstOption(wish)
	case strings.Contains(wish, "all items differ"):
		return distinct(value)
	case found != nil && strings.Contains(wish, "item"):
		list, _ := value.([]any)
		for len(list) < number {
			list = append(list, "x")
		}
		return list[:min(len(list), number)]
	case found != nil && strings.Contains(wish, "character"):
		s, _ := value.(string)
		if found[1] == "at most" {
			return string([]rune(s)[:number])
		}
		return s + strings.Repeat("x", max(0, number-len([]rune(s))))
	case found != nil && found[1] == "more than":
		return json.Number(strconv.Itoa(number + 1))
	case found != nil && found[1] == "less than":
		return json.Number(strconv.Itoa(number - 1))
	case found != nil:
		return json.Number(found[2])
	case strings.HasPrefix(wish, "a string"), strings.HasPrefix(wish, "text"), strings.HasPrefix(wish, "a value"):
		if value == nil {
			return "x"
		}
		return string(canonjson.Append(nil, value))
	case strings.Contains(wish, "number"):
		if number, err := canonjson.Decode(canonjson.Append(nil, wishedNumber(value))); err == nil {
			return number
		}
	case strings.HasPrefix(wish, "true or false"):
		return true
	case strings.HasPrefix(wish, "a list"):
		if value == nil {
			return []any{}
		}
		return []any{value}
	case strings.HasPrefix(wish, "an object"):
		return map[string]any{}
	}
	if v := firstOption(wish); v != nil {
		return v
	}
	return value
}

func wishedNumber(value any) json.Number {
	if s, ok := value.(string); ok {
		if n, err := canonjson.Number(s); err == nil {
			return n
		}
	}
	return "1"
}

func distinct(value any) any {
	list, _ := value.([]any)
	var kept []any
	for _, v := range list {
		if !slices.ContainsFunc(kept, func(k any) bool { return canonjson.Equal(k, v) }) {
			kept = append(kept, v)
		}
	}
	return kept
}

// firstOption is the first of a list of options, as JSON or in single quotes.
func firstOption(text string) any {
	if quoted, ok := strings.CutPrefix(text, "'"); ok {
		option, _, _ := strings.Cut(quoted, "'")
		return option
	}
	text, _, _ = strings.Cut(text, ",")
	v, err := canonjson.Decode([]byte(strings.TrimSuffix(strings.TrimSpace(text), ".")))
	if err != nil {
		return nil
	}
	return v
}

// reportPairs are the pairs of the reported cases whose subject is a tool or its input.
func reportPairs(t testing.TB) map[string][2]*lockfile.Server {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", "cases", "reports.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	pairs := map[string][2]*lockfile.Server{}
	for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		tree, err := canonjson.Decode(line)
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		c := tree.(map[string]any)
		var pair [2]*lockfile.Server
		for side, name := range [2]string{"old", "new"} {
			pair[side] = &lockfile.Server{}
			switch c["kind"] {
			case "input":
				pair[side].SetEntry(lockfile.KindTool, "tool", lockfile.EntryOf(map[string]any{"inputSchema": asObject(c[name])}))
			case "tool":
				list, ok := c[name].([]any)
				if !ok {
					list = []any{c[name]}
				}
				for _, definition := range list {
					if key, e, err := lockfile.NewEntry(lockfile.KindTool, definition.(map[string]any)); err == nil {
						pair[side].SetEntry(lockfile.KindTool, key, e)
					}
				}
			}
		}
		pairs[fmt.Sprintf("%v/%d", c["id"], i)] = pair
	}
	return pairs
}

func asObject(schema any) any {
	m, ok := schema.(map[string]any)
	if !ok || m["type"] != nil {
		return schema
	}
	with := canonjson.Clone(m).(map[string]any)
	with["type"] = "object"
	return with
}

func measureReports(t testing.TB) *measurement {
	m := &measurement{}
	pairs := reportPairs(t)
	for _, id := range canonjson.SortedKeys(pairs) {
		p := pairs[id]
		m.meet(t, p[0], p[1], encounters(id, p[0], p[1]))
	}
	return m
}

// TestHealing holds the goals on the reported cases.
func TestHealing(t *testing.T) {
	t.Parallel()
	m := measureReports(t)
	t.Logf("\n%s", m.table())
	checkGoals(t, m)
}

func checkGoals(t *testing.T, m *measurement) {
	t.Helper()
	if got := m.share(func(o outcome) bool { return o.firstRight }); got < 95 {
		t.Errorf("the cause is the first change shown in %.0f %% of the calls, want 95 %%", got)
	}
	if got := m.healed(); got < 80 {
		t.Errorf("%.0f %% of the calls are repaired in one turn, want 80 %%", got)
	}
}

// TestHealingReal holds the goals on published servers.
func TestHealingReal(t *testing.T) {
	m := measureReal(t)
	t.Logf("\n%s", m.table())
	checkGoals(t, m)
}

func measureReal(t testing.TB) *measurement {
	m := &measurement{}
	for _, p := range realservers.Pairs(t) {
		name := p[0].Package + " " + p[0].Version + " → " + p[1].Version
		m.meet(t, p[0].Server, p[1].Server, encounters(name, p[0].Server, p[1].Server))
	}
	return m
}

// BenchmarkHealing reports the table's figures: run it with -v for the table.
func BenchmarkHealing(b *testing.B) {
	var m *measurement
	for b.Loop() {
		m = measureReports(b)
	}
	b.Log("\n" + m.table())
	b.ReportMetric(m.share(func(o outcome) bool { return o.firstRight }), "%first")
	b.ReportMetric(m.healed(), "%healed")
	b.ReportMetric(m.share(func(o outcome) bool { return o.plain }), "%healed-without")
}
