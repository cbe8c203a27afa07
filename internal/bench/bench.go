// Package bench makes contracts of any size for benchmarks, always the same ones.
//
// [Contract] makes a lockfile, [Manifest] the list of tools that a server with this contract sends. The benchmarks are in the
// tests of this package; the command beside it measures whole programs too and writes docs/performance.md:
//
//	go test -run '^$' -bench . ./internal/bench
//	go run ./internal/bench/cmd
package bench

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// A Shape is a way in which servers write their schemas.
type Shape string

// The shapes: arguments side by side, definitions that refer to one another, and actions behind a discriminator.
const (
	Flat   Shape = "flat"
	Nested Shape = "nested"
	Union  Shape = "union"
)

// Shapes lists them.
func Shapes() []Shape { return []Shape{Flat, Nested, Union} }

// ServerName is the name of the one server.
const ServerName = "bench"

// Contract makes a lockfile of n tools, of which the first changed ones are in their second version: one argument more,
// which is required, a shorter enum and a lower bound.
func Contract(shape Shape, n, changed int) *lockfile.File {
	s := &lockfile.Server{
		ProtocolVersion: "2025-11-25",
		Info:            map[string]any{"name": ServerName, "version": "1.0.0"},
		Tools:           make(map[string]*lockfile.Entry, n),
	}
	for i := range n {
		s.Tools[name(i)] = lockfile.EntryOf(decode(definition(shape, i, i < changed)))
	}
	return &lockfile.File{Servers: map[string]*lockfile.Server{ServerName: s}}
}

// Manifest is the result of tools/list for the same contract, compact as it is on the wire.
func Manifest(shape Shape, n, changed int) []byte {
	out := []byte(`{"tools":[`)
	for i := range n {
		if i > 0 {
			out = append(out, ',')
		}
		tool := decode(definition(shape, i, i < changed))
		tool["name"] = name(i)
		out = canonjson.Append(out, tool)
	}
	return append(out, "]}"...)
}

// Schemas are the input schemas of one tool in its two versions.
func Schemas(shape Shape) (base, rev any) {
	return decode(definition(shape, 0, false))["inputSchema"], decode(definition(shape, 0, true))["inputSchema"]
}

// Calls are arguments for the first tool in its second version: one call that fits it, and one that fitted the first version.
func Calls(shape Shape) (good, stale []byte) {
	switch shape {
	case Flat:
		return []byte(`{"query":"red shoes","limit":20,"order":"asc","cursor":"c"}`), []byte(`{"query":"red shoes","limit":20,"order":"none"}`)
	case Nested:
		return []byte(`{"root":{"label":"a","children":[{"label":"b"}]},"owner":{"id":"u-17"},"cursor":"c"}`),
			[]byte(`{"root":{"label":"a","children":[{"label":"b"}]},"owner":{"id":"u-17"}}`)
	}
	return []byte(`{"action":"list","limit":5,"cursor":"c"}`), []byte(`{"action":"list","limit":5}`)
}

func name(i int) string { return fmt.Sprintf("tool_%05d", i) }

func decode(text string) map[string]any {
	v, err := canonjson.Decode([]byte(text))
	if err != nil {
		panic(fmt.Sprintf("bench: %v in %s", err, text))
	}
	return v.(map[string]any)
}

// A version holds the parts in which the two versions of a tool differ.
type version struct{ property, required, order, most string }

func definition(shape Shape, i int, second bool) string {
	v := version{order: `"asc","desc","none"`, most: "100"}
	if second {
		v = version{`,"cursor":{"type":"string","description":"where to go on"}`, `,"cursor"`, `"asc","desc"`, "50"}
	}
	text := map[Shape]string{Flat: flat, Nested: nested, Union: union}[shape]
	number, _ := json.Marshal(i)
	return strings.NewReplacer("§number", string(number), "§property", v.property, "§required", v.required,
		"§order", v.order, "§most", v.most).Replace(text)
}

const flat = `{
	"description":"Searches collection §number for documents that match a query and returns the best of them, best first.",
	"annotations":{"readOnlyHint":true,"openWorldHint":false},
	"inputSchema":{"type":"object","properties":{
		"query":{"type":"string","minLength":1,"maxLength":400,"description":"what to look for, in plain words"},
		"limit":{"type":"integer","minimum":1,"maximum":§most,"default":10,"description":"how many documents to return"},
		"order":{"type":"string","enum":[§order],"description":"order of the result"},
		"since":{"type":"string","format":"date-time","description":"only documents that changed later"},
		"key":{"type":"string","pattern":"^[a-z]+-[0-9]{1,8}$"},
		"tags":{"type":"array","items":{"type":"string"},"maxItems":8}§property},
		"required":["query"§required],"additionalProperties":false},
	"outputSchema":{"type":"object","properties":{"total":{"type":"integer"},"documents":{"type":"array","items":{"type":"object",
		"properties":{"id":{"type":"string"},"title":{"type":"string"},"score":{"type":"number"}},"required":["id","title"]}}},
		"required":["documents"]}}`

const nested = `{
	"description":"Writes tree §number with all its branches and gives it to an owner.",
	"annotations":{"readOnlyHint":false,"destructiveHint":true},
	"inputSchema":{"type":"object","$defs":{
			"node":{"type":"object","properties":{"label":{"type":"string","minLength":1},"order":{"enum":[§order]},
				"weight":{"type":"number","minimum":0,"maximum":§most},
				"children":{"type":"array","items":{"$ref":"#/$defs/node"}},"owner":{"$ref":"#/$defs/person"}},
				"required":["label"],"additionalProperties":false},
			"person":{"type":"object","properties":{"id":{"type":"string","pattern":"^u-[0-9]+$"},"name":{"type":"string"},
				"address":{"$ref":"#/$defs/address"}},"required":["id"]},
			"address":{"type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"},
				"zip":{"type":"string","pattern":"^[0-9]{5}$"}}}},
		"properties":{"root":{"$ref":"#/$defs/node"},"owner":{"$ref":"#/$defs/person"}§property},
		"required":["root","owner"§required]}}`

const union = `{
	"description":"Lists, reads and changes the orders of shop §number.",
	"inputSchema":{"type":"object","properties":{"action":{"type":"string","enum":["list","get","create","cancel"]}},
		"required":["action"],
		"oneOf":[
			{"properties":{"action":{"const":"list"},"limit":{"type":"integer","minimum":1,"maximum":§most},
				"order":{"enum":[§order]}§property},"required":["action"§required]},
			{"properties":{"action":{"const":"get"},"id":{"type":"string","minLength":1}},"required":["action","id"]},
			{"properties":{"action":{"const":"create"},"lines":{"type":"array","minItems":1,"items":{"type":"object",
				"properties":{"sku":{"type":"string"},"count":{"type":"integer","minimum":1}},"required":["sku","count"]}},
				"note":{"type":["string","null"]}},"required":["action","lines"]},
			{"properties":{"action":{"const":"cancel"},"id":{"type":"string","minLength":1},"reason":{"type":"string"}},
				"required":["action","id","reason"]}]}}`
