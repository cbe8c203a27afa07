package hostile

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fusionctl/fusionctl/internal/report"
)

func TestCommandOnMalformedTexts(t *testing.T) {
	t.Parallel()
	p := place{dir: t.TempDir()}
	for name, text := range malformed {
		t.Run(name, func(t *testing.T) {
			p.write(t, "in.json", text)
			commands := [][]string{
				{"lock", "--from", "in.json", "--name", "s"},
				{"lock", "--check", "--from", "in.json", "--lockfile", "in.json", "--name", "s"},
				{"diff", "in.json", "in.json"},
				{"show", "in.json"},
			}
			if name != "lockfile, newer" { // which is a configuration without servers
				commands = append(commands, []string{"lock", "--config", "in.json"})
			}
			for _, args := range commands {
				p.wants(t, []int{2}, args...)
			}
			if _, err := os.Stat(filepath.Join(p.dir, "fusion.lock")); err == nil {
				t.Error("a lockfile was written")
			}
		})
	}
}

// TestCommandOnSchemas leaves the nesting of keywords and combinations to the tests of functions, and takes those that weigh.
func TestCommandOnSchemas(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"oneOf bomb", "witness bomb", "allOf 200 deep", "two refer to each other", "exponent of nine digits", "repeats of repeats",
		"exponential automaton", "enum of 10000", "10000 required", "1 MB description", "keywords of no type", "names of prototypes"} {
		t.Run(name, func(t *testing.T) {
			p := place{dir: t.TempDir()}
			p.write(t, "old.json", string(manifest(tool("t", plain))))
			p.write(t, "new.json", string(manifest(tool("t", schemas[name]))))
			p.write(t, "plain.json", plain)
			p.write(t, "schema.json", schemas[name])
			p.wants(t, []int{0, 1}, "diff", "old.json", "new.json", "--name", "s", "--format", "markdown")
			p.wants(t, []int{0, 1}, "diff", "new.json", "old.json", "--name", "s")
			p.wants(t, []int{0}, "lock", "--from", "new.json", "--name", "s")
			p.wants(t, []int{0}, "lock", "--check", "--from", "new.json", "--name", "s")
			p.wants(t, []int{0}, "show")
			p.wants(t, []int{0, 1, 2, 3}, "schema", "check", "plain.json", "schema.json")
			p.wants(t, []int{0, 1, 2, 3}, "schema", "sample", "schema.json")
		})
	}
}

func TestCommandOnTexts(t *testing.T) {
	t.Parallel()
	p := place{dir: t.TempDir()}
	base, rev := evilCaptures()
	p.write(t, "old.json", base)
	p.write(t, "new.json", rev)
	for _, format := range report.Formats() {
		p.wants(t, []int{1}, "diff", "old.json", "new.json", "--format", format, "--color", "never")
	}
	p.wants(t, []int{0}, "lock", "--from", "old.json")
	p.wants(t, []int{1}, "lock", "--check", "--from", "new.json")
	p.wants(t, []int{0}, "show")
	p.wants(t, []int{0}, "show", "--format", "json")
	p.wants(t, []int{0}, "lock", "--from", "new.json")
	evilArgument := strings.ReplaceAll(evil, "\x00", "")
	for _, args := range [][]string{{"explain", evilArgument}, {evilArgument}, {"diff", evilArgument, evilArgument}, {"show", evilArgument},
		{"lock", "--from", evilArgument}, {"lock", "--url", evilArgument}, {"lock", "--server", evilArgument}, {"diff", "--" + evilArgument},
		{"diff", "old.json", "new.json", "--format", evilArgument}, {"lock", "--", evilArgument}, {"accept", evilArgument, "--reason", evilArgument}} {
		p.wants(t, []int{2}, args...)
	}
}

// TestNothingElseIsRead points references at a server and at a file, and watches the one and looks for the content of the
// other.
func TestNothingElseIsRead(t *testing.T) {
	t.Parallel()
	var visits atomic.Int64
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			visits.Add(1)
			c.Close()
		}
	}()
	address := "http://" + listener.Addr().String()
	p := place{dir: t.TempDir(), proxy: address}
	const secret = "secret-4242"
	p.write(t, "secret.json", `{"type":"object","required":["`+secret+`"]}`)
	opened := watched(t, filepath.Join(p.dir, "secret.json"))
	file := "file://" + filepath.ToSlash(filepath.Join(p.dir, "secret.json"))
	for i, ref := range []string{address + "/s.json", "https://x.test/s.json", file, "secret.json", "./secret.json", "../" + filepath.Base(p.dir) + "/secret.json",
		"file:secret.json", "FILE:///etc/hostname", "//" + listener.Addr().String() + "/s.json", "http://json-schema.org/draft-07/other"} {
		for j, form := range []string{`{"type":"object","$ref":%q}`, `{"type":"object","allOf":[{"$ref":%q}]}`, `{"type":"object","properties":{"x":{"$dynamicRef":%q}}}`,
			`{"$schema":%q,"type":"object"}`, `{"type":"object","$id":%q,"properties":{"x":{"$ref":"other.json"}}}`, `{"id":%q,"type":"object","$ref":"secret.json"}`} {
			schema := fmt.Sprintf(form, ref)
			p.write(t, "old.json", string(manifest(tool("t", plain))))
			p.write(t, "new.json", string(manifest(tool("t", schema))))
			p.write(t, "schema.json", schema)
			p.write(t, "plain.json", `{"type":"object","required":["other"]}`)
			out := p.wants(t, []int{0, 1}, "diff", "old.json", "new.json", "--name", "s", "--format", "json")
			code, decided := p.run(t, "schema", "check", "schema.json", "plain.json")
			if j < 2 && code == 0 {
				t.Errorf("%d, %d: %s was followed: %s", i, j, ref, decided)
			}
			_, sample := p.run(t, "schema", "sample", "schema.json")
			if strings.Contains(out+decided+sample, secret) {
				t.Errorf("%d, %d: the file that %s names was read", i, j, ref)
			}
		}
	}
	if n := visits.Load(); n != 0 {
		t.Errorf("%d connections to the address that a schema names", n)
	}
	if n := opened(); n != 0 {
		t.Errorf("the file that a schema names was opened %d times", n)
	}
}

// TestManyTools: time and memory in proportion to the file.
func TestManyTools(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n = 5_000
	}
	p := place{dir: t.TempDir()}
	all := func(kind string) string {
		return `{"tools":[` + list(n, func(i int) string {
			return fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object","properties":{"x":{"type":%q}}}}`, i, kind)
		}) + `]}`
	}
	p.write(t, "old.json", all("string"))
	p.write(t, "same.json", all("string"))
	p.write(t, "others.json", strings.ReplaceAll(all("string"), `"name":"t`, `"name":"u`))
	p.wants(t, []int{0}, "lock", "--from", "old.json", "--name", "s")
	p.wants(t, []int{0}, "lock", "--check", "--from", "same.json", "--name", "s")
	p.wants(t, []int{0}, "diff", "fusion.lock", "same.json", "--name", "s")
	p.wants(t, []int{1}, "diff", "old.json", "others.json", "--name", "s")
	p.wants(t, []int{0}, "show")
}
