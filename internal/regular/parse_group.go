package regular

import (
	"slices"
	"unicode"
)

// group reads everything that starts with a parenthesis.
func (p *parser) group() (n *node, quantifiable bool, err error) {
	start := p.pos
	p.pos++
	switch {
	case p.accept("?="):
		n, err = p.look(kAhead, false, start)
		return n, !p.unicode, err
	case p.accept("?!"):
		n, err = p.look(kAhead, true, start)
		return n, !p.unicode, err
	case p.accept("?<="):
		n, err = p.look(kBehind, false, start)
		return n, false, err
	case p.accept("?<!"):
		n, err = p.look(kBehind, true, start)
		return n, false, err
	case p.accept("?:"):
		n, err = p.body(start)
		return n, true, err
	case p.accept("?<"):
		n, err = p.capture(start, true)
		return n, true, err
	case p.accept("?"):
		n, err = p.modified(start)
		return n, true, err
	}
	n, err = p.capture(start, false)
	return n, true, err
}

// body reads up to and including the closing parenthesis.
func (p *parser) body(start int) (*node, error) {
	n, err := p.disjunction()
	if err != nil {
		return nil, err
	}
	if !p.accept(")") {
		p.pos = start
		return nil, p.syntax("unterminated group")
	}
	return n, nil
}

func (p *parser) look(k kind, neg bool, start int) (*node, error) {
	n, err := p.body(start)
	if err != nil {
		return nil, err
	}
	return &node{kind: k, neg: neg, subs: []*node{n}}, nil
}

func (p *parser) capture(start int, named bool) (*node, error) {
	p.groups++
	index := p.groups
	if named {
		name, err := p.groupName()
		if err != nil {
			return nil, err
		}
		if slices.Contains(p.live, name) {
			return nil, p.syntax("duplicate group name %q", name)
		}
		p.live = append(p.live, name)
		for len(p.names) < index {
			p.names = append(p.names, "")
		}
		p.names[index-1] = name
	}
	n, err := p.body(start)
	if err != nil {
		return nil, err
	}
	return &node{kind: kCapture, index: index, subs: []*node{n}}, nil
}

// groupName reads name> and returns the name.
func (p *parser) groupName() (string, error) {
	start := p.pos
	for {
		c := p.peek()
		if c == '>' && p.pos > start {
			name := string(p.text[start:p.pos])
			p.pos++
			return name, nil
		}
		if c == '\\' {
			return "", p.fail(ErrNotRegular, "escape in a group name")
		}
		letter := c == '$' || c == '_' || unicode.IsLetter(c) || unicode.Is(unicode.Nl, c)
		if !letter && (p.pos == start || !unicode.In(c, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Join_Control)) {
			return "", p.syntax("malformed group name")
		}
		p.pos++
	}
}

// modified reads (?ims-ims:…) behind the question mark.
func (p *parser) modified(start int) (*node, error) {
	fold, dotAll := p.fold, p.dotAll
	seen, on := "", true
	for p.peek() != ':' {
		c := p.peek()
		switch {
		case c == '-' && on:
			on = false
		case (c == 'i' || c == 's' || c == 'm') && !slices.Contains([]rune(seen), c):
			seen += string(c)
			switch c {
			case 'i':
				p.fold = on
			case 's':
				p.dotAll = on
			case 'm':
				if on {
					return nil, p.fail(ErrNotRegular, "modifier m")
				}
			}
		default:
			return nil, p.syntax("invalid group")
		}
		p.pos++
	}
	if seen == "" {
		return nil, p.syntax("invalid group")
	}
	if p.fold && !p.unicode {
		return nil, p.fail(ErrNotRegular, "modifier i in a pattern that is illegal with the u flag")
	}
	p.pos++
	n, err := p.body(start)
	p.fold, p.dotAll = fold, dotAll
	return n, err
}
