package main

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/internal/bench"
	"github.com/fusionctl/fusionctl/internal/realservers"
)

// A release is a pair of versions of a published server, measured.
type release struct {
	name, versions  string
	tools, changes  int
	size            int // of both lockfiles
	hash, check, df measure
}

// releases measures contracts of published servers. They are captured on this machine, by npm.
func (p *page) releases() {
	if _, err := exec.LookPath("npm"); err != nil {
		return
	}
	dir, err := os.MkdirTemp("", "bench")
	must(err)
	defer os.RemoveAll(dir)
	for _, pair := range realservers.Pairs(bench.Stop{}) {
		fmt.Fprintln(os.Stderr, "measuring", pair[0].Package)
		base, rev := format(pair[0].File()), format(pair[1].File())
		r := release{name: pair[0].Package, versions: pair[0].Version + " to " + pair[1].Version, tools: len(pair[1].Server.Tools), size: len(base) + len(rev)}
		compare := func() diff.Report { return diff.Compare(parse(base), parse(rev), diff.Options{}) }
		for _, d := range compare().Diffs {
			r.changes += len(d.Changes)
		}
		r.hash = p.ratio(hashing(dir, base), base)
		r.check = p.ratio(func() { parse(base) }, base)
		r.df = p.ratio(func() { compare() }, base, rev)
		p.published = append(p.published, r)
	}
}
