package subschema

import (
	"sync"

	"github.com/fusionctl/fusionctl/internal/regular"
)

// A pattern is a compiled regular expression: an automaton, or where that is not possible an opaque predicate.
type pattern struct {
	language *regular.Language
	opaque   *regular.Opaque
	err      error // why there is no automaton
}

// patterns caches them for one schema.
type patterns struct {
	mu    sync.Mutex
	known map[string]*pattern
}

func newPatterns() *patterns { return &patterns{known: map[string]*pattern{}} }

// patternBudget bounds the automaton of one pattern, in steps of package regular.
const patternBudget = regular.DefaultBudget

func (p *patterns) get(text string) *pattern {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, ok := p.known[text]
	if !ok {
		c = &pattern{}
		c.language, c.err = regular.Compile(text, regular.NewBudget(patternBudget))
		if c.err != nil {
			c.language = nil
			c.opaque, _ = regular.CompileOpaque(text)
		}
		p.known[text] = c
	}
	return c
}

// match reports whether s matches, and whether that could be found out.
func (p *patterns) match(text, s string) (matched, known bool) {
	c := p.get(text)
	if c.language != nil {
		return c.language.Match(s), true
	}
	if c.opaque == nil {
		return false, false
	}
	ok, err := c.opaque.Match(s)
	return ok, err == nil
}
