package canonjson

import (
	"strconv"
	"strings"
)

// Locate finds the value that an RFC 6901 pointer names in a JSON text and returns the line and column (both from 1, the
// column in bytes) where it begins; for a member of an object that is where its key begins. The text should be one that
// Decode accepts; on any other text and for a pointer that leads nowhere ok is false.
func Locate(data []byte, pointer string) (line, column int, ok bool) {
	l := locator{data: data}
	offset := l.skipSpace(0)
	for _, token := range Tokens(pointer) {
		if offset = l.step(offset, token); offset < 0 {
			return 0, 0, false
		}
	}
	if pointer != "" && offset >= 0 {
		offset = l.start
	}
	if offset < 0 || offset >= len(data) {
		return 0, 0, false
	}
	before := string(data[:offset])
	return 1 + strings.Count(before, "\n"), offset - strings.LastIndexByte(before, '\n'), true
}

// A locator skips over values without building them.
type locator struct {
	data  []byte
	start int // where the member or element found last begins
}

// step enters the container at offset and returns the offset of the value that token names, -1 when there is none.
func (l *locator) step(offset int, token string) int {
	switch l.at(offset) {
	case '{':
		return l.member(offset+1, token)
	case '[':
		index, err := strconv.Atoi(token)
		if err != nil || index < 0 {
			return -1
		}
		return l.element(offset+1, index)
	}
	return -1
}

func (l *locator) member(offset int, name string) int {
	for {
		offset = l.skipSpace(offset)
		if l.at(offset) != '"' {
			return -1
		}
		end := l.skipString(offset)
		key := l.data[min(offset, len(l.data)):min(end, len(l.data))]
		value := l.skipSpace(end)
		if l.at(value) != ':' {
			return -1
		}
		value = l.skipSpace(value + 1)
		if keyIs(key, name) {
			l.start = offset
			return value
		}
		offset = l.skipSpace(l.skipValue(value))
		if l.at(offset) != ',' {
			return -1
		}
		offset++
	}
}

func (l *locator) element(offset, index int) int {
	for {
		offset = l.skipSpace(offset)
		if l.at(offset) == ']' || offset >= len(l.data) {
			return -1
		}
		if index == 0 {
			l.start = offset
			return offset
		}
		index--
		offset = l.skipSpace(l.skipValue(offset))
		if l.at(offset) != ',' {
			return -1
		}
		offset++
	}
}

func keyIs(quoted []byte, name string) bool {
	v, err := Decode(quoted)
	return err == nil && v == name
}

// skipValue returns the offset behind the value at offset. It counts brackets instead of descending, so that depth costs
// no stack.
func (l *locator) skipValue(offset int) int {
	depth := 0
	for offset < len(l.data) {
		switch c := l.data[offset]; c {
		case '"':
			offset = l.skipString(offset)
		case '{', '[':
			depth++
			offset++
		case '}', ']':
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
		default:
			offset++
			continue
		}
		if depth == 0 {
			return offset
		}
	}
	return offset
}

func (l *locator) skipString(offset int) int {
	for offset++; offset < len(l.data); offset++ {
		switch l.data[offset] {
		case '\\':
			offset++
		case '"':
			return offset + 1
		}
	}
	return offset
}

func (l *locator) skipSpace(offset int) int {
	for offset < len(l.data) && strings.IndexByte(" \t\r\n", l.data[offset]) >= 0 {
		offset++
	}
	return offset
}

func (l *locator) at(offset int) byte {
	if offset < 0 || offset >= len(l.data) {
		return 0
	}
	return l.data[offset]
}
