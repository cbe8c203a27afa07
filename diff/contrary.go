package diff

import (
	"slices"
	"strings"
)

// effects are words of names that tell what a call does. Two tools may take the very same arguments and do the contrary: such
// a pair is no rename, whatever else they have in common.
var effects = wordTable(map[string]string{
	"read": "get list read search find fetch query show view describe lookup info preview check count exists stat status inspect peek " +
		"verify export download browse load retrieve",
	"delete": "delete remove drop destroy erase purge wipe uninstall clear",
	"write": "create add insert register install update edit modify set put patch write save store rename move truncate overwrite replace " +
		"reset submit send publish execute run apply commit push upload import",
	"start":   "start enable resume lock grant allow subscribe follow approve accept",
	"stop":    "stop disable pause unlock revoke deny unsubscribe unfollow reject cancel ban block suspend",
	"archive": "archive hide",
	"restore": "restore recover undelete unarchive revert rollback",
})

// poles are words for the two ends of one thing, an even number apart each: an argument for one end is not the argument for
// the other under a new name.
var poles = strings.Fields("start end  begin end  from to  source target  source destination  src dst  src dest  min max  " +
	"minimum maximum  lower upper  before after  since until  old new  left right  first last  top bottom  up down  " +
	"input output  in out  include exclude  includes excludes  included excluded  enabled disabled  sender recipient  sender receiver  " +
	"parent child  prev next  previous next  lat lon  lat lng  latitude longitude  width height  x y  row column  " +
	"head tail  open closed  open close  opened closed  asc desc  ascending descending  public private  buy sell  debit credit  success failure")

// units are words for what a number counts: the same number under another unit is another quantity.
var units = wordTable(map[string]string{
	"ns": "ns nanos nanoseconds", "us": "us micros microseconds", "ms": "ms millis millisecond milliseconds", "s": "s sec secs second seconds",
	"min": "mins minute minutes", "h": "h hour hours", "d": "day days night nights", "week": "week weeks", "month": "month months", "year": "year years",
	"byte": "byte bytes", "kb": "kb kib kilobytes", "mb": "mb mib megabytes", "gb": "gb gib gigabytes",
	"mm": "mm millimeters", "cm": "cm centimeters", "m": "meters metres", "km": "km kilometers kilometres", "inch": "inch inches", "mile": "miles", "foot": "feet",
	"g": "grams", "kg": "kg kilograms", "pound": "lbs pounds", "celsius": "celsius", "fahrenheit": "fahrenheit", "kelvin": "kelvin",
	"usd": "usd dollars", "eur": "eur euros", "cent": "cents", "degree": "degrees", "radian": "radians", "percent": "percent pct", "ratio": "ratio fraction",
})

// negations turn what a flag asks for into its contrary.
var negations = wordTable(map[string]string{
	"no": "no not non without dont skip omit ignore exclude excluding except disable disabled hide suppress dry",
})

// secrets are words for values that must not be sent under another kind of name.
var secrets = wordTable(map[string]string{
	"secret": "password passwd passphrase pwd secret secrets credential credentials apikey authorization cookie",
})

// prefixes are beginnings of words that turn one into its contrary: archive and unarchive, upload and download.
var prefixes = [][2]string{{"", "un"}, {"", "de"}, {"", "dis"}, {"", "non"}, {"", "anti"}, {"", "in"}, {"", "re"}, {"en", "de"}, {"en", "dis"}, {"in", "ex"},
	{"im", "ex"}, {"in", "de"}, {"in", "out"}, {"up", "down"}, {"on", "off"}, {"over", "under"}, {"pre", "post"}}

func wordTable(table map[string]string) map[string]string {
	m := map[string]string{}
	for meaning, words := range table {
		for _, w := range strings.Fields(words) {
			m[w] = meaning
		}
	}
	return m
}

// Contrary reports whether two names say that what they name is not the same under another name: they do different things, as
// get_user and delete_user, are the two ends of one thing, as startRef and endRef, or measure differently, as timeout_s and
// timeout_ms.
func Contrary(a, b string) bool {
	before, after := differentWords(a, b)
	return disagree(before, after, effects) || disagree(before, after, units) || polar(before, after) ||
		meanings(before, negations)["no"] != meanings(after, negations)["no"] ||
		meanings(before, secrets)["secret"] != meanings(after, secrets)["secret"] || turned(before, after)
}

// uncertain reports whether only one of two names tells what is done or measured. They may well mean the same; whoever acts on
// that should look first.
func uncertain(a, b string) bool {
	before, after := differentWords(a, b)
	mutes := func(words []string) bool {
		m := meanings(words, effects)
		delete(m, "read")
		return len(m) > 0
	}
	return mutes(before) != mutes(after) || (len(meanings(before, units)) > 0) != (len(meanings(after, units)) > 0)
}

// differentWords are the words of each of two names that the other has not.
func differentWords(a, b string) (before, after []string) {
	before, after = nameWords(a), nameWords(b)
	return minus(before, after), minus(after, before)
}

// meanings are what words stand for by a table.
func meanings(words []string, table map[string]string) map[string]bool {
	found := map[string]bool{}
	for _, w := range words {
		if meaning, ok := table[strings.Trim(w, "0123456789")]; ok {
			found[meaning] = true
		}
	}
	return found
}

// disagree reports whether both names say something by a table, and nothing the same.
func disagree(a, b []string, table map[string]string) bool {
	x, y := meanings(a, table), meanings(b, table)
	for meaning := range x {
		if y[meaning] {
			return false
		}
	}
	return len(x) > 0 && len(y) > 0
}

func polar(a, b []string) bool {
	for i := 0; i+1 < len(poles); i += 2 {
		p, q := poles[i], poles[i+1]
		if slices.Contains(a, p) && slices.Contains(b, q) || slices.Contains(a, q) && slices.Contains(b, p) {
			return true
		}
	}
	return false
}

// turned reports whether a word of one name is one of the other, turned into its contrary by a prefix.
func turned(a, b []string) bool {
	const leastStem = 3
	stem := func(word, prefix string) string {
		if rest, ok := strings.CutPrefix(word, prefix); ok && len(rest) >= leastStem {
			return rest
		}
		return ""
	}
	for _, v := range a {
		for _, w := range b {
			for _, p := range prefixes {
				if s := stem(v, p[0]); s != "" && s == stem(w, p[1]) {
					return true
				}
				if s := stem(v, p[1]); s != "" && s == stem(w, p[0]) {
					return true
				}
			}
		}
	}
	return false
}
