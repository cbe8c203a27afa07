package regular

// Compile returns the strings in which an ECMA-262 pattern is found. See the package comment for what is decided.
// The error is a *PatternError or ErrTooLarge.
func Compile(pattern string, b *Budget) (*Language, error) {
	b = b.orDefault()
	if !b.spend(len(pattern)) {
		return nil, ErrTooLarge
	}
	p, err := parse(pattern)
	if err != nil {
		return nil, err
	}
	return compileNode(p.root, b)
}

// compileNode chooses the cheapest exact form: pieces for alternatives that are bounded by their length, intersections
// for leading look-aheads, one automaton for the rest.
func compileNode(root *node, b *Budget) (*Language, error) {
	if root.kind == kCapture {
		return compileNode(root.subs[0], b)
	}
	if root.kind == kAlt && needsPieces(root) {
		union := none
		for _, s := range root.subs {
			l, err := compileNode(s, b)
			if err != nil {
				return nil, err
			}
			if union, err = Union(union, l, b); err != nil {
				return nil, err
			}
		}
		return union, nil
	}
	parts := flatten(root, nil)
	if len(parts) > 2 && parts[0].kind == kBegin && parts[1].kind == kAhead {
		return splitLooks(parts, b)
	}
	if d, least, most, ok, err := windowed(parts, b); ok || err != nil {
		if err != nil {
			return nil, err
		}
		return window(d, least, most), nil
	}
	d, err := automaton(root, b)
	if err != nil {
		return nil, err
	}
	return fromPieces([]piece{{0, d}}), nil
}

// needsPieces reports that some alternative gains from being compiled alone.
func needsPieces(alt *node) bool {
	for _, s := range alt.subs {
		parts := flatten(s, nil)
		if len(parts) > 2 && parts[0].kind == kBegin && parts[1].kind == kAhead {
			return true
		}
		if _, _, _, ok := findCounted(parts); ok {
			return true
		}
	}
	return false
}

// splitLooks compiles ^(?=A)(?!B)C as ^A without ^B and with ^C.
func splitLooks(parts []*node, b *Budget) (*Language, error) {
	i := 1
	result := all
	for ; i < len(parts) && parts[i].kind == kAhead; i++ {
		look, err := compileNode(concat([]*node{parts[0], parts[i].subs[0]}), b)
		if err != nil {
			return nil, err
		}
		if parts[i].neg {
			result, err = Minus(result, look, b)
		} else {
			result, err = Intersect(result, look, b)
		}
		if err != nil {
			return nil, err
		}
	}
	rest := append([]*node{parts[0]}, parts[i:]...)
	l, err := compileNode(concat(rest), b)
	if err != nil {
		return nil, err
	}
	return Intersect(result, l, b)
}

// windowFrom is the least count for which a length window pays.
const windowFrom = 8

// findCounted recognises ^ P X{n,m} S $ where P, X and S have fixed lengths: which strings match depends on X* and on
// the length of the string alone.
func findCounted(parts []*node) (at, unit, fixed int, ok bool) {
	if len(parts) < 3 || parts[0].kind != kBegin || parts[len(parts)-1].kind != kEnd {
		return 0, 0, 0, false
	}
	at = -1
	for i, n := range parts {
		if l, ok := fixedLength(n); ok && (n.kind != kRepeat || n.max <= windowFrom) {
			fixed += l
			continue
		}
		if at >= 0 || n.kind != kRepeat || max(n.min, n.max) <= windowFrom {
			return 0, 0, 0, false
		}
		if unit, ok = fixedLength(n.subs[0]); !ok || unit == 0 || unit > 1<<20 {
			return 0, 0, 0, false
		}
		at = i
	}
	return at, unit, fixed, at >= 0
}

func windowed(parts []*node, b *Budget) (d *dfa, least, most int, ok bool, err error) {
	at, unit, fixed, ok := findCounted(parts)
	if !ok {
		return nil, 0, 0, false, nil
	}
	counted := parts[at]
	free := make([]*node, len(parts))
	copy(free, parts)
	free[at] = &node{kind: kRepeat, max: -1, subs: counted.subs}
	if d, err = automaton(concat(free), b); err != nil {
		return nil, 0, 0, false, err
	}
	least, most = fixed+unit*counted.min, -1
	if counted.max >= 0 {
		most = fixed + unit*counted.max
	}
	return d, least, most, true, nil
}

// automaton compiles root into one canonical automaton.
func automaton(root *node, b *Budget) (*dfa, error) {
	p, entry, err := compileProgram(root, b)
	if err != nil {
		return nil, err
	}
	d, err := newDeterminizer(p, b)
	if err != nil {
		return nil, err
	}
	t, err := d.table(entry, 0)
	if err != nil {
		return nil, err
	}
	return newDFA(t, d.alpha), nil
}
