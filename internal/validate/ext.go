package validate

import (
	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// ecmaCompiler is the extension of the library that enforces what extKeyword carries.
type ecmaCompiler struct{ rewriter *rewriter }

type ecmaSchema struct {
	nothing    bool
	pattern    *pattern
	names      []ecmaName
	declared   map[string]any
	closed     bool // additionalProperties: false
	rest       *jsonschema.Schema
	restPath   string
	additional bool // additionalProperties is there, so that no name is left over
}

type ecmaName struct {
	key  *pattern
	sub  *jsonschema.Schema
	path string
}

func (c ecmaCompiler) Compile(ctx jsonschema.CompilerContext, m map[string]any) (jsonschema.ExtSchema, error) {
	ext, ok := m[extKeyword].(map[string]any)
	if !ok {
		return nil, nil
	}
	s := &ecmaSchema{nothing: ext["nothing"] == true}
	if text, ok := ext["pattern"].(string); ok {
		s.pattern = c.rewriter.pattern(text)
	}
	names, ok := ext["names"].(map[string]any)
	if !ok {
		return s, nil
	}
	sub := func(key string) (*jsonschema.Schema, string, error) {
		path := "patternProperties/" + libraryToken(key)
		compiled, err := ctx.Compile(path, false)
		return compiled, path, err
	}
	for _, key := range canonjson.SortedKeys(names) {
		compiled, path, err := sub(key)
		if err != nil {
			return nil, err
		}
		s.names = append(s.names, ecmaName{c.rewriter.pattern(names[key].(string)), compiled, path})
	}
	s.declared, _ = m["properties"].(map[string]any)
	switch v := ext["additional"].(type) {
	case bool:
		s.additional, s.closed = true, !v
	case string:
		var err error
		s.additional = true
		if s.rest, s.restPath, err = sub(v); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *ecmaSchema) Validate(ctx jsonschema.ValidationContext, v any) error {
	if s.nothing {
		return ctx.Error("enum", "enum")
	}
	switch v := v.(type) {
	case string:
		if s.pattern != nil && !s.pattern.match(v) {
			return ctx.Error("pattern", "pattern")
		}
	case map[string]any:
		return s.object(ctx, v)
	}
	return nil
}

func (s *ecmaSchema) object(ctx jsonschema.ValidationContext, v map[string]any) error {
	if len(s.names) == 0 {
		return nil
	}
	var causes []error
	undeclared := false
	for _, name := range canonjson.SortedKeys(v) {
		_, known := s.declared[name]
		for _, n := range s.names {
			if !n.key.match(name) {
				continue
			}
			known = true
			ctx.EvaluatedProp(name)
			if err := ctx.Validate(n.sub, n.path, v[name], nameToken(name)); err != nil {
				causes = append(causes, err)
			}
		}
		if known || !s.additional {
			continue
		}
		ctx.EvaluatedProp(name)
		undeclared = undeclared || s.closed
		if s.rest != nil {
			if err := ctx.Validate(s.rest, s.restPath, v[name], nameToken(name)); err != nil {
				causes = append(causes, err)
			}
		}
	}
	if undeclared {
		causes = append(causes, ctx.Error("additionalProperties", "additionalProperties"))
	}
	switch len(causes) {
	case 0:
		return nil
	case 1:
		return causes[0]
	}
	// An empty message groups, as in the library itself.
	return jsonschema.ValidationError{}.Group(ctx.Error("", ""), causes...)
}

// emptyName stands for the empty property name in a location; the library would take an empty token for the object itself.
const emptyName = "~2"

func nameToken(name string) string {
	if name == "" {
		return emptyName
	}
	return libraryToken(name)
}
