package regular

type kind uint8

const (
	kEmpty kind = iota
	kSet
	kConcat
	kAlt
	kRepeat
	kCapture
	kBegin
	kEnd
	kWord
	kNotWord
	kAhead
	kBehind
	kBackref
)

// A node is a part of a parsed pattern. Trees are never changed after parsing.
type node struct {
	kind     kind
	neg      bool // kAhead, kBehind
	lazy     bool // kRepeat; does not matter for the language, but for captures
	fold     bool // kBackref under the modifier i
	min, max int  // kRepeat; max < 0: unbounded
	index    int  // kCapture, kBackref: the number of the group
	set      charset
	subs     []*node
}

func concat(subs []*node) *node {
	switch len(subs) {
	case 0:
		return &node{kind: kEmpty}
	case 1:
		return subs[0]
	}
	return &node{kind: kConcat, subs: subs}
}

// flatten lists the parts of n in sequence, looking through groups.
func flatten(n *node, out []*node) []*node {
	switch n.kind {
	case kEmpty:
		return out
	case kConcat:
		for _, s := range n.subs {
			out = flatten(s, out)
		}
		return out
	case kCapture:
		return flatten(n.subs[0], out)
	}
	return append(out, n)
}

// maxFixed keeps sums and products of lengths from overflow, also of 32 bits.
const maxFixed = 1 << 30

// fixedLength returns the one length of all texts that n can consume, if there is one.
func fixedLength(n *node) (int, bool) {
	switch n.kind {
	case kSet:
		return 1, true
	case kConcat:
		total := 0
		for _, s := range n.subs {
			l, ok := fixedLength(s)
			if !ok || total > maxFixed-l {
				return 0, false
			}
			total += l
		}
		return total, true
	case kAlt:
		first, ok := fixedLength(n.subs[0])
		for _, s := range n.subs[1:] {
			l, ok2 := fixedLength(s)
			ok = ok && ok2 && l == first
		}
		return first, ok
	case kRepeat:
		l, ok := fixedLength(n.subs[0])
		if ok && l == 0 {
			return 0, true
		}
		if !ok || n.min != n.max || n.max > maxFixed/l {
			return 0, false
		}
		return l * n.min, true
	case kCapture:
		return fixedLength(n.subs[0])
	case kBackref:
		return 0, false
	}
	return 0, true
}

// anchored reports that n can only match at the start of the string.
func anchored(n *node) bool {
	switch n.kind {
	case kBegin:
		return true
	case kConcat:
		for _, s := range n.subs {
			if anchored(s) {
				return true
			}
			if l, ok := fixedLength(s); !ok || l != 0 {
				return false
			}
		}
	case kAlt:
		for _, s := range n.subs {
			if !anchored(s) {
				return false
			}
		}
		return true
	case kRepeat:
		return n.min > 0 && anchored(n.subs[0])
	case kCapture:
		return anchored(n.subs[0])
	}
	return false
}

// contains reports whether a node of the given kind is in n.
func contains(n *node, kinds ...kind) bool {
	for _, k := range kinds {
		if n.kind == k {
			return true
		}
	}
	for _, s := range n.subs {
		if contains(s, kinds...) {
			return true
		}
	}
	return false
}
