package canonjson

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// checkCompact: Compact gives the bytes of Append after Decode, or the same error.
func checkCompact(t interface{ Fatalf(string, ...any) }, data []byte, limits Limits) {
	v, want := DecodeLimits(data, limits)
	got, err := Compact(data, limits)
	switch {
	case (err == nil) != (want == nil) || err != nil && err.Error() != want.Error():
		t.Fatalf("Compact(%.200q): %v, want %v", data, err, want)
	case err == nil && !bytes.Equal(got, Append(nil, v)):
		t.Fatalf("Compact(%.200q) = %s, want %s", data, got, Append(nil, v))
	}
}

func TestCompact(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range 40 {
		many = append(many, fmt.Sprintf(`"k%d":%d`, i*7%40, i))
	}
	for _, text := range []string{
		` { "b" : [ 1.0 , -0, 1e2, true, null, "a\u00e9\ud83d\ude00<\/" ] , "a" : { } } `,
		`{"z":{"y":1,"x":{"b":2,"a":3}},"a":[{"d":1,"c":2}],"m":0}`,
		"{\"\uE000\":1,\"\U00010000\":2,\"a\":{\"\U00010000\":2,\"\uE000\":1}}",
		`{"\n":1,"\"":2,"\u001f":3,"\u0010":4,"\\":5,"":6,"a\"":7,"a\\":8,"a":9,"a\t":10,"ab":11}`,
		`{"b":1,"a":2,"b":3}`, `{"a":1,"a":2}`, `{"a":{"b":1,"a":2,"\u0062":3},`, `{"b":1,"a":2,"a":3}`,
		"{" + strings.Join(many, ",") + "}", "{" + strings.Join(many, ",") + `,"k20":1}`, "{" + strings.Join(many, ",") + `,"k0":1`,
		`{"b":{"c":[1,2,x`, `{"b":0,"a":{"c":[1,2,"\x"]}}`, strings.Repeat("[", 600), `[1e999999999999]`, `{"a":tru`,
	} {
		checkCompact(t, []byte(text), Limits{})
		checkCompact(t, []byte(text), Limits{Depth: 2, Values: 5, NumberDigits: 2, Bytes: 300})
	}
}

// TestCompactMany: whatever order and spelling the members come in.
func TestCompactMany(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringOfN(rapid.RuneFrom([]rune("ab\"\\\n\x01\x1f\uD7FF\uE000\uFFFF\U00010000")), 0, 3, -1)
		keys := rapid.SliceOfN(key, 0, 40).Draw(t, "keys")
		var text []byte
		for i, k := range keys {
			text = AppendString(append(text, ",{"[boolInt(i == 0)]), k)
			text = AppendIndent(append(text, ": "...), genValue(1).Draw(t, "value"), 1)
		}
		checkCompact(t, append(text, '}'), Limits{})
	})
}

func TestCompareQuoted(t *testing.T) {
	t.Parallel()
	keys := []string{"", "\x01", "\b", "\n", "\x0e", "\x1f", " ", "\"", "\"\"", "\\", "a", "a\x01", "a\n", "a\"", "a\"b", "a\\", "ab", "\uD7FF", "\U00010000", "\uE000"}
	slices.SortFunc(keys, CompareKeys)
	for i, a := range keys {
		for j, b := range keys {
			if got := compareQuoted(AppendString(nil, a), AppendString(nil, b)); sign(got) != sign(i-j) {
				t.Errorf("compareQuoted(%q, %q) = %d", a, b, got)
			}
		}
	}
}
