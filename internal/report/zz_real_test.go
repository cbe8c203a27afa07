package report

import (
	"bytes"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

func load(path string) *lockfile.File {
	data, _ := os.ReadFile(path)
	if f, err := lockfile.Parse(data); err == nil {
		for _, s := range f.Servers {
			return &lockfile.File{Servers: map[string]*lockfile.Server{"s": s}}
		}
	}
	v, err := canonjson.Decode(data)
	if err != nil {
		return nil
	}
	m, _ := v.(map[string]any)
	s := &lockfile.Server{Tools: map[string]*lockfile.Entry{}, Prompts: map[string]*lockfile.Entry{}, Resources: map[string]*lockfile.Entry{}, ResourceTemplates: map[string]*lockfile.Entry{}}
	if init, ok := m["initialize"].(map[string]any); ok {
		s.Info, _ = init["serverInfo"].(map[string]any)
		s.Capabilities, _ = init["capabilities"].(map[string]any)
		s.Instructions, _ = init["instructions"].(string)
		s.ProtocolVersion, _ = init["protocolVersion"].(string)
	}
	for kind, key := range map[lockfile.Kind]string{lockfile.KindTool: "tools", lockfile.KindPrompt: "prompts", lockfile.KindResource: "resources", lockfile.KindTemplate: "resourceTemplates"} {
		list, _ := m[key].([]any)
		for _, d := range list {
			if k, e, err := lockfile.NewEntry(kind, d.(map[string]any)); err == nil {
				s.Entries(kind)[k] = e
			}
		}
	}
	return &lockfile.File{Servers: map[string]*lockfile.Server{"s": s}}
}

func TestZZReal(t *testing.T) {
	files, _ := filepath.Glob("/tmp/fc/real/*.json")
	by := map[string][]string{}
	for _, f := range files {
		name := f[:strings.LastIndex(f, "@")]
		by[name] = append(by[name], f)
	}
	for name, fs := range by {
		sort.Strings(fs)
		for i := 1; i < len(fs); i++ {
			a, b := load(fs[i-1]), load(fs[i])
			if a == nil || b == nil {
				t.Log("skip", fs[i])
				continue
			}
			r := diff.Compare(a, b, diff.Options{})
			var out bytes.Buffer
			Write(&out, "text", r, Options{})
			os.WriteFile("/tmp/fc/diff/out/"+filepath.Base(name)+"_"+strings.TrimSuffix(fs[i-1][len(name)+1:], ".json")+"__"+strings.TrimSuffix(fs[i][len(name)+1:], ".json")+".txt", out.Bytes(), 0o644)
		}
	}
}
