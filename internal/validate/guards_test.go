package validate

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

func canonNumber(n int) json.Number { return json.Number(strconv.Itoa(n)) }

func within(t *testing.T, limit time.Duration, what string, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if d := time.Since(start); d > limit {
		t.Errorf("%s took %v", what, d)
	}
}

// Guard 1: these numbers are a nil pointer or seconds of work for the library.
func TestNumbers(t *testing.T) {
	t.Parallel()
	s := mustCompile(t, `{"type":"integer","maximum":1e400,"multipleOf":1}`, Options{})
	for _, text := range []string{"1e1000001", "-1e1000001", "1e-1000001", "1e1000000", "1E+999999999999999999999", "1e401", strings.Repeat("9", 2000), "0." + strings.Repeat("1", 1200), "NaN", "", "1_0", "0x1p5", "1/3"} {
		for _, v := range []any{json.Number(text), []any{json.Number(text)}, map[string]any{"n": json.Number(text)}} {
			within(t, time.Second, text, func() {
				if ok, err := s.Valid(v); !errors.Is(err, ErrBounds) || ok {
					t.Errorf("Valid(%v) = %v, %v", v, ok, err)
				}
			})
		}
		if _, err := Compile(map[string]any{"maximum": json.Number(text)}, Options{}); !errors.Is(err, ErrBounds) {
			t.Errorf("Compile with maximum %q: %v", text, err)
		}
	}
	for text, want := range map[string]bool{
		"1": true, "1.0": true, "10e-1": true, "1e400": true, "1.5": false, "-0": true, "9007199254740993": true,
		"1" + strings.Repeat("0", 1000) + "": false, "123456789012345678901234567890.5": false,
	} {
		if got, err := s.Valid(json.Number(text)); got != want || err != nil {
			t.Errorf("Valid(%s) = %v, %v", text, got, err)
		}
	}
	exact := mustCompile(t, `{"const":9007199254740993}`, Options{})
	if ok, _ := exact.Valid(json.Number("9007199254740992")); ok {
		t.Error("9007199254740992 equals 9007199254740993")
	}
	// The library reads sizes through a float into an int, where a huge one becomes negative.
	for _, schema := range []string{`{"maxLength":1e300}`, `{"maxItems":9223372036854775808}`, `{"maxProperties":1e400}`} {
		for _, v := range []any{"abc", []any{nil}, map[string]any{"a": nil}} {
			if ok, err := mustCompile(t, schema, Options{}).Valid(v); !ok || err != nil {
				t.Errorf("%s: Valid(%v) = %v, %v", schema, v, ok, err)
			}
		}
	}
	if ok, _ := mustCompile(t, `{"minLength":1e300}`, Options{}).Valid("abc"); ok {
		t.Error("minLength 1e300 accepts abc")
	}
}

// Guard 2: the library panics on values that are no JSON; so would a fault in it.
func TestRecover(t *testing.T) {
	t.Parallel()
	s := mustCompile(t, `{"properties":{"a":{"type":"string"}}}`, Options{})
	for _, v := range []any{struct{}{}, map[string]any{"a": []int{1}}, []any{func() {}}, map[string]int{}, make(chan int)} {
		if _, err := s.Valid(v); !errors.Is(err, ErrFault) {
			t.Errorf("Valid(%T): %v", v, err)
		}
		if _, err := s.Validate(v); !errors.Is(err, ErrFault) {
			t.Errorf("Validate(%T): %v", v, err)
		}
		if _, err := Compile(map[string]any{"const": v}, Options{}); !errors.Is(err, ErrFault) {
			t.Errorf("Compile(const %T): %v", v, err)
		}
	}
	for _, root := range []any{nil, "x", []any{}, json.Number("1")} {
		if _, err := Compile(root, Options{}); !errors.Is(err, ErrSchema) {
			t.Errorf("Compile(%v): %v", root, err)
		}
	}
}

// Guard 3: nothing is loaded, from anywhere.
func TestNothingIsLoaded(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret.json")
	if err := os.WriteFile(secret, []byte(`{"type":"string"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	url := "file://" + filepath.ToSlash(secret)
	for _, schema := range []string{
		`{"$ref":"` + url + `"}`,
		`{"$id":"file://` + filepath.ToSlash(filepath.Dir(secret)) + `/","properties":{"a":{"$ref":"secret.json"}}}`,
		`{"$ref":"http://127.0.0.1:9/x"}`, `{"$ref":"other.json"}`, `{"$ref":"urn:x:y"}`, `{"$dynamicRef":"https://example.com/a#b"}`,
		`{"$ref":"#/$defs/nope"}`, `{"$ref":"#nope"}`, `{"properties":{"a":{"$ref":"#"}},"$ref":"#"}`,
	} {
		_, err := Compile(decode(t, schema), Options{})
		if !errors.Is(err, ErrRef) {
			t.Errorf("%s: %v, want %v", schema, err, ErrRef)
		}
		if err != nil && strings.Contains(err.Error(), "mem:") && !strings.Contains(schema, "other") {
			t.Errorf("%s: the error shows our own address: %v", schema, err)
		}
	}
	for _, d := range []string{Draft4, Draft6, Draft7, Draft2019, Draft2020} {
		s := mustCompile(t, `{"properties":{"s":{"$ref":"`+d+`"}}}`, Options{Dialect: d})
		if ok, err := s.Valid(decode(t, `{"s":{"type":"string"}}`)); !ok || err != nil {
			t.Errorf("%s: a legal schema: %v, %v", d, ok, err)
		}
		issues, err := s.Validate(decode(t, `{"s":{"type":"any"}}`))
		if err != nil || len(issues) == 0 {
			t.Errorf("%s: an illegal schema: %v, %v", d, issues, err)
		}
	}
}

// Guard 4: format is asserted only on request, whatever the dialect and whether $schema is there.
func TestFormat(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{
		`{"format":"email"}`, `{"$schema":"https://json-schema.org/draft/2020-12/schema","format":"email"}`,
		`{"$schema":"https://json-schema.org/draft/2019-09/schema","format":"email"}`, `{"$schema":"http://json-schema.org/draft-07/schema#","format":"email"}`,
		`{"$schema":"http://json-schema.org/draft-04/schema#","format":"email"}`,
	} {
		for _, assert := range []bool{false, true} {
			s := mustCompile(t, schema, Options{AssertFormat: assert})
			if ok, err := s.Valid("nope"); ok == assert || err != nil {
				t.Errorf("%s, AssertFormat %v: %v, %v", schema, assert, ok, err)
			}
			if ok, err := s.Valid("a@example.com"); !ok || err != nil {
				t.Errorf("%s, AssertFormat %v: %v, %v", schema, assert, ok, err)
			}
		}
	}
	s := mustCompile(t, `{"$schema":"http://json-schema.org/draft-07/schema#","contentEncoding":"base64","contentMediaType":"application/json"}`, Options{AssertFormat: true})
	if ok, err := s.Valid("%"); !ok || err != nil {
		t.Errorf("content keywords are asserted: %v, %v", ok, err)
	}
}

// Guard 7: depth, width and fan-out.
func TestSchemaBounds(t *testing.T) {
	t.Parallel()
	nest := func(n int, open, inner, shut string) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(shut, n)
	}
	wide := map[string]any{}
	for i := range 6000 {
		wide[fmt.Sprint("p", i)] = true
	}
	fan := map[string]any{}
	for i := range 40 {
		next := map[string]any{"$ref": fmt.Sprintf("#/$defs/d%d", i+1)}
		fan[fmt.Sprint("d", i)] = map[string]any{"allOf": []any{next, next}}
	}
	fan["d40"] = map[string]any{"type": "string"}
	for name, schema := range map[string]any{
		"depth 1000": decode(t, nest(150, `{"not":`, `{}`, `}`)),
		"width":      map[string]any{"properties": wide},
		"fan-out":    map[string]any{"$ref": "#/$defs/d0", "$defs": fan},
		"bytes":      map[string]any{"description": strings.Repeat("x", 2<<20)},
	} {
		within(t, 10*time.Second, name, func() {
			if _, err := Compile(schema, Options{}); !errors.Is(err, ErrBounds) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	if _, err := Compile(map[string]any{"properties": map[string]any{"a": wide["p0"]}, "enum": []any{canonNumber(1)}}, Options{Bounds: Bounds{SchemaNodes: 3}}); !errors.Is(err, ErrBounds) {
		t.Errorf("SchemaNodes: %v", err)
	}
	for _, legal := range []string{nest(30, `{"items":`, `{}`, `}`), `{"type":"object","properties":{"l":{"$ref":"#"},"r":{"$ref":"#"}}}`} {
		mustCompile(t, legal, Options{})
	}
	deep := mustCompile(t, nest(40, `{"items":`, `{}`, `}`), Options{Bounds: Bounds{SchemaDepth: 100}})
	if ok, err := deep.Valid([]any{}); !ok || err != nil {
		t.Errorf("depth 40 with a bound of 100: %v, %v", ok, err)
	}
}

// A recursive schema that reaches each member twice doubles the library's work per level.
func TestWork(t *testing.T) {
	t.Parallel()
	twice := mustCompile(t, `{"anyOf":[{"properties":{"a":{"$ref":"#"}},"required":["a"]},{"properties":{"a":{"$ref":"#"}}}]}`, Options{})
	tree := mustCompile(t, `{"properties":{"l":{"$ref":"#"},"r":{"$ref":"#"},"v":{"type":"integer"}},"additionalProperties":{"$ref":"#"}}`, Options{})
	chain := func(n int, key string) any {
		var v any = map[string]any{"v": canonNumber(1)}
		for range n {
			v = map[string]any{key: v}
		}
		return v
	}
	within(t, 10*time.Second, "60 levels", func() {
		if _, err := twice.Valid(chain(60, "a")); !errors.Is(err, ErrBounds) {
			t.Errorf("doubling: %v", err)
		}
		if _, err := twice.Validate(chain(60, "a")); !errors.Is(err, ErrBounds) {
			t.Errorf("doubling: %v", err)
		}
	})
	if ok, err := twice.Valid(chain(5, "a")); !ok || err != nil {
		t.Errorf("doubling, 5 levels: %v, %v", ok, err)
	}
	for _, key := range []string{"l", "other"} {
		if ok, err := tree.Valid(chain(400, key)); !ok || err != nil {
			t.Errorf("tree, 400 levels of %s: %v, %v", key, ok, err)
		}
	}
	wide := map[string]any{}
	for i := range 50_000 {
		wide[fmt.Sprint("k", i)] = map[string]any{"v": canonNumber(i)}
	}
	if ok, err := tree.Valid(wide); !ok || err != nil {
		t.Errorf("wide: %v, %v", ok, err)
	}
	var all []any
	for range 3000 {
		all = append(all, map[string]any{"minProperties": canonNumber(0)})
	}
	heavy, err := Compile(map[string]any{"items": map[string]any{"allOf": all}}, Options{Bounds: Bounds{SchemaNodes: 10_000}})
	if err != nil {
		t.Fatal(err)
	}
	items := make([]any, 100_000)
	within(t, 10*time.Second, "3,000 branches for 100,000 items", func() {
		if _, err := heavy.Valid(items); !errors.Is(err, ErrBounds) {
			t.Errorf("heavy: %v", err)
		}
	})
	within(t, 10*time.Second, "depth", func() {
		if _, err := tree.Valid(chain(100_000, "l")); !errors.Is(err, ErrBounds) {
			t.Errorf("depth: %v", err)
		}
	})
	if _, err := tree.Valid(strings.Repeat("x", 5<<20)); !errors.Is(err, ErrBounds) {
		t.Errorf("bytes: %v", err)
	}
	if _, err := tree.Valid(map[string]any{strings.Repeat("x", 5<<20): nil}); !errors.Is(err, ErrBounds) {
		t.Errorf("bytes of a key: %v", err)
	}
}

// Guard 8: the dialects.
func TestDialects(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ schema, option, want string }{
		{`{"type":"object"}`, "", Draft2020},
		{`true`, "", Draft2020},
		{`{"items":[{}]}`, "", Draft7},
		{`{"minimum":1,"exclusiveMinimum":true}`, "", Draft4},
		{`{"minimum":1,"exclusiveMinimum":true,"properties":{"a":{"items":[{}]}}}`, "", Draft4},
		{`{"definitions":{"a":{"$id":"#a"}},"$ref":"#a"}`, "", Draft7},
		{`{"items":[{}]}`, "http://json-schema.org/draft-06/schema", Draft6},
		{`{"$schema":"http://json-schema.org/draft-07/schema"}`, Draft4, Draft7},
		{`{"$schema":"https://json-schema.org/draft-07/schema#"}`, "", Draft7},
		{`{"$schema":"http://json-schema.org/draft/2020-12/schema#"}`, "", Draft2020},
		{`{"$schema":"https://json-schema.org/draft/2019-09/schema"}`, "", Draft2019},
		{`{"$schema":"http://json-schema.org/draft-04/schema#"}`, "", Draft4},
	} {
		if got := mustCompile(t, test.schema, Options{Dialect: test.option}).Dialect(); got != test.want {
			t.Errorf("%s with %q: %s, want %s", test.schema, test.option, got, test.want)
		}
	}
	for _, bad := range []string{`{"$schema":"https://example.com/mine"}`, `{"$schema":1}`, `{"$schema":""}`, `{"$schema":"http://json-schema.org/draft-03/schema#"}`,
		`{"$schema":"http://json-schema.org/"}`, `{"$defs":{"a":{"$id":"x","$schema":"http://json-schema.org/draft-07/schema#"}}}`} {
		if _, err := Compile(decode(t, bad), Options{}); !errors.Is(err, ErrDialect) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if _, err := Compile(true, Options{Dialect: "nope"}); !errors.Is(err, ErrDialect) {
		t.Errorf("Dialect nope: %v", err)
	}
	// The first error of the ladder is the one of 2020-12.
	if _, err := Compile(decode(t, `{"type":"any"}`), Options{}); err == nil || !strings.Contains(err.Error(), `at /type: not a legal schema: ""any"" is not allowed here (enum)`) {
		t.Errorf("type any: %v", err)
	}
}

// Guard 9: equal identifiers in two schemas, also those of the meta-schemas.
func TestIdentifiers(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"https://example.com/a", Draft2020, "http://json-schema.org/draft-07/schema", "mem:///schema", "a.json", "urn:uuid:1"} {
		a := mustCompile(t, `{"$id":"`+id+`","$ref":"#/$defs/x","$defs":{"x":{"type":"string"}}}`, Options{})
		b := mustCompile(t, `{"$id":"`+id+`","$ref":"#/$defs/x","$defs":{"x":{"type":"integer"}}}`, Options{})
		issues, err := a.Validate(json.Number("1"))
		if err != nil || render(issues, "") != " type want \"string\" got 1\n" {
			t.Errorf("%s: %s %v", id, render(issues, ""), err)
		}
		if ok, err := b.Valid(json.Number("1")); !ok || err != nil {
			t.Errorf("%s: %v, %v", id, ok, err)
		}
	}
}

// Guard 10: common, but not legal.
func TestIllegalSchemas(t *testing.T) {
	t.Parallel()
	for schema, pointer := range map[string]string{
		`{"properties":{"a":{"type":"any"}}}`:     "/properties/a/type",
		`{"required":true}`:                       "/required",
		`{"properties":null}`:                     "/properties",
		`{"required":["a","a"]}`:                  "/required",
		`{"examples":"x"}`:                        "/examples",
		`{"title":5}`:                             "/title",
		`{"properties":{"a/b":{"enum":{}}}}`:      "/properties/a~1b/enum",
		`{"minLength":-1}`:                        "/minLength",
		`{"multipleOf":0}`:                        "/multipleOf",
		`{"$ref":5}`:                              "/$ref",
		`{"pattern":5}`:                           "/pattern",
		`{"patternProperties":{"^(?=a)":5}}`:      "/patternProperties/^(?=a)",
		`{"x":{"type":"any"},"$ref":"#/x"}`:       "/x/type",
		`{"properties":{"a":{"$id":5}}}`:          "/properties/a/$id",
		`{"oneOf":[]}`:                            "/oneOf",
		`{"x-fusionctl-ecma":1,"type":"object "}`: "/type",
	} {
		_, err := Compile(decode(t, schema), Options{})
		var e *Error
		if !errors.As(err, &e) || e.Kind != ErrSchema || e.Pointer != pointer {
			t.Errorf("%s: %v, want one at %s", schema, err, pointer)
		}
	}
	// The private keyword means nothing in the schema of a stranger.
	s := mustCompile(t, `{"x-fusionctl-ecma":{"pattern":"^a","names":{"b":"c"}}}`, Options{ECMAPatterns: true})
	if ok, err := s.Valid("b"); !ok || err != nil {
		t.Errorf("private keyword: %v, %v", ok, err)
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	s := mustCompile(t, `{"properties":{"a":{"pattern":"^(?!x)"},"p":{"writeOnly":true,"type":"string"},"t":{"$ref":"#"}},"additionalProperties":false}`, Options{ECMAPatterns: true})
	v := decode(t, `{"a":"xx","b":1,"p":1,"t":{"a":"x","t":{"c":1}}}`)
	var wg sync.WaitGroup
	texts := make([]string, 16)
	for i := range texts {
		wg.Go(func() {
			for range 20 {
				issues, err := s.Validate(v)
				if err != nil {
					t.Error(err)
				}
				texts[i] = render(issues, "")
			}
		})
	}
	wg.Wait()
	for _, text := range texts {
		if text != texts[0] || text == "" {
			t.Errorf("%q and %q", text, texts[0])
		}
	}
}

func FuzzValidate(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"type":"integer"}`, `{"n":1e1000001}`},
		{`{"patternProperties":{"^(?!x)":{"type":"string"}},"additionalProperties":false}`, `{"":1,"x":2}`},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"},{"const":1}]}}}`, `1`},
		{`{"$id":"a","$defs":{"b":{"$id":"b","$anchor":"c","$dynamicAnchor":"d"}},"$dynamicRef":"b#d"}`, `[]`},
		{`{"oneOf":[{"pattern":"(?=x)"},{"required":["a"]}],"unevaluatedItems":{"not":{}}}`, `["a"]`},
		{`{"properties":{"":{"$ref":"#/properties/%25~1"},"%/":{"format":"password","minLength":1e300}}}`, `{"":"","%/":0}`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, schema, value string) {
		root, err := canonjson.Decode([]byte(schema))
		if err != nil {
			return
		}
		v, err := canonjson.Decode([]byte(value))
		if err != nil {
			return
		}
		for _, o := range []Options{{}, {ECMAPatterns: true, AssertFormat: true}} {
			s, err := Compile(root, o)
			if err != nil {
				var e *Error
				if !errors.As(err, &e) || e.Kind == nil {
					t.Fatalf("%T", err)
				}
				continue
			}
			ok, err := s.Valid(v)
			issues, err2 := s.Validate(v)
			if errors.Is(err, ErrPattern) || errors.Is(err2, ErrPattern) {
				continue
			}
			if (err == nil) != (err2 == nil) || err == nil && ok != (len(issues) == 0) {
				t.Fatalf("Valid: %v, %v; Validate: %d issues, %v", ok, err, len(issues), err2)
			}
			again, _ := s.Validate(v)
			if render(again, "") != render(issues, "") {
				t.Fatalf("%s\n%s", render(issues, ""), render(again, ""))
			}
		}
	})
}
