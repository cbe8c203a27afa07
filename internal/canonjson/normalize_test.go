package canonjson

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestNormalize(t *testing.T) {
	t.Parallel()
	shared := []any{"a", json.Number("2")}
	got, err := Normalize(map[string]any{
		"i": 1, "u": uint64(math.MaxUint64), "f": 1e21, "z": math.Copysign(0, -1), "s": float32(0.1), "n": json.Number("1.0"),
		"a": []any{nil, true, 2.5, shared}, "b": shared,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"a":[null,true,2.5,["a",2]],"b":["a",2],"f":1e+21,"i":1,"n":1,"s":0.1,"u":18446744073709551615,"z":0}`
	if diff := cmp.Diff(want, string(Append(nil, got))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	cycle := map[string]any{}
	cycle["a"] = []any{cycle}
	for want, v := range map[string]any{
		"NaN is no JSON number":  []any{math.NaN()},
		"+Inf is no JSON number": float32(math.Inf(1)),
		"a struct {} is no JSON": map[string]any{"a": struct{}{}},
		"is not UTF-8":           []any{"\xff"},
		`key "\xff" is not`:      map[string]any{"\xff": 1},
		`number "1x": malformed`: json.Number("1x"),
		"nested deeper than 512": cycle,
	} {
		if got, err := Normalize(v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Normalize = %v, %v; want %q", got, err, want)
		}
	}
}

// TestNormalizeLikeDecode: a value decoded by encoding/json becomes what Decode gives, and that does not change any more.
func TestNormalizeLikeDecode(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := genValue(3).Draw(t, "value")
		same, changed, err := normalizer{depth: 10}.value(v, 0)
		if err != nil || changed || !Equal(same, v) {
			t.Fatalf("%v became %v, %v", v, same, err)
		}
		var theirs any
		if err := json.Unmarshal(Append(nil, v), &theirs); err != nil {
			t.Fatal(err)
		}
		if got, err := Normalize(theirs); err != nil || !Equal(got, v) {
			t.Fatalf("%v became %v, %v", theirs, got, err)
		}
	})
}
