package subschema

import (
	"encoding/json"
	"reflect"
)

// The parts of a value that the search builds are shared: a chain of definitions that each refer twice to the next has a
// smallest value with 2^n parts, found in n steps. Whoever copies, judges or prints it meets all of them. So values are
// weighed before that, and what is too heavy is no witness.

// maxWeight bounds a value: one for each part, and one for each 32 bytes of text.
const maxWeight = 20_000

// A weighed value is kept, so that its address stays its own.
type weighed struct {
	value  any
	weight int
}

// light gives up on a value that is too heavy.
func (s *search) light(o outcome) outcome {
	if o.status == sat && s.weigh(o.value) > maxWeight {
		return s.giveUp(reasonSize)
	}
	return o
}

// weigh returns the weight of a value, or something beyond maxWeight. Shared parts are weighed once, and count each time.
func (s *search) weigh(v any) int {
	var parts int
	switch v := v.(type) {
	case string:
		return 1 + len(v)/32
	case json.Number:
		return 1 + len(v)/32
	case []any:
		parts = len(v)
	case map[string]any:
		parts = len(v)
	}
	if parts == 0 {
		return 1
	}
	at := reflect.ValueOf(v).Pointer()
	key := weightKey{at, parts}
	if w, ok := s.weights[key]; ok {
		return w.weight
	}
	total := 1
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if total += s.weigh(item); total > maxWeight {
				break
			}
		}
	case map[string]any:
		for name, member := range v { // the order matters only beyond the bound, where all that counts is that it is beyond
			if total += len(name)/32 + s.weigh(member); total > maxWeight {
				break
			}
		}
	}
	if s.weights == nil {
		s.weights = map[weightKey]weighed{}
	}
	s.weights[key] = weighed{v, total}
	return total
}

// A weightKey is an array or an object. Two arrays may begin at one address.
type weightKey struct {
	at    uintptr
	parts int
}
