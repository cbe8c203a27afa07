package validate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fusionctl/fusionctl/envelope"
	"github.com/fusionctl/fusionctl/internal/canonjson"
)

func decode(tb testing.TB, text string) any {
	tb.Helper()
	v, err := canonjson.Decode([]byte(text))
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	return v
}

func mustCompile(tb testing.TB, schema string, o Options) *Schema {
	tb.Helper()
	s, err := Compile(decode(tb, schema), o)
	if err != nil {
		tb.Fatalf("Compile(%s): %v", schema, err)
	}
	return s
}

// render shows issues in one line each: path keyword property | expected | received | known, branches indented.
func render(issues []envelope.Issue, indent string) string {
	var b strings.Builder
	for _, i := range issues {
		fmt.Fprintf(&b, "%s%s %s", indent, i.Path, i.Keyword)
		if i.Property != "" {
			fmt.Fprintf(&b, " <%s>", i.Property)
		}
		fmt.Fprintf(&b, " want %s", canonjson.Append(nil, i.Expected))
		if i.Sent && i.Property != "" {
			fmt.Fprintf(&b, " got %s", canonjson.Append(nil, i.Received.(map[string]any)[i.Property]))
		} else if i.Sent {
			fmt.Fprintf(&b, " got %s", canonjson.Append(nil, i.Received))
		}
		if i.Known != nil {
			fmt.Fprintf(&b, " known %s", strings.Join(i.Known, ","))
		}
		if i.Keyword == "required" && i.Schema != nil {
			fmt.Fprintf(&b, " schema %s", canonjson.Append(nil, i.Schema))
		}
		if i.Secret {
			b.WriteString(" secret")
		}
		b.WriteByte('\n')
		for n, branch := range i.Branches {
			fmt.Fprintf(&b, "%s- branch %d\n%s", indent, n, render(branch, indent+"  "))
		}
	}
	return b.String()
}

func TestIssues(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, schema, value, want string }{
		{"type", `{"properties":{"n":{"type":"integer"}}}`, `{"n":"5"}`, `
/n type want "integer" got "5"`},
		{"one issue per missing property, with its schema", `{"properties":{"b":{"type":"string"},"a":{"$ref":"#/$defs/x"}},"required":["b","a"],"$defs":{"x":{"type":"number"}}}`, `{}`, `
 required <a> want null known a,b schema {"type":"number"}
 required <b> want null known a,b schema {"type":"string"}`},
		{"required in a branch, declared around it", `{"properties":{"a":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{}`, `
 anyOf want [{"required":["a"]},{"required":["b"]}] got {}
- branch 0
   required <a> want null known a schema {"type":"string"}
- branch 1
   required <b> want null known a`},
		{"one issue per undeclared name", `{"properties":{"url":{},"max":{}},"patternProperties":{"^x-":{}},"additionalProperties":false}`, `{"zz":1,"uri":"u","x-a":1,"max":1}`, `
 additionalProperties <uri> want false got "u" known max,url
 additionalProperties <zz> want false got 1 known max,url`},
		{"undeclared below", `{"properties":{"o":{"additionalProperties":false}}}`, `{"o":{"a/b~c %":1}}`, `
/o additionalProperties <a/b~c %> want false got 1 known `},
		{"escaped path", `{"properties":{"a b/c~d%e":{"properties":{"ü":{"type":"null"}}}}}`, `{"a b/c~d%e":{"ü":1}}`, `
/a b~1c~0d%e/ü type want "null" got 1`},
		{"unevaluatedProperties", `{"allOf":[{"properties":{"a":{}}},{"$ref":"#/$defs/b"}],"unevaluatedProperties":false,"$defs":{"b":{"properties":{"b":{}}}}}`, `{"a":1,"b":2,"c":3}`, `
 unevaluatedProperties <c> want false got 3 known a,b`},
		{"unevaluatedProperties with a schema", `{"unevaluatedProperties":{"type":"string"}}`, `{"c":3}`, `
/c type want "string" got 3`},
		{"propertyNames", `{"propertyNames":{"pattern":"^[a-z]+$","maxLength":3}}`, `{"A":1,"ABCDE":2,"ok":3}`, `
 propertyNames <A> want {"maxLength":3,"pattern":"^[a-z]+$"} got 1
 propertyNames <ABCDE> want {"maxLength":3,"pattern":"^[a-z]+$"} got 2`},
		{"an empty name", `{"propertyNames":{"minLength":1}}`, `{"":1,"a":2}`, `
 propertyNames want {"minLength":1} got {"":1,"a":2}`},
		{"an empty name further in", `{"properties":{"labels":{"$ref":"#/$defs/l"}},"$defs":{"l":{"propertyNames":{"minLength":2}}}}`, `{"labels":{"":1,"b":2,"cc":3}}`, `
/labels propertyNames want {"minLength":2} got {"":1,"b":2,"cc":3}
/labels propertyNames <b> want {"minLength":2} got 2`},
		{"a property called propertyNames", `{"properties":{"propertyNames":{"type":"string"}}}`, `{"propertyNames":1}`, `
/propertyNames type want "string" got 1`},
		{"dependentRequired", `{"dependentRequired":{"a":["b","c"]}}`, `{"a":1,"b":1}`, `
 dependentRequired <c> want {"a":["b","c"]} known `},
		{"dependencies", `{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"]}}`, `{"a":1}`, `
 dependencies <b> want {"a":["b"]} known `},
		{"const and enum", `{"properties":{"c":{"const":"x"},"e":{"enum":["a",1,null]}}}`, `{"c":"y","e":"b"}`, `
/c const want "x" got "y"
/e enum want ["a",1,null] got "b"`},
		{"bounds", `{"properties":{"n":{"minimum":1.5,"multipleOf":2},"s":{"minLength":3,"pattern":"^\\d+$"},"a":{"maxItems":1,"uniqueItems":true}}}`, `{"n":1,"s":"x","a":[1,1]}`, `
/a maxItems want 1 got [1,1]
/a uniqueItems want true got [1,1]
/n minimum want 1.5 got 1
/n multipleOf want 2 got 1
/s minLength want 3 got "x"
/s pattern want "^\\d+$" got "x"`},
		{"contains", `{"contains":{"type":"string"}}`, `[1]`, `
 contains want {"type":"string"} got [1]`},
		{"minContains", `{"contains":{"type":"string"},"minContains":2}`, `["a",1]`, `
 minContains want 2 got ["a",1]`},
		{"items in the order of their numbers", `{"items":{"type":"string"}}`, `[0,"","","","","","","","","",10,"",2]`, `
/0 type want "string" got 0
/10 type want "string" got 10
/12 type want "string" got 2`},
		{"false", `{"properties":{"gone":false},"items":false}`, `{"gone":1}`, `
/gone false want false got 1`},
		{"items false", `{"prefixItems":[{}],"items":false}`, `[1,2]`, `
/1 items want false got 2`},
		{"not", `{"not":{"type":"string"}}`, `"a"`, `
 not want {"type":"string"} got "a"`},
		{"through $ref, allOf and then", `{"allOf":[{"$ref":"#/$defs/o"}],"if":{"required":["k"]},"then":{"properties":{"n":{"maximum":1}}},"$defs":{"o":{"properties":{"n":{"minimum":3}}}}}`, `{"k":0,"n":2}`, `
/n maximum want 1 got 2
/n minimum want 3 got 2`},
		{"two ways to one schema are one issue", `{"allOf":[{"$ref":"#/$defs/o"},{"$ref":"#/$defs/o"}],"$defs":{"o":{"type":"string"}}}`, `1`, `
 type want "string" got 1`},
		{"fewest issues first", `{"anyOf":[{"type":"object","required":["a","b"]},{"type":"string"}]}`, `{}`, `
 anyOf want [{"required":["a","b"],"type":"object"},{"type":"string"}] got {}
- branch 0
   type want "string" got {}
- branch 1
   required <a> want null known 
   required <b> want null known `},
		{"discriminator first", `{"oneOf":[{"properties":{"op":{"const":"get"}},"required":["id"]},{"$ref":"#/$defs/put"}],"$defs":{"put":{"properties":{"op":{"const":"put"},"x":{"type":"string"},"y":{"type":"string"}}}}}`, `{"op":"put","x":1,"y":2,"id":0}`, `
 oneOf want [{"properties":{"op":{"const":"get"}},"required":["id"]},{"$ref":"#/$defs/put"}] got {"id":0,"op":"put","x":1,"y":2}
- branch 0
  /x type want "string" got 1
  /y type want "string" got 2
- branch 1
  /op const want "get" got "put"`},
		{"two branches match", `{"oneOf":[{"type":"integer"},{"type":"number"}]}`, `1`, `
 oneOf want [{"type":"integer"},{"type":"number"}] got 1`},
		{"secret by format, by writeOnly, around and inside", `{"properties":{"p":{"format":"password","type":"string"},"w":{"writeOnly":true,"properties":{"in":{"type":"string"}}},"out":{"type":"string","properties":{"p":{"$ref":"#/$defs/s"}}},"open":{"type":"string"}},"$defs":{"s":{"writeOnly":true}}}`, `{"p":1,"w":{"in":1},"out":{"p":5},"open":1}`, `
/open type want "string" got 1
/out type want "string" got {"p":5} secret
/p type want "string" got 1 secret
/w/in type want "string" got 1 secret`},
		{"secret of the member, not of the object", `{"properties":{"p":{"writeOnly":true}},"additionalProperties":false}`, `{"p":1,"q":2}`, `
 additionalProperties <q> want false got 2 known p`},
		{"under an embedded resource", `{"$id":"https://example.com/root","properties":{"a":{"$id":"other","properties":{"b":{"$ref":"#/$defs/c"}},"$defs":{"c":{"type":"string"}}}}}`, `{"a":{"b":1}}`, `
/a/b type want "string" got 1`},
		{"root false", `false`, `1`, `
 false want false got 1`},
	} {
		s := mustCompile(t, test.schema, Options{ECMAPatterns: true})
		issues, err := s.Validate(decode(t, test.value))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := render(issues, ""); got != strings.TrimPrefix(test.want, "\n")+"\n" {
			t.Errorf("%s: Validate(%s) =\n%swant%s", test.name, test.value, got, test.want)
		}
	}
}

func TestIssuesAreBounded(t *testing.T) {
	t.Parallel()
	list := make([]any, 20_000)
	members := map[string]any{}
	for i := range list {
		list[i] = "x"
		members[fmt.Sprint("k", i)] = i == 0
	}
	s := mustCompile(t, `{"items":{"anyOf":[{"type":"null"},{"type":"number"}]},"additionalProperties":false}`, Options{})
	for _, v := range []any{list, members} {
		issues, err := s.Validate(v)
		n := 0
		var count func([]envelope.Issue)
		count = func(list []envelope.Issue) {
			for _, i := range list {
				n++
				for _, b := range i.Branches {
					count(b)
				}
			}
		}
		count(issues)
		if err != nil || n == 0 || n > maxIssues+2 {
			t.Errorf("%d issues, %v", n, err)
		}
	}
}

// The library's order changes from run to run; ours must not.
func TestOrderIsStable(t *testing.T) {
	t.Parallel()
	schema := decode(t, `{"type":"object","required":["r1","r2"],"additionalProperties":false,"patternProperties":{"^(?=q)":{"type":"string"}},
		"properties":{"a":{"type":"string"},"b":{"type":"integer","anyOf":[{"minimum":3},{"multipleOf":7},{"const":1}]},"c":{"required":["x","y"],"minProperties":4},
		"d":{"oneOf":[{"type":"object","properties":{"k":{"const":1}}},{"type":"array","items":{"type":"string"}}]}}}`)
	value := decode(t, `{"zz":1,"yy":2,"a":1,"b":2.5,"c":{"q":1},"d":[1,"2",3],"qq":1,"qr":2}`)
	want := ""
	for range 200 {
		s, err := Compile(schema, Options{ECMAPatterns: true})
		if err != nil {
			t.Fatal(err)
		}
		issues, err := s.Validate(value)
		if err != nil {
			t.Fatal(err)
		}
		got := render(issues, "")
		if want == "" {
			want = got
		}
		if got != want {
			t.Fatalf("Validate =\n%s\nthe first time\n%s", got, want)
		}
	}
	if n := strings.Count(want, "\n"); n < 15 {
		t.Errorf("only %d lines:\n%s", n, want)
	}
}

// TestEmptyEnum: it allows no value.
func TestEmptyEnum(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]bool{
		`{"enum":[]}`: false,
		`{"type":"string","enum":[],"pattern":"(?=a)"}`: false,
		`{"not":{"enum":[]}}`:                           true,
	} {
		s := mustCompile(t, schema, Options{ECMAPatterns: true})
		if got, err := s.Valid("a"); got != want || err != nil {
			t.Errorf("%s: Valid = %v, %v", schema, got, err)
		}
	}
	issues, err := mustCompile(t, `{"properties":{"x":{"enum":[]}}}`, Options{}).Validate(map[string]any{"x": "a"})
	if err != nil || len(issues) != 1 || issues[0].Keyword != "enum" || issues[0].Path != "/x" {
		t.Errorf("issues %+v, %v", issues, err)
	}
}
