package diff

import (
	"slices"
	"strings"
)

// effects are words of names that tell what a call does. Two tools may take the very same arguments and do the contrary: such
// a pair is no rename, whatever else they have in common.
var effects = wordTable(map[string]string{
	"read":   "get list read search find fetch query show view describe lookup",
	"delete": "delete remove drop destroy erase purge wipe uninstall",
	"create": "create add insert register install",
	"start":  "start enable resume lock grant allow subscribe follow approve",
	"stop":   "stop disable pause unlock revoke deny unsubscribe unfollow reject cancel",
})

// poles are words for the two ends of one thing, an even number apart each: an argument for one end is not the argument for
// the other under a new name.
var poles = strings.Fields("start end  begin end  from to  source target  source destination  src dst  src dest  min max  " +
	"minimum maximum  lower upper  before after  since until  old new  left right  first last  top bottom  up down  " +
	"input output  in out  include exclude  includes excludes  included excluded  enabled disabled  sender recipient  sender receiver  " +
	"parent child  prev next  previous next  lat lon  lat lng  latitude longitude  width height  x y  row column  " +
	"head tail  open closed  open close  opened closed  asc desc  ascending descending  public private  buy sell  debit credit  success failure")

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
// get_user and delete_user, or are the two ends of one thing, as startRef and endRef.
func Contrary(a, b string) bool {
	before, after := nameWords(a), nameWords(b)
	x, y := effectOf(before), effectOf(after)
	return x != y && x != "" && y != "" || polar(before, after)
}

// effectOf is that of the first word that tells one, "" when none does.
func effectOf(words []string) string {
	for _, w := range words {
		if e, ok := effects[strings.Trim(w, "0123456789")]; ok {
			return e
		}
	}
	return ""
}

func polar(a, b []string) bool {
	opposed := func(p, q string) bool {
		return slices.Contains(a, p) && !slices.Contains(a, q) && slices.Contains(b, q) && !slices.Contains(b, p)
	}
	for i := 0; i+1 < len(poles); i += 2 {
		if opposed(poles[i], poles[i+1]) || opposed(poles[i+1], poles[i]) {
			return true
		}
	}
	return false
}
