package canonjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestNumber(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"1": "1", "1.0": "1", "1e0": "1", "-0": "0", "0.0": "0", "100": "100", "1e2": "100", "0.1": "0.1", "-1.50": "-1.5",
		"9007199254740993": "9007199254740993", "1e21": "1e+21", "1e20": "100000000000000000000", "0.000001": "0.000001",
		"1e-7": "1e-7", "123e-9": "1.23e-7", "1e1000001": "1e+1000001", "0e99999999999": "0",
	} {
		if got, err := Number(in); err != nil || string(got) != want {
			t.Errorf("Number(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", "-", "01", "1.", ".5", "1e", "+1", "1 ", "1e99999999999"} {
		if got, err := Number(in); err == nil {
			t.Errorf("Number(%q) = %q, want an error", in, got)
		}
	}
}

// TestNumberLikeJCS: for every 64-bit float the spelling is that of ECMAScript, which RFC 8785 prescribes.
func TestNumberLikeJCS(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return
		}
		shortest := strconv.FormatFloat(f, 'e', -1, 64)
		want, err := json.Marshal(f) // ECMAScript's layout, but for the exponent's leading zero and minus zero
		if err != nil {
			t.Fatal(err)
		}
		got, err := Number(shortest)
		if err != nil || string(got) != strings.Replace(string(want), "-0", "0", boolInt(f == 0)) {
			t.Fatalf("Number(%s) = %s, %v, want %s", shortest, got, err, want)
		}
	})
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestNumberExact: no value changes, whatever its length.
func TestNumberExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,2})?`).Draw(t, "number")
		got, err := Number(text)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := new(big.Rat).SetString(text)
		if have, ok := new(big.Rat).SetString(string(got)); !ok || have.Cmp(want) != 0 {
			t.Fatalf("Number(%s) = %s", text, got)
		}
		if again, err := Number(string(got)); err != nil || again != got {
			t.Fatalf("Number(%s) = %s, %v", got, again, err)
		}
	})
}

func TestDecode(t *testing.T) {
	t.Parallel()
	v, err := Decode([]byte(` {"b":[1.0,true,null,"a\u00e9\ud83d\ude00<"], "a":{}} `))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(Append(nil, v)), `{"a":{},"b":[1,true,null,"aé😀<"]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := string(AppendIndent(nil, v, 0)), "{\n  \"a\": {},\n  \"b\": [\n    1,\n    true,\n    null,\n    \"aé😀<\"\n  ]\n}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDecodeErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text, want string
		kind       Kind
	}{
		{``, "line 1 column 1: ", Truncated},
		{`{"a": {"b": [1, 2`, "line 1 column 18 (at /a/b", Truncated},
		{`{"a": 1, "a": 2}`, "duplicate key \"a\"", DuplicateKey},
		{`{"a": 1, "\u0061": 2}`, "duplicate key \"a\"", DuplicateKey},
		{"{\n\"a\" 1}", "line 2 column 5", Malformed},
		{`[1,]`, "line 1 column 4", Malformed},
		{`{"a":1,}`, "line 1 column 8", Malformed},
		{`[01]`, "malformed number", Malformed},
		{`01`, "malformed number", Malformed},
		{`-`, "ends inside a number", Truncated},
		{`nul`, "", Truncated},
		{`nulL`, "", Malformed},
		{`"\ud800"`, "lone surrogate", BadText},
		{`"\udc00\ud800"`, "lone surrogate", BadText},
		{"\"\xff\"", "UTF-8", BadText},
		{"\"\xed\xa0\x80\"", "UTF-8", BadText},
		{"\"a\nb\"", "", Malformed},
		{`"\x"`, "", Malformed},
		{`1 2`, "after the value", Malformed},
		{strings.Repeat("[", 600), "", TooLarge},
		{strings.Repeat("9", 5000), "5000 characters, the limit is 4096", TooLarge},
		{strings.Repeat("9", 4097), "4097 digits, the limit is 4096", TooLarge},
		{"\ufeff1", "line 1 column 1: the text begins with a byte order mark", BadText},
		{"\xff\xfe{\x00}\x00", "UTF-16", BadText},
		{"[\"\\u0041\xff\"]", "line 1 column 9 (at /0): invalid UTF-8", BadText},
		{"\"\\\x1b[2J\"", `unknown escape: '\x1b'`, Malformed},
		{"{\"\\u001b[2J\": [}", `(at "/\x1b[2J/0")`, Malformed},
		{"1e9999999999", "exponent out of range", TooLarge},
		{strings.Repeat("9", 4090) + "e1073741800", "exponent out of range", TooLarge},
	} {
		v, err := Decode([]byte(test.text))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("Decode(%.40q) = %v, %v, want a *SyntaxError", test.text, v, err)
			continue
		}
		if syntax.Kind != test.kind || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Decode(%.40q): %v (kind %d), want %q (kind %d)", test.text, err, syntax.Kind, test.want, test.kind)
		}
	}
}

func TestEqual(t *testing.T) {
	t.Parallel()
	values := []string{`null`, `false`, `true`, `0`, `1`, `""`, `"1"`, `[]`, `[1]`, `[1,2]`, `[2,1]`, `{}`, `{"a":1}`, `{"a":2}`, `{"b":1}`, `{"a":1,"b":1}`}
	for i, a := range values {
		for j, b := range values {
			av, _ := Decode([]byte(a))
			bv, _ := Decode([]byte(b))
			if got := Equal(av, bv); got != (i == j) {
				t.Errorf("Equal(%s, %s) = %v", a, b, got)
			}
		}
	}
}

func TestPointers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tokens := rapid.SliceOf(rapid.StringOf(rapid.RuneFrom([]rune("ab~/01 é")))).Draw(t, "tokens")
		if got := Tokens(Pointer(tokens...)); cmp.Diff(tokens, got) != "" && len(tokens)+len(got) > 0 {
			t.Fatalf("Tokens(Pointer(%q)) = %q", tokens, got)
		}
	})
	v, _ := Decode([]byte(`{"a":[{"b/c":1}],"":{"":2}}`))
	for pointer, want := range map[string]string{"/a/0/b~1c": "1", "//": "2", "": `{"":{"":2},"a":[{"b/c":1}]}`, "/a/1": "", "/a/00": "", "/a/-": "", "/x": ""} {
		got := ""
		if found, ok := Lookup(v, pointer); ok {
			got = string(Append(nil, found))
		}
		if got != want {
			t.Errorf("Lookup(%q) = %s, want %s", pointer, got, want)
		}
	}
}

// FuzzDecode: what Decode accepts, encoding/json accepts, with the same meaning; writing and reading again changes nothing.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"a":[1.50,-0,1e9,"\ud83d\ude00\u2028"],"b":{"c":null}}`, `[true,false,{"":""}]`, `"\ud800"`, `{"a":1,"a":2}`, `{"b":[],"a":{"d":1,"c":2},"\u0062":0}`, `1e400`, "\ufeff{}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		LocateAll(data, "", "/a/0", "/b/c", "/") // whatever the text is, it must not panic
		checkCompact(t, data, Limits{})
		v, err := Decode(data)
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || syntax.Line < 1 || syntax.Column < 1 || syntax.Offset > len(data) {
				t.Fatalf("error without a place: %#v", err)
			}
			if json.Valid(data) && (syntax.Kind == Malformed || syntax.Kind == Truncated) {
				t.Fatalf("encoding/json accepts it: %v", err)
			}
			return
		}
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.UseNumber()
		var theirs any
		if err := decoder.Decode(&theirs); err != nil {
			t.Fatalf("encoding/json refuses it: %v", err)
		}
		if !Equal(v, canonicalTree(t, theirs)) {
			t.Fatalf("encoding/json reads %v, Decode %v", theirs, v)
		}
		canonical := Append(nil, v)
		again, err := Decode(canonical)
		if err != nil || !bytes.Equal(Append(nil, again), canonical) {
			t.Fatalf("%s is read as %v, %v", canonical, again, err)
		}
		if pretty, err := Decode(AppendIndent(nil, v, 0)); err != nil || !Equal(pretty, v) {
			t.Fatalf("the indented form is read as %v, %v", pretty, err)
		}
	})
}

func canonicalTree(t *testing.T, v any) any {
	switch v := v.(type) {
	case json.Number:
		n, err := Number(string(v))
		if err != nil {
			t.Fatal(err)
		}
		return n
	case []any:
		for i := range v {
			v[i] = canonicalTree(t, v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = canonicalTree(t, v[k])
		}
	}
	return v
}

func ExampleDecode() {
	v, err := Decode([]byte(`{"maximum": 9007199254740993, "minimum": 1.0, "minimum": 2}`))
	fmt.Println(v, err)
	v, _ = Decode([]byte(`{"maximum": 9007199254740993, "minimum": 1.0}`))
	fmt.Println(string(Append(nil, v)))
	// Output:
	// <nil> line 1 column 47: duplicate key "minimum"
	// {"maximum":9007199254740993,"minimum":1}
}
