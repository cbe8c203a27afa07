package hostile

import (
	"strings"
	"testing"
)

// TestOtherCommandsOnMalformedTexts: those that read a lockfile, a configuration, a policy or a schema.
func TestOtherCommandsOnMalformedTexts(t *testing.T) {
	t.Parallel()
	for name, text := range malformed {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := place{dir: t.TempDir(), stdin: text, env: []string{"HOSTILE_SERVER=good"}}
			p.write(t, "in.json", text)
			p.write(t, "good.json", string(manifest(tool("t", plain))))
			p.wants(t, []int{0}, "lock", "--from", "good.json", "--name", "s", "--lockfile", "good.lock")
			for _, args := range [][]string{
				{"accept", "1234", "--reason", "x", "--author", "x", "in.json", "good.json"},
				{"accept", "1234", "--reason", "x", "--author", "x", "--policy", "in.json", "good.json", "good.json"},
				append([]string{"proxy", "--require-lock", "--lock", "in.json"}, self(t)...),
				append([]string{"diff", "in.json"}, self(t)...),
				{"lock", "--from", "-", "--name", "s"},
				{"lock", "--from", "good.json", "--name", "s", "--lockfile", "in.json"},
				{"init", "--config", "in.json"},
			} {
				if (name == "nothing" || name == "only a mark" || name == "null") && strings.Contains(strings.Join(args, " "), "--policy") {
					continue // which is a policy without a word, and another error
				}
				if args[0] == "init" && (name == "lockfile, newer" || name == "lockfile of texts") {
					continue // which have servers, as a configuration has; "fusionctl lock" judges them
				}
				p.wants(t, []int{2}, args...)
			}
			// Some are schemas; git wants what is no lockfile to be told, not refused, and an empty file is one without servers.
			p.wants(t, []int{0, 1, 2, 3}, "schema", "check", "in.json", "in.json")
			p.wants(t, []int{0, 1, 2, 3}, "schema", "sample", "in.json")
			p.wants(t, []int{0, 2}, "schema", "check", "--batch")
			p.wants(t, []int{0}, "git", "diff-driver", "fusion.lock", "in.json", "a", "b", "good.lock", "c", "d")
			p.wants(t, []int{0, 2}, "git", "merge-driver", "good.lock", "good.lock", "in.json", "fusion.lock")
			p.wants(t, []int{0, 1}, "diff", "good.lock", "good.lock")
		})
	}
}

// policies are policy files that are not meant well.
var policies = map[string]string{
	"aliases":      "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f]\nservers: {s: {args: *g}}\n",
	"itself":       "servers: &s {a: *s}\n",
	"deep":         "servers: " + nested("{a: ", "1", "}", 20_000) + "\n",
	"deep lines":   "servers:\n" + list(3000, func(i int) string { return "" }) + "\n",
	"twice":        "fail-on: any\nfail-on: any\n",
	"texts":        quoted(evil) + ": " + quoted(evil) + "\n",
	"tags":         "fail-on: !!binary aGVsbG8=\n",
	"other object": "!!python/object/apply:os.system ['true']\n",
	"documents":    "fail-on: any\n---\nfail-on: none\n",
	"not UTF-8":    "fail-on: \xff\xfe\n",
	"NUL":          "fail-on: \x00\n",
	"wild":         "ignore: [{rule: '" + strings.Repeat("*a", 5000) + "', tool: '*', reason: x}]\n",
}

func TestPolicies(t *testing.T) {
	t.Parallel()
	for name, text := range policies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := place{dir: t.TempDir()}
			p.write(t, ".fusionctl.yaml", text)
			p.write(t, "a.json", string(manifest(tool("t", plain))))
			for _, args := range [][]string{{"lock"}, {"diff", "a.json", "a.json"}, {"show", "a.json"}, {"accept", "1234", "--reason", "x", "--author", "x", "a.json", "a.json"}} {
				if args[0] == "show" { // which has no need of it
					p.wants(t, []int{0, 2}, args...)
					continue
				}
				p.wants(t, []int{2}, args...)
			}
		})
	}
}

// TestProxyBetweenStrangers: a proxy between a client and a server who both mean harm passes messages on and ends.
func TestProxyBetweenStrangers(t *testing.T) {
	t.Parallel()
	var in strings.Builder
	for _, text := range malformed {
		in.WriteString(strings.ReplaceAll(text, "\n", " ") + "\n")
	}
	for i, arguments := range calls {
		in.WriteString(`{"jsonrpc":"2.0","id":` + strings.Repeat("1", i+1) + `,"method":"tools/call","params":{"name":"t","arguments":` + strings.ReplaceAll(arguments, "\n", " ") + "}}\n")
	}
	in.WriteString(`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 1<<20) + `","method":"tools/call","params":{"name":"t","arguments":{"x":1}}}` + "\n")
	for _, mode := range []string{"good", "texts", "endless pages", "endless pages of 4 MB", "wrong ids", "arrays", "answers to nothing", "60 MB in one message", "dies in the middle"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			p := place{dir: t.TempDir(), env: []string{"HOSTILE_SERVER=" + mode}, stdin: in.String()}
			p.write(t, "good.json", string(manifest(tool("t", plain))))
			p.wants(t, []int{0}, "lock", "--from", "good.json", "--name", "s")
			out := p.wants(t, []int{0}, append([]string{"proxy", "--log", "calls.jsonl"}, self(t)...)...)
			if !strings.Contains(out, "Invalid arguments") {
				t.Errorf("no answer passed: %.300q", out)
			}
		})
	}
}
