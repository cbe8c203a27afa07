package envelope

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of reading, so that no text makes it slow.
const (
	maxRead       = 256 << 10 // bytes of text that are looked at
	maxCandidates = 16        // places that look like the start of an envelope
	maxChildren   = 256       // children of one element
)

// A scanner walks over the children of one element. It is not an XML parser: it reads what other implementations write, and
// what they write wrongly too, in one pass.
type scanner struct {
	text string
	pos  int
	left int      // children still allowed
	open []string // names without an end tag in the rest of the text: not searched for again
}

// A node is a child element. Its body is still encoded.
type node struct {
	name  string
	attrs string
	body  string
}

// next returns the next child element.
func (s *scanner) next() (n node, ok bool) {
	for s.left > 0 {
		i := strings.IndexByte(s.text[s.pos:], '<')
		if i < 0 {
			return node{}, false
		}
		s.pos += i
		switch rest := s.text[s.pos:]; {
		case strings.HasPrefix(rest, "<!--"):
			s.skipPast("-->")
		case strings.HasPrefix(rest, "<![CDATA["):
			s.skipPast("]]>")
		default:
			n, size, closed := element(rest, s.open)
			if size == 0 {
				s.pos++
				continue
			}
			if !closed && !slices.Contains(s.open, n.name) {
				s.open = append(s.open, n.name)
			}
			s.pos += size
			s.left--
			return n, true
		}
	}
	return node{}, false
}

func (s *scanner) skipPast(end string) {
	if i := strings.Index(s.text[s.pos:], end); i >= 0 {
		s.pos += i + len(end)
		return
	}
	s.pos = len(s.text)
}

// element reads the element at the start of text, which begins with "<". size is 0 if there is none. An element that is never
// closed ends before the next tag; open lists names that are known not to be.
func element(text string, open []string) (n node, size int, closed bool) {
	nameEnd := 1
	for nameEnd < len(text) && nameByte(text[nameEnd]) {
		nameEnd++
	}
	if nameEnd == 1 || nameEnd == len(text) {
		return node{}, 0, false
	}
	tagEnd := tagClose(text, nameEnd)
	if tagEnd < 0 {
		return node{}, 0, false
	}
	n.name, n.attrs = text[1:nameEnd], text[nameEnd:tagEnd]
	if strings.HasSuffix(n.attrs, "/") {
		n.attrs = n.attrs[:len(n.attrs)-1]
		return n, tagEnd + 1, true
	}
	body := text[tagEnd+1:]
	end := -1
	if !slices.Contains(open, n.name) {
		end, size = closing(body, n.name)
	}
	closed = end >= 0
	if !closed {
		end = strings.IndexByte(body, '<')
		if end < 0 {
			end = len(body)
		}
		size = 0
	}
	n.body = body[:end]
	return n, tagEnd + 1 + end + size, closed
}

// tagClose finds the ">" that ends a tag, outside quotes; where a quote is never closed, the first ">".
func tagClose(text string, from int) int {
	var quote byte
	for i := from; i < len(text) && i < from+16<<10; i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i
		case c == '<':
			return -1
		}
	}
	if i := strings.IndexByte(text[from:min(len(text), from+16<<10)], '>'); i >= 0 && quote != 0 {
		return from + i
	}
	return -1
}

// closing finds the end tag that belongs to an element whose body starts at body: where it begins and how long it is.
func closing(body, name string) (at, size int) {
	for pos := 0; ; {
		i := strings.Index(body[pos:], "</")
		if i < 0 {
			return -1, 0
		}
		pos += i
		rest := body[pos+2:]
		if !strings.HasPrefix(rest, name) {
			pos += 2
			continue
		}
		end := len(name)
		for end < len(rest) && (rest[end] == ' ' || rest[end] == '\n' || rest[end] == '\t' || rest[end] == '\r') {
			end++
		}
		if end < len(rest) && rest[end] == '>' {
			return pos, 2 + end + 1
		}
		pos += 2
	}
}

func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' || c == ':'
}

// attr returns the decoded value of an attribute, in any order and with either kind of quotes.
func (n node) attr(name string) string {
	for s := n.attrs; ; {
		s = strings.TrimLeft(s, " \t\r\n")
		eq := strings.IndexByte(s, '=')
		if eq < 0 {
			return ""
		}
		key := strings.TrimRight(s[:eq], " \t\r\n")
		s = strings.TrimLeft(s[eq+1:], " \t\r\n")
		if s == "" {
			return ""
		}
		end, value := 0, ""
		if q := s[0]; q == '"' || q == '\'' {
			end = strings.IndexByte(s[1:], q)
			if end < 0 {
				return ""
			}
			value, end = s[1:end+1], end+2
		} else {
			end = strings.IndexAny(s, " \t\r\n")
			if end < 0 {
				end = len(s)
			}
			value = s[:end]
		}
		if i := strings.LastIndexAny(key, " \t\r\n"); i >= 0 {
			key = key[i+1:]
		}
		if key == name {
			return unescape(value)
		}
		s = s[end:]
	}
}

// content returns the decoded text of an element; CDATA is taken as it is.
func (n node) content() string {
	s := n.body
	if !strings.Contains(s, "<![CDATA[") {
		return unescape(s)
	}
	var b strings.Builder
	for {
		i := strings.Index(s, "<![CDATA[")
		if i < 0 {
			b.WriteString(unescape(s))
			return b.String()
		}
		b.WriteString(unescape(s[:i]))
		s = s[i+len("<![CDATA["):]
		end := strings.Index(s, "]]>")
		if end < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:end])
		s = s[end+3:]
	}
}

// unescape decodes the five entities of XML and numeric ones; what is no entity stays as it is.
func unescape(s string) string {
	i := strings.IndexByte(s, '&')
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i >= 0 {
		b.WriteString(s[:i])
		s = s[i:]
		end := strings.IndexByte(s[:min(len(s), 12)], ';')
		r := rune(-1)
		if end > 0 {
			r = entity(s[1:end])
		}
		if r >= 0 {
			b.WriteRune(r)
			s = s[end+1:]
		} else {
			b.WriteByte('&')
			s = s[1:]
		}
		i = strings.IndexByte(s, '&')
	}
	b.WriteString(s)
	return b.String()
}

func entity(name string) rune {
	switch name {
	case "amp":
		return '&'
	case "lt":
		return '<'
	case "gt":
		return '>'
	case "quot":
		return '"'
	case "apos":
		return '\''
	}
	if !strings.HasPrefix(name, "#") {
		return -1
	}
	digits, base := name[1:], 10
	if strings.HasPrefix(digits, "x") || strings.HasPrefix(digits, "X") {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || n > utf8.MaxRune || n == 0 {
		return -1
	}
	return rune(n)
}
