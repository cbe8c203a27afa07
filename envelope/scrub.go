package envelope

import (
	"regexp"
	"strings"
	"sync"
)

// maxScrub bounds how much of a text is searched; what lies behind it is cut off, so it is never shown unsearched.
const maxScrub = 4096

const hiddenMark = "[hidden]"

// scrubbers are compiled at the first error that needs them. Go's engine runs in linear time on any input.
var scrubbers = sync.OnceValue(func() (s struct{ known, userinfo, header, scheme, pair, flag *regexp.Regexp }) {
	// Shapes of well-known credentials, whatever stands beside them.
	s.known = regexp.MustCompile(`eyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?|A(?:KIA|SIA)[0-9A-Z]{16}|gh[pousr]_\w{20,}|github_pat_\w{20,}|` +
		`sk-[\w-]{16,}|[rs]k_(?:live|test)_\w{10,}|xox[abeprs]-[\w-]{10,}|glpat-[\w-]{16,}|AIza[\w-]{30,}|-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*)`)
	s.userinfo = regexp.MustCompile(`://[^\s/@'"<>]*(?:[^\s'"<>/]*)@`)
	s.header = regexp.MustCompile(`(?i)\b((?:proxy-)?authorization|(?:set-)?cookie2?)(\\?["']?\s*[:=]\s*)[^\r\n"'\\]*`)
	s.scheme = regexp.MustCompile(`(?i)\b(bearer|basic|negotiate|apikey)\s+[\w.~+/=-]{8,}`)
	s.pair = regexp.MustCompile(`([\p{L}_][\p{L}\p{N}_.-]*(?: key)?)(\\?["']?\s*(?:=>|:=|[:=])\s*)(\\?"[^"]*"?|\\?'[^']*'?|[^\s,;&"'}\])]+)`)
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
	if strings.ContainsAny(s, "=:") {
		s = replaceGroups(re.pair, s, func(g []string) string {
			if secretName(g[1]) && !strings.HasPrefix(hiddenMark, g[3]) {
				return g[1] + g[2] + hiddenMark
			}
			return g[0]
		})
	}
	if strings.Contains(s, "-") {
		s = replaceGroups(re.flag, s, func(g []string) string {
			if secretName(g[2]) {
				return g[1] + g[2] + g[3] + hiddenMark
			}
			return g[0]
		})
	}
	return s
}

// replaceGroups is ReplaceAllStringFunc with the groups. It goes on behind the name of a match that it kept, so that a=b=c is
// read twice.
func replaceGroups(re *regexp.Regexp, s string, f func([]string) string) string {
	var b strings.Builder
	for range maxScrub {
		m := re.FindStringSubmatchIndex(s)
		if m == nil {
			break
		}
		g := make([]string, len(m)/2)
		for i := range g {
			g[i] = s[m[2*i]:m[2*i+1]]
		}
		b.WriteString(s[:m[0]])
		if t := f(g); t != g[0] {
			b.WriteString(t)
			s = s[m[1]:]
			continue
		}
		next := m[5] // behind the second group: the value may itself be a pair
		b.WriteString(s[m[0]:next])
		s = s[next:]
	}
	b.WriteString(s)
	return b.String()
}
