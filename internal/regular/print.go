package regular

import (
	"fmt"
	"regexp/syntax"
	"strings"
)

// A dialect is a target of printPattern.
type dialect uint8

const (
	dialectGo dialect = iota
	dialectBacktracking
)

// GoSyntax translates a pattern to the syntax of the regexp package, so that MatchString accepts the same strings. It
// reports false when that is not possible: look-around, back references, counts above 1000, or a pattern that Compile
// does not read.
func GoSyntax(pattern string) (string, bool) {
	p, err := parse(pattern)
	if err != nil {
		return "", false
	}
	text, ok := printPattern(p, dialectGo)
	if !ok {
		return "", false
	}
	if _, err := syntax.Parse(text, syntax.Perl); err != nil {
		return "", false
	}
	return text, true
}

// printLimit bounds the translation, which spells out every set.
const printLimit = 1 << 20

type printer struct {
	strings.Builder
	to   dialect
	ok   bool
	lazy bool // laziness decides what a back reference refers to, and nothing else
}

func printPattern(p parsed, to dialect) (string, bool) {
	// regexp2 forgets the least count of a loop around a lazy loop that matches nothing: (a(\b)*?){2} finds "a".
	w := &printer{to: to, ok: true, lazy: contains(p.root, kBackref)}
	w.node(p.root)
	return w.String(), w.ok && w.Len() <= printLimit
}

func (w *printer) node(n *node) {
	if w.Len() > printLimit || !w.ok {
		return
	}
	switch n.kind {
	case kSet:
		w.charset(n.set)
	case kConcat:
		for _, s := range n.subs {
			w.group("(?:", s)
		}
	case kAlt:
		w.WriteString("(?:")
		for i, s := range n.subs {
			if i > 0 {
				w.WriteByte('|')
			}
			w.node(s)
		}
		w.WriteByte(')')
	case kRepeat:
		w.repeat(n)
	case kCapture:
		w.group("(", n.subs[0])
	case kBegin:
		w.WriteString(`\A`)
	case kEnd:
		w.WriteString(`\z`)
	case kWord, kNotWord:
		w.boundary(n.kind == kNotWord)
	case kAhead:
		w.look("(?=", "(?!", n)
	case kBehind:
		w.look("(?<=", "(?<!", n)
	case kBackref:
		// A group that took no part matches the empty string in ECMA-262. That a repetition forgets the groups of its
		// earlier rounds there cannot be expressed.
		w.ok = w.ok && w.to == dialectBacktracking && !n.fold
		fmt.Fprintf(w, `(?(%d)\%d|)`, n.index, n.index)
	}
}

func (w *printer) group(open string, n *node) {
	w.WriteString(open)
	w.node(n)
	w.WriteByte(')')
}

func (w *printer) look(positive, negative string, n *node) {
	if w.to == dialectGo {
		w.ok = false
		return
	}
	if n.neg {
		positive = negative
	}
	w.group(positive, n.subs[0])
}

// boundary spells the word boundary out where the engine's own follows Unicode.
func (w *printer) boundary(not bool) {
	const at = `(?:(?<=[0-9A-Za-z_])(?![0-9A-Za-z_])|(?<![0-9A-Za-z_])(?=[0-9A-Za-z_]))`
	const inside = `(?:(?<=[0-9A-Za-z_])(?=[0-9A-Za-z_])|(?<![0-9A-Za-z_])(?![0-9A-Za-z_]))`
	switch {
	case w.to == dialectGo && not:
		w.WriteString(`\B`)
	case w.to == dialectGo:
		w.WriteString(`\b`)
	case not:
		w.WriteString(inside)
	default:
		w.WriteString(at)
	}
}

func (w *printer) repeat(n *node) {
	w.group("(?:", n.subs[0])
	switch {
	case n.min == 0 && n.max < 0:
		w.WriteByte('*')
	case n.min == 1 && n.max < 0:
		w.WriteByte('+')
	case n.max < 0:
		fmt.Fprintf(w, "{%d,}", n.min)
	case n.min == 0 && n.max == 1:
		w.WriteByte('?')
	default:
		fmt.Fprintf(w, "{%d,%d}", n.min, n.max)
	}
	w.ok = w.ok && max(n.min, n.max) < maxCount
	if n.lazy && w.lazy {
		w.WriteByte('?')
	}
}

func (w *printer) charset(s charset) {
	if len(s) == 0 {
		if w.to == dialectBacktracking {
			w.WriteString("(?!)")
			return
		}
		w.WriteString(`[^\x00-\x{10FFFF}]`)
		return
	}
	w.WriteByte('[')
	for _, r := range s {
		w.char(r.lo)
		if r.hi > r.lo {
			w.WriteByte('-')
			w.char(r.hi)
		}
	}
	w.WriteByte(']')
}

func (w *printer) char(r rune) {
	switch {
	case isASCIILetter(r) || r >= '0' && r <= '9' || r == '_':
		w.WriteRune(r)
	case w.to == dialectGo:
		fmt.Fprintf(w, `\x{%X}`, r)
	case r < 0x80:
		fmt.Fprintf(w, `\x%02X`, r)
	default:
		w.WriteRune(r) // regexp2 matches code points and has no escape for those beyond U+FFFF in every mode
	}
}
