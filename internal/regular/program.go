package regular

// The operations of a program.
const (
	opSet   uint8 = iota // consume a character of a set
	opSplit              // go on at out and at alt
	opBegin
	opEnd
	opWord
	opNotWord
	opAhead  // the look-ahead number set must (or must not) match here
	opBehind // the look-behind number set must (or must not) have matched up to here
	opMatch
)

type inst struct {
	op       uint8
	neg      bool
	set      int32 // opSet: index into sets; opAhead, opBehind: index into looks
	out, alt int32
}

// A program is a pattern as a nondeterministic automaton; the programs of look-arounds are parts of it.
type program struct {
	insts     []inst
	sets      []charset
	looks     []look
	match     int32 // the one opMatch
	usesWord  bool
	usesBegin bool
	hasAhead  bool
	hasBehind bool
}

// A look is the entry of a look-around.
type look struct {
	entry int32
	neg   bool
}

// instCost is what an instruction costs; it is more than a step because it stays in memory.
const instCost = 8

type compiler struct {
	program
	budget *Budget
	err    error
}

// compileProgram makes a program that finds root anywhere in the string.
func compileProgram(root *node, b *Budget) (*program, int32, error) {
	c := compiler{budget: b}
	c.match = c.emit(inst{op: opMatch})
	entry := c.node(root, c.match)
	if !anchored(root) {
		entry = c.unanchored(entry)
	}
	if c.usesWord {
		c.intern(wordSet)
	}
	return &c.program, entry, c.err
}

// unanchored lets a program start at any character.
func (c *compiler) unanchored(entry int32) int32 {
	split := c.emit(inst{op: opSplit, out: entry})
	c.insts[split].alt = c.emit(inst{op: opSet, set: c.intern(anySet), out: split})
	return split
}

func (c *compiler) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *compiler) emit(i inst) int32 {
	if !c.budget.spend(instCost) {
		c.fail(ErrTooLarge)
		return 0
	}
	c.insts = append(c.insts, i)
	return int32(len(c.insts) - 1)
}

func (c *compiler) intern(s charset) int32 {
	for i, t := range c.sets {
		if s.equal(t) {
			return int32(i)
		}
	}
	if !c.budget.spend(len(c.sets) + len(s)) {
		c.fail(ErrTooLarge)
		return 0
	}
	c.sets = append(c.sets, s)
	return int32(len(c.sets) - 1)
}

// node emits code for n that goes on at next, and returns where it starts.
func (c *compiler) node(n *node, next int32) int32 {
	if c.err != nil {
		return 0
	}
	switch n.kind {
	case kSet:
		return c.emit(inst{op: opSet, set: c.intern(n.set), out: next})
	case kConcat:
		for i := len(n.subs) - 1; i >= 0; i-- {
			next = c.node(n.subs[i], next)
		}
		return next
	case kAlt:
		entry := c.node(n.subs[len(n.subs)-1], next)
		for i := len(n.subs) - 2; i >= 0; i-- {
			entry = c.emit(inst{op: opSplit, out: c.node(n.subs[i], next), alt: entry})
		}
		return entry
	case kRepeat:
		return c.repeat(n, next)
	case kCapture:
		return c.node(n.subs[0], next)
	case kBegin:
		c.usesBegin = true
		return c.emit(inst{op: opBegin, out: next})
	case kEnd:
		return c.emit(inst{op: opEnd, out: next})
	case kWord, kNotWord:
		c.usesWord = true
		return c.emit(inst{op: opWord + uint8(n.kind-kWord), out: next})
	case kAhead:
		c.hasAhead = true
		return c.look(opAhead, n, c.node(n.subs[0], c.match), next)
	case kBehind:
		return c.behind(n, next)
	case kBackref:
		c.fail(&PatternError{Kind: ErrNotRegular, Problem: "back reference"})
	}
	return next
}

func (c *compiler) look(op uint8, n *node, entry, next int32) int32 {
	c.looks = append(c.looks, look{entry, n.neg})
	return c.emit(inst{op: op, neg: n.neg, set: int32(len(c.looks) - 1), out: next})
}

// behind makes a look-behind a program of its own that reads the string from the start. It must not ask what follows.
func (c *compiler) behind(n *node, next int32) int32 {
	if contains(n.subs[0], kEnd, kWord, kNotWord, kAhead, kBehind) {
		c.fail(&PatternError{Kind: ErrNotRegular, Problem: "look-behind that holds another assertion"})
		return 0
	}
	c.hasBehind = true
	entry := c.node(n.subs[0], c.match)
	if !anchored(n.subs[0]) {
		entry = c.unanchored(entry)
	}
	return c.look(opBehind, n, entry, next)
}

// repeat unrolls counted repetitions: x{2,4} is xx(x(x)?)?.
func (c *compiler) repeat(n *node, next int32) int32 {
	body, least := n.subs[0], n.min
	entry := next
	if n.max < 0 {
		split := c.emit(inst{op: opSplit, alt: next})
		first := c.node(body, split)
		if c.err != nil {
			return 0
		}
		c.insts[split].out = first
		entry = split
		if least > 0 { // x{n,} is n-1 times x, then x+, which is entered at the body
			entry = first
			least--
		}
	}
	for i := n.min; i < n.max; i++ {
		first := c.node(body, entry)
		if first == entry {
			break // the body is empty
		}
		entry = c.emit(inst{op: opSplit, out: first, alt: next})
		if c.err != nil {
			return 0
		}
	}
	for range least {
		first := c.node(body, entry)
		if c.err != nil {
			return 0
		}
		if first == entry {
			break
		}
		entry = first
	}
	return entry
}
