package diff

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A textClass says how two texts differ.
type textClass uint8

const (
	textEqual    textClass = iota
	textRespelt            // only white space, letter case or punctuation
	textReworded           // other words
)

// classifyText compares two texts as a reader would.
func classifyText(base, rev string) textClass {
	switch {
	case base == rev:
		return textEqual
	case plainWords(base) == plainWords(rev):
		return textRespelt
	}
	return textReworded
}

// plainWords is the text without white space, letter case and punctuation between words. Signs that carry meaning (a
// minus before a digit, a decimal point, a slash, a mathematical or currency sign, a negation) stay, and so does
// everything that does not print.
func plainWords(s string) string {
	runes := []rune(s)
	var b strings.Builder
	gap := false
	for i, r := range runes {
		if unicode.IsSpace(r) || unicode.IsPunct(r) && !carriesMeaning(runes, i) {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte(' ')
		}
		gap = false
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

func carriesMeaning(runes []rune, i int) bool {
	digit := func(at int) bool { return at >= 0 && at < len(runes) && unicode.IsDigit(runes[at]) }
	switch runes[i] {
	case '%', '@', '#', '&', '*', '/', '\\', '_':
		return true
	case '-':
		return digit(i+1) && !digit(i-1)
	case '.', ',', ':':
		return digit(i-1) && digit(i+1)
	case '!':
		return i+1 < len(runes) && runes[i+1] == '='
	}
	return false
}

// isHidden reports whether a character cannot be seen but is read by a model: controls, format and direction marks, zero
// width characters, tags, variation selectors, private use. Line breaks and tabs are plain white space.
func isHidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r == '\r':
		return false
	case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp):
		return true
	case r == 0x115F || r == 0x1160 || r == 0x3164 || r == 0xFFA0 || r == 0x034F: // fillers, grapheme joiner
		return true
	case 0xE0100 <= r && r <= 0xE01EF: // variation selectors supplement
		return true
	}
	return false
}

// hiddenIn counts the hidden characters of a text. A zero width joiner or variation selector inside an emoji is seen, and
// a byte order mark aside every other one counts.
func hiddenIn(s string) map[rune]int {
	if plainASCII(s) {
		return nil
	}
	var counts map[rune]int
	previous := rune(0)
	for _, r := range s {
		joiner := r == 0x200D && (unicode.Is(unicode.So, previous) || previous == 0xFE0F || unicode.Is(unicode.Sk, previous))
		if isHidden(r) && !joiner {
			if counts == nil {
				counts = map[rune]int{}
			}
			counts[r]++
		}
		previous = r
	}
	return counts
}

// plainASCII reports whether a text has nothing but printable ASCII and plain white space.
func plainASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < ' ' || c > '~') && c != '\n' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// hiddenAdded lists the code points of hidden characters that the revision has more often than the baseline: "U+200B, 6 of U+E0072…".
func hiddenAdded(base, rev string) string {
	before, after := hiddenIn(base), hiddenIn(rev)
	if len(after) == 0 {
		return ""
	}
	var runes []rune
	for r, n := range after {
		if n > before[r] {
			runes = append(runes, r)
		}
	}
	slices.Sort(runes)
	var parts []string
	for i, r := range runes {
		if i == maxListed {
			parts = append(parts, fmt.Sprintf("and %d more", len(runes)-maxListed))
			break
		}
		parts = append(parts, fmt.Sprintf("%U", r))
	}
	return strings.Join(parts, ", ")
}

// orderWords are words with which a text gives orders to a model. They mark a change for the reader; they decide nothing.
var orderWords = []string{
	"always", "never", "important", "ignore", "do not", "don't", "before calling", "before using", "after calling", "first call",
	"secretly", "hidden", "you must", "must not", "disregard", "override", "from now on", "instead of asking", "without asking", "without telling", "system prompt", "previous instructions", "mandatory",
	"<important>", "<system>", "bcc", ".ssh",
}

// orders reports whether a text that was added reads like an instruction to the model.
func orders(added string) bool {
	lower := strings.ToLower(added)
	for _, word := range orderWords {
		if containsWord(lower, word) {
			return true
		}
	}
	return false
}

// containsWord reports whether a text has a word, or words, that are no part of a longer one.
func containsWord(text, word string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		start, end := from+at, from+at+len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if (start == 0 || !unicode.IsLetter(before)) && (end == len(text) || !unicode.IsLetter(after)) {
			return true
		}
		from = end
	}
}

// wordDiff cuts the words that two texts share at both ends and returns what is left of each.
func wordDiff(base, rev string) (removed, added string) {
	b, r := strings.Fields(base), strings.Fields(rev)
	for len(b) > 0 && len(r) > 0 && b[0] == r[0] {
		b, r = b[1:], r[1:]
	}
	for len(b) > 0 && len(r) > 0 && b[len(b)-1] == r[len(r)-1] {
		b, r = b[:len(b)-1], r[:len(r)-1]
	}
	return strings.Join(b, " "), strings.Join(r, " ")
}

// shortPiece is up to how many characters a changed piece of a text is told with the words around it: "a" became "an" says
// little.
const shortPiece = 12

// wordDiffInContext is wordDiff with two words of context on either side where the pieces are short.
func wordDiffInContext(base, rev string) (removed, added string) {
	removed, added = wordDiff(base, rev)
	if removed == "" || added == "" || utf8.RuneCountInString(removed) > shortPiece || utf8.RuneCountInString(added) > shortPiece {
		return removed, added
	}
	const context = 2
	b, r := strings.Fields(base), strings.Fields(rev)
	left := 0
	for left < len(b) && left < len(r) && b[left] == r[left] {
		left++
	}
	right := len(b) - left - len(strings.Fields(removed))
	right -= min(right, context)
	left -= min(left, context)
	return strings.Join(b[left:len(b)-right], " "), strings.Join(r[left:len(r)-right], " ")
}

// describeRewording says in words how a text changed: added "…", removed "…".
func describeRewording(base, rev string) string {
	switch {
	case base == "":
		return "was added: " + quote(rev)
	case rev == "":
		return "was removed: " + quote(base)
	}
	removed, added := wordDiffInContext(base, rev)
	switch {
	case removed == "":
		return "changed: added " + quote(added)
	case added == "":
		return "changed: removed " + quote(removed)
	}
	return "changed: " + quote(removed) + " became " + quote(added)
}

// compareText reports how one text of an item changed, under <prefix>-<name>-changed or -respelled. what names the text in the message: "the description".
func compareText(c *collector, name, pointer, what, base, rev string) {
	class := classifyText(base, rev)
	if class == textEqual {
		return
	}
	if onlyHidden(base, rev) {
		return
	}
	if class == textRespelt {
		c.add(c.prefix()+"-"+name+"-respelled", pointer, textValue(base), textValue(rev),
			"%s changed in white space, letter case or punctuation only", what)
		return
	}
	happened := describeRewording(base, rev)
	if rest, ok := strings.CutPrefix(happened, "was "); ok && strings.HasSuffix(what, "s") {
		happened = "were " + rest // the instructions
	}
	c.add(c.prefix()+"-"+name+"-changed", pointer, textValue(base), textValue(rev), "%s %s", what, happened)
	if _, added := wordDiff(base, rev); orders(added) {
		c.hint("the added text reads like an instruction to the model")
	}
}

// onlyHidden reports whether a text gained nothing but hidden characters, which reportHidden tells.
func onlyHidden(base, rev string) bool {
	return hiddenAdded(base, rev) != "" && plainWords(visible(base)) == plainWords(visible(rev))
}

// visible is the text without hidden characters.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if isHidden(r) {
			return -1
		}
		return r
	}, s)
}

// tagText reads what the tag characters of a text spell: U+E0020 to U+E007E mirror ASCII.
func tagText(s string) string {
	var b strings.Builder
	for _, r := range s {
		if 0xE0020 <= r && r <= 0xE007E {
			b.WriteRune(r - 0xE0000)
		}
	}
	return b.String()
}

// textValue is nil for an absent text.
func textValue(s string) any {
	if s == "" {
		return nil
	}
	return s
}
