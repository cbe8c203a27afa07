package canonjson

import (
	"strconv"
	"strings"
)

var (
	tokenEscaper   = strings.NewReplacer("~", "~0", "/", "~1")
	tokenUnescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// EscapeToken escapes one reference token of an RFC 6901 pointer.
func EscapeToken(token string) string {
	if strings.ContainsAny(token, "~/") {
		return tokenEscaper.Replace(token)
	}
	return token
}

// Pointer joins tokens to an RFC 6901 pointer.
func Pointer(tokens ...string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte('/')
		b.WriteString(EscapeToken(t))
	}
	return b.String()
}

// Tokens splits an RFC 6901 pointer into its unescaped tokens.
func Tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, t := range tokens {
		tokens[i] = tokenUnescaper.Replace(t)
	}
	return tokens
}

// Lookup returns the value that pointer names in v.
func Lookup(v any, pointer string) (any, bool) {
	for _, t := range Tokens(pointer) {
		switch c := v.(type) {
		case map[string]any:
			e, ok := c[t]
			if !ok {
				return nil, false
			}
			v = e
		case []any:
			i, err := strconv.Atoi(t)
			if err != nil || i < 0 || i >= len(c) || strconv.Itoa(i) != t {
				return nil, false
			}
			v = c[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// ShowPointer makes a pointer fit for a message: cut in the middle when it is long, and quoted when it holds anything that
// a terminal would obey or a reader could not see.
func ShowPointer(pointer string) string {
	const most = 160
	if len(pointer) > most {
		pointer = strings.ToValidUTF8(pointer[:most/2], "") + "…" + strings.ToValidUTF8(pointer[len(pointer)-most/2:], "")
	}
	if q := strconv.Quote(pointer); q[1:len(q)-1] != pointer {
		return q
	}
	return pointer
}
