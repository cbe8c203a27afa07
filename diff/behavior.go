package diff

import (
	"encoding/json"
	"math/big"
	"slices"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// BehaviorKey is the member of a tool's _meta under which a server declares what tools/list cannot show.
const BehaviorKey = "fusionctl/behavior"

// behavior is the declared behaviour of a tool, nil when there is none.
func behavior(e *lockfile.Entry) map[string]any {
	meta, _ := e.Fields()["_meta"].(map[string]any)
	m, _ := meta[BehaviorKey].(map[string]any)
	return m
}

// plainMeta is _meta without the parts that are compared elsewhere.
func plainMeta(e *lockfile.Entry) map[string]any {
	meta, _ := e.Fields()["_meta"].(map[string]any)
	skip := []string{"deprecated"}
	if behavior(e) != nil {
		skip = append(skip, BehaviorKey)
	}
	return without(meta, skip)
}

// A behaviorDiff compares the declared behaviour of one tool, or of one of its actions.
type behaviorDiff struct {
	*collector
	at        []string // path of the object being compared
	action    string
	base, rev map[string]any
}

func compareBehavior(c *collector, base, rev *lockfile.Entry) {
	b, r := behavior(base), behavior(rev)
	if canonjson.Equal(b, r) && (b == nil) == (r == nil) {
		compareActionPromises(c, base, rev)
		return
	}
	d := behaviorDiff{collector: c, at: []string{"_meta", BehaviorKey}, base: b, rev: r}
	d.parts("actions")
	before, after := objects(b["actions"]), objects(r["actions"])
	for _, name := range unionKeys(before, after) {
		d := behaviorDiff{c, []string{"_meta", BehaviorKey, "actions", name}, name, before[name], after[name]}
		d.parts("readOnly", "destructive")
	}
	compareActionPromises(c, base, rev)
}

// objects are the members of v that are objects.
func objects(v any) map[string]map[string]any {
	m, _ := v.(map[string]any)
	out := make(map[string]map[string]any, len(m))
	for name, e := range m {
		if e, ok := e.(map[string]any); ok {
			out[name] = e
		}
	}
	return out
}

// parts compares each part by the rules of its own.
func (d behaviorDiff) parts(skip ...string) {
	for _, part := range unionKeys(d.base, d.rev) {
		if slices.Contains(skip, part) || canonjson.Equal(d.base[part], d.rev[part]) && has(d.base, part) == has(d.rev, part) {
			continue
		}
		switch part {
		case "tags":
			d.tags()
		case "systemRules":
			d.systemRules()
		case "middleware":
			d.middleware()
		case "guardrails":
			d.guardrails()
		case "entitlements":
			d.entitlements()
		case "affordances", "concurrency", "stateSync":
			d.set(part)
		default:
			d.report("tool-behavior-changed", []string{part}, "the declared %s changed", quote(part))
		}
	}
}

// report adds a change at a place below d.at.
func (d behaviorDiff) report(rule string, path []string, format string, args ...any) {
	before, _ := lookupPath(d.base, path)
	after, _ := lookupPath(d.rev, path)
	change := d.add(rule, canonjson.Pointer(append(slices.Clone(d.at), path...)...), before, after, format, args...)
	change.Action = d.action
}

func (d behaviorDiff) lists(part string) (before, after, removed, added []string) {
	before, after = stringsOf(d.base[part]), stringsOf(d.rev[part])
	return before, after, minus(before, after), minus(after, before)
}

// minus lists the elements of a that are not in b, each as often as it is missing.
func minus(a, b []string) []string {
	left := map[string]int{}
	for _, s := range b {
		left[s]++
	}
	var out []string
	for _, s := range a {
		if left[s] > 0 {
			left[s]--
			continue
		}
		out = append(out, s)
	}
	return out
}

func (d behaviorDiff) tags() {
	_, _, removed, added := d.lists("tags")
	if len(removed) > 0 {
		d.report("tool-tag-removed", []string{"tags"}, "removed tags: %s", quoteList(removed))
	}
	if len(added) > 0 {
		d.report("tool-tag-added", []string{"tags"}, "added tags: %s", quoteList(added))
	}
	d.respelled("tags", len(removed)+len(added))
}

// respelled reports a part that changed although its elements are the same.
func (d behaviorDiff) respelled(part string, changes int) {
	if changes == 0 {
		d.report("tool-behavior-respelled", []string{part}, "the declared %s are the same in another order or spelling", quote(part))
	}
}

func (d behaviorDiff) systemRules() {
	_, _, removed, added := d.lists("systemRules")
	path := []string{"systemRules"}
	switch {
	case len(removed) > 0 && len(added) > 0:
		d.report("tool-system-rule-changed", path, "the system rules changed: %s became %s", quoteList(removed), quoteList(added))
	case len(removed) > 0:
		d.report("tool-system-rule-removed", path, "removed system rules: %s", quoteList(removed))
	case len(added) > 0:
		d.report("tool-system-rule-added", path, "added system rules: %s", quoteList(added))
	}
	d.respelled("systemRules", len(removed)+len(added))
}

// middleware: any middleware may guard, so that one that is gone is a break. A removed and an added one whose names are
// nearly equal at the same place are one that was renamed.
func (d behaviorDiff) middleware() {
	before, after, removed, added := d.lists("middleware")
	path := []string{"middleware"}
	for i := 0; i < len(removed); i++ {
		at := slices.IndexFunc(added, func(name string) bool {
			return slices.Index(after, name) == slices.Index(before, removed[i]) && plainName(name) == plainName(removed[i])
		})
		if at < 0 {
			continue
		}
		d.report("tool-middleware-renamed", path, "the middleware %s was renamed to %s", quote(removed[i]), quote(added[at]))
		removed, added = slices.Delete(removed, i, i+1), slices.Delete(added, at, at+1)
		i--
	}
	if len(removed) > 0 {
		d.report("tool-middleware-removed", path, "removed middleware, which may have guarded the tool: %s", quoteList(removed))
	}
	if len(added) > 0 {
		d.report("tool-middleware-added", path, "added middleware: %s", quoteList(added))
	}
	if len(minus(before, after))+len(minus(after, before)) == 0 {
		d.report("tool-middleware-reordered", path, "the middleware runs in another order")
	}
}

// guardrails are numbers: a raised or removed one lets more through.
func (d behaviorDiff) guardrails() {
	before, _ := d.base["guardrails"].(map[string]any)
	after, _ := d.rev["guardrails"].(map[string]any)
	for _, name := range unionKeys(before, after) {
		if canonjson.Equal(before[name], after[name]) && has(before, name) == has(after, name) {
			continue
		}
		path := []string{"guardrails", name}
		switch order, ok := compareNumbers(before[name], after[name]); {
		case !has(after, name):
			d.report("tool-guardrail-removed", path, "the guardrail %s (%s) was removed", quote(name), show(before[name]))
		case !has(before, name):
			d.report("tool-guardrail-added", path, "the guardrail %s was added: %s", quote(name), show(after[name]))
		case ok && order > 0:
			d.report("tool-guardrail-lowered", path, "the guardrail %s was lowered from %s to %s", quote(name), show(before[name]), show(after[name]))
		default:
			d.report("tool-guardrail-raised", path, "the guardrail %s was raised from %s to %s", quote(name), show(before[name]), show(after[name]))
		}
	}
}

// entitlements: once a tool has declared any, an entitlement that is not declared is not claimed. A tool that declares
// entitlements for the first time gains nothing by that, and one that no longer declares any has taken its word back.
func (d behaviorDiff) entitlements() {
	before, inBase := d.base["entitlements"].(map[string]any)
	after, inRev := d.rev["entitlements"].(map[string]any)
	path := []string{"entitlements"}
	switch {
	case !inBase:
		d.report("tool-entitlements-declared", path, "the tool declares its entitlements now")
		return
	case !inRev:
		d.report("tool-entitlements-undeclared", path, "the tool no longer declares its entitlements: it may use any")
		return
	}
	changes := 0
	for _, name := range unionKeys(before, after) {
		b, r := announced(before[name]), announced(after[name])
		switch {
		case !b && r:
			changes++
			d.report("tool-entitlement-gained", append(path, name), "the tool may use %s now", quote(name))
		case b && !r:
			changes++
			d.report("tool-entitlement-lost", append(path, name), "the tool no longer uses %s", quote(name))
		}
	}
	d.respelled("entitlements", changes)
}

// set compares a part that changes what a client may do next, but no call. Arrays in it are sets.
func (d behaviorDiff) set(part string) {
	if canonjson.Equal(sortedSets(d.base[part]), sortedSets(d.rev[part])) && has(d.base, part) == has(d.rev, part) {
		d.respelled(part, 0)
		return
	}
	names := map[string]string{"affordances": "tool-affordances-changed", "concurrency": "tool-concurrency-changed", "stateSync": "tool-state-sync-changed"}
	d.report(names[part], []string{part}, "the declared %s changed from %s to %s", quote(part), show(d.base[part]), show(d.rev[part]))
}

// sortedSets is v with each array sorted by the canonical form of its elements.
func sortedSets(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = sortedSets(e)
		}
		slices.SortFunc(out, func(a, b any) int {
			return slices.Compare(canonjson.Append(nil, a), canonjson.Append(nil, b))
		})
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = sortedSets(e)
		}
		return out
	}
	return v
}

// compareActionPromises compares readOnly and destructive of each action by effective value: an action that declares
// nothing has what the tool's annotations say. An action that declares nothing on both sides is covered by the tool.
func compareActionPromises(c *collector, base, rev *lockfile.Entry) {
	before, after := objects(behavior(base)["actions"]), objects(behavior(rev)["actions"])
	for _, name := range unionKeys(before, after) {
		b, r := before[name], after[name]
		for i, member := range []string{"readOnly", "destructive"} {
			if !has(b, member) && !has(r, member) {
				continue
			}
			h := hints[i]
			was := promise(b, member, h.effective(base.Annotations()), readOnly(base.Annotations()))
			is := promise(r, member, h.effective(rev.Annotations()), readOnly(rev.Annotations()))
			if was == is || h.writes && (promise(b, "readOnly", readOnly(base.Annotations()), false) || promise(r, "readOnly", readOnly(rev.Annotations()), false)) {
				continue
			}
			rule, words := h.off, h.becomes[0]
			if is {
				rule, words = h.on, h.becomes[1]
			}
			pointer := canonjson.Pointer("_meta", BehaviorKey, "actions", name, member)
			c.add(rule, pointer, b[member], r[member], "the action %s %s", quote(name), words).Action = name
		}
	}
}

// promise is the effective value of an action's readOnly or destructive.
func promise(action map[string]any, member string, inherited, toolReadOnly bool) bool {
	if v, ok := action[member].(bool); ok {
		return v
	}
	if member == "destructive" && toolReadOnly {
		return false
	}
	return inherited
}

// compareNumbers compares two JSON numbers exactly.
func compareNumbers(a, b any) (int, bool) {
	x, okX := number(a)
	y, okY := number(b)
	if !okX || !okY {
		return 0, false
	}
	return x.Cmp(y), true
}

// number reads a JSON number. One with a huge exponent is not read: it would fill the memory.
func number(v any) (*big.Rat, bool) {
	n, ok := v.(json.Number)
	if !ok || len(n) > 400 {
		return nil, false
	}
	for i := 0; i < len(n); i++ {
		if n[i] == 'e' && len(n)-i > 5 {
			return nil, false
		}
	}
	return new(big.Rat).SetString(string(n))
}
