package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// Renames are guesses: they are told as hints with their reason and score, and lower no severity.

// maxGuesses bounds the looks at all tools for each removed one. A server whose tools were all replaced gets no such hints.
const maxGuesses = 100_000

// pairEntries adds hints to the removed and added entries of a server.
func pairEntries(diffs []ContractDiff, base, rev *lockfile.Server) []ContractDiff {
	for _, kind := range lockfile.EntryKinds() {
		p := entryPairs{kind: kind, base: base.Entries(kind), rev: rev.Entries(kind), diffs: map[string]*ContractDiff{}}
		for i := range diffs {
			if diffs[i].Kind == kind {
				p.diffs[diffs[i].Name] = &diffs[i]
			}
		}
		for _, name := range canonjson.SortedKeys(p.diffs) {
			switch {
			case p.rev[name] == nil:
				p.removed = append(p.removed, name)
			case p.base[name] == nil:
				p.added = append(p.added, name)
			}
		}
		p.hints()
	}
	return diffs
}

type entryPairs struct {
	kind           lockfile.Kind
	base, rev      map[string]*lockfile.Entry
	diffs          map[string]*ContractDiff
	removed, added []string
}

func (p *entryPairs) hints() {
	if len(p.removed) == 0 {
		return
	}
	if p.kind == lockfile.KindTemplate {
		p.tellVariables()
	}
	told := map[string]bool{}
	guess := p.kind == lockfile.KindTool && len(p.removed)*len(p.rev) <= maxGuesses
	if guess {
		for _, name := range p.removed {
			told[name] = p.tellSplit(name) || p.tellFold(name)
		}
	}
	left := slices.DeleteFunc(slices.Clone(p.removed), func(name string) bool { return told[name] })
	pairs := bestPairs(left, p.added, p.likeness)
	if len(left)*len(p.added) > maxPairs {
		pairs = p.equalPairs(left)
	}
	for _, b := range pairs {
		told[b.removed] = true
		p.tellRename(b)
	}
	if guess {
		for _, name := range left {
			if !told[name] {
				p.tellSurvivor(name)
			}
		}
	}
}

// tellFold says that a removed tool became an action of another one.
func (p *entryPairs) tellFold(name string) bool {
	folded, selector := p.foldedInto(name)
	if folded == "" {
		return false
	}
	removed := &p.diffs[name].Changes[0]
	addHint(removed, fmt.Sprintf("likely folded into %s, which takes the same arguments and a selector: %s", quote(folded), selector))
	removed.Successors = []string{folded}
	return true
}

// tellRename adds the hints to both halves of a pair, with the difference of the texts: a rename must not hide it.
func (p *entryPairs) tellRename(b pair) {
	removed, added := &p.diffs[b.removed].Changes[0], &p.diffs[b.added].Changes[0]
	hint := fmt.Sprintf("likely renamed to %s (%s, score %d of 100)", b.likely(), b.reason, b.score)
	before, after := p.base[b.removed].Description(), p.rev[b.added].Description()
	if classifyText(before, after) != textEqual {
		hint += "; the description " + describeRewording(before, after)
	}
	addHint(removed, hint)
	removed.Successors = b.heirs()
	if !p.asHarmless(b.removed, b.added) {
		removed.Successors = nil
	}
	addHint(added, fmt.Sprintf("likely the new name of %s (score %d of 100)", quote(b.removed), b.score))
}

// asHarmless reports whether a successor is read-only when the removed tool was: nothing that may write takes the place of
// what only read unless a person says so.
func (p *entryPairs) asHarmless(removed, successor string) bool {
	return !readOnly(p.base[removed].Annotations()) || readOnly(p.rev[successor].Annotations())
}

// equalPairs pairs entries with equal definitions.
func (p *entryPairs) equalPairs(removed []string) []pair {
	added := map[string][]string{}
	for _, name := range p.added {
		digest := p.rev[name].Digest()
		added[digest] = append(added[digest], name)
	}
	var pairs []pair
	for _, name := range removed {
		digest := p.base[name].Digest()
		if names := added[digest]; len(names) > 0 && telling(p.base[name]) && !Contrary(name, names[0]) {
			pairs = append(pairs, pair{removed: name, added: names[0], score: 100, reason: "equal definition", uncertain: uncertain(name, names[0])})
			added[digest] = names[1:]
		}
	}
	return pairs
}

// equality is the likeness of definitions that are equal.
func (p *entryPairs) equality(removed, added string) (int, string) {
	if p.base[removed].Equal(p.rev[added]) {
		return 100, "equal definition"
	}
	return 0, ""
}

// likeness scores two entries by their schemas (or arguments), their names and their descriptions. Definitions that say
// nothing (no argument, no text) are alike only when their names are.
func (p *entryPairs) likeness(removed, added string) (int, string) {
	if score, reason := p.equality(removed, added); score > 0 && telling(p.base[removed]) {
		return score, reason
	}
	b, r := p.base[removed], p.rev[added]
	names := nameLikeness(removed, added)
	texts := wordLikeness(strings.Fields(plainWords(cut(b.Description(), 2000))), strings.Fields(plainWords(cut(r.Description(), 2000))))
	shape, shapeReason := shapeLikeness(b, r)
	if !telling(b) || !telling(r) {
		return names, "like names"
	}
	if b.Description() == "" || r.Description() == "" {
		texts = names
	}
	score := (4*shape + 3*names + 3*texts) / 10
	if shape == 100 && (names >= 50 || texts >= 50) {
		score = max(score, 80)
	}
	if names == 95 {
		score = max(score, 95)
	}
	return min(score, 99), fmt.Sprintf("%s, names %d %% and texts %d %% alike", shapeReason, names, texts)
}

// telling reports whether a definition says enough to be recognised.
func telling(e *lockfile.Entry) bool {
	return len(properties(e.InputSchema())) > 0 || len(e.Description()) > 20 || e.Fields()["arguments"] != nil
}

// properties are the members that the root of a schema declares.
func properties(schema any) map[string]any {
	m, _ := schema.(map[string]any)
	p, _ := m["properties"].(map[string]any)
	return p
}

// shapeLikeness is how like the arguments of two entries are.
func shapeLikeness(b, r *lockfile.Entry) (int, string) {
	if b.InputSchema() != nil && canonjson.Equal(stripTexts(b.InputSchema()), stripTexts(r.InputSchema())) {
		return 100, "equal input schema"
	}
	before, after := properties(b.InputSchema()), properties(r.InputSchema())
	if b.InputSchema() == nil {
		before, after = argumentMap(b), argumentMap(r)
	}
	if len(before)+len(after) == 0 {
		return 100, "no arguments"
	}
	common := 0
	for name, schema := range before {
		if canonjson.Equal(stripTexts(schema), stripTexts(after[name])) && has(after, name) {
			common += 2
		} else if has(after, name) {
			common++
		}
	}
	return 100 * common / (len(before) + len(after)), fmt.Sprintf("arguments %d %% alike", 100*common/(len(before)+len(after)))
}

func argumentMap(e *lockfile.Entry) map[string]any {
	_, byName := promptArguments(e)
	m := make(map[string]any, len(byName))
	for name, a := range byName {
		m[name] = a.required
	}
	return m
}

// tellSurvivor names a tool that was there all along and takes the same arguments.
func (p *entryPairs) tellSurvivor(name string) {
	b := p.base[name]
	if len(properties(b.InputSchema())) == 0 {
		return
	}
	best, bestScore := "", 0
	for _, other := range canonjson.SortedKeys(p.rev) {
		if p.base[other] == nil || Contrary(name, other) || !canonjson.Equal(stripTexts(b.InputSchema()), stripTexts(p.rev[other].InputSchema())) {
			continue
		}
		if score := 1 + nameLikeness(name, other); score > bestScore {
			best, bestScore = other, score
		}
	}
	if best != "" {
		addHint(&p.diffs[name].Changes[0], fmt.Sprintf("%s, which stays, takes the same arguments", quote(best)))
		if !uncertain(name, best) && p.asHarmless(name, best) {
			p.diffs[name].Changes[0].Successors = []string{best}
		}
	}
}

// foldedInto finds an added or changed tool that takes all arguments of a removed one and, as a new discriminator, a value
// that the removed tool's name tells: get_ticket_comments became ticket_read with method "get_comments".
func (p *entryPairs) foldedInto(name string) (into, selector string) {
	words := nameWords(name)
	bestScore := 0
	for _, other := range canonjson.SortedKeys(p.rev) {
		d, ok := lockfile.Actions(p.rev[other].InputSchema())
		if !ok || !takesAll(p.rev[other], p.base[name]) {
			continue
		}
		if p.base[other] != nil {
			if old, ok := lockfile.Actions(p.base[other].InputSchema()); ok && old.Property == d.Property && len(old.Actions) >= len(d.Actions) {
				continue // that tool gained no action
			}
		}
		for _, a := range d.Actions {
			score := wordLikeness(words, append(nameWords(a.Name), minus(nameWords(other), nameWords(a.Name))...))
			if len(minus(nameWords(a.Name), words)) == 0 && score > bestScore {
				into, selector, bestScore = other, fmt.Sprintf("%s %s", d.Property, quote(a.Name)), score
			}
		}
	}
	return into, selector
}

// takesAll reports whether every argument of small is an argument of large.
func takesAll(large, small *lockfile.Entry) bool {
	wide := properties(large.InputSchema())
	for name := range properties(small.InputSchema()) {
		if !has(wide, name) {
			return false
		}
	}
	return true
}

// tellSplit says that the actions of a removed tool became tools of their own.
func (p *entryPairs) tellSplit(name string) bool {
	d, ok := lockfile.Actions(p.base[name].InputSchema())
	if !ok || len(d.Actions) < 2 {
		return false
	}
	var parts []string
	for _, added := range p.added {
		if slices.ContainsFunc(d.Actions, func(a lockfile.Action) bool { return len(minus(nameWords(a.Name), nameWords(added))) == 0 }) {
			parts = append(parts, added)
		}
	}
	if len(parts) < 2 {
		return false
	}
	removed := &p.diffs[name].Changes[0]
	addHint(removed, "likely split into "+quoteList(parts))
	removed.Successors = parts
	return true
}

// pairPromptArguments adds hints to the removed arguments among the changes from first on.
func pairPromptArguments(c *collector, first int, before, after map[string]promptArgument) {
	var removed, added []string
	for _, name := range unionKeys(before, after) {
		_, inBase := before[name]
		_, inRev := after[name]
		switch {
		case inBase && !inRev:
			removed = append(removed, name)
		case inRev && !inBase:
			added = append(added, name)
		}
	}
	like := func(r, a string) (int, string) {
		if len(before) == len(after) && len(removed) == 1 && len(added) == 1 && before[r].required == after[a].required {
			return max(70, nameLikeness(r, a)), "the only pair"
		}
		return nameLikeness(r, a), "like names"
	}
	for _, p := range bestPairs(removed, added, like) {
		for i := range c.diff.Changes[first:] {
			ch := &c.diff.Changes[first+i]
			if ch.Pointer == before[p.removed].pointer && ch.Rule == "prompt-argument-removed" {
				addHint(ch, fmt.Sprintf("likely renamed to %s (%s, score %d of 100)", p.likely(), p.reason, p.score))
				ch.Successors = p.heirs()
			}
		}
	}
}

// tellVariables makes one change of a removed and an added template that have the same name but other variables: to a
// client it is one template.
func (p *entryPairs) tellVariables() {
	for _, old := range slices.Clone(p.removed) {
		for _, uri := range slices.Clone(p.added) {
			name, _ := p.base[old].Fields()["name"].(string)
			was, is := templateVariables(old), templateVariables(uri)
			if name == "" || name != p.rev[uri].Fields()["name"] || slices.Equal(was, is) {
				continue
			}
			r := mustRule("template-variables-changed")
			p.diffs[old].Changes = []Change{{
				Rule: r.ID, Severity: r.Severity, Side: r.Side, Before: old, After: uri,
				Message: fmt.Sprintf("the template %s is %s now; its variables were %s and are %s", quote(name), quote(uri), orNone(was), orNone(is)),
			}}
			p.diffs[uri].Changes = nil
			p.removed = slices.DeleteFunc(p.removed, func(s string) bool { return s == old })
			p.added = slices.DeleteFunc(p.added, func(s string) bool { return s == uri })
			break
		}
	}
}

// templateVariables are the names between the braces of a URI template, RFC 6570, sorted.
func templateVariables(uri string) []string {
	names := []string{}
	for {
		_, rest, ok := strings.Cut(uri, "{")
		if !ok {
			break
		}
		inside, after, ok := strings.Cut(rest, "}")
		if !ok {
			break
		}
		uri = after
		for _, name := range strings.Split(strings.TrimLeft(inside, "+#./;?&"), ",") {
			name, _, _ = strings.Cut(strings.TrimSuffix(name, "*"), ":")
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return quoteList(names)
}
