package validate

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// quote shows text of a stranger in an error, cut.
func quote(s string) string {
	if utf8.RuneCountInString(s) > 60 {
		s = string([]rune(s)[:60]) + "…"
	}
	return `"` + strings.ToValidUTF8(strings.NewReplacer("\n", `\n`, "\r", `\r`, "\x1b", `\e`).Replace(s), "?") + `"`
}

// unescapeFragment turns the pointer of a URL fragment into a plain RFC 6901 pointer.
func unescapeFragment(fragment string) (string, bool) {
	if !strings.Contains(fragment, "%") {
		return fragment, true
	}
	p, err := url.PathUnescape(fragment)
	return p, err == nil
}

// libraryTokens splits a location of the library, whose tokens are escaped for a pointer first and for a URL then.
func libraryTokens(location string) []string {
	if location == "" {
		return nil
	}
	parts := strings.Split(strings.TrimPrefix(location, "/"), "/")
	for i, p := range parts {
		if u, ok := unescapeFragment(p); ok {
			p = u
		}
		if p == emptyName {
			parts[i] = ""
			continue
		}
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(p, "~1", "/"), "~0", "~")
	}
	return parts
}

// libraryToken escapes a token as the library does.
func libraryToken(token string) string {
	return url.PathEscape(canonjson.EscapeToken(token))
}
