package canonjson

import (
	"iter"
	"math"
)

// The functions of this file take texts in canonical form, as Compact and Append write them, and rely on that: they look for
// no faults, and values are pieces of the text.

// Members are the keys and the values of an object in canonical form. Any other value has none.
func Members(object []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for m := range spans(object, '{') {
			if !yield(unquote(object[m.start:m.colon]), object[m.colon+1:m.end]) {
				return
			}
		}
	}
}

// Elements are the values of an array in canonical form. Any other value has none.
func Elements(array []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for m := range spans(array, '[') {
			if !yield(array[m.start:m.end]) {
				return
			}
		}
	}
}

// A span is a member of an object, from its key over its colon to its end, or an element of an array, which has no colon.
type span struct{ start, colon, end int }

func spans(text []byte, opening byte) iter.Seq[span] {
	return func(yield func(span) bool) {
		if len(text) == 0 || text[0] != opening {
			return
		}
		for start := 1; start < len(text)-1; {
			s := span{start: start, colon: start}
			value := start
			if opening == '{' {
				s.colon = skipString(text, start)
				value = s.colon + 1
			}
			s.end = skipValue(text, value)
			if !yield(s) {
				return
			}
			start = s.end + 1
		}
	}
}

// Cut takes a member out of an object in canonical form: without it, the object is before and then after. When it has no
// such member, they are the two halves between which it would stand.
func Cut(object []byte, key string) (before, value, after []byte, found bool) {
	quoted := AppendString(nil, key)
	end := 1
	for m := range spans(object, '{') {
		switch order := compareQuoted(object[m.start:m.colon], quoted); {
		case order > 0:
			return object[:end], nil, object[end:], false
		case order == 0:
			after = object[m.end:]
			if end == 1 && after[0] == ',' { // the first of several: the next one has no comma before it
				after = after[1:]
			}
			return object[:end], object[m.colon+1 : m.end], after, true
		}
		end = m.end
	}
	return object[:end], nil, object[end:], false
}

// Text is the string that stands in canonical form; ok is false for any other value.
func Text(value []byte) (text string, ok bool) {
	if len(value) == 0 || value[0] != '"' {
		return "", false
	}
	return unquote(value), true
}

// IndentCompact is AppendIndent for a value in canonical form.
func IndentCompact(dst, value []byte, depth int) []byte {
	dst, _ = IndentCompactMax(dst, value, depth, math.MaxInt)
	return dst
}

// IndentCompactMax is AppendIndentMax for a value in canonical form.
func IndentCompactMax(dst, value []byte, depth, most int) (form []byte, ok bool) {
	start, level := len(dst), depth
	for at := 0; at < len(value); {
		c := value[at]
		switch c {
		case '"':
			end := skipString(value, at)
			if end < len(value) && value[end] == ':' && hasHighByte(value[at:end]) {
				// In the form for files this object may have another order of keys.
				return AppendIndentMax(dst[:start], DecodeCompact(value), level, most)
			}
			dst = append(dst, value[at:end]...)
			at = end
			continue
		case '{', '[':
			if value[at+1] == c+2 { // the closing one
				dst = append(dst, c, c+2)
				at += 2
				continue
			}
			depth++
			dst = newline(append(dst, c), 0, depth)
		case '}', ']':
			depth--
			dst = append(newline(dst, 0, depth), c)
		case ',':
			dst = newline(dst, 1, depth)
		case ':':
			dst = append(dst, ": "...)
		default:
			dst = append(dst, c)
		}
		at++
		if len(dst) > most {
			return dst, false
		}
	}
	return dst, len(dst) <= most
}

// DecodeCompact is Decode for a text in canonical form. It panics on any other.
func DecodeCompact(value []byte) any {
	v, err := DecodeLimits(value, Limits{Bytes: math.MaxInt, Depth: math.MaxInt, Values: math.MaxInt, NumberDigits: math.MaxInt - 64})
	if err != nil {
		panic("canonjson: not in canonical form: " + err.Error())
	}
	return v
}

// TreeSize is about the memory that the tree of a text in canonical form takes, more rather than less. A string of one
// letter takes ten times its text, an object of one member fifty times.
func TreeSize(value []byte) int {
	const (
		slot   = 32 // of an array that has just grown, or the number in it
		text   = 32
		array  = 48
		object = 48
		group  = 312 // up to eight members
	)
	size := slot
	for at := 0; at < len(value); at++ {
		switch value[at] {
		case '"':
			end := skipString(value, at)
			size += text + end - at
			at = end - 1
		case '[':
			size += array
		case '{':
			size += object
			if value[at+1] != '}' {
				size += group
			}
		case ',':
			size += 2 * slot
		}
	}
	return size
}
