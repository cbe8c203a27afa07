package capture

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// ReadConfig reads the servers of a client configuration: an object "mcpServers" or, as VS Code has it, "servers" (also
// below "mcp"). They come sorted by name, without those that are disabled. Relative paths and programs that are given no
// folder belong to dir. References to variables are looked up with getenv.
//
// The error is about the configuration as a whole. What is wrong with one server is in its [Source].Err, so that it does
// not stop the others.
func ReadConfig(config any, getenv func(string) (string, bool), dir string) ([]Source, error) {
	servers, err := serversOf(config)
	if err != nil {
		return nil, err
	}
	x := expander{getenv: getenv, dir: dir}
	var sources []Source
	for _, name := range canonjson.SortedKeys(servers) {
		m, ok := servers[name].(map[string]any)
		if !ok {
			sources = append(sources, Source{Name: name, Err: errors.New("its configuration is not an object")})
			continue
		}
		if m["disabled"] == true || m["enabled"] == false {
			continue
		}
		src, err := x.source(m)
		if err == nil {
			err = src.check()
		}
		if err != nil {
			src = Source{Err: err}
		}
		src.Name = name
		sources = append(sources, src)
	}
	return sources, nil
}

func serversOf(config any) (map[string]any, error) {
	m, ok := config.(map[string]any)
	if !ok {
		return nil, errors.New("the configuration is not an object")
	}
	if inner, ok := m["mcp"].(map[string]any); ok && m["mcpServers"] == nil && m["servers"] == nil {
		m = inner
	}
	for _, key := range []string{"mcpServers", "servers"} {
		switch v := m[key].(type) {
		case nil:
		case map[string]any:
			return v, nil
		default:
			return nil, fmt.Errorf("%q is not an object", key)
		}
	}
	return nil, errors.New(`the configuration has neither "mcpServers" nor "servers"`)
}

// transports are the spellings of "type" (some clients say "transport") that are met in configurations.
var transports = map[string]string{
	"": "", "stdio": "stdio", "local": "stdio", "http": "http", "streamable-http": "http", "streamablehttp": "http",
	"streamable_http": "http", "sse": "sse", "remote": "",
}

// source reads one server. Members that only steer a client, such as approvals, are ignored.
func (x expander) source(m map[string]any) (src Source, err error) {
	r := member{x: x, m: m}
	if r.m["envFile"] != nil {
		return src, errors.New("envFile is not read: set its variables before, and name them under env")
	}
	kind := strings.ToLower(r.text("type", "transport"))
	transport, ok := transports[kind]
	if !ok && r.err == nil {
		return src, fmt.Errorf("type %s is not known: want stdio, http or sse", quote(kind))
	}
	src.Transport = transport
	if command := r.text("command"); command != "" {
		src.Command = append([]string{x.program(command)}, r.texts("args")...)
	}
	src.URL = r.text("url", "httpUrl", "serverUrl")
	src.Env, src.Headers = r.pairs("env"), r.pairs("headers")
	if len(src.Command) > 0 {
		src.Dir = x.path(r.text("cwd"))
	}
	return src, r.err
}

// program makes a relative path absolute, but leaves a bare name to PATH.
func (x expander) program(command string) string {
	if strings.ContainsAny(command, `/\`) && !filepath.IsAbs(command) {
		return x.path(command)
	}
	return command
}

func (x expander) path(p string) string {
	if p == "" {
		return x.dir
	}
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(x.dir, p)
}

// A member reads typed members of an object and keeps the first error.
type member struct {
	x   expander
	m   map[string]any
	err error
}

func (r *member) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// text reads the first of the names that is there.
func (r *member) text(names ...string) string {
	for _, name := range names {
		if v := r.m[name]; v != nil {
			return r.value(name, v)
		}
	}
	return ""
}

func (r *member) value(name string, v any) string {
	s, ok := scalar(v)
	if !ok {
		r.fail(fmt.Errorf("%s is not a string", name))
		return ""
	}
	s, err := r.x.expand(s)
	if err != nil {
		r.fail(fmt.Errorf("%s: %w", name, err))
	}
	return s
}

func (r *member) texts(name string) (all []string) {
	v := r.m[name]
	a, ok := v.([]any)
	if !ok && v != nil {
		r.fail(fmt.Errorf("%s is not an array", name))
	}
	for i, v := range a {
		all = append(all, r.value(fmt.Sprintf("%s[%d]", name, i), v))
	}
	return all
}

func (r *member) pairs(name string) map[string]string {
	v := r.m[name]
	m, ok := v.(map[string]any)
	if !ok && v != nil {
		r.fail(fmt.Errorf("%s is not an object", name))
	}
	var all map[string]string
	for _, key := range canonjson.SortedKeys(m) {
		if m[key] == nil { // VS Code: not set
			continue
		}
		if all == nil {
			all = map[string]string{}
		}
		all[key] = r.value(name+"."+key, m[key])
	}
	return all
}
