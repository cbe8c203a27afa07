package validate

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// class reads the rest of a character class.
func (t *translator) class() (set, bool) {
	var s set
	not := t.skip("^")
	for {
		if t.at >= len(t.text) {
			return set{}, false
		}
		if t.skip("]") {
			break
		}
		from, ok := t.classAtom()
		if !ok {
			return set{}, false
		}
		low, single := from.single()
		if !single || !strings.HasPrefix(t.text[t.at:], "-") || strings.HasPrefix(t.text[t.at:], "-]") || t.at+1 >= len(t.text) {
			s = s.with(from)
			continue
		}
		t.at++
		to, ok := t.classAtom()
		if !ok {
			return set{}, false
		}
		high, single := to.single()
		switch {
		case !single: // [a-\d] without the u flag: three members
			s = s.with(from).with(chars('-')).with(to)
		case high < low:
			return set{}, false
		default:
			s.ranges = append(s.ranges, low, high)
		}
	}
	if len(s.ranges) == 0 {
		t.same = false // [] and [^] are a bracket that never ends elsewhere
	}
	s.not = not
	return s, true
}

func (t *translator) classAtom() (set, bool) {
	c := t.next()
	switch c {
	case '[', '&', '~': // [[:alpha:]] is nothing special in ECMA-262
		t.same = false
	case '\\':
		if t.at >= len(t.text) {
			return set{}, false
		}
		if t.skip("b") {
			t.same = false
			return chars('\b'), true
		}
		if t.text[t.at] >= '1' && t.text[t.at] <= '9' {
			return set{}, false
		}
		return t.classEscape()
	}
	return chars(c), true
}

// classEscape reads the rest of an escape that stands for a set of characters, inside or outside of a class.
func (t *translator) classEscape() (set, bool) {
	c := t.next()
	switch c {
	case 'd':
		return digits, true
	case 'D':
		return digits.complement(), true
	case 'w':
		return words, true
	case 'W':
		return words.complement(), true
	case 'n':
		return chars('\n'), true
	case 'r':
		return chars('\r'), true
	case 't':
		return chars('\t'), true
	case 'f':
		return chars('\f'), true
	case 'v':
		return chars('\v'), true
	}
	if c < utf8.RuneSelf && !isAlnum(c) {
		return chars(c), true // escaped punctuation means itself everywhere
	}
	t.same = false
	switch c {
	case 's':
		return spaces, true
	case 'S':
		return spaces.complement(), true
	case '0':
		if t.at < len(t.text) && t.text[t.at] >= '0' && t.text[t.at] <= '9' {
			return set{}, false
		}
		return chars(0), true
	case 'c':
		if t.at < len(t.text) && isLetter(rune(t.text[t.at])) {
			return chars(t.next() & 31), true
		}
		return set{}, false
	case 'x':
		if r, ok := t.hex(2); ok {
			return chars(r), true
		}
		return chars('x'), true
	case 'u':
		return t.unicodeEscape()
	case 'p', 'P':
		return t.property(c == 'P')
	case 'k':
		return set{}, len(t.groups) == 0
	}
	return chars(c), true
}

func (t *translator) hex(n int) (rune, bool) {
	if t.at+n > len(t.text) {
		return 0, false
	}
	v, err := strconv.ParseUint(t.text[t.at:t.at+n], 16, 32)
	if err != nil {
		return 0, false
	}
	t.at += n
	return rune(v), true
}

func (t *translator) unicodeEscape() (set, bool) {
	if t.skip("{") {
		text, _, ok := strings.Cut(t.text[t.at:], "}")
		v, err := strconv.ParseUint(text, 16, 32)
		if !ok || err != nil || v > unicode.MaxRune {
			return set{}, false
		}
		t.at += len(text) + 1
		return chars(rune(v)), true
	}
	high, ok := t.hex(4)
	if !ok {
		return chars('u'), true
	}
	if high >= 0xd800 && high < 0xdc00 {
		start := t.at
		if t.skip(`\u`) {
			if low, ok := t.hex(4); ok && low >= 0xdc00 && low < 0xe000 {
				return chars((high-0xd800)<<10 + (low - 0xdc00) + 0x10000), true
			}
			t.at = start
		}
	}
	return chars(high), true
}

// property reads {Name} or {Name=Value} of \p. Names that the tables of package unicode do not have (Emoji, …) cannot be
// expressed.
func (t *translator) property(not bool) (set, bool) {
	text, _, ok := strings.Cut(t.text[t.at:], "}")
	if !ok || !strings.HasPrefix(text, "{") {
		return set{}, false
	}
	table := propertyTable(text[1:])
	if table == nil {
		return set{}, false
	}
	t.at += len(text) + 1
	s := tableSet(table)
	if not {
		s = s.complement()
	}
	return s, true
}

func isAlnum(r rune) bool { return isLetter(r) || '0' <= r && r <= '9' }

func isLetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }
