package envelope

import "strings"

// tokens splits a JSON pointer. It bounds what it reads: a name is shown to about a hundred characters.
func tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	parts := strings.SplitN(strings.TrimPrefix(pointer, "/"), "/", 65)
	if len(parts) > 64 {
		parts = parts[:64]
	}
	for i, p := range parts {
		if strings.Contains(p, "~") {
			parts[i] = strings.ReplaceAll(strings.ReplaceAll(p, "~1", "/"), "~0", "~")
		}
	}
	return parts
}

// readablePath writes a pointer the way code would reach the value: items[2].price. Names that are not plain words are
// quoted: headers["x y"]. The arguments object itself is "arguments".
func readablePath(pointer string, more ...string) string {
	var b strings.Builder
	for _, t := range append(tokens(pointer), more...) {
		switch {
		case allDigits(t):
			b.WriteString("[" + t + "]")
		case plainName(t):
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(t)
		default:
			b.WriteString("[" + quote(clean(t, maxName)) + "]")
		}
		if b.Len() > 4*maxName {
			break
		}
	}
	if b.Len() == 0 {
		return "arguments"
	}
	return clean(b.String(), maxName)
}

func allDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != "" && len(s) < 10
}

func plainName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '$') {
			return false
		}
	}
	return s != "" && len(s) <= maxName
}

// quote puts s, which is clean, between quotes that s cannot close: 'it', or "it's" with JSON escapes.
func quote(s string) string {
	if !strings.Contains(s, "'") {
		return "'" + s + "'"
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// nearest returns the known names that s may have been meant to be, the most likely first, at most n.
func nearest(s string, known []string, n int) []string {
	type hit struct {
		name string
		cost int
	}
	var hits []hit
	if len(known) > 500 {
		known = known[:500]
	}
	folded := fold(s)
	for _, k := range known {
		if k == s || len(k) > 4*maxName {
			continue
		}
		f := fold(k)
		cost, limit := 0, typos(min(len(folded), len(f)))
		switch {
		case f == folded:
		case folded != "" && f != "" && len(folded) >= 3 && len(f) >= 3 && (strings.HasSuffix(f, folded) || strings.HasSuffix(folded, f)):
			cost = 1
		case len(folded) >= 3 && len(f) >= 3 && (strings.HasPrefix(f, folded) || strings.HasPrefix(folded, f)):
			cost = 2
		default:
			cost = limit + 1
			if len(folded) <= 64 && len(f) <= 64 {
				cost = distance(folded, f, limit)
			}
			if cost > limit {
				continue
			}
			cost++
		}
		at := len(hits)
		for at > 0 && (hits[at-1].cost > cost || hits[at-1].cost == cost && hits[at-1].name > k) {
			at--
		}
		hits = append(hits, hit{})
		copy(hits[at+1:], hits[at:])
		hits[at] = hit{k, cost}
	}
	var names []string
	for _, h := range hits[:min(n, len(hits))] {
		names = append(names, h.name)
	}
	return names
}

// typos is how many edits may be slips of the pen in a name of this length: none in one or two letters, of which each would
// do for any other.
func typos(length int) int {
	if length < 3 {
		return 0
	}
	return max(1, length/3)
}

// fold drops case and separators, so that customer_id and customerId are one name.
func fold(s string) string {
	if len(s) > maxName {
		s = s[:maxName]
	}
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' || r == '.' {
			return -1
		}
		return r
	}, s))
}

// distance counts the edits (insert, delete, replace, swap of neighbours) between two byte strings; more than limit is limit+1.
func distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	before, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
			least = min(least, cur[j])
		}
		if least > limit+1 { // one more than needed, because a swap looks two rows back
			return limit + 1
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}
