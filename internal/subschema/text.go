package subschema

import (
	"errors"
	"strings"

	"github.com/fusionctl/fusionctl/internal/regular"
)

const (
	reasonPattern = "a pattern outside of the regular languages (a back reference or the like), or too large an automaton"
	reasonFormat  = "a format, of which only examples are known"
	reasonLong    = "a counter-example would need a string longer than this program writes"
	// maxText is the longest string that a witness may hold.
	maxText = 1 << 16
	// languageBudget bounds one operation on automata.
	languageBudget = regular.DefaultBudget
)

// A textGoal is the demand on one string.
type textGoal struct {
	patterns []lit // with automata
	opaque   []lit // patterns without, and formats
	lo, hi   int   // hi < 0: none
	except   []string
	enum     *node
}

func (s *search) textGoal(atoms []lit) *textGoal {
	g := &textGoal{hi: -1}
	for _, a := range atoms {
		n := &s.nodes[a.node()]
		switch n.kind {
		case kEnum:
			if !a.negated() {
				g.enum = n
				continue
			}
			for _, v := range n.values {
				if v, ok := v.(string); ok {
					g.except = append(g.except, v)
				}
			}
		case kMinLength:
			if a.negated() {
				g.atMost(n.n - 1)
			} else {
				g.lo = max(g.lo, n.n)
			}
		case kMaxLength:
			if a.negated() {
				g.lo = max(g.lo, n.n+1)
			} else {
				g.atMost(n.n)
			}
		case kPattern:
			if s.patterns.get(n.text).language == nil {
				g.opaque = append(g.opaque, a)
			} else {
				g.patterns = append(g.patterns, a)
			}
		case kFormat:
			g.opaque = append(g.opaque, a)
		}
	}
	return g
}

func (g *textGoal) atMost(n int) {
	if g.hi < 0 || n < g.hi {
		g.hi = n
	}
}

func (s *search) text(st *state) outcome {
	g := s.textGoal(st.atoms)
	if g.enum != nil {
		return s.listed(st, g.enum)
	}
	if g.hi >= 0 && g.lo > g.hi {
		return outcome{status: unsat}
	}
	l, err := s.language(g.patterns)
	if err != nil {
		return s.giveUp(reasonPattern)
	}
	if len(g.opaque) > 0 {
		return s.tryTexts(st, g, l)
	}
	if len(g.patterns) == 0 && len(g.except) == 0 && g.lo == 0 {
		return outcome{status: sat, value: ""}
	}
	return s.shortest(g, l)
}

func (s *search) shortest(g *textGoal, l *regular.Language) outcome {
	budget := regular.NewBudget(languageBudget)
	defer func() { s.spend(budget.Used() / 500) }()
	var err error
	if g.lo > 0 || g.hi >= 0 {
		if l, err = regular.Intersect(l, regular.Length(g.lo, g.hi), budget); err != nil {
			return s.giveUp(reasonPattern)
		}
	}
	if l.IsEmpty() {
		return outcome{status: unsat}
	}
	except := make(map[string]bool, len(g.except))
	for _, e := range g.except {
		except[e] = true
	}
	if g.lo > maxText {
		if n, finite := l.Count(len(except)); !finite || n > len(except) {
			return s.giveUp(reasonLong)
		}
	}
	if found := regular.Find(l, 0, maxText, func(t string) bool { return except[t] }, 1); len(found) > 0 {
		return outcome{status: sat, value: found[0]}
	}
	if l, err = regular.Minus(l, regular.Words(g.except...), budget); err != nil {
		return s.giveUp(reasonPattern)
	}
	switch empty, err := regular.EmptyWithin(l, 0, -1, nil); {
	case err != nil:
		return s.giveUp(reasonPattern)
	case !empty:
		return s.giveUp(reasonLong)
	}
	return outcome{status: unsat}
}

// language intersects the languages of pattern literals.
func (s *search) language(lits []lit) (*regular.Language, error) {
	if len(lits) == 0 {
		return regular.All(), nil
	}
	key := goalKey(lits, 0)
	if l, ok := s.langs[key]; ok {
		if l == nil {
			return nil, regular.ErrTooLarge
		}
		return l, nil
	}
	budget := regular.NewBudget(languageBudget)
	defer func() { s.spend(budget.Used() / 500) }()
	last := lits[len(lits)-1]
	l := s.patterns.get(s.nodes[last.node()].text).language
	var err error
	if len(lits) > 1 {
		var rest *regular.Language
		if rest, err = s.language(lits[:len(lits)-1]); err == nil {
			if last.negated() {
				l, err = regular.Minus(rest, l, budget)
			} else {
				l, err = regular.Intersect(rest, l, budget)
			}
		}
	} else if last.negated() {
		l, err = regular.Complement(l, budget)
	}
	if err != nil {
		l = nil
	}
	s.langs[key] = l
	return l, err
}

// plainTexts are tried where a predicate cannot be reasoned about.
var plainTexts = []string{"", "a", "A", "0", "1", "a1", "A1", "aa", "aA1", "abc", "0a", "a b", "-", ".", "a.b", "a-b", "a_b", "/", "~", "%",
	"user@example.com", "http://example.com/", "example.com", "2020-01-01", "2020-01-01T00:00:00Z", "12:00:00Z", "P1D", "P1Y", "127.0.0.1", "::1",
	"123e4567-e89b-12d3-a456-426614174000", "/a", "0#", "{a}", "^a$", "aBc1!", "Passw0rd!", "password1A!", "aaaaaaaa", "Aa1!Aa1!Aa1!", "12345678", "a@b.co"}

// tryTexts looks for a string by trying, because one of the predicates is opaque.
func (s *search) tryTexts(st *state, g *textGoal, l *regular.Language) outcome {
	for _, t := range append(plainTexts[:len(plainTexts):len(plainTexts)], regular.Find(l, g.lo, min(g.lo+40, maxText), nil, 64)...) {
		if !s.spend(1) {
			break
		}
		if s.allHold(st.atoms, t) {
			return outcome{status: sat, value: t}
		}
		if pad := g.lo - len(t); pad > 0 && pad < 64 && s.allHold(st.atoms, t+strings.Repeat("a", pad)) {
			return outcome{status: sat, value: t + strings.Repeat("a", pad)}
		}
	}
	if s.nodes[g.opaque[0].node()].kind == kFormat {
		return s.giveUp(reasonFormat)
	}
	for _, a := range g.opaque {
		if err := s.patterns.get(s.nodes[a.node()].text).err; errors.Is(err, regular.ErrSyntax) {
			return s.giveUp("a pattern that is not a regular expression")
		}
	}
	return s.giveUp(reasonPattern)
}
