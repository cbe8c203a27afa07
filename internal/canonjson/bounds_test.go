package canonjson

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"
)

// TestAcceptedTwice: what is accepted at the edge of a limit is accepted in its canonical form too, which can be longer.
func TestAcceptedTwice(t *testing.T) {
	t.Parallel()
	most := strings.Repeat("9", 4096)
	for _, text := range []string{
		most, "-" + most, most + "e5", most + "e-3", "0.00000" + most, "0." + most + "e-5", "9." + most[1:] + "e+00000000000001",
		"1e1073741824", "0.1e1073741825", "12e1073741823", "1e-1073741824", "0.00001e-1073741819",
	} {
		v, err := Decode([]byte(text))
		if err != nil {
			t.Errorf("Decode(%.20s…): %v", text, err)
			continue
		}
		again, err := Decode(Append(nil, v))
		if err != nil || again != v {
			t.Errorf("Decode(%.20s…) is not accepted again: %v", text, err)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text   string
		limits Limits
		ok     bool
	}{
		{`[[[]]]`, Limits{Depth: 3}, true},
		{`[[[]]]`, Limits{Depth: 2}, false},
		{`{"a":[1,2]}`, Limits{Values: 4}, true},
		{`{"a":[1,2]}`, Limits{Values: 3}, false},
		{`[12345]`, Limits{NumberDigits: 5}, true},
		{`{"a":1}`, Limits{Bytes: 7}, true},
		{`{"a":1}`, Limits{Bytes: 6}, false},
	} {
		_, err := DecodeLimits([]byte(test.text), test.limits)
		var syntax *SyntaxError
		if (err == nil) != test.ok || err != nil && (!errors.As(err, &syntax) || syntax.Kind != TooLarge) {
			t.Errorf("DecodeLimits(%s, %+v): %v", test.text, test.limits, err)
		}
	}
}

// TestLongPointer: nested long keys neither cost quadratic time nor fill the message.
func TestLongPointer(t *testing.T) {
	t.Parallel()
	key := strings.Repeat("k", 20_000)
	text := strings.Repeat(`{"`+key+`":`, 500) + "x"
	_, err := Decode([]byte(text))
	var syntax *SyntaxError
	if !errors.As(err, &syntax) || len(syntax.Pointer) != 500*(len(key)+1) {
		t.Fatalf("pointer of %d bytes", len(syntax.Pointer))
	}
	if len(err.Error()) > 400 {
		t.Errorf("message of %d bytes", len(err.Error()))
	}
}

func TestAppendIndentMax(t *testing.T) {
	t.Parallel()
	v, err := Decode([]byte(strings.Repeat("[", 500) + strings.Repeat("1,", 9999) + "1" + strings.Repeat("]", 500)))
	if err != nil {
		t.Fatal(err)
	}
	form, ok := AppendIndentMax(nil, v, 0, 100_000)
	if ok || len(form) > 110_000 {
		t.Errorf("%v with %d bytes", ok, len(form))
	}
	whole := AppendIndent(nil, v, 0)
	if form, ok := AppendIndentMax(nil, v, 0, len(whole)); !ok || len(form) != len(whole) {
		t.Errorf("%v with %d bytes, want %d", ok, len(form), len(whole))
	}
}

func TestCompareKeys(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.RuneFrom([]rune("ab\uD7FF\uE000\uFFFF\U00010000\U0010FFFF"))))
		a, b := key.Draw(t, "a"), key.Draw(t, "b")
		want := slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
		if got := CompareKeys(a, b); sign(got) != want {
			t.Fatalf("CompareKeys(%q, %q) = %d, want %d", a, b, got, want)
		}
	})
}

func sign(n int) int { return min(max(n, -1), 1) }

func genValue(depth int) *rapid.Generator[any] {
	leaves := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.String().AsAny(),
		rapid.Map(rapid.Float64Range(-1e30, 1e30), func(f float64) any {
			text, _ := json.Marshal(f)
			n, _ := Number(string(text))
			return n
		}),
	}
	if depth > 0 {
		leaves = append(leaves,
			rapid.SliceOfN(genValue(depth-1), 0, 4).AsAny(),
			rapid.MapOfN(rapid.String(), genValue(depth-1), 0, 4).AsAny())
	}
	return rapid.OneOf(leaves...)
}

// TestRoundTrip: both forms of a value are read back as this value, and writing that again changes no byte.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := genValue(3).Draw(t, "value")
		for _, form := range [][]byte{Append(nil, v), AppendIndent(nil, v, 0)} {
			again, err := Decode(form)
			if err != nil || !Equal(again, v) {
				t.Fatalf("%s is read as %v, %v", form, again, err)
			}
			if Digest(again) != Digest(v) || Digest(Clone(v)) != Digest(v) {
				t.Fatalf("%s has two digests", form)
			}
		}
	})
}

// TestLocateEverything: each value of a text is found at the place where it stands.
func TestLocateEverything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := genValue(3).Draw(t, "value")
		text := AppendIndent([]byte("\n "), v, 0)
		pointers := pointersOf(nil, "", v)
		places := LocateAll(text, pointers...)
		if len(places) != len(pointers) {
			t.Fatalf("%d of %d values found in %s", len(places), len(pointers), text)
		}
		lines := strings.SplitAfter(string(text), "\n")
		for _, p := range pointers {
			rest := strings.Join(lines[places[p].Line-1:], "")[places[p].Column-1:]
			l := locator{data: []byte(rest)}
			start := 0
			if tokens := Tokens(p); len(tokens) > 0 {
				parent, _ := Lookup(v, Pointer(tokens[:len(tokens)-1]...))
				if _, isObject := parent.(map[string]any); isObject {
					end := l.skipString(0)
					if key := keyText([]byte(rest[:end])); key != tokens[len(tokens)-1] {
						t.Fatalf("%q is placed at the key %q", p, key)
					}
					start = end + 2
				}
			}
			got, err := Decode([]byte(rest[start:l.skipValue(start)]))
			if want, _ := Lookup(v, p); err != nil || !Equal(got, want) {
				t.Fatalf("at %q stands %v, want %v, %v", p, got, want, err)
			}
		}
	})
}

func pointersOf(all []string, at string, v any) []string {
	all = append(all, at)
	switch v := v.(type) {
	case map[string]any:
		for _, k := range SortedKeys(v) {
			all = pointersOf(all, at+"/"+EscapeToken(k), v[k])
		}
	case []any:
		for i, e := range v {
			all = pointersOf(all, at+Pointer(string(mustNumber(i))), e)
		}
	}
	return all
}

func mustNumber(i int) json.Number {
	text, _ := json.Marshal(i)
	return json.Number(text)
}
