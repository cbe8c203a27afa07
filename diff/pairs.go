package diff

import (
	"cmp"
	"slices"
	"strings"
)

// minPairScore is the likeness, of 100, from which a removed and an added item are shown as a pair.
const minPairScore = 60

// maxPairs bounds the comparisons of removed with added items. Beyond it nothing is paired but equal definitions of tools.
const maxPairs = 10_000

// A guess is clearly better than another when its score is, or the likeness of its names, of 100 each.
const (
	clearScore = 5
	clearNames = 10
)

// A pair is a removed item and the item that likely took its place.
type pair struct {
	removed, added string
	score          int
	reason         string
	names          int      // likeness of the names
	rivals         []string // added items that are about as likely
	uncertain      bool     // good enough to tell a person, not to act on
}

// heirs are the names that took the place of the removed one: none when that is uncertain, several when any of them may have.
func (p *pair) heirs() []string {
	if p.uncertain {
		return nil
	}
	return append([]string{p.added}, p.rivals...)
}

// likely names what took the place of the removed item.
func (p *pair) likely() string {
	names := quote(p.added)
	for _, r := range p.rivals {
		names += " or " + quote(r)
	}
	return names
}

// bestPairs gives each removed item at most one added item and the other way round, the best scores first. Names that say the
// contrary of one another are no pair.
func bestPairs(removed, added []string, like func(removed, added string) (score int, reason string)) []pair {
	if len(removed)*len(added) > maxPairs {
		return nil
	}
	var all []pair
	for _, r := range removed {
		for _, a := range added {
			if score, reason := like(r, a); score >= minPairScore && !Contrary(r, a) {
				all = append(all, pair{removed: r, added: a, score: score, reason: reason, names: nameLikeness(r, a), uncertain: uncertain(r, a)})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b pair) int { return cmp.Or(b.score-a.score, b.names-a.names) })
	var best []pair
	usedRemoved, usedAdded := map[string]bool{}, map[string]bool{}
	for _, p := range all {
		if usedRemoved[p.removed] || usedAdded[p.added] {
			continue
		}
		usedRemoved[p.removed], usedAdded[p.added] = true, true
		best = append(best, p)
	}
	addRivals(best, all)
	return best
}

// addRivals tells each pair the other added items that fit its removed item about as well, and no other removed item better.
func addRivals(best, all []pair) {
	chosen, taken := map[string]*pair{}, map[string]*pair{}
	for i := range best {
		chosen[best[i].removed], taken[best[i].added] = &best[i], &best[i]
	}
	for _, p := range all {
		b, other := chosen[p.removed], taken[p.added]
		if b != nil && b != other && !b.clearly(p) && (other == nil || !other.clearly(p)) {
			b.rivals = append(b.rivals, p.added)
		}
		if b == nil && other != nil && !other.clearly(p) {
			other.uncertain = true // another removed item fits as well, and it has no other successor
		}
	}
}

// clearly reports whether a pair is better than another, beyond doubt.
func (p *pair) clearly(than pair) bool {
	return p.score > than.score+clearScore || p.names > than.names+clearNames
}

// plainName is a name without letter case and separators.
func plainName(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "", "/", "", " ", "").Replace(s))
}

// nameLikeness is how like two names are, 0 to 100: equal but for case and separators is 95, otherwise by common words
// and by edit distance.
func nameLikeness(a, b string) int {
	if plainName(a) == plainName(b) {
		return 95
	}
	return max(wordLikeness(nameWords(a), nameWords(b)), editLikeness(plainName(a), plainName(b)))
}

// nameWords splits a name at separators and at capital letters.
func nameWords(s string) []string {
	var words []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	lower := false
	for _, r := range s {
		switch {
		case strings.ContainsRune("_-./ :", r):
			flush()
			lower = false
			continue
		case 'A' <= r && r <= 'Z' && lower:
			flush()
		}
		lower = 'a' <= r && r <= 'z'
		word = append(word, r)
	}
	flush()
	return words
}

// wordLikeness is the share of common words, 0 to 100.
func wordLikeness(a, b []string) int {
	if len(a)+len(b) == 0 {
		return 100
	}
	common := len(a) - len(minus(a, b))
	return 200 * common / (len(a) + len(b))
}

// editLikeness is 100 less the edit distance in percent of the longer text. Long texts are cut: this is for names.
func editLikeness(a, b string) int {
	const most = 64
	a, b = a[:min(len(a), most)], b[:min(len(b), most)]
	if len(a)+len(b) == 0 {
		return 100
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			diagonal, row[j] = row[j], min(row[j]+1, row[j-1]+1, diagonal+cost)
		}
	}
	return 100 - 100*row[len(b)]/max(len(a), len(b))
}
