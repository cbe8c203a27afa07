package gosdk_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"

	"github.com/fusionctl/fusionctl/awareness"
	"github.com/fusionctl/fusionctl/awareness/gosdk"
	"github.com/fusionctl/fusionctl/internal/hooktest"
)

// typed is a server with one tool that the SDK validates, called without transport. It is nil when the SDK refuses the schema.
func typed(t testing.TB, schema string, opts ...awareness.Option) func(arguments string) (*mcp.CallToolResult, error) {
	s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "2"}, nil)
	added := func() (ok bool) {
		defer func() { ok = recover() == nil }()
		mcp.AddTool(s, &mcp.Tool{Name: "f", InputSchema: json.RawMessage(schema)}, func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, any, error) {
			return nil, nil, nil
		})
		return true
	}()
	if !added {
		return nil
	}
	if opts != nil {
		if _, err := gosdk.Install(s, hooktest.Baseline(`{"name":"f","inputSchema":{"type":"object"}}`), opts...); err != nil {
			t.Fatal(err)
		}
	}
	var handle mcp.MethodHandler
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		handle = next
		return next
	})
	transport, _ := mcp.NewInMemoryTransports()
	session, err := s.Connect(context.Background(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	session.Close()
	return func(arguments string) (*mcp.CallToolResult, error) {
		res, err := handle(context.Background(), "tools/call", &mcp.CallToolRequest{
			Session: session, Params: &mcp.CallToolParamsRaw{Name: "f", Arguments: json.RawMessage(arguments)}})
		result, _ := res.(*mcp.CallToolResult)
		return result, err
	}
}

func TestTakesWhatTheSDKTakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, schema, arguments string }{
		{"dependentRequired", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string","default":"q"}},"dependentRequired":{"a":["b"]}}`, `{"a":"x"}`},
		{"anyOf", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string","default":"q"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{}`},
		{"minProperties", `{"type":"object","properties":{"b":{"type":"string","default":"q"}},"minProperties":1}`, `{}`},
		{"if", `{"type":"object","properties":{"mode":{"type":"string","default":"safe"},"x":{"type":"string"}},"if":{"properties":{"mode":{"const":"full"}}},"then":{"required":["x"]}}`, `{}`},
		{"nested", `{"type":"object","properties":{"o":{"type":"object","properties":{"k":{"type":"string","default":"v"}},"minProperties":1}}}`, `{"o":{}}`},
		{"fraction", `{"type":"object","properties":{"a":{"type":"number","maximum":0.1}}}`, `{"a":0.10000000000000000001}`},
		{"beyond float64", `{"type":"object","properties":{"a":{"type":"integer","maximum":9007199254740992}}}`, `{"a":9007199254740993}`},
	} {
		if res, err := typed(t, c.schema)(c.arguments); err != nil || res.IsError {
			t.Fatalf("%s: the SDK alone: %v, %v", c.name, res, err)
		}
		if res, err := typed(t, c.schema, awareness.Repeats(true))(c.arguments); err != nil || res.IsError {
			t.Errorf("%s: refused with the hook", c.name)
		}
	}
}

// For random schemas with defaults and random arguments: what the SDK takes, it takes with the hook, too, and what it refuses is
// refused.
func TestSameVerdictAsTheSDK(t *testing.T) {
	t.Parallel()
	judged, taken := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		schema := drawSchema(t, 2)
		schema["type"] = "object"
		text := encode(t, schema)
		bare, hooked := typed(nil, text), typed(nil, text, awareness.Repeats(true))
		if bare == nil {
			t.Skip("not a schema for the SDK")
		}
		for range 4 {
			arguments := encode(t, drawObject(t, 2))
			without, err := bare(arguments)
			with, hookErr := hooked(arguments)
			if err != nil || hookErr != nil {
				t.Fatalf("%s: %v, %v", arguments, err, hookErr)
			}
			if judged++; !without.IsError {
				taken++
			}
			if without.IsError != with.IsError {
				t.Fatalf("schema %s\narguments %s\nalone: refused %v, with the hook: refused %v: %v", text, arguments, without.IsError, with.IsError, encode(t, with))
			}
		}
	})
	if taken*10 < judged || taken*10 > 9*judged {
		t.Errorf("%d of %d calls taken, want some of both kinds", taken, judged)
	}
}

func encode(t rapid.TB, v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

var names = []string{"a", "b", "c"}

func drawValue(t *rapid.T, depth int) any {
	switch rapid.IntRange(0, 5).Draw(t, "kind of value") {
	case 0:
		return rapid.SampledFrom([]any{json.Number("0"), json.Number("1"), json.Number("2.5"), json.Number("-3"), json.Number("0.1"), json.Number("0.10000000000000000001"), json.Number("9007199254740993"), json.Number("1e3")}).Draw(t, "number")
	case 1:
		return rapid.SampledFrom([]any{true, false, nil}).Draw(t, "scalar")
	case 2, 3:
		if depth > 0 {
			return drawObject(t, depth-1)
		}
	case 4:
		if depth > 0 {
			list := []any{}
			for range rapid.IntRange(0, 2).Draw(t, "length") {
				list = append(list, drawValue(t, depth-1))
			}
			return list
		}
	}
	return rapid.SampledFrom([]any{"", "x", "full", "2026-01-01"}).Draw(t, "text")
}

func drawObject(t *rapid.T, depth int) map[string]any {
	object := map[string]any{}
	for _, name := range names {
		if rapid.IntRange(0, 2).Draw(t, "has "+name) == 0 {
			object[name] = drawValue(t, depth)
		}
	}
	return object
}

func drawSchema(t *rapid.T, depth int) map[string]any {
	schema := map[string]any{}
	for range rapid.IntRange(0, 3).Draw(t, "keywords") {
		drawKeyword(t, schema, depth)
	}
	if depth > 0 && rapid.IntRange(0, 3).Draw(t, "properties") > 0 {
		properties := map[string]any{}
		for _, name := range names {
			if rapid.Bool().Draw(t, "declares "+name) {
				property := drawSchema(t, depth-1)
				if rapid.Bool().Draw(t, "default") {
					property["default"] = drawValue(t, depth-1)
				}
				properties[name] = property
			}
		}
		schema["properties"] = properties
	}
	return schema
}

func drawKeyword(t *rapid.T, schema map[string]any, depth int) {
	someNames := func() []string { return rapid.SampledFrom([][]string{{"a"}, {"b"}, {"a", "c"}}).Draw(t, "names") }
	switch rapid.SampledFrom([]int{0, 1, 2, 2, 2, 3, 4, 4, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10}).Draw(t, "keyword") {
	case 0:
		schema["type"] = rapid.SampledFrom([]any{"object", "string", "integer", "number", []string{"string", "null"}, []string{"object", "array"}}).Draw(t, "type")
	case 1:
		schema["required"] = someNames()
	case 2:
		schema["minProperties"] = rapid.IntRange(0, 3).Draw(t, "minProperties")
	case 3:
		schema["maxProperties"] = rapid.IntRange(0, 3).Draw(t, "maxProperties")
	case 4:
		schema["dependentRequired"] = map[string]any{rapid.SampledFrom(names).Draw(t, "on"): someNames()}
	case 5:
		schema["maximum"] = rapid.SampledFrom([]any{json.Number("0.1"), 2, json.Number("9007199254740992")}).Draw(t, "maximum")
	case 6:
		schema["enum"] = []any{drawValue(t, 0), drawValue(t, 0), drawValue(t, 0)}
	case 7:
		schema["additionalProperties"] = rapid.Bool().Draw(t, "open")
	case 8:
		schema["multipleOf"] = rapid.SampledFrom([]any{json.Number("0.1"), json.Number("0.01"), 2}).Draw(t, "multipleOf")
	case 9:
		schema["pattern"] = rapid.SampledFrom([]any{"^x", "a$", "^full$"}).Draw(t, "pattern")
	default:
		if depth == 0 {
			return
		}
		switch rapid.SampledFrom([]string{"anyOf", "required", "oneOf", "not", "if", "additionalProperties", "items"}).Draw(t, "combination") {
		case "anyOf":
			schema["anyOf"] = []any{drawSchema(t, depth-1), drawSchema(t, depth-1)}
		case "required":
			schema["anyOf"] = []any{map[string]any{"required": someNames()}, map[string]any{"required": someNames()}}
		case "oneOf":
			schema["oneOf"] = []any{drawSchema(t, depth-1), drawSchema(t, depth-1)}
		case "not":
			schema["not"] = drawSchema(t, depth-1)
		case "if":
			schema["if"], schema["then"] = drawSchema(t, depth-1), drawSchema(t, depth-1)
		case "additionalProperties":
			schema["additionalProperties"] = drawSchema(t, depth-1)
		case "items":
			schema["items"] = drawSchema(t, depth-1)
		}
	}
}
