package capture

import (
	"bytes"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// ParseConfig reads the text of a client configuration for [ReadConfig]: JSON with line and block comments and trailing
// commas, which VS Code and others accept. Errors give the place in the text as it is.
func ParseConfig(data []byte) (any, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	return canonjson.Decode(blankComments(data))
}

// blankComments replaces comments and trailing commas by spaces, so that lines and columns stay.
func blankComments(data []byte) []byte {
	out := bytes.Clone(data)
	comma := -1 // the last comma after a value, when only space and comments have followed it
	before := byte('[')
	for i := 0; i < len(out); {
		end, significant := i+1, true
		switch c := out[i]; {
		case c == '"':
			end = stringEnd(out, i)
			comma = -1
		case c == '/' && i+1 < len(out) && out[i+1] == '/':
			significant = false
			end = i + lengthTo(out[i:], "\n", 0)
			blank(out[i:end])
		case c == '/' && i+1 < len(out) && out[i+1] == '*':
			significant = false
			end = i + 2 + lengthTo(out[i+2:], "*/", 2)
			blank(out[i:end])
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			significant = false
		case c == ',' && bytes.IndexByte([]byte("[{,:"), before) < 0:
			comma = i
		case c == '}' || c == ']':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
		default:
			comma = -1
		}
		if significant {
			before = out[end-1]
		}
		i = end
	}
	return out
}

// lengthTo is the length of b up to the mark and over extra bytes of it, or all of it when there is no mark.
func lengthTo(b []byte, mark string, extra int) int {
	if i := bytes.Index(b, []byte(mark)); i >= 0 {
		return i + extra
	}
	return len(b)
}

func stringEnd(b []byte, start int) int {
	for i := start + 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

func blank(b []byte) {
	for i, c := range b {
		if c != '\n' && c != '\r' {
			b[i] = ' '
		}
	}
}
