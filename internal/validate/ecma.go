package validate

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
)

// matchLimit ends a backtracking match. On a busy machine a harmless match can take as long, so there is a second try before
// the validation ends in an error, which is never a verdict.
const (
	matchLimit  = 50 * time.Millisecond
	secondLimit = 400 * time.Millisecond
)

// totalLimit ends a validation whose backtracking matches take too long together.
const totalLimit = time.Second

// A stopwatch tells when the validation going on has spent its time. The library gives an extension no place for the state
// of one validation, so those of a schema with backtracking patterns run one after the other.
type stopwatch struct {
	mu   sync.Mutex
	over *atomic.Bool
}

// start begins a validation; the result ends it.
func (w *stopwatch) start() (stop func()) {
	w.mu.Lock()
	over := new(atomic.Bool) // a new one each time: a late timer must not end the next validation
	w.over = over
	timer := time.AfterFunc(totalLimit, func() { over.Store(true) })
	return func() {
		timer.Stop()
		w.mu.Unlock()
	}
}

// maxPattern bounds the length of a pattern that is translated.
const maxPattern = 20_000

// A pattern is an ECMA-262 pattern in the syntax of an engine that we have. Exactly one of the two is set; neither when
// no engine can express it.
type pattern struct {
	goText    string          // syntax of package regexp, the same language; "" with backtrack == nil: not expressible
	native    bool            // goText is set (it may be empty)
	re        *regexp.Regexp  // of goText
	backtrack *regexp2.Regexp // look-around, back references, repeats beyond 1,000
	patient   *regexp2.Regexp // the same with secondLimit
	watch     *stopwatch      // of the schema; nil: no limit for the total
}

func (p *pattern) expressible() bool { return p.native || p.backtrack != nil }

// match reports whether s contains a match. It panics with an *Error when the time is over; Valid and Validate hand that on.
func (p *pattern) match(s string) bool {
	if p.native {
		return p.re.MatchString(s)
	}
	ok, err := p.backtrack.MatchString(s)
	if err != nil {
		ok, err = p.patient.MatchString(s)
	}
	if err != nil || p.watch != nil && p.watch.over.Load() {
		panic(&Error{Kind: ErrPattern, Problem: quote(s)})
	}
	return ok
}

// translate reads an ECMA-262 pattern as the JSON Schema specification wants it: code points, as with the u flag, while
// escapes that only exist without it (\-, \a for the letter) are accepted too.
// https://json-schema.org/draft/2020-12/json-schema-core#section-6.4
func translate(text string) *pattern {
	if len(text) > maxPattern || !utf8.ValidString(text) {
		return &pattern{}
	}
	t := translator{text: text, same: true, portable: true, groups: map[string]int{}}
	t.findGroups()
	if !t.run() {
		return &pattern{}
	}
	if t.portable {
		goText := t.native.String()
		if t.same {
			goText = text
		}
		if re, err := regexp.Compile(goText); err == nil {
			return &pattern{goText: goText, native: true, re: re}
		}
	}
	first, err := regexp2.Compile(t.ecma.String(), regexp2.ECMAScript)
	if err != nil {
		return &pattern{}
	}
	second, err := regexp2.Compile(t.ecma.String(), regexp2.ECMAScript)
	if err != nil {
		return &pattern{}
	}
	first.MatchTimeout, second.MatchTimeout = matchLimit, secondLimit
	return &pattern{backtrack: first, patient: second}
}

type translator struct {
	text   string
	at     int
	native strings.Builder // for package regexp
	ecma   strings.Builder // for regexp2

	same     bool // so far both engines read the original text as ECMA-262 does
	portable bool // so far package regexp can express it
	groups   map[string]int
	captures int
}

// findGroups numbers the capture groups, because \k and \1 may stand in front of the group they name.
func (t *translator) findGroups() {
	class := false
	for i := 0; i < len(t.text); i++ {
		switch c := t.text[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			rest := t.text[i+1:]
			if !strings.HasPrefix(rest, "?") {
				t.captures++
			} else if name, ok := groupName(rest); ok {
				t.captures++
				t.groups[name] = t.captures
			}
		}
	}
}

// groupName reads the name in "?<name>…".
func groupName(s string) (string, bool) {
	s, ok := strings.CutPrefix(s, "?<")
	if !ok || strings.HasPrefix(s, "=") || strings.HasPrefix(s, "!") {
		return "", false
	}
	name, _, ok := strings.Cut(s, ">")
	return name, ok && name != ""
}

func (t *translator) both(s string) {
	t.native.WriteString(s)
	t.ecma.WriteString(s)
}

func (t *translator) next() rune {
	r, n := utf8.DecodeRuneInString(t.text[t.at:])
	t.at += n
	return r
}

func (t *translator) skip(prefix string) bool {
	if strings.HasPrefix(t.text[t.at:], prefix) {
		t.at += len(prefix)
		return true
	}
	return false
}

func (t *translator) run() bool {
	for t.at < len(t.text) {
		switch c := t.next(); c {
		case '^', '|', ')', '*', '+', '?':
			t.both(string(c))
		case '$':
			t.native.WriteString("$")
			t.ecma.WriteString(`\z`) // $ would also match before a final line feed
		case '.':
			t.same = false
			t.set(lineTerminators.negated())
		case '(':
			if !t.group() {
				return false
			}
		case '[':
			s, ok := t.class()
			if !ok {
				return false
			}
			t.set(s)
		case '{':
			if !t.repeat() {
				t.literal('{')
			}
		case '\\':
			if !t.escape() {
				return false
			}
		default:
			t.literal(c)
		}
	}
	return true
}

func (t *translator) literal(r rune) {
	t.native.WriteString(nativeRune(r))
	t.ecma.WriteString(ecmaRune(r))
}

func (t *translator) set(s set) {
	t.native.WriteString(s.format(nativeRune))
	t.ecma.WriteString(s.format(ecmaRune))
}

func (t *translator) group() bool {
	for _, look := range []string{"?=", "?!", "?<=", "?<!"} {
		if t.skip(look) {
			t.portable = false
			t.both("(" + look)
			return true
		}
	}
	if t.skip("?:") {
		t.both("(?:")
		return true
	}
	if name, ok := groupName(t.text[t.at:]); ok {
		t.same = false // the other engines number named groups differently, so all become plain ones
		t.at += len("?<>") + len(name)
		t.both("(")
		return true
	}
	if t.skip("?") {
		return false // inline flags, atomic groups, (?P<: no ECMA-262
	}
	t.both("(")
	return true
}

var repeatSyntax = regexp.MustCompile(`^(\d{1,9})(,(\d{0,9}))?\}`)

// repeat reads the rest of {n}, {n,} or {n,m}; false: the brace is a literal one.
func (t *translator) repeat() bool {
	m := repeatSyntax.FindStringSubmatch(t.text[t.at:])
	if m == nil {
		return false
	}
	t.at += len(m[0])
	low, _ := strconv.Atoi(m[1])
	high, _ := strconv.Atoi(m[3])
	if low > 1000 || high > 1000 {
		t.portable = false
	}
	t.both("{" + m[0])
	return true
}

// boundaries spells \b and \B out: for regexp2 a letter beyond ASCII may count as a word.
var boundaries = map[byte]string{
	'b': `(?:(?<=[0-9A-Za-z_])(?![0-9A-Za-z_])|(?<![0-9A-Za-z_])(?=[0-9A-Za-z_]))`,
	'B': `(?:(?<=[0-9A-Za-z_])(?=[0-9A-Za-z_])|(?<![0-9A-Za-z_])(?![0-9A-Za-z_]))`,
}

func (t *translator) escape() bool {
	if t.at >= len(t.text) {
		return false
	}
	switch c := t.text[t.at]; {
	case c == 'b' || c == 'B':
		t.at++
		t.native.WriteString(`\` + string(c))
		t.ecma.WriteString(boundaries[c])
		return true
	case c >= '1' && c <= '9':
		return t.reference()
	case c == 'k' && len(t.groups) > 0:
		name, ok := groupName("?" + t.text[t.at+1:])
		if !ok || t.groups[name] == 0 {
			return false
		}
		t.at += len("k<>") + len(name)
		t.back(t.groups[name])
		return true
	}
	s, ok := t.classEscape()
	if !ok {
		return false
	}
	if r, single := s.single(); single {
		t.literal(r)
		return true
	}
	t.set(s)
	return true
}

func (t *translator) reference() bool {
	start := t.at
	for t.at < len(t.text) && t.text[t.at] >= '0' && t.text[t.at] <= '9' {
		t.at++
	}
	n, err := strconv.Atoi(t.text[start:t.at])
	if err != nil || n > t.captures {
		return false // an octal escape of the old days
	}
	t.back(n)
	return true
}

func (t *translator) back(n int) {
	t.portable = false
	t.both(`(?:\` + strconv.Itoa(n) + `)`)
}
