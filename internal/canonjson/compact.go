package canonjson

import (
	"bytes"
	"hash/maphash"
	"slices"
	"strconv"
)

// Compact returns the canonical form of a JSON text: the bytes of Append after Decode, and the same errors, without the tree
// between them, which takes ten times as much memory. Of a text in the layout of AppendIndent it copies what is no white
// space.
func Compact(data []byte, limits Limits) ([]byte, error) {
	c := compactor{decoder: decoder{data: data, limits: limits.orDefault()}, dst: make([]byte, 0, guessCompact(data))}
	if err := c.text(func() *SyntaxError { return c.value(0) }); err != nil {
		return nil, err
	}
	return c.dst, nil
}

// guessCompact is about the length of the canonical form: white space is half of a text with line ends, or more. What is too
// much stays untouched, and so costs no memory.
func guessCompact(data []byte) int {
	if bytes.IndexByte(data[:min(len(data), 1000)], '\n') >= 0 {
		return len(data)/2 + len(data)/8
	}
	return len(data)
}

// A compactor reads as a decoder does and writes what it read.
type compactor struct {
	decoder
	dst     []byte
	members []member // of all objects that are open, the innermost last
	region  []byte   // of one object, while its members are put in order
}

// A member is where one of an object stands in dst: from its key to the comma before the next one.
type member struct {
	start uint32
	key   uint32 // length of the key with its quotes
}

func (c *compactor) value(depth int) *SyntaxError {
	first, err := c.begin(depth)
	if err != nil {
		return err
	}
	start := c.pos
	switch first {
	case '{':
		return c.object(depth + 1)
	case '[':
		return c.array(depth + 1)
	case '"':
		raw, plain, err := c.rawString()
		c.str(raw, plain)
		return err
	case 't':
		err = c.word("true")
	case 'f':
		err = c.word("false")
	case 'n':
		err = c.word("null")
	default:
		_, number, err := c.numeral()
		if number != "" {
			c.dst = append(c.dst, number...)
			return err
		}
		c.dst = append(c.dst, c.data[start:c.pos]...)
		return err
	}
	c.dst = append(c.dst, c.data[start:c.pos]...)
	return err
}

// str writes a string that rawString read. A plain one has the only spelling it can have.
func (c *compactor) str(raw []byte, plain bool) {
	if plain {
		c.dst = append(append(append(c.dst, '"'), raw...), '"')
		return
	}
	c.dst = AppendString(c.dst, string(raw))
}

func (c *compactor) array(depth int) *SyntaxError {
	c.pos++
	c.dst = append(c.dst, '[')
	for n := 0; ; n++ {
		done, err := c.next(']', n == 0)
		if err != nil {
			return err
		}
		if done {
			c.dst = append(c.dst, ']')
			return nil
		}
		if n > 0 {
			c.dst = append(c.dst, ',')
		}
		if err := c.value(depth); err != nil {
			err.path = append(err.path, strconv.Itoa(n))
			return err
		}
	}
}

func (c *compactor) object(depth int) *SyntaxError {
	c.pos++
	c.dst = append(c.dst, '{')
	o := openObject{first: len(c.members)}
	for {
		done, err := c.next('}', len(c.members) == o.first)
		if err != nil {
			return err
		}
		if done {
			c.close(o)
			return nil
		}
		at := c.pos
		raw, plain, err := c.rawKey()
		if err != nil {
			return err
		}
		if c.open(&o, raw, plain) {
			return c.fail(DuplicateKey, at, "duplicate key %s", quote(string(raw)))
		}
		key := c.members[len(c.members)-1]
		if err := c.value(depth); err != nil {
			err.path = append(err.path, unquote(c.dst[key.start:key.start+key.key]))
			return err
		}
	}
}

// An openObject is an object that is being read.
type openObject struct {
	first  int               // its first member
	mixed  bool              // its keys are out of order
	others map[uint64]uint32 // its members by the hash of the key, when there are many and they are out of order
}

// open writes the key of the next member and its colon. It reports a key that the object has already.
func (c *compactor) open(o *openObject, raw []byte, plain bool) (duplicate bool) {
	if len(c.members) > o.first {
		c.dst = append(c.dst, ',')
	}
	start := len(c.dst)
	c.str(raw, plain)
	key := c.dst[start:]
	if before := c.members[o.first:]; len(before) > 0 {
		order := compareQuoted(c.keyOf(before[len(before)-1]), key)
		o.mixed = o.mixed || order > 0
		if order == 0 || o.mixed && c.seen(o, key) {
			return true
		}
	}
	c.members = append(c.members, member{start: uint32(start), key: uint32(len(key))})
	c.dst = append(c.dst, ':')
	return false
}

func (c *compactor) keyOf(m member) []byte { return c.dst[m.start : m.start+m.key] }

// seen looks for a key among all that the object has. Equal keys are equal bytes, since they are canonical.
func (c *compactor) seen(o *openObject, key []byte) bool {
	const few = 16
	before := c.members[o.first:]
	if len(before) <= few {
		return slices.ContainsFunc(before, func(m member) bool { return bytes.Equal(c.keyOf(m), key) })
	}
	if o.others == nil {
		o.others = make(map[uint64]uint32, 4*few)
		for i, m := range before {
			c.remember(o, c.keyOf(m), i)
		}
	}
	return !c.remember(o, key, len(before))
}

var keySeed = maphash.MakeSeed()

// remember takes down the key of the i-th member. It is false when another one has this key.
func (c *compactor) remember(o *openObject, key []byte, i int) bool {
	for hash := maphash.Bytes(keySeed, key); ; hash++ { // keys that share a hash stand side by side
		other, taken := o.others[hash]
		switch {
		case !taken:
			o.others[hash] = uint32(i)
			return true
		case bytes.Equal(c.keyOf(c.members[o.first+int(other)]), key):
			return false
		}
	}
}

// close writes the end of an object, after its members were put in order.
func (c *compactor) close(o openObject) {
	if o.mixed {
		c.sort(c.members[o.first:])
	}
	c.members = c.members[:o.first]
	c.dst = append(c.dst, '}')
}

// sort puts the members in order, which are the end of dst. Each but the last ends at the comma before the next one.
func (c *compactor) sort(members []member) {
	start, end := members[0].start, uint32(len(c.dst))+1
	c.region = append(c.region[:0], c.dst[start:]...)
	key := func(i uint32) []byte { return c.region[members[i].start-start:][:members[i].key] }
	order := make([]uint32, len(members))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(i, j uint32) int { return compareQuoted(key(i), key(j)) })
	c.dst = c.dst[:start]
	for n, i := range order {
		if n > 0 {
			c.dst = append(c.dst, ',')
		}
		next := end
		if int(i)+1 < len(members) {
			next = members[i+1].start
		}
		c.dst = append(c.dst, c.region[members[i].start-start:next-1-start]...)
	}
}

// compareQuoted orders keys as CompareKeys does, in their canonical spelling with quotes.
func compareQuoted(a, b []byte) int {
	for i := 1; i < len(a) && i < len(b); i++ {
		x, y := a[i], b[i]
		switch {
		case x == y:
		case x == '\\', y == '\\', a[i-1] == '\\', x >= 0xEE, y >= 0xEE:
			return CompareKeys(unquote(a), unquote(b))
		case x == '"', y == '"': // the end of the shorter one
			return len(a) - len(b)
		default:
			return int(x) - int(y)
		}
	}
	return len(a) - len(b)
}

// unquote is the text of a canonical string.
func unquote(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	d := decoder{data: quoted}
	raw, _, err := d.rawString()
	if err != nil {
		panic("canonjson: not a canonical string: " + err.Problem)
	}
	return string(raw)
}
