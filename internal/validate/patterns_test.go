package validate

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/validate/suite"
)

// The verdicts are those of an ECMA-262 engine with the u flag (without it where the pattern is only legal so).
func TestPatterns(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ pattern, yes, no string }{ // texts separated by |
		{`^a.b$`, "axb|a\u0085b", "a\nb|a\rb|a\u2028b|a\u2029b"},
		{`^\s$`, " |\t|\v|\u00a0|\ufeff|\u2028|\u3000", "a|\u0085|\u180e|\u200b"},
		{`^\S$`, "a|\u0085|é", " |\u00a0|\ufeff"},
		{`^[^\s]$`, "a|é", "\u00a0|\v"},
		{`^[\S]$`, "a|😀", "\u2003"},
		{`^\d$`, "1", "\u0663"},
		{`^\w+$`, "a_1", "é|\u212a"},
		{`\bé`, "aé", "é| é"},
		{`^\u00e9$`, "é", "u00e9"},
		{`^[\u{1F600}]$|^\ud83d\ude01$`, "😀|😁", "\ufffd"},
		{`^.$`, "😀|é", "ab|"},
		{`^\cA[\cB]\x03\0$`, "\x01\x02\x03\x00", "cA"},
		{`^[^]$`, "\n|a", "|ab"},
		{`a[]|b`, "b", "a"},
		{`^\p{Letter}+$`, "écoleЯ", "a1"},
		{`^\p{Script=Greek}+$`, "αβγ", "abc|Я"},
		{`^\P{Lu}[\p{Nd}]$`, "a\u0663", "A1"},
		{`^[[:alpha:]]$`, ":]|a]", "b]|a|z"},
		{`^\-\/\_\a$`, "-/_a", "-/_\a"},
		{`a$`, "ba", "a\n"},
		{`^(?!foo)(?=.*\d).{2,}$`, "bar1|f1", "foo1|bar"},
		{`(?<=\$)\d`, "$5", "5"},
		{`^(?<q>['"]).*\k<q>$`, `'a'`, `'a"`},
		{`^(a|b)\1$`, "aa|bb", "ab"},
		{`(?=b$)\u{62}`, "ab", "b\n"},
		{`^x{1001}$`, strings.Repeat("x", 1001), strings.Repeat("x", 1000)},
		{`^a{,2}{$`, "a{,2}{", "aa"},
	} {
		p := translate(test.pattern)
		if !p.expressible() {
			t.Errorf("translate(%q): not expressible", test.pattern)
			continue
		}
		for want, texts := range map[bool]string{true: test.yes, false: test.no} {
			for _, text := range strings.Split(texts, "|") {
				if got := p.match(text); got != want {
					t.Errorf("%q matches %q = %v", test.pattern, text, got)
				}
			}
		}
	}
	for _, bad := range []string{`(`, `a)`, `[b-a]`, `[a`, `\`, `a**`, `(?i)a`, `(?P<n>a)`, `\p{Nope}`, `\8`, `\u{110000}`, strings.Repeat("(", 5000), "\xff"} {
		if translate(bad).expressible() {
			t.Errorf("translate(%q) is expressible", bad)
		}
	}
}

// Whatever Go reads as ECMA-262 does keeps its text, so that the library compiles what the author wrote.
func TestPatternsStayWhereTheyCan(t *testing.T) {
	t.Parallel()
	for _, same := range []string{`^[a-z0-9_-]{1,64}$`, `^\d{4}-\d{2}$`, `^(foo|bar)?\w+\b`, `^[^@]+@[^@]+$`, `[\]\-]`, `é+`} {
		if p := translate(same); p.goText != same {
			t.Errorf("translate(%q) = %q", same, p.goText)
		}
	}
}

// Each pattern of the suite again, in a spelling that only the backtracking engine reads: the same verdicts.
func TestSuiteThroughTheExtension(t *testing.T) {
	t.Parallel()
	n := 0
	for _, g := range suite.Load(t) {
		schema, changed := backtracking(g.Schema)
		if !changed {
			continue
		}
		o := Options{Dialect: g.Dialect, ECMAPatterns: true}
		plain, err := Compile(g.Schema, o)
		if err != nil {
			continue
		}
		s, err := Compile(schema, o)
		if err != nil {
			t.Errorf("%s: %v", g.Name(), err)
			continue
		}
		for _, c := range g.Tests {
			n++
			want, _ := plain.Validate(c.Data)
			got, err := s.Validate(c.Data)
			if err != nil || plainRender(render(got, "")) != render(want, "") {
				t.Errorf("%s: %s: %v\n%swant\n%s", g.Name(), c.Description, err, render(got, ""), render(want, ""))
			}
		}
	}
	if n < 300 {
		t.Errorf("ran only %d cases", n)
	}
}

const backtrackPrefix = "(?=)"

func plainRender(s string) string { return strings.ReplaceAll(s, backtrackPrefix, "") }

// backtracking puts an empty look-ahead in front of the patterns of a schema.
func backtracking(v any) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		out, changed := map[string]any{}, false
		for k, e := range v {
			copied, c := backtracking(e)
			if text, ok := e.(string); ok && k == "pattern" {
				copied, c = backtrackPrefix+text, true
			}
			if names, ok := copied.(map[string]any); ok && k == "patternProperties" {
				renamed := map[string]any{}
				for name, sub := range names {
					renamed[backtrackPrefix+name] = sub
				}
				copied, c = renamed, true
			}
			out[k], changed = copied, changed || c
		}
		return out, changed
	case []any:
		out, changed := make([]any, len(v)), false
		for i, e := range v {
			copied, c := backtracking(e)
			out[i], changed = copied, changed || c
		}
		return out, changed
	}
	return v, false
}

func TestPatternTimeLimit(t *testing.T) {
	t.Parallel()
	s := mustCompile(t, `{"pattern":"(?=a)^(a+)+$"}`, Options{ECMAPatterns: true})
	start := time.Now()
	_, err := s.Valid(strings.Repeat("a", 40) + "!")
	if !errors.Is(err, ErrPattern) {
		t.Errorf("Valid: %v, want %v", err, ErrPattern)
	}
	if d := time.Since(start); d > 2*time.Second {
		t.Errorf("took %v", d)
	}
	// Each match below stays within its own limit, all together do not.
	many := mustCompile(t, `{"items":{"pattern":"^(?=a)(a+)+$"}}`, Options{ECMAPatterns: true})
	slow := strings.Repeat("a", 14) + "!"
	list := make([]any, 100_000)
	for i := range list {
		list[i] = slow
	}
	start = time.Now()
	if _, err := many.Validate(list); !errors.Is(err, ErrPattern) {
		t.Errorf("Validate: %v, want %v", err, ErrPattern)
	}
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("took %v", d)
	}
	if ok, err := s.Valid("aaa"); !ok || err != nil {
		t.Errorf("Valid(aaa) = %v, %v", ok, err)
	}
}

func TestDropped(t *testing.T) {
	t.Parallel()
	const look = `{"pattern":"(?=x)"}`
	for _, test := range []struct{ schema, dropped, accepted, refused string }{
		{`{"type":"string","pattern":"(?=x)","minLength":2}`, "/pattern", `"aa"`, `"a"`},
		{`{"pattern":"^\\s\\u0041$"}`, "", `" A"`, `"x"`},
		{`{"patternProperties":{"^(?!x)":{"type":"string"},"^n":{"type":"number"}},"additionalProperties":false}`, "/additionalProperties /patternProperties/^(?!x)", `{"a":1,"n":1}`, `{"n":"a"}`},
		{`{"not":` + look + `}`, "/not", `"xx"`, ``},
		{`{"not":{"not":` + look + `}}`, "/not", `"xx"`, ``},
		{`{"not":{"properties":{"a":{"$ref":"#/$defs/p"}}},"$defs":{"p":` + look + `}}`, "/$defs/p/pattern /not", `{"a":"xx"}`, ``},
		{`{"oneOf":[{"type":"integer"},{"type":"string","pattern":"(?=x)"},{"type":"string","pattern":"^a"}]}`, "/oneOf /oneOf/1/pattern", `"ab"`, `null`},
		{`{"anyOf":[{"minLength":1}],"oneOf":[` + look + `,{"maxLength":3}]}`, "/oneOf /oneOf/0/pattern", `"ab"`, `""`},
		{`{"if":` + look + `,"then":false,"else":{"type":"string"}}`, "/else /if /then", `1`, ``},
		{`{"if":{"type":"string"},"then":` + look + `,"else":{"type":"number"}}`, "/then/pattern", `"a"`, `null`},
		{`{"contains":` + look + `,"maxContains":1}`, "/contains/pattern /maxContains", `["a","b"]`, `[]`},
		{`{"patternProperties":{"(?=x)":{}},"unevaluatedProperties":false}`, "/patternProperties/(?=x) /unevaluatedProperties", `{"x":1}`, ``},
		{`{"unevaluatedProperties":false,"allOf":[{"properties":{"a":` + look + `}}]}`, "/allOf/0/properties/a/pattern", `{"a":""}`, `{"b":1}`},
		{`{"properties":{"k":{"$ref":"#/x/y"}},"x":{"y":` + look + `}}`, "/x/y/pattern", `{"k":"a"}`, ``},
		{`{"const":{"pattern":"(?=x)"}}`, "", `{"pattern":"(?=x)"}`, `{}`},
		{`{"properties":{"pattern":{"type":"string"}}}`, "", `{"pattern":"(?=x)"}`, `{"pattern":1}`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{"type":"string"}},"$ref":"#/definitions/a","pattern":"(?=x)","patternProperties":{"(?=x)":false}}`, "", `"a"`, `1`},
	} {
		s := mustCompile(t, test.schema, Options{})
		if got := strings.Join(s.Dropped(), " "); got != test.dropped {
			t.Errorf("%s: Dropped() = %q, want %q", test.schema, got, test.dropped)
		}
		for want, text := range map[bool]string{true: test.accepted, false: test.refused} {
			if text == "" {
				continue
			}
			if got, err := s.Valid(decode(t, text)); got != want || err != nil {
				t.Errorf("%s: Valid(%s) = %v, %v", test.schema, text, got, err)
			}
		}
		if strict := mustCompile(t, test.schema, Options{ECMAPatterns: true}); len(strict.Dropped()) != 0 {
			t.Errorf("%s: with ECMAPatterns Dropped() = %q", test.schema, strict.Dropped())
		}
	}
}

// A branch of a oneOf that has become an anyOf still reports as it is written.
func TestMovedKeywordsReportWhereTheyStand(t *testing.T) {
	t.Parallel()
	s := mustCompile(t, `{"properties":{"v":{"anyOf":[{}],"oneOf":[{"type":"integer"},{"type":"object","patternProperties":{"(?!x)y":{"$ref":"#/properties/v/oneOf/0"}}}]}}}`, Options{})
	issues, err := s.Validate(decode(t, `{"v":"s"}`))
	if err != nil || len(issues) != 1 || issues[0].Keyword != "oneOf" || len(issues[0].Branches) != 2 || issues[0].Schema["anyOf"] == nil {
		t.Errorf("Validate = %s, %v", render(issues, ""), err)
	}
	s = mustCompile(t, `{"patternProperties":{"^(?!x)":{"properties":{"n":{"type":"string"}}}},"additionalProperties":{"$ref":"#/patternProperties/%5E(%3F!x)/properties/n"}}`, Options{ECMAPatterns: true})
	issues, err = s.Validate(decode(t, `{"a":{"n":1},"x":2,"":{"n":3}}`))
	want := "//n type want \"string\" got 3\n/a/n type want \"string\" got 1\n/x type want \"string\" got 2\n"
	if got := render(issues, ""); got != want || err != nil {
		t.Errorf("Validate =\n%swant\n%s%v", got, want, err)
	}
}

// The gate must accept whatever the full schema accepts, wherever in it a pattern is dropped.
func TestGateIsNeverStricter(t *testing.T) {
	t.Parallel()
	refused, dropped := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		defs := map[string]any{"a": genSchema(t, 2), "b": genSchema(t, 2)}
		root := genSchema(t, 4)
		if m, ok := root.(map[string]any); ok {
			m["$defs"] = defs
		}
		full, err := Compile(root, Options{ECMAPatterns: true})
		if err != nil {
			return // a reference loop
		}
		gate, err := Compile(root, Options{})
		if err != nil {
			t.Fatalf("%s: %v", canonjson.Append(nil, root), err)
		}
		dropped += len(gate.Dropped())
		for range 5 {
			v := genValue(t, 2)
			want, err := full.Valid(v)
			if err != nil {
				continue
			}
			got, err := gate.Valid(v)
			if err != nil || want && !got {
				t.Fatalf("%s refuses %s: %v; dropped %v", canonjson.Append(nil, root), canonjson.Append(nil, v), err, gate.Dropped())
			}
			if !got {
				refused++
			}
			if len(gate.Dropped()) == 0 && got != want {
				t.Fatalf("%s: %s is %v in the gate, nothing dropped", canonjson.Append(nil, root), canonjson.Append(nil, v), got)
			}
		}
	})
	if refused == 0 || dropped == 0 {
		t.Errorf("refused %d, dropped %d: the test shows nothing", refused, dropped)
	}
}

var genPatterns = []string{"^a", "(?=a)", "^(?!b)", "b$", "\\s"}

func genSchema(t *rapid.T, depth int) any {
	if depth == 0 {
		return rapid.SampledFrom([]any{true, false, map[string]any{"pattern": "(?=a)"}, map[string]any{"type": "string"}}).Draw(t, "leaf")
	}
	m := map[string]any{}
	sub := func() any { return genSchema(t, depth-1) }
	for range rapid.IntRange(1, 3).Draw(t, "keywords") {
		switch k := rapid.SampledFrom([]string{"pattern", "not", "if", "oneOf", "anyOf", "allOf", "contains", "properties", "patternProperties", "additionalProperties",
			"unevaluatedProperties", "unevaluatedItems", "items", "prefixItems", "propertyNames", "$ref", "maxContains", "dependentSchemas"}).Draw(t, "keyword"); k {
		case "pattern":
			m[k] = rapid.SampledFrom(genPatterns).Draw(t, "pattern")
		case "if":
			m["if"], m["then"], m["else"] = sub(), sub(), sub()
		case "oneOf", "anyOf", "allOf", "prefixItems":
			m[k] = []any{sub(), sub()}
		case "properties", "dependentSchemas":
			m[k] = map[string]any{"a": sub(), "b": sub()}
		case "patternProperties":
			m[k] = map[string]any{rapid.SampledFrom(genPatterns).Draw(t, "name"): sub()}
		case "$ref":
			m[k] = rapid.SampledFrom([]string{"#/$defs/a", "#/$defs/b"}).Draw(t, "ref")
		case "maxContains":
			m[k], m["contains"] = canonNumber(1), sub()
		default:
			m[k] = sub()
		}
	}
	return m
}

func genValue(t *rapid.T, depth int) any {
	n := 3
	if depth > 0 {
		n = 5
	}
	switch rapid.IntRange(0, n-1).Draw(t, "kind") {
	case 0:
		return canonNumber(rapid.IntRange(0, 2).Draw(t, "n"))
	case 1, 2:
		return rapid.SampledFrom([]string{"", "a", "b", "ab", "c d"}).Draw(t, "text")
	case 3:
		var list []any
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			list = append(list, genValue(t, depth-1))
		}
		return list
	}
	m := map[string]any{}
	for range rapid.IntRange(0, 3).Draw(t, "members") {
		m[rapid.SampledFrom([]string{"a", "b", "ab", "c", ""}).Draw(t, "name")] = genValue(t, depth-1)
	}
	return m
}
