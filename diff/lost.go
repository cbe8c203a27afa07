package diff

import "github.com/fusionctl/fusionctl/internal/canonjson"

// maxSent bounds the calls that are made up to see what becomes of a lost property.
const maxSent = 200

// sending makes up a call of the baseline that sends a property, and the same call without it. It is false where that is
// not simple.
func (j *judge) sending(e *edit) (with, without any, ok bool) {
	if j.sent++; j.sent > maxSent || len(e.names) != 1 || !plainPath(e.at) {
		return nil, nil, false
	}
	root := node{j.base, nil, j.base}
	place := root
	for i := 1; i < len(e.at); i += 2 {
		place = place.child("properties", e.at[i])
	}
	value, ok := j.sample(place)
	if !ok {
		return nil, nil, false
	}
	if with, ok = j.build(root, e.at, value); !ok {
		return nil, nil, false
	}
	without = canonjson.Clone(with)
	inner, _ := without.(map[string]any)
	for i := 1; i+2 < len(e.at); i += 2 {
		inner, _ = inner[e.at[i]].(map[string]any)
	}
	delete(inner, e.at[len(e.at)-1])
	accepted, unknown := j.accepts(j.b, with)
	return with, without, accepted && !unknown
}

// plainPath reports whether a place is reached through properties alone.
func plainPath(at []string) bool {
	for i := 0; i < len(at); i += 2 {
		if at[i] != "properties" || i+1 == len(at) {
			return false
		}
	}
	return len(at) > 0
}

// refusesLost looks for the proof that a lost property is refused because another edit closed the object around it: a call
// that sends it is refused, and accepted without it.
func (j *judge) refusesLost(r *ruling) bool {
	if r.name != "property-removed" || j.side != Input {
		return false
	}
	with, without, ok := j.sending(r.edit)
	if !ok || !j.confirmed(with, j.r) {
		return false
	}
	if accepted, unknown := j.accepts(j.r, without); !accepted || unknown {
		return false
	}
	r.proof, r.refusing = with, j.r
	return true
}

// tolerated reports whether a call that sends a lost property is still accepted.
func (j *judge) tolerated(e *edit) bool {
	with, _, ok := j.sending(e)
	if !ok {
		return false
	}
	accepted, unknown := j.accepts(j.r, with)
	return accepted && !unknown
}
