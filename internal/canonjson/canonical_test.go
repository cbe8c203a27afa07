package canonjson

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestCanonicalText: what the functions for texts in canonical form say is what the tree says.
func TestCanonicalText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := genValue(3).Draw(t, "value")
		text := Append(nil, v)
		if got := DecodeCompact(text); !Equal(got, v) {
			t.Fatalf("%s is read as %v", text, got)
		}
		most := rapid.IntRange(0, 2*len(text)).Draw(t, "most")
		want, fits := AppendIndentMax([]byte("x"), v, 3, most)
		got, ok := IndentCompactMax([]byte("x"), text, 3, most)
		if ok != fits || ok && !bytes.Equal(got, want) {
			t.Fatalf("IndentCompactMax(%s) = %s, %v, want %s, %v", text, got, ok, want, fits)
		}
		checkParts(t, v, text)
	})
}

func checkParts(t *rapid.T, v any, text []byte) {
	array, _ := v.([]any)
	i := 0
	for e := range Elements(text) {
		if i == len(array) || !Equal(DecodeCompact(e), array[i]) {
			t.Fatalf("element %d of %s is %s", i, text, e)
		}
		i++
	}
	object, isObject := v.(map[string]any)
	var keys []string
	for key, value := range Members(text) {
		if !Equal(DecodeCompact(value), object[key]) {
			t.Fatalf("member %q of %s is %s", key, text, value)
		}
		keys = append(keys, key)
	}
	if i != len(array) || !slices.Equal(keys, CanonicalKeys(object)) {
		t.Fatalf("%s has the parts %d, %q", text, i, keys)
	}
	if s, ok := v.(string); ok {
		if got, ok := Text(text); !ok || got != s {
			t.Fatalf("%s is the text %q", text, got)
		}
	} else if _, ok := Text(text); ok {
		t.Fatalf("%s is no string", text)
	}
	if isObject {
		checkCut(t, object, text, append(keys, rapid.String().Draw(t, "key")))
	}
}

func checkCut(t *rapid.T, object map[string]any, text []byte, keys []string) {
	for _, key := range keys {
		before, value, after, found := Cut(text, key)
		rest := Clone(object).(map[string]any)
		want, has := rest[key]
		delete(rest, key)
		if found != has || found && !Equal(DecodeCompact(value), want) || !Equal(DecodeCompact(slices.Concat(before, after)), any(rest)) {
			t.Fatalf("Cut(%s, %q) = %s, %s, %s, %v", text, key, before, value, after, found)
		}
		if !found { // it can be put there
			member := append(AppendString(nil, key), ":0"...)
			if before[len(before)-1] != '{' {
				member = append([]byte(","), member...)
			} else if after[0] != '}' {
				member = append(member, ',')
			}
			rest[key] = mustNumber(0)
			if whole := slices.Concat(before, member, after); !bytes.Equal(whole, Append(nil, rest)) {
				t.Fatalf("%q put into %s is %s", key, text, whole)
			}
		}
	}
}
