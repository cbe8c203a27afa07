package hostile

import (
	"fmt"
	"strings"
)

// nested wraps inner n times.
func nested(open, inner, shut string, n int) string {
	return strings.Repeat(open, n) + inner + strings.Repeat(shut, n)
}

// list joins n texts made by item.
func list(n int, item func(i int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = item(i)
	}
	return strings.Join(parts, ",")
}

// bomb is a chain of definitions that each refer twice to the next, so that inlining them takes 2^n steps.
func bomb(combinator string, n int) string {
	definitions := list(n, func(i int) string {
		return fmt.Sprintf(`"d%d":{%q:[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, combinator, i+1, i+1)
	})
	return fmt.Sprintf(`{"type":"object","$defs":{%s,"d%d":{"required":["x"]}},"$ref":"#/$defs/d0"}`, definitions, n)
}

// tree is a chain of definitions whose smallest value doubles with each of n levels.
func tree(n int) string {
	definitions := list(n, func(i int) string {
		return fmt.Sprintf(`"d%d":{"type":"object","properties":{"l":{"$ref":"#/$defs/d%d"},"r":{"$ref":"#/$defs/d%d"}},"required":["l","r"]}`, i, i+1, i+1)
	})
	return fmt.Sprintf(`{"type":"object","$defs":{%s,"d%d":{"type":"integer"}},"properties":{"x":{"$ref":"#/$defs/d0"}},"required":["x"]}`, definitions, n)
}

// property is an object schema with one property.
func property(schema string) string {
	return `{"type":"object","properties":{"x":` + schema + `},"required":["x"]}`
}

func pattern(p string) string { return property(fmt.Sprintf(`{"type":"string","pattern":%q}`, p)) }

// schemas are input schemas that are legal JSON but not meant well. Each is an object where a server would refuse others.
var schemas = map[string]string{
	"properties 60 deep":      nested(`{"type":"object","properties":{"x":`, `{}`, `}}`, 60),
	"properties 200 deep":     nested(`{"type":"object","properties":{"x":`, `{}`, `}}`, 200),
	"allOf 200 deep":          nested(`{"type":"object","allOf":[`, `{}`, `]}`, 200),
	"not 200 deep":            `{"type":"object","not":` + nested(`{"not":`, `{}`, `}`, 200) + `}`,
	"items 200 deep":          property(nested(`{"type":"array","items":`, `{}`, `}`, 200)),
	"const 200 deep":          property(`{"const":` + nested(`[`, `1`, `]`, 200) + `}`),
	"if 40 deep":              nested(`{"type":"object","if":{"required":["a"]},"then":{"required":["b"]},"else":`, `{}`, `}`, 40),
	"allOf bomb":              bomb("allOf", 40),
	"anyOf bomb":              bomb("anyOf", 40),
	"oneOf bomb":              bomb("oneOf", 40),
	"witness bomb":            tree(25),
	"property bomb":           strings.ReplaceAll(bomb("allOf", 40), `"allOf"`, `"prefixItems"`),
	"root refers to itself":   `{"type":"object","$ref":"#"}`,
	"two refer to each other": `{"type":"object","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"}`,
	"not itself":              `{"type":"object","not":{"$ref":"#"}}`,
	"allOf itself":            `{"type":"object","allOf":[{"$ref":"#"},{"anyOf":[{"$ref":"#"},{"not":{"$ref":"#"}}]}]}`,
	"endless tree":            `{"type":"object","properties":{"x":{"$ref":"#"}},"required":["x"]}`,
	"endless list":            `{"type":"object","properties":{"x":{"type":"array","minItems":1,"items":{"$ref":"#"}}},"required":["x"]}`,
	"endless tree, doubled":   `{"type":"object","properties":{"x":{"$ref":"#"},"y":{"$ref":"#"}},"anyOf":[{"required":["x"]},{"required":["y"]}]}`,
	"dynamic":                 `{"type":"object","$dynamicAnchor":"n","properties":{"x":{"$dynamicRef":"#n"}}}`,
	"dangling":                `{"type":"object","$ref":"#/$defs/none"}`,
	"reference into a text":   `{"type":"object","description":"x","$ref":"#/description"}`,
	"reference to everything": `{"type":"object","properties":{"x":{"$ref":"#/properties"}}}`,
	"identifiers clash":       `{"type":"object","$defs":{"a":{"$id":"http://x.test/a"},"b":{"$id":"http://x.test/a"}},"$ref":"http://x.test/a"}`,

	"huge bounds":             property(`{"type":"number","minimum":1e400,"maximum":1e4000}`),
	"exponent of nine digits": property(`{"type":"number","minimum":1e999999999}`),
	"tiny multiple":           property(`{"type":"number","multipleOf":1e-300,"minimum":1e300}`),
	"multiples without end":   property(`{"allOf":[` + list(60, func(i int) string { return fmt.Sprintf(`{"type":"integer","multipleOf":%d}`, 1_000_003+2*i) }) + `]}`),
	"4000 digits":             property(`{"const":` + strings.Repeat("9", 4000) + `}`),
	"negative lengths":        property(`{"type":"string","minLength":-1}`),
	"length of a million":     property(`{"type":"string","minLength":1000000}`),
	"length beyond 64 bits":   property(`{"type":"string","minLength":100000000000000000000}`),
	"a billion items":         property(`{"type":"array","minItems":1000000000,"items":{"type":"integer"}}`),
	"a billion members":       property(`{"type":"object","minProperties":1000000000}`),
	"a billion contained":     property(`{"type":"array","contains":{"const":1},"minContains":1000000000}`),
	"unique booleans":         property(`{"type":"array","items":{"type":"boolean"},"uniqueItems":true,"minItems":3}`),

	"nested plus":             pattern(`^(a+)+$`),
	"nested star":             pattern(`^(([a-z])+.)+[A-Z]([a-z])+$`),
	"alternatives overlap":    pattern(`^(a|a)*b$`),
	"many optionals":          pattern(strings.Repeat("a?", 40) + strings.Repeat("a", 40)),
	"exponential automaton":   pattern(`(a|b)*a(a|b){30}$`),
	"repeats of repeats":      pattern(`((x{1000}){1000}){1000}`),
	"groups 5000 deep":        pattern(nested("(", "a", ")", 5000)),
	"unclosed":                pattern(strings.Repeat("(", 5000)),
	"long class":              pattern("[" + strings.Repeat("a-z", 5000) + "]"),
	"look around":             pattern(`^(?=.*a)(?!.*b)(?<=c)(?<!d).*(a+)+$`),
	"back reference":          pattern(`^(a+)+\1+$`),
	"unicode classes":         pattern(`^[\p{L}\p{N}]{0,500}[^\p{L}]{0,500}$`),
	"many pattern properties": `{"type":"object","patternProperties":{` + list(60, func(i int) string { return fmt.Sprintf(`"^.*a.{%d}b":{"minimum":%d}`, i, i) }) + `},"minProperties":3}`,

	"enum of 10000":         property(`{"enum":[` + list(10000, func(i int) string { return fmt.Sprintf(`"v%d"`, i) }) + `]}`),
	"enum of 10000 objects": property(`{"enum":[` + list(10000, func(i int) string { return fmt.Sprintf(`{"a":{"b":[%d]}}`, i) }) + `]}`),
	"10000 properties":      `{"type":"object","properties":{` + list(10000, func(i int) string { return fmt.Sprintf(`"p%d":{"type":"integer"}`, i) }) + `}}`,
	"10000 required":        `{"type":"object","required":[` + list(10000, func(i int) string { return fmt.Sprintf(`"p%d"`, i) }) + `]}`,
	"500 branches of oneOf": `{"type":"object","oneOf":[` + list(500, func(i int) string { return fmt.Sprintf(`{"properties":{"a":{"minimum":%d}}}`, i) }) + `]}`,
	"60 conjoined unions": `{"type":"object","allOf":[` + list(60, func(i int) string {
		return fmt.Sprintf(`{"anyOf":[{"required":["a%d"]},{"required":["b%d"]},{"required":["c%d"]}]}`, i, i, i)
	}) + `]}`,
	"dependent chain": `{"type":"object","required":["p0"],"dependentRequired":{` + list(400, func(i int) string { return fmt.Sprintf(`"p%d":["p%d"]`, i, i+1) }) + `}}`,
	"unevaluated everywhere": `{"type":"object","allOf":[` + list(30, func(i int) string {
		return fmt.Sprintf(`{"properties":{"a%d":{}},"unevaluatedProperties":{"minimum":%d}}`, i, i)
	}) + `],"unevaluatedProperties":false}`,
	"1 MB description": `{"type":"object","description":"` + strings.Repeat("words ", 170_000) + `","properties":{"x":{"description":"` + strings.Repeat("é", 50_000) + `"}}}`,

	"type of nothing":     `{"type":"object","properties":{"x":{"type":[]},"y":{"type":"nothing"}}}`,
	"keywords of no type": `{"type":"object","properties":[],"required":{},"$defs":3,"allOf":{},"enum":{},"pattern":[],"$ref":7}`,
	"names of prototypes": `{"type":"object","properties":{"__proto__":{"type":"object"},"constructor":{"type":"string"},"":{},"/":{},"~":{},"~1":{}},"required":["","__proto__"]}`,
	"unknown dialect":     `{"$schema":"http://x.test/schema","type":"object"}`,
	"dialect of no type":  `{"$schema":{"a":1},"type":"object"}`,
}

// malformed are texts that no reader may take.
var malformed = map[string]string{
	"nothing":              "",
	"only a mark":          "\ufeff",
	"100000 arrays":        strings.Repeat("[", 100_000),
	"100000 closed arrays": nested("[", "", "]", 100_000),
	"100000 objects":       strings.Repeat(`{"a":`, 100_000),
	"deep below tools":     `{"tools":` + nested("[", "", "]", 100_000) + `}`,
	"cut":                  `{"tools":[{"name":"a","inputSchema":{"type":"obj`,
	"more than one":        `{"tools":[]} {"tools":[]}`,
	"number":               `1e999999999999`,
	"digits":               strings.Repeat("1", 1_000_000),
	"text":                 `"tools"`,
	"UTF-16":               "\xff\xfe{\x00}\x00",
	"conflict markers":     "<<<<<<< ours\n{\"tools\":[]}\n=======\n{\"tools\":[]}\n>>>>>>> theirs\n",
	"page":                 "<!DOCTYPE html><title>\x1b[31mnot found</title>",
	"null":                 "null",
	"lockfile of texts":    `{"lockfileVersion":1,"integrity":"x","servers":{"a":"b"}}`,
	"lockfile, newer":      `{"lockfileVersion":1e30,"integrity":"x","servers":{}}`,
	"lockfile, deep":       `{"lockfileVersion":1,"integrity":"x","servers":` + strings.Repeat(`{"a":`, 100_000),
	"lockfile, twice":      `{"lockfileVersion":1,"lockfileVersion":1,"integrity":"x","servers":{}}`,
	"error of JSON-RPC":    `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"\u001b[2J\u202e"}}`,
}

// broken are definitions of tools that a list leaves out, told, beside a good one.
var broken = map[string]string{
	"duplicate key":   `{"name":"bad","name":"other","inputSchema":{"type":"object"}}`,
	"duplicate below": `{"name":"bad","inputSchema":{"type":"object","type":"string"}}`,
	"not UTF-8":       "{\"name\":\"bad\",\"description\":\"\xff\xfe\",\"inputSchema\":{\"type\":\"object\"}}",
	"lone surrogate":  `{"name":"bad","description":"\ud800","inputSchema":{"type":"object"}}`,
	"no name":         `{"inputSchema":{"type":"object"}}`,
	"empty name":      `{"name":"","inputSchema":{"type":"object"}}`,
	"name of no type": `{"name":{"a":1},"inputSchema":{"type":"object"}}`,
	"a number":        `17`,
	"too deep":        `{"name":"bad","inputSchema":` + nested(`{"not":`, `{}`, `}`, 5000) + `}`,
	"too many digits": `{"name":"bad","inputSchema":{"const":` + strings.Repeat("9", 100_000) + `}}`,
}
