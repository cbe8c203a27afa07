package awareness

import (
	"strings"
	"unicode"
)

// effects are words of tools' names that tell what a call does. Two tools may take the very same arguments and do the contrary;
// a report may show such a pair to a person as a guess, but a model would make the call.
var effects = func() map[string]string {
	m := map[string]string{}
	for effect, words := range map[string]string{
		"read":   "get list read search find fetch query show view describe lookup",
		"delete": "delete remove drop destroy erase purge wipe uninstall",
		"create": "create add insert register install",
		"start":  "start enable resume lock grant allow subscribe follow approve",
		"stop":   "stop disable pause unlock revoke deny unsubscribe unfollow reject cancel",
	} {
		for _, w := range strings.Fields(words) {
			m[w] = effect
		}
	}
	return m
}()

// effect is that of the first word of a name that tells one, "" when none does.
func effect(name string) string {
	var words []string
	start, before := 0, rune(0)
	for i, r := range name {
		if !unicode.IsLetter(r) || unicode.IsUpper(r) && unicode.IsLower(before) {
			words = append(words, name[start:i])
			start = i
		}
		before = r
	}
	for _, w := range append(words, name[start:]) {
		if e, ok := effects[strings.ToLower(strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) }))]; ok {
			return e
		}
	}
	return ""
}

// opposed reports whether the names of two tools say that they do different things.
func opposed(a, b string) bool {
	x, y := effect(a), effect(b)
	return x != y && x != "" && y != ""
}
