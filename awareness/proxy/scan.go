package proxy

import (
	"bytes"
	"encoding/json"
)

// A head is the members of a JSON-RPC message that matter here, as they stand in the text; nil where there is none.
type head struct {
	id, method, params, result, fault []byte
}

// readHead finds the members of a message without decoding it: most messages are of no interest, and some are long. It
// does not validate; what is to be rewritten is decoded properly afterwards.
func readHead(b []byte) (h head, ok bool) {
	ok = members(b, func(key, value []byte) {
		switch string(key) {
		case "id":
			h.id = value
		case "method":
			h.method = value
		case "params":
			h.params = value
		case "result":
			h.result = value
		case "error":
			if h.fault = value; string(value) == "null" { // as some servers say that there is none
				h.fault = nil
			}
		}
	})
	return h, ok
}

// members calls f with each member of a JSON object, the key without its quotes. Of equal keys the last one counts, as
// for most readers. It reports whether b is one object, balanced to its end.
func members(b []byte, f func(key, value []byte)) bool {
	i := space(b, 0)
	if i == len(b) || b[i] != '{' {
		return false
	}
	i = space(b, i+1)
	if i < len(b) && b[i] == '}' {
		return space(b, i+1) == len(b)
	}
	for i < len(b) && b[i] == '"' {
		end := skipString(b, i)
		if end < 0 {
			return false
		}
		key := plainText(b[i:end])
		if i = space(b, end); i == len(b) || b[i] != ':' {
			return false
		}
		start := space(b, i+1)
		if end = skipValue(b, start); end < 0 {
			return false
		}
		f(key, b[start:end])
		i = space(b, end)
		switch {
		case i == len(b):
			return false
		case b[i] == '}':
			return space(b, i+1) == len(b)
		case b[i] != ',':
			return false
		}
		i = space(b, i+1)
	}
	return false
}

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// skipString gives the place after the string that begins at i, -1 when it does not end.
func skipString(b []byte, i int) int {
	for at := i + 1; at < len(b); {
		n := bytes.IndexByte(b[at:], '"')
		if n < 0 {
			return -1
		}
		end := at + n
		slashes := 0
		for end-1-slashes > i && b[end-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return end + 1
		}
		at = end + 1
	}
	return -1
}

// skipValue gives the place after the value that begins at i, -1 when it does not end or is none. It counts brackets and
// does not recur, so depth costs nothing.
func skipValue(b []byte, i int) int {
	depth := 0
	for start := i; i < len(b); {
		switch b[i] {
		case '"':
			if i = skipString(b, i); i < 0 {
				return -1
			}
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return some(start, i)
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\n', '\r', '\t':
			if depth == 0 {
				return some(start, i)
			}
		}
		i++
	}
	return -1
}

func some(start, end int) int {
	if start == end {
		return -1
	}
	return end
}

// plainText is what stands in a JSON string.
func plainText(quoted []byte) []byte {
	if len(quoted) < 2 || quoted[0] != '"' {
		return nil
	}
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		return nil
	}
	return []byte(text)
}

// idKey makes ids comparable that stand for the same string: servers in some languages spell them with other escapes.
// A whole number is one with and without a fraction of zeros: JavaScript answers 1 to 1.0.
func idKey(id []byte) []byte {
	if whole, zeros, ok := bytes.Cut(id, []byte(".")); ok && len(id) > 0 && id[0] != '"' && len(zeros) > 0 && len(bytes.Trim(zeros, "0")) == 0 {
		return whole
	}
	if len(id) == 0 || id[0] != '"' || bytes.IndexByte(id, '\\') < 0 {
		return id
	}
	return append(append([]byte{'"'}, plainText(id)...), '"')
}

// isTrue finds a member of an object that is true.
func isTrue(object []byte, name string) bool {
	is := false
	members(object, func(key, value []byte) {
		if string(key) == name {
			is = string(value) == "true"
		}
	})
	return is
}
