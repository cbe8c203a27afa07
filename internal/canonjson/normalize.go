package canonjson

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// Normalize turns a value made by hand or decoded by encoding/json into the value that Decode would give: numbers of any
// type become canonical [json.Number]. A value that is such already is returned as it is; what changes is copied. The error
// names what JSON or this package cannot hold: another type, not a number, text that is not UTF-8, a cycle.
func Normalize(v any) (any, error) {
	n := normalizer{depth: Limits{}.orDefault().Depth}
	v, _, err := n.value(v, 0)
	return v, err
}

type normalizer struct{ depth int }

func (n normalizer) value(v any, depth int) (normal any, changed bool, err error) {
	if depth > n.depth {
		return nil, false, fmt.Errorf("nested deeper than %d levels", n.depth)
	}
	switch v := v.(type) {
	case nil, bool:
		return v, false, nil
	case string:
		if !utf8.ValidString(v) {
			return nil, false, fmt.Errorf("text %s is not UTF-8", quote(v))
		}
		return v, false, nil
	case []any:
		return n.array(v, depth)
	case map[string]any:
		return n.object(v, depth)
	case json.Number:
		number, err := Number(string(v))
		if err != nil {
			return nil, false, fmt.Errorf("number %s: %w", quote(string(v)), err)
		}
		return number, number != v, nil
	}
	text, err := numberText(v)
	if err != nil {
		return nil, false, err
	}
	number, err := Number(text)
	return number, true, err
}

func (n normalizer) array(v []any, depth int) (any, bool, error) {
	result, copied := v, false
	for i, e := range v {
		normal, changed, err := n.value(e, depth+1)
		if err != nil {
			return nil, false, err
		}
		if changed && !copied {
			result, copied = append([]any(nil), v...), true
		}
		if changed {
			result[i] = normal
		}
	}
	return result, copied, nil
}

func (n normalizer) object(v map[string]any, depth int) (any, bool, error) {
	result, copied := v, false
	for _, k := range SortedKeys(v) { // sorted, so that of two errors the same one is told each time
		if !utf8.ValidString(k) {
			return nil, false, fmt.Errorf("key %s is not UTF-8", quote(k))
		}
		normal, changed, err := n.value(v[k], depth+1)
		if err != nil {
			return nil, false, err
		}
		if changed && !copied {
			copied = true
			result = make(map[string]any, len(v))
			for k, e := range v {
				result[k] = e
			}
		}
		if changed {
			result[k] = normal
		}
	}
	return result, copied, nil
}

func numberText(v any) (string, error) {
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return "", fmt.Errorf("%v is no JSON number", v)
		}
		return strconv.FormatFloat(v, 'e', -1, 64), nil
	case float32:
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return "", fmt.Errorf("%v is no JSON number", v)
		}
		return strconv.FormatFloat(float64(v), 'e', -1, 32), nil
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return fmt.Sprint(v), nil
	}
	return "", fmt.Errorf("a %T is no JSON value", v)
}
