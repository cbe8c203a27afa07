package subschema

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// resolve finds the place that a reference written at p leads to. A nil place without an error is a standard meta-schema,
// which is not modelled.
func (doc *document) resolve(p *place, ref, keyword string) (*place, string, *SchemaError) {
	at := p.pointer + "/" + keyword
	u, err := url.Parse(ref)
	if err != nil {
		return nil, "", illegal(at, "not a URI reference")
	}
	target := p.resource.base.ResolveReference(u)
	fragment := target.Fragment
	target.Fragment, target.RawFragment = "", ""
	r, ok := doc.resources[target.String()]
	if !ok && (ref == "" || ref[0] == '#') {
		r, ok = p.resource, true
	}
	if !ok {
		if _, meta := draftOf(target.String()); meta {
			return nil, "", nil
		}
		if strings.HasPrefix(target.Host+target.Path, "json-schema.org/draft/20") {
			return nil, "", nil
		}
		return nil, "", &SchemaError{RemoteRef, at, fmt.Sprintf("remote reference %.200q", ref)}
	}
	dangling := &SchemaError{DanglingRef, at, fmt.Sprintf("nothing at reference %.200q", ref)}
	switch {
	case fragment == "":
		q := doc.places[r.pointer]
		if q == nil {
			return nil, "", dangling
		}
		return q, "", nil
	case fragment[0] == '/':
		q, err := doc.walk(r, fragment)
		if err != nil {
			return nil, "", err
		}
		if q == nil {
			return nil, "", dangling
		}
		return q, "", nil
	}
	pointer, ok := r.anchors[fragment]
	if !ok {
		return nil, "", dangling
	}
	return doc.places[pointer], fragment, nil
}

// walk follows a pointer from the root of a resource. It may lead to a place that no keyword makes a schema.
func (doc *document) walk(r *resource, fragment string) (*place, *SchemaError) {
	pointer := r.pointer
	v, ok := canonjson.Lookup(doc.root, pointer)
	if !ok {
		return nil, nil
	}
	for _, token := range strings.Split(fragment[1:], "/") {
		name := strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		switch t := v.(type) {
		case map[string]any:
			if v, ok = t[name]; !ok {
				return nil, nil
			}
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(t) || strconv.Itoa(i) != name {
				return nil, nil
			}
			v = t[i]
		default:
			return nil, nil
		}
		pointer += "/" + canonjson.EscapeToken(name)
		if p, ok := doc.places[pointer]; ok {
			r = p.resource
		}
	}
	if p, ok := doc.places[pointer]; ok {
		return p, nil
	}
	if err := doc.scan(v, pointer, r); err != nil {
		return nil, err
	}
	return doc.places[pointer], nil
}
