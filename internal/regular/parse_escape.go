package regular

import "strings"

const syntaxChars = `^$\.*+?()[]{}|/`

// atomEscape reads a backslash and what belongs to it, outside of a class.
func (p *parser) atomEscape() (n *node, quantifiable bool, err error) {
	switch c := p.at(p.pos + 1); {
	case c == 'b' || c == 'B':
		if p.fold {
			return nil, false, p.fail(ErrNotRegular, `\%c under the modifier i`, c)
		}
		p.pos += 2
		if c == 'b' {
			return &node{kind: kWord}, false, nil
		}
		return &node{kind: kNotWord}, false, nil
	case c >= '1' && c <= '9':
		value, end, _ := p.number(p.pos + 1)
		if value <= p.total {
			p.pos = end
			return &node{kind: kBackref, index: value, fold: p.fold}, true, nil
		}
		if p.unicode {
			return nil, false, p.syntax("reference to group %d, which does not exist", value)
		}
	case c == 'k' && p.hasNames():
		n, err := p.namedReference()
		return n, true, err
	}
	set, isClass, err := p.classOrCharEscape(false)
	if err != nil {
		return nil, false, err
	}
	if p.fold && !isClass {
		set = set.fold()
	}
	return setNode(set), true, nil
}

func (p *parser) namedReference() (*node, error) {
	start := p.pos
	p.pos += 2
	if !p.accept("<") {
		return nil, p.syntax("malformed reference")
	}
	name, err := p.groupName()
	if err != nil {
		return nil, err
	}
	n := &node{kind: kBackref, fold: p.fold}
	p.pending = append(p.pending, pendingName{n, name, start})
	return n, nil
}

// classOrCharEscape reads \d, \p{…} and their like (isClass) or an escape for one character.
func (p *parser) classOrCharEscape(inClass bool) (set charset, isClass bool, err error) {
	c := p.at(p.pos + 1)
	if strings.ContainsRune("DWP", c) && c > 0 && p.fold {
		return nil, false, p.fail(ErrNotRegular, `\%c under the modifier i`, c)
	}
	switch c {
	case 'd':
		set = digitSet
	case 'D':
		set = digitSet.negate()
	case 'w':
		set = wordSet
		if p.fold {
			set = wordSet.fold()
		}
	case 'W':
		set = wordSet.negate()
	case 's':
		set = spaceSet
	case 'S':
		set = spaceSet.negate()
	case 'p', 'P':
		if !p.unicode {
			return nil, false, p.fail(ErrNotRegular, `\%c in a pattern that is illegal with the u flag`, c)
		}
		p.pos += 2
		set, err := p.property(c == 'P')
		if p.fold {
			set = set.fold()
		}
		return set, true, err
	default:
		r, err := p.charEscape(inClass)
		if err != nil {
			return nil, false, err
		}
		return newCharset([]span{{r, r}}), false, nil
	}
	p.pos += 2
	return set, true, nil
}

// charEscape reads an escape that stands for one code point.
func (p *parser) charEscape(inClass bool) (rune, error) {
	c := p.at(p.pos + 1)
	if c < 0 {
		return 0, p.syntax(`\ at the end`)
	}
	if i := strings.IndexRune("tnvfr", c); i >= 0 {
		p.pos += 2
		return rune("\t\n\v\f\r"[i]), nil
	}
	switch {
	case c == 'b' && inClass:
		p.pos += 2
		return '\b', nil
	case c == 'c':
		return p.controlEscape()
	case c == 'x':
		if r, ok := p.hex(p.pos+2, 2); ok {
			p.pos += 4
			return r, nil
		}
	case c == 'u':
		return p.unicodeEscape()
	case c >= '0' && c <= '9':
		return p.octalEscape()
	case strings.ContainsRune(syntaxChars, c), c == '-' && inClass:
		p.pos += 2
		return c, nil
	}
	if p.unicode {
		return 0, p.syntax(`invalid escape \%c`, c)
	}
	if isASCIILetter(c) {
		return 0, p.fail(ErrNotRegular, `\%c, which means different things to different engines`, c)
	}
	p.pos += 2
	return c, nil
}

func (p *parser) controlEscape() (rune, error) {
	if c := p.at(p.pos + 2); isASCIILetter(c) {
		p.pos += 3
		return c % 32, nil
	}
	if p.unicode {
		return 0, p.syntax(`invalid escape \c`)
	}
	return 0, p.fail(ErrNotRegular, `\c without a letter`)
}

// octalEscape reads \0 and, outside of u mode, the legacy octal escapes.
func (p *parser) octalEscape() (rune, error) {
	first := p.at(p.pos + 1)
	second := p.at(p.pos + 2)
	if first == '0' && (second < '0' || second > '9') {
		p.pos += 2
		return 0, nil
	}
	if p.unicode {
		return 0, p.syntax("invalid decimal escape")
	}
	if first >= '8' {
		return 0, p.fail(ErrNotRegular, `\%c without such a group`, first)
	}
	value, i := rune(0), p.pos+1
	for ; i < p.pos+4 && p.at(i) >= '0' && p.at(i) <= '7' && value*8 < 256; i++ {
		value = value*8 + p.at(i) - '0'
	}
	p.pos = i
	return value, nil
}

func (p *parser) unicodeEscape() (rune, error) {
	if p.unicode && p.at(p.pos+2) == '{' {
		return p.bracedEscape()
	}
	r, ok := p.hex(p.pos+2, 4)
	switch {
	case !ok && p.unicode:
		return 0, p.syntax("invalid Unicode escape")
	case !ok:
		return 0, p.fail(ErrNotRegular, `\u without four digits in a pattern that is illegal with the u flag`)
	case r >= surrogateLow && r <= surrogateHigh && !p.unicode:
		return 0, p.fail(ErrNotRegular, "surrogate in a pattern that is illegal with the u flag")
	}
	p.pos += 6
	if r >= surrogateLow && r < 0xDC00 && p.peek() == '\\' && p.at(p.pos+1) == 'u' {
		if low, ok := p.hex(p.pos+2, 4); ok && low >= 0xDC00 && low <= surrogateHigh {
			p.pos += 6
			return 0x10000 + (r-surrogateLow)<<10 + (low - 0xDC00), nil
		}
	}
	return r, nil
}

// bracedEscape reads \u{…}.
func (p *parser) bracedEscape() (rune, error) {
	value, i := rune(0), p.pos+3
	for ; p.at(i) != '}'; i++ {
		d, ok := hexDigit(p.at(i))
		if value = value*16 + d; !ok || value > maxRune {
			return 0, p.syntax("invalid Unicode escape")
		}
	}
	if i == p.pos+3 {
		return 0, p.syntax("invalid Unicode escape")
	}
	p.pos = i + 1
	return value, nil
}

func (p *parser) hex(i, n int) (rune, bool) {
	value := rune(0)
	for range n {
		d, ok := hexDigit(p.at(i))
		if !ok {
			return 0, false
		}
		value = value*16 + d
		i++
	}
	return value, true
}

func hexDigit(c rune) (rune, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

func isASCIILetter(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
