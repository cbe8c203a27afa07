package regular

import (
	"fmt"
	"slices"
)

const (
	// maxNesting bounds groups within groups, and with it every recursion over the tree.
	maxNesting = 200
	// maxPattern bounds the pattern in code points.
	maxPattern = 1 << 16
	// maxSets bounds the spans of all properties in a pattern.
	maxSets = 1 << 18
	// maxCount stands for every larger count in a quantifier; no string has that many characters.
	maxCount = 1 << 30
)

// A parser reads one pattern. In u mode it is strict; otherwise it follows the grammar of Annex B.
type parser struct {
	text    []rune
	pos     int
	unicode bool
	fold    bool // modifier i
	dotAll  bool // modifier s
	depth   int
	groups  int      // capture groups opened so far
	total   int      // capture groups of the whole pattern
	names   []string // name of each group, by number-1
	live    []string // names that may take part together with what is read now
	pending []pendingName
	// properties holds the sets of \p{…} already looked up; work counts the spans of all that were used.
	properties map[string]charset
	work       int
}

// A pendingName is a \k<name> whose group may follow it.
type pendingName struct {
	node *node
	name string
	pos  int
}

// A parsed pattern.
type parsed struct {
	root    *node
	groups  int
	unicode bool // legal with the u flag
}

func (p *parser) fail(kind error, format string, args ...any) error {
	return &PatternError{Kind: kind, Offset: p.pos, Problem: fmt.Sprintf(format, args...)}
}

func (p *parser) syntax(format string, args ...any) error {
	return p.fail(ErrSyntax, format, args...)
}

// parse reads a pattern with the u flag or else, when that is illegal, without.
func parse(pattern string) (parsed, error) {
	text := []rune(pattern)
	if len(text) > maxPattern {
		return parsed{}, &PatternError{Kind: ErrTooLarge, Problem: "pattern is too long"}
	}
	strict := parser{text: text, unicode: true}
	root, err := strict.pattern()
	if err == nil {
		return parsed{root, strict.groups, true}, nil
	}
	if e, ok := err.(*PatternError); ok && e.Kind != ErrSyntax {
		return parsed{}, err
	}
	lenient := parser{text: text}
	root, err2 := lenient.pattern()
	if err2 != nil {
		return parsed{}, err2
	}
	return parsed{root, lenient.groups, false}, nil
}

func (p *parser) pattern() (*node, error) {
	p.countGroups()
	root, err := p.disjunction()
	if err != nil {
		return nil, err
	}
	if p.pos < len(p.text) {
		return nil, p.syntax("unmatched )")
	}
	for _, q := range p.pending {
		i := slices.Index(p.names, q.name)
		if i < 0 {
			p.pos = q.pos
			return nil, p.syntax("no group is named %q", q.name)
		}
		q.node.index = i + 1
	}
	return root, nil
}

// countGroups counts the capture groups ahead of parsing: what \2 means depends on it.
func (p *parser) countGroups() {
	inClass := false
	for i := 0; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == '\\':
			i++
		case inClass:
			inClass = c != ']'
		case c == '[':
			inClass = true
		case c == '(' && (p.at(i+1) != '?' || p.namedAt(i)):
			p.total++
			if p.at(i+1) == '?' {
				p.names = append(p.names, "") // only to know that there are names
			}
		}
	}
}

// hasNames reports whether the pattern names any group; then \k is always a reference.
func (p *parser) hasNames() bool { return p.unicode || len(p.names) > 0 }

func (p *parser) namedAt(i int) bool {
	return p.at(i+1) == '?' && p.at(i+2) == '<' && p.at(i+3) != '=' && p.at(i+3) != '!'
}

// at returns the character at i, or -1 behind the end.
func (p *parser) at(i int) rune {
	if i < len(p.text) {
		return p.text[i]
	}
	return -1
}

func (p *parser) peek() rune { return p.at(p.pos) }

func (p *parser) accept(s string) bool {
	n := 0
	for _, c := range s {
		if p.at(p.pos+n) != c {
			return false
		}
		n++
	}
	p.pos += n
	return true
}

func (p *parser) disjunction() (*node, error) {
	if p.depth++; p.depth > maxNesting {
		return nil, p.fail(ErrTooLarge, "nested more than %d deep", maxNesting)
	}
	defer func() { p.depth-- }()
	before := len(p.live)
	var branches []*node
	var after []string
	for {
		n, err := p.alternative()
		if err != nil {
			return nil, err
		}
		branches = append(branches, n)
		if p.peek() != '|' {
			break
		}
		p.pos++
		after = append(after, p.live[before:]...)
		p.live = p.live[:before]
	}
	p.live = append(p.live, after...)
	if len(branches) == 1 {
		return branches[0], nil
	}
	return &node{kind: kAlt, subs: branches}, nil
}

func (p *parser) alternative() (*node, error) {
	var terms []*node
	for p.pos < len(p.text) && p.peek() != '|' && p.peek() != ')' {
		n, err := p.term()
		if err != nil {
			return nil, err
		}
		terms = append(terms, n)
	}
	return concat(terms), nil
}

func (p *parser) term() (*node, error) {
	start := p.pos
	n, quantifiable, err := p.atom()
	if err != nil {
		return nil, err
	}
	least, most, lazy, found, err := p.quantifier()
	if err != nil || !found {
		return n, err
	}
	if !quantifiable {
		p.pos = start
		return nil, p.syntax("an assertion cannot be repeated")
	}
	return &node{kind: kRepeat, min: least, max: most, lazy: lazy, subs: []*node{n}}, nil
}

// quantifier reads *, +, ? or a counted repetition, if there is one.
func (p *parser) quantifier() (least, most int, lazy, found bool, err error) {
	switch p.peek() {
	case '*':
		least, most = 0, -1
	case '+':
		least, most = 1, -1
	case '?':
		least, most = 0, 1
	case '{':
		end := 0
		least, most, end = p.counts(p.pos)
		if end == 0 {
			if p.unicode {
				err = p.syntax("incomplete quantifier")
			}
			return 0, 0, false, false, err
		}
		if most >= 0 && most < least {
			return 0, 0, false, false, p.syntax("numbers out of order in the quantifier")
		}
		p.pos = end - 1
	default:
		return 0, 0, false, false, nil
	}
	p.pos++
	if p.peek() == '?' {
		p.pos++
		lazy = true
	}
	return least, most, lazy, true, nil
}

// counts reads {n}, {n,} or {n,m} at i; end is 0 when it is none of them.
func (p *parser) counts(i int) (least, most, end int) {
	least, i, ok := p.number(i + 1)
	if !ok {
		return 0, 0, 0
	}
	most = least
	if p.at(i) == ',' {
		i++
		if most, i, ok = p.number(i); !ok {
			most = -1
		}
	}
	if p.at(i) != '}' {
		return 0, 0, 0
	}
	return least, most, i + 1
}

func (p *parser) number(i int) (value, end int, ok bool) {
	for ; p.at(i) >= '0' && p.at(i) <= '9'; i++ {
		value = int(min(int64(value)*10+int64(p.at(i)-'0'), maxCount)) // 32 bits are too few for the product
		ok = true
	}
	return value, i, ok
}

// atom reads one term without its quantifier.
func (p *parser) atom() (n *node, quantifiable bool, err error) {
	c := p.peek()
	switch c {
	case '^':
		p.pos++
		return &node{kind: kBegin}, false, nil
	case '$':
		p.pos++
		return &node{kind: kEnd}, false, nil
	case '.':
		p.pos++
		if p.dotAll {
			return setNode(anySet), true, nil
		}
		return setNode(dotSet), true, nil
	case '(':
		return p.group()
	case '[':
		n, err := p.class()
		return n, true, err
	case '\\':
		return p.atomEscape()
	case '*', '+', '?':
		return nil, false, p.syntax("nothing to repeat")
	case ']', '}':
		if p.unicode {
			return nil, false, p.syntax("lone %c", c)
		}
	case '{':
		if _, _, end := p.counts(p.pos); p.unicode || end > 0 {
			return nil, false, p.syntax("nothing to repeat")
		}
	}
	p.pos++
	return p.char(c), true, nil
}

func setNode(s charset) *node { return &node{kind: kSet, set: s} }

// char is the node for one literal character under the modifiers in force.
func (p *parser) char(c rune) *node {
	set := newCharset([]span{{c, c}})
	if p.fold {
		set = set.fold()
	}
	return setNode(set)
}
