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
	cost     int   // steps for compiling it
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
		budget := regular.NewBudget(patternBudget)
		c.language, c.err = regular.Compile(text, budget)
		c.cost = budget.Used() / 250
		if c.err != nil {
			c.language = nil
			c.opaque, _ = regular.CompileOpaque(text)
		}
		p.known[text] = c
	}
	return c
}

// A matcher is the view that one search has of the cache. It charges each pattern once, cached or not, so that the steps
// of a decision do not depend on what was decided before.
type matcher struct {
	cache *patterns
	met   map[string]*pattern
	spend func(int) bool
}

var unaffordable = &pattern{err: regular.ErrTooLarge}

func (m *matcher) get(text string) *pattern {
	c, ok := m.met[text]
	if !ok {
		if !m.spend(1) {
			return unaffordable
		}
		c = m.cache.get(text)
		m.spend(c.cost)
		m.met[text] = c
	}
	return c
}

// match reports whether s matches, and whether that could be found out.
func (m *matcher) match(text, s string) (matched, known bool) {
	c := m.get(text)
	if c.language != nil {
		return c.language.Match(s), true
	}
	if c.opaque == nil {
		return false, false
	}
	ok, err := c.opaque.Match(s)
	return ok, err == nil
}
