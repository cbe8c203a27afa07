package regular

// class reads a bracketed class.
func (p *parser) class() (*node, error) {
	start := p.pos
	p.pos++
	neg := p.accept("^")
	var spans []span
	for !p.accept("]") {
		if p.pos >= len(p.text) {
			p.pos = start
			return nil, p.syntax("unterminated class")
		}
		var err error
		if spans, err = p.classItem(spans); err != nil {
			return nil, err
		}
	}
	set := newCharset(spans)
	if p.fold {
		set = set.fold()
	}
	if neg {
		set = set.negate()
	}
	return setNode(set), nil
}

// classItem appends one member, class or range.
func (p *parser) classItem(spans []span) ([]span, error) {
	lo, loSet, err := p.classAtom()
	if err != nil {
		return nil, err
	}
	if p.peek() != '-' || p.at(p.pos+1) == ']' || p.at(p.pos+1) < 0 {
		return appendAtom(spans, lo, loSet), nil
	}
	p.pos++
	hi, hiSet, err := p.classAtom()
	if err != nil {
		return nil, err
	}
	if loSet != nil || hiSet != nil {
		if p.unicode {
			return nil, p.syntax("a class as the end of a range")
		}
		return appendAtom(appendAtom(append(spans, span{'-', '-'}), lo, loSet), hi, hiSet), nil
	}
	if lo > hi {
		return nil, p.syntax("range out of order")
	}
	return append(spans, span{lo, hi}), nil
}

func appendAtom(spans []span, r rune, set charset) []span {
	if set != nil {
		return append(spans, set...)
	}
	return append(spans, span{r, r})
}

// classAtom reads one character, or a set that is not nil.
func (p *parser) classAtom() (rune, charset, error) {
	c := p.peek()
	if c != '\\' {
		p.pos++
		return c, nil, nil
	}
	switch next := p.at(p.pos + 1); next {
	case 'd', 'D', 's', 'S', 'w', 'W', 'p', 'P':
		set, _, err := p.classOrCharEscape(true)
		if set == nil {
			set = charset{}
		}
		return 0, set, err
	}
	r, err := p.charEscape(true)
	return r, nil, err
}
