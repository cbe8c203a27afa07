package subschema

import (
	"math/rand"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/validate"
)

var strictly = Options{Strict: true, Steps: 20000}

// TestTransitive checks that A ⊆ B ⊆ C is never followed by A ⊄ C. It holds for plain inclusion only: with free names
// the middle schema may forget a name that the third one declares anew.
func TestTransitive(t *testing.T) {
	chains := 0
	for seed := range int64(3000) {
		g := &generator{Rand: rand.New(rand.NewSource(seed)), dialect: validate.Draft2020}
		var s [3]*Schema
		var v [3]any
		v[0] = g.root(2)
		v[1] = g.mutate(v[0])
		v[2] = g.mutate(v[1])
		ok := true
		for i := range v {
			var err error
			s[i], err = Compile(v[i], "")
			ok = ok && err == nil
		}
		if !ok {
			continue
		}
		ab, bc, ac := Decide(s[0], s[1], strictly), Decide(s[1], s[2], strictly), Decide(s[0], s[2], strictly)
		if ab.Verdict == Compatible && bc.Verdict == Compatible {
			chains++
			if ac.Verdict == Incompatible {
				t.Errorf("seed %d: A ⊆ B ⊆ C, and yet A ⊄ C by %s\n %s\n %s\n %s", seed, encode1(ac.Witness), encode1(v[0]), encode1(v[1]), encode1(v[2]))
			}
		}
	}
	if chains < 300 {
		t.Errorf("only %d chains, the test shows little", chains)
	}
}

// rewrites are other spellings of the same set of values.
var rewrites = map[string]func(v any) any{
	"allOf":   func(v any) any { return map[string]any{"allOf": []any{v}} },
	"anyOf":   func(v any) any { return map[string]any{"anyOf": []any{false, v, v}} },
	"oneOf":   func(v any) any { return map[string]any{"oneOf": []any{v, false}} },
	"not not": func(v any) any { return map[string]any{"not": map[string]any{"not": v}} },
	"if":      func(v any) any { return map[string]any{"if": v, "else": false} },
	"then":    func(v any) any { return map[string]any{"if": true, "then": v} },
	"split not": func(v any) any {
		return map[string]any{"not": map[string]any{"allOf": []any{map[string]any{"not": v}, true}}}
	},
	"types": func(v any) any {
		var parts []any
		for _, name := range []string{"null", "boolean", "number", "string", "array", "object"} {
			parts = append(parts, map[string]any{"type": name, "allOf": []any{v}})
		}
		return map[string]any{"oneOf": parts}
	},
	"split by a member": func(v any) any {
		return map[string]any{"anyOf": []any{map[string]any{"allOf": []any{v}, "required": []any{"a"}},
			map[string]any{"allOf": []any{v}, "not": map[string]any{"required": []any{"a"}}}, map[string]any{"allOf": []any{v}, "not": map[string]any{"type": "object"}}}}
	},
}

// TestEquivalent checks that schemas are compatible with their other spellings, both ways, free names or not.
func TestEquivalent(t *testing.T) {
	undecided, total := 0, 0
	for seed := range int64(400) {
		g := &generator{Rand: rand.New(rand.NewSource(seed)), dialect: validate.Draft2020}
		v := g.root(2)
		for _, name := range canonjson.SortedKeys(rewrites) {
			w := rewrites[name](withoutDefinitions(v)).(map[string]any)
			w["definitions"] = v["definitions"]
			p, errP := Compile(v, "")
			q, errQ := Compile(w, "")
			if errP != nil || errQ != nil {
				continue
			}
			for _, strict := range []bool{true, false} {
				for i, r := range []Result{Decide(p, q, Options{Strict: strict}), Decide(q, p, Options{Strict: strict})} {
					total++
					if r.Verdict == Undecided {
						undecided++
					}
					if r.Verdict == Incompatible {
						t.Errorf("seed %d: %s, direction %d: %s separates equal schemas\n %s", seed, name, i, encode1(r.Witness), encode1(v))
					}
				}
			}
		}
	}
	t.Logf("%d of %d undecided", undecided, total)
	if undecided*100 > total {
		t.Errorf("%d of %d undecided", undecided, total)
	}
}

func withoutDefinitions(v map[string]any) map[string]any {
	m := make(map[string]any, len(v))
	for k, e := range v {
		if k != "definitions" {
			m[k] = e
		}
	}
	return m
}

// TestEqualIsImmediate checks that schemas which differ only in spelling cost no step.
func TestEqualIsImmediate(t *testing.T) {
	for _, pair := range [][2]string{
		{`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string"}}}`, `{"properties":{"a":{"type":"string","title":"A"}},"type":"object"}`},
		{`{"anyOf":[{"type":"string"},{"type":"integer","minimum":1.0}]}`, `{"anyOf":[{"minimum":1,"type":["integer"]},{"type":"string"}]}`},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"type":"array","items":{"$ref":"#/$defs/b"}},"b":{"type":"array","items":{"$ref":"#/$defs/a"}}}}`,
			`{"$ref":"#/$defs/l","$defs":{"l":{"type":"array","items":{"$ref":"#/$defs/l"}}}}`},
		{`{"type":"string","pattern":"(a)\\1"}`, `{"pattern":"(a)\\1","type":"string"}`},
		{`{"enum":["b","a",{"k":[1]}]}`, `{"enum":[{"k":[1.0]},"a","b"]}`},
	} {
		p, c := mustCompile(t, mustDecode(t, pair[0])), mustCompile(t, mustDecode(t, pair[1]))
		if r := Decide(p, c, Options{}); r.Verdict != Compatible || r.Steps != 0 {
			t.Errorf("%s against %s: %v in %d steps, want compatible in none", pair[0], pair[1], r.Verdict, r.Steps)
		}
	}
}

// TestAdversarial checks that expensive pairs end within the budget and in bounded memory, with the same result each time.
func TestAdversarial(t *testing.T) {
	for name, pair := range adversarial() {
		p, c := mustCompile(t, mustDecode(t, pair[0])), mustCompile(t, mustDecode(t, pair[1]))
		runtime.GC()
		var before runtime.MemStats
		runtime.ReadMemStats(&before)
		var peak atomic.Uint64
		done := make(chan struct{})
		go func() {
			var m runtime.MemStats
			for {
				select {
				case <-done:
					return
				case <-time.After(time.Millisecond):
					runtime.ReadMemStats(&m)
					peak.Store(max(peak.Load(), m.HeapAlloc))
				}
			}
		}()
		start := time.Now()
		r := Decide(p, c, Options{})
		took := time.Since(start)
		close(done)
		grown := int64(peak.Load()) - int64(before.HeapAlloc)
		t.Logf("%s: %v %s, %d steps, %v, %d KiB", name, r.Verdict, r.Reason, r.Steps, took, grown>>10)
		if grown > 64<<20 {
			t.Errorf("%s: %d MiB", name, grown>>20)
		}
		again := Decide(p, c, Options{})
		if encode1(again.Witness) != encode1(r.Witness) || again.Verdict != r.Verdict || again.Steps != r.Steps || strings.HasPrefix(r.Reason, "internal") {
			t.Errorf("%s: %+v, then %+v", name, r, again)
		}
	}
}

// TestConcurrent decides the same schemas in many goroutines; the race detector watches.
func TestConcurrent(t *testing.T) {
	for _, pair := range reportPairs(t)[:40] {
		want := Decide(pair.p, pair.c, Options{})
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if r := Decide(pair.p, pair.c, Options{}); r.Verdict != want.Verdict || encode1(r.Witness) != encode1(want.Witness) || r.Steps != want.Steps {
					t.Errorf("%s: %+v, want %+v", pair.name, r, want)
				}
			})
		}
		wg.Wait()
	}
}

func TestSample(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{`{}`, `0`}, {`{"type":"string"}`, `""`}, {`{"type":"object","required":["a"],"properties":{"a":{"enum":["x"]},"b":{}}}`, `{"a":"x"}`},
		{`{"type":"string","minLength":3}`, `"aaa"`}, {`{"type":"array","minItems":2,"uniqueItems":true}`, `[0,1]`},
		{`{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}`, `0.1`}, {`{"type":"integer","minimum":7}`, `7`}, {`{"const":null}`, `null`},
		{`{"type":"object","minProperties":2}`, `{"extra":0,"key":0}`}, {`{"type":"string","pattern":"^[A-Z]{2}\\d+$"}`, `"AA0"`},
		{`{"$ref":"#/$defs/t","$defs":{"t":{"type":"object","required":["c"],"properties":{"c":{"type":"array","items":{"$ref":"#/$defs/t"}}}}}}`, `{"c":[]}`},
	} {
		v, found, reason := Sample(mustCompile(t, mustDecode(t, c.schema)), Options{})
		if !found || encode1(v) != c.want {
			t.Errorf("Sample(%s) = %s, %v (%s), want %s", c.schema, encode1(v), found, reason, c.want)
		}
	}
	if v, found, reason := Sample(mustCompile(t, mustDecode(t, `{"type":"string","enum":[1]}`)), Options{}); found || reason == "" {
		t.Errorf("Sample of nothing = %v, %v, %q", v, found, reason)
	}
}

func TestAssertFormat(t *testing.T) {
	free, mail := mustCompile(t, mustDecode(t, `{"type":"string"}`)), mustCompile(t, mustDecode(t, `{"type":"string","format":"email"}`))
	if r := Decide(free, mail, Options{}); r.Verdict != Compatible {
		t.Errorf("as an annotation: %v", r.Verdict)
	}
	if r := Decide(free, mail, Options{AssertFormat: true}); r.Verdict != Incompatible {
		t.Errorf("as an assertion: %v (%s)", r.Verdict, r.Reason)
	}
	if r := Decide(mail, free, Options{AssertFormat: true}); r.Verdict != Compatible {
		t.Errorf("as an assertion, back: %v", r.Verdict)
	}
	if r := Decide(mail, mail, Options{AssertFormat: true}); r.Verdict != Compatible {
		t.Errorf("equal formats: %v", r.Verdict)
	}
}

func FuzzDecide(f *testing.F) {
	for _, pair := range adversarial() {
		f.Add(pair[0], pair[1])
	}
	f.Add(`{"$dynamicRef":"#a","$defs":{"x":{"$dynamicAnchor":"a","$id":"y"}}}`, `{"multipleOf":0.01,"not":{"const":1e400}}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		v, errV := canonjson.DecodeLimits([]byte(a), canonjson.Limits{Depth: 64})
		w, errW := canonjson.DecodeLimits([]byte(b), canonjson.Limits{Depth: 64})
		if errV != nil || errW != nil {
			return
		}
		p, errP := Compile(v, "")
		c, errC := Compile(w, "")
		if errP != nil || errC != nil {
			return
		}
		for _, strict := range []bool{false, true} {
			r := Decide(p, c, Options{Strict: strict, Steps: 5000})
			if strings.HasPrefix(r.Reason, "internal") {
				t.Errorf("%s", r.Reason)
			}
			if r.Steps > 5000 {
				t.Errorf("%d steps of 5000", r.Steps)
			}
		}
	})
}
