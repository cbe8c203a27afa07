package canonjson

import (
	"bytes"
	"slices"
	"strconv"
)

// A Place is where something stands in a text, from 1; the column counts bytes.
type Place struct{ Line, Column int }

// Locate finds the value that an RFC 6901 pointer names in a JSON text and returns where it begins; for a member of an
// object that is where its key begins. The text should be one that Decode accepts; on any other text and for a pointer
// that leads nowhere ok is false.
func Locate(data []byte, pointer string) (line, column int, ok bool) {
	place, ok := LocateAll(data, pointer)[pointer]
	return place.Line, place.Column, ok
}

// LocateAll is Locate for many pointers in one pass over the text. Pointers that lead nowhere are not in the result.
func LocateAll(data []byte, pointers ...string) map[string]Place {
	root := &target{}
	for _, p := range pointers {
		root.add(p)
	}
	l := locator{data: data, found: map[string]int{}}
	l.find(root, l.skipSpace(0), l.skipSpace(0))
	return l.places()
}

// A target is a node of the tree of all tokens that are looked for.
type target struct {
	pointers []string // that end here
	members  map[string]*target
}

func (t *target) add(pointer string) {
	for _, token := range Tokens(pointer) {
		next := t.members[token]
		if next == nil {
			next = &target{}
			if t.members == nil {
				t.members = map[string]*target{}
			}
			t.members[token] = next
		}
		t = next
	}
	t.pointers = append(t.pointers, pointer)
}

// A locator skips over values without building them.
type locator struct {
	data  []byte
	found map[string]int // offsets by pointer
}

// places turns offsets into lines and columns in one more pass.
func (l *locator) places() map[string]Place {
	pointers := SortedKeys(l.found)
	slices.SortStableFunc(pointers, func(a, b string) int { return l.found[a] - l.found[b] })
	places := make(map[string]Place, len(pointers))
	line, lineStart, counted := 1, 0, 0
	for _, p := range pointers {
		offset := l.found[p]
		between := l.data[counted:offset]
		if n := bytes.Count(between, []byte{'\n'}); n > 0 {
			line += n
			lineStart = counted + bytes.LastIndexByte(between, '\n') + 1
		}
		places[p] = Place{Line: line, Column: offset - lineStart + 1}
		counted = offset
	}
	return places
}

// find records the value at offset, which is shown at start, and what t looks for inside of it. It returns the offset
// behind the value. It descends no deeper than the pointers do.
func (l *locator) find(t *target, start, offset int) int {
	if offset >= len(l.data) {
		return len(l.data)
	}
	for _, p := range t.pointers {
		if _, known := l.found[p]; !known {
			l.found[p] = start
		}
	}
	switch {
	case len(t.members) == 0:
		return l.skipValue(offset)
	case l.data[offset] == '{':
		return l.findMembers(t, offset+1)
	case l.data[offset] == '[':
		return l.findElements(t, offset+1)
	}
	return l.skipValue(offset)
}

func (l *locator) findMembers(t *target, offset int) int {
	for {
		start := l.skipSpace(offset)
		if l.at(start) != '"' {
			return l.behind(start, '}')
		}
		end := l.skipString(start)
		value := l.skipSpace(end)
		if l.at(value) != ':' {
			return len(l.data)
		}
		value = l.skipSpace(value + 1)
		if member := t.members[keyText(l.data[start:end])]; member != nil {
			offset = l.find(member, start, value)
		} else {
			offset = l.skipValue(value)
		}
		offset = l.skipSpace(offset)
		if l.at(offset) != ',' {
			return l.behind(offset, '}')
		}
		offset++
	}
}

func (l *locator) findElements(t *target, offset int) int {
	for i := 0; ; i++ {
		start := l.skipSpace(offset)
		if l.at(start) == ']' {
			return start + 1
		}
		if element := t.members[strconv.Itoa(i)]; element != nil {
			offset = l.find(element, start, start)
		} else {
			offset = l.skipValue(start)
		}
		offset = l.skipSpace(offset)
		if l.at(offset) != ',' {
			return l.behind(offset, ']')
		}
		offset++
	}
}

// behind returns the offset behind a closing bracket. What is not well-formed ends the search.
func (l *locator) behind(offset int, closing byte) int {
	if l.at(offset) == closing {
		return offset + 1
	}
	return len(l.data)
}

// keyText is the key that stands in quotes, "" when it is not well-formed.
func keyText(quoted []byte) string {
	if len(quoted) >= 2 && bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	v, err := Decode(quoted)
	if err != nil {
		return ""
	}
	text, _ := v.(string)
	return text
}

func (l *locator) skipValue(offset int) int { return skipValue(l.data, offset) }

// skipValue returns the offset behind the value at offset. It counts brackets instead of descending, so that depth costs
// no stack.
func skipValue(data []byte, offset int) int {
	depth := 0
	for offset < len(data) {
		switch structure[data[offset]] {
		case 0:
			offset++
			continue
		case '"':
			offset = skipString(data, offset)
		case '{':
			depth++
			offset++
		case '}':
			if depth == 0 {
				return offset
			}
			depth--
			offset++
		case ',':
			if depth == 0 {
				return offset
			}
			offset++
			continue
		}
		if depth == 0 {
			return offset
		}
	}
	return len(data)
}

// structure says what a byte outside of strings means for skipValue: brackets of both kinds count alike.
var structure = [256]byte{'"': '"', '{': '{', '[': '{', '}': '}', ']': '}', ',': ','}

func (l *locator) skipString(offset int) int { return skipString(l.data, offset) }

// skipString returns the offset behind the string at offset.
func skipString(data []byte, offset int) int {
	for offset++; offset < len(data); {
		quote := bytes.IndexByte(data[offset:], '"')
		if quote < 0 {
			break
		}
		// An odd number of backslashes before it makes it a part of the string.
		quote += offset
		escape := quote
		for escape > offset && data[escape-1] == '\\' {
			escape--
		}
		offset = quote + 1
		if (quote-escape)%2 == 0 {
			return offset
		}
	}
	return len(data)
}

func (l *locator) skipSpace(offset int) int {
	for offset < len(l.data) {
		switch l.data[offset] {
		case ' ', '\t', '\n', '\r':
			offset++
		default:
			return offset
		}
	}
	return offset
}

func (l *locator) at(offset int) byte {
	if offset >= len(l.data) {
		return 0
	}
	return l.data[offset]
}
