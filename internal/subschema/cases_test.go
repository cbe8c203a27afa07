package subschema

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

func mustDecode(t testing.TB, text string) any {
	t.Helper()
	v, err := canonjson.Decode([]byte(text))
	if err != nil {
		t.Fatalf("decoding %s: %v", text, err)
	}
	return v
}

func mustCompile(t testing.TB, v any) *Schema {
	t.Helper()
	s, err := Compile(v, "")
	if err != nil {
		t.Fatalf("Compile(%s): %v", canonjson.Append(nil, v), err)
	}
	return s
}

// reportCases reads the schema cases of public reports.
func reportCases(t testing.TB) []map[string]any {
	t.Helper()
	data, err := os.ReadFile("../../testdata/cases/reports.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var cases []map[string]any
	for _, line := range bytes.Split(bytes.TrimSpace(data), []byte{'\n'}) {
		c := mustDecode(t, string(line)).(map[string]any)
		if c["kind"] == "input" || c["kind"] == "output" {
			cases = append(cases, c)
		}
	}
	return cases
}

// TestReports decides the schema cases of public reports. A severity worse than SAFE that is not about acceptance (defaults,
// formats, a name that became false) must be compatible here.
func TestReports(t *testing.T) {
	count := 0
	for _, c := range reportCases(t) {
		count++
		producer, consumer := c["old"], c["new"]
		if c["kind"] == "output" {
			producer, consumer = consumer, producer
		}
		id := c["id"].(string)
		p, errP := Compile(producer, "")
		q, errQ := Compile(consumer, "")
		if errP != nil || errQ != nil {
			if id != "S08" {
				t.Errorf("%s: %v, %v", id, errP, errQ)
			}
			continue
		}
		want := Compatible
		if c["expect"] == "BREAKING" {
			want = Incompatible
		}
		got := Decide(p, q, Options{})
		if got.Verdict != want {
			t.Errorf("%s: got %v (%s) witness %s, want %v", id, got.Verdict, got.Reason, canonjson.Append(nil, got.Witness), want)
		}
		t.Logf("%s: %v %s steps %d", id, got.Verdict, canonjson.Append(nil, got.Witness), got.Steps)
	}
	if count < 60 {
		t.Errorf("found %d schema cases, want the whole list", count)
	}
}

func encode1(v any) string { return string(canonjson.Append(nil, v)) }

// bomb is a chain of n definitions, each of which refers twice to the next; the last one has the keyword.
func bomb(n int, keyword, value string) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/l0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"l%d":{"type":"object","properties":{"x":{"$ref":"#/$defs/l%d"},"y":{"$ref":"#/$defs/l%d"}}},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"l%d":{%q:%s}}}`, n, keyword, value)
	return b.String()
}
