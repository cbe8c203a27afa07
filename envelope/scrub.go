package envelope

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// maxScrub bounds how much of a text is searched; what lies behind it is cut off, so it is never shown unsearched.
const maxScrub = 4096

const hiddenMark = "[hidden]"

// scrubbers are compiled at the first error that needs them. Go's engine runs in linear time on any input.
var scrubbers = sync.OnceValue(func() (s struct{ known, userinfo, header, scheme, flag *regexp.Regexp }) {
	// Shapes of well-known credentials, whatever stands beside them.
	s.known = regexp.MustCompile(`eyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?|A(?:KIA|SIA)[0-9A-Z]{16}|gh[pousr]_\w{20,}|github_pat_\w{20,}|` +
		`sk-[\w-]{16,}|[rs]k_(?:live|test)_\w{10,}|xox[abeprs]-[\w-]{10,}|glpat-[\w-]{16,}|AIza[\w-]{30,}|-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*)`)
	s.userinfo = regexp.MustCompile(`://[^\s/@'"<>]*(?:[^\s'"<>/]*)@`)
	s.header = regexp.MustCompile(`(?i)\b((?:proxy-)?authorization|(?:set-)?cookie2?)(\\?["']?\s*[:=]\s*)[^\r\n"'\\]*`)
	s.scheme = regexp.MustCompile(`(?i)\b(bearer|basic|negotiate|apikey)\s+[\w.~+/=-]{8,}`)
	s.flag = regexp.MustCompile(`(--?)([A-Za-z][\w-]*)(\s+)([^\s-]\S*)`)
	return s
})

// scrub hides in free text what looks like a credential: name=value with a secret-looking name, authorization headers, the
// user part of a URL, and the shapes of well-known tokens. It is a net, not a proof: WithSafeMessage hides a text wholly.
func scrub(s string) string {
	s = limitBytes(s, maxScrub)
	if len(s) < 8 {
		return s
	}
	re := scrubbers()
	if strings.Contains(s, "://") {
		s = re.userinfo.ReplaceAllString(s, "://"+hiddenMark+"@")
	}
	s = re.header.ReplaceAllString(s, "${1}${2}"+hiddenMark)
	s = re.scheme.ReplaceAllStringFunc(s, func(m string) string {
		name, rest, _ := strings.Cut(m, " ")
		if strings.ContainsAny(rest, "0123456789=+/._") || len(rest) >= 24 {
			return name + " " + hiddenMark
		}
		return m // "bearer authentication"
	})
	s = re.known.ReplaceAllString(s, hiddenMark)
	s = scrubPairs(s)
	if strings.Contains(s, "-") {
		s = re.flag.ReplaceAllStringFunc(s, func(m string) string {
			name := strings.Fields(m)[0]
			if secretName(name) {
				return name + " " + hiddenMark
			}
			return m
		})
	}
	return s
}

// scrubPairs hides the value in name=value, "name": "value", name => value and the like. It looks back from each separator, a
// bounded way, so that it is linear; a pattern that takes the value first is quadratic on a=a=a=….
func scrubPairs(s string) string {
	var b strings.Builder
	from := 0
	for i := 0; i < len(s); i++ {
		if s[i] != '=' && s[i] != ':' {
			continue
		}
		if !secretBefore(s[from:i], s[i] == '=') {
			continue
		}
		start, end := valueAfter(s, i)
		if start == end || strings.HasPrefix(s[start:], hiddenMark) {
			continue
		}
		b.WriteString(s[from:start])
		b.WriteString(hiddenMark)
		from, i = end, end-1
	}
	if from == 0 {
		return s
	}
	b.WriteString(s[from:])
	return b.String()
}

// secretBefore reports whether s ends in a secret-looking name. A word such as "key" alone counts in key=… but not in prose.
func secretBefore(s string, assigned bool) bool {
	s = strings.TrimRight(s[max(0, len(s)-128):], " \t\"'\\")
	word := s[nameStart(s):]
	if word == "" {
		return false
	}
	if words := nameWords(word); assigned && secretName(word) || secretIn(words) {
		return true
	}
	before := strings.TrimRight(s[:len(s)-len(word)], " ")
	if len(before) == len(s)-len(word) {
		return false
	}
	return secretIn(nameWords(before[nameStart(before):] + " " + word)) // api key: …
}

// nameStart finds where the name at the end of s begins.
func nameStart(s string) int {
	i := len(s)
	for i > 0 && (nameByte(s[i-1]) && s[i-1] != ':' || s[i-1] >= utf8.RuneSelf) {
		i--
	}
	return i
}

// valueAfter finds the value behind the separator at i: quoted, or up to the next delimiter.
func valueAfter(s string, i int) (start, end int) {
	i++
	if i < len(s) && (s[i] == '>' || s[i] == '=') {
		i++
	}
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	start = i
	if i < len(s) && s[i] == '\\' {
		i++
	}
	if i < len(s) && (s[i] == '"' || s[i] == '\'') {
		quote := s[i]
		for i++; i < len(s); i++ {
			if s[i] == quote {
				return start, i + 1
			}
		}
		return start, i
	}
	for i < len(s) && !strings.ContainsRune(" \t\r\n,;&\"'}])", rune(s[i])) {
		i++
	}
	return start, i
}
