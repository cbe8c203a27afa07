package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/internal/bench"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/capture"
	"github.com/fusionctl/fusionctl/internal/subschema"
	"github.com/fusionctl/fusionctl/lockfile"
)

// functions measures within this process.
func (p *page) functions() error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, shape := range bench.Shapes() {
		for _, n := range sizes(p.most) {
			fmt.Fprintln(os.Stderr, "measuring", shape, n)
			p.contracts(dir, shape, n)
		}
		p.decisions(shape)
		p.hook(shape)
		p.proxy(shape)
	}
	return nil
}

func sizes(most int) []int {
	var all []int
	for n := 10; n <= most; n *= 10 {
		all = append(all, n)
	}
	return all
}

func (p *page) contracts(dir string, shape bench.Shape, n int) {
	manifest := bench.Manifest(shape, n, 0)
	base := format(bench.Contract(shape, n, 0))
	at := key{shape, n}
	p.add(rowHash, at, p.ratio(hashing(dir, base), base))
	p.add(rowLock, at, p.ratio(func() {
		f, _, err := capture.Read(manifest, bench.ServerName)
		must(err)
		format(f)
	}, manifest))
	p.add(rowCheck, at, p.ratio(func() { parse(base) }, base))
	for _, percent := range percents {
		changed := n * percent / 100
		if percent > 0 && changed == 0 {
			continue // no change is 0 %
		}
		rev := format(bench.Contract(shape, n, changed))
		p.add(rowDiff(percent), at, p.ratio(func() {
			r := diff.Compare(parse(base), parse(rev), diff.Options{})
			if n := len(r.Diffs); n != changed && n != changed+1 { // one more tells that the version was not raised
				panic(fmt.Sprintf("%d items changed, want %d", len(r.Diffs), changed))
			}
		}, base, rev))
	}
}

// hashing reads a file with the data and hashes it: no tool that looks at every byte does less.
func hashing(dir string, data []byte) func() {
	path := filepath.Join(dir, "hashed")
	must(os.WriteFile(path, data, 0o600))
	want := sha256.Sum256(data)
	return func() {
		read, err := os.ReadFile(path)
		must(err)
		if sha256.Sum256(read) != want {
			panic("the file has other bytes")
		}
	}
}

func (p *page) decisions(shape bench.Shape) {
	base, rev := bench.Schemas(shape)
	one, two := canonjson.Append(nil, base), canonjson.Append(nil, rev)
	decide := func(a, b any, want subschema.Verdict) func() {
		return func() {
			x, err := subschema.Compile(a, "")
			must(err)
			y, err := subschema.Compile(b, "")
			must(err)
			if got := subschema.Decide(x, y, subschema.Options{}).Verdict; got != want {
				panic(fmt.Sprintf("%s, want %s", got, want))
			}
		}
	}
	p.add("decide, equal", key{shape: shape}, p.ratio(decide(base, base, subschema.Compatible), one, one))
	p.add("decide, broken", key{shape: shape}, p.ratio(decide(base, rev, subschema.Incompatible), one, two))
	p.add("compare one tool, broken", key{shape: shape}, p.ratio(func() {
		r := diff.CompareEntry(lockfile.KindTool, bench.ServerName, "tool", lockfile.EntryOf(map[string]any{"inputSchema": base}),
			lockfile.EntryOf(map[string]any{"inputSchema": rev}), diff.Options{})
		if r.MaxSeverity() != diff.Breaking {
			panic(r.MaxSeverity())
		}
	}, one, two))
}
