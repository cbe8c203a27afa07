package mcpgo

import (
	"context"
	"encoding/json"
	"reflect"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/fusionctl/fusionctl/awareness"
)

// A catalog keeps what was learned about definitions. The SDK hands out definitions as values that share their maps and slices,
// so two values are the same definition when they share all of them; what they share is not changed after it was added.
type catalog struct {
	hook *awareness.Hook
	mu   sync.RWMutex
	kept map[string]learned
}

type learned struct {
	definition mcp.Tool // keeps its maps alive, so that no other can have their addresses
	tool       *awareness.Tool
}

// maxKept bounds what servers that make up tools as they go can cost.
const maxKept = 20_000

// tool is the definition that is in force for a call. It is nil when there is none, or none that can be judged.
func (c *catalog) tool(ctx context.Context, name string) *awareness.Tool {
	definition := definitionOf(ctx, name)
	if definition == nil {
		return nil
	}
	c.mu.RLock()
	k, ok := c.kept[name]
	c.mu.RUnlock()
	if ok && same(&k.definition, definition) {
		return k.tool
	}
	k = learned{*definition, c.learn(definition)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil || len(c.kept) >= maxKept {
		c.kept = map[string]learned{}
	}
	c.kept[name] = k
	return k.tool
}

// learn returns nil for a definition that cannot be judged: its calls pass.
func (c *catalog) learn(definition *mcp.Tool) (tool *awareness.Tool) {
	defer func() {
		if recover() != nil { // a schema whose own MarshalJSON panics
			tool = nil
		}
	}()
	data, err := json.Marshal(*definition)
	if err != nil {
		return nil
	}
	if tool, err = c.hook.Learn(data); err != nil {
		return nil
	}
	return tool
}

// definitionOf finds a tool as the SDK does: the session's own first.
func definitionOf(ctx context.Context, name string) *mcp.Tool {
	if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithTools); ok {
		if tool, ok := session.GetSessionTools()[name]; ok {
			return &tool.Tool
		}
	}
	if s := server.ServerFromContext(ctx); s != nil {
		if tool := s.GetTool(name); tool != nil {
			return &tool.Tool
		}
	}
	return nil
}

// same reports whether two values are one definition, as far as calls are concerned.
func same(a, b *mcp.Tool) bool {
	x, y := &a.InputSchema, &b.InputSchema
	return a.Name == b.Name && a.Description == b.Description && a.Title == b.Title && a.Annotations == b.Annotations && x.Type == y.Type &&
		sameSlice(a.RawInputSchema, b.RawInputSchema) && sameSlice(x.Required, y.Required) &&
		sameMap(x.Properties, y.Properties) && sameMap(x.Defs, y.Defs) && sameAny(x.AdditionalProperties, y.AdditionalProperties)
}

func sameSlice[E any](a, b []E) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func sameMap(a, b map[string]any) bool {
	return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}

// sameAny knows the values of additionalProperties that are in use; any other counts as changed, which costs time only.
func sameAny(a, b any) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case bool:
		b, ok := b.(bool)
		return ok && a == b
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && sameMap(a, b)
	}
	return false
}
