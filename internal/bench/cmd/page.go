package main

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"

	"github.com/fusionctl/fusionctl/internal/bench"
	"github.com/fusionctl/fusionctl/internal/capture"
	"github.com/fusionctl/fusionctl/lockfile"
)

// lockOf is the lockfile that a capture of the manifest gives: without what only a running server tells.
func lockOf(n, changed int) *lockfile.File {
	f, _, err := capture.Read(bench.Manifest(bench.Flat, n, changed), bench.ServerName)
	must(err)
	return f
}

type key struct {
	shape bench.Shape
	tools int
}

// percents are the shares of tools that changed.
var percents = []int{0, 1, 10, 100}

// rowNames are the rows of the tables, in order.
func rowNames() []string {
	names := []string{"lock", "check"}
	for _, percent := range percents {
		names = append(names, fmt.Sprintf("diff %d %%", percent))
	}
	return append(names, "decide, equal", "decide, broken", "hook off, right call", "hook off, stale call", "hook on, right call", "hook on, stale call")
}

// A page is what was measured.
type page struct {
	rounds, most int
	whole        []program
	rows         map[string]map[key]measure
}

func (p *page) add(name string, at key, m measure) {
	if p.rows == nil {
		p.rows = map[string]map[key]measure{}
	}
	if p.rows[name] == nil {
		p.rows[name] = map[key]measure{}
	}
	p.rows[name][at] = m
}

const head = `# Performance

Made by %s; do not edit.

Every figure is a ratio of two things that ran in turns in the same run, the median of %d pairs. The machine: %s/%s, %d
processors, %s. It was not kept quiet, so read the ratios with a grain of salt and run the command on yours.

## Whole programs

From the start of the process to its end, beside ` + "`node -e 0`" + `, which starts and does nothing. Memory is the peak of the process
divided by the size of its input files.

| program | time, node = 1 | peak memory, files = 1 | without the memory of an idle start |
| --- | ---: | ---: | ---: |
`

func (p *page) markdown() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, head, "`go run ./internal/bench/cmd`", p.rounds, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	for _, w := range p.whole {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", w.what, number(w.ratio), number(w.peak), number(w.over))
	}
	p.bySize(&b)
	p.byShape(&b)
	p.goals(&b)
	return b.Bytes()
}

func number(f float64) string {
	switch {
	case f == 0:
		return ""
	case f < 10:
		return fmt.Sprintf("%.2f", f)
	}
	return fmt.Sprintf("%.0f", f)
}

// sized reports whether a row is about contracts of several sizes.
func (p *page) sized(name string) bool {
	for k := range p.rows[name] {
		return k.tools > 0
	}
	return false
}

func (p *page) bySize(b *bytes.Buffer) {
	b.WriteString(`
## Contracts

Beside decoding the same bytes with ` + "`encoding/json`" + ` into ` + "`any`" + `: for ` + "`lock`" + ` the list of tools, which is read and laid out as a
lockfile; for ` + "`check`" + ` the lockfile, whose digests are all computed anew; for ` + "`diff`" + ` both lockfiles, which are read, checked and
compared with so many tools changed. The last column is the exponent e of n^e by which the time grew from the second largest
to the largest contract: 1 is linear.

`)
	all := sizes(p.most)
	b.WriteString("| work | shape |")
	for _, n := range all {
		fmt.Fprintf(b, " %d tools |", n)
	}
	b.WriteString(" growth |\n| --- | --- |" + strings.Repeat(" ---: |", len(all)+1) + "\n")
	for _, name := range rowNames() {
		if !p.sized(name) {
			continue
		}
		for _, shape := range bench.Shapes() {
			fmt.Fprintf(b, "| %s | %s |", name, shape)
			var known []int
			for _, n := range all {
				m, ok := p.rows[name][key{shape, n}]
				if ok {
					known = append(known, n)
				}
				fmt.Fprintf(b, " %s |", number(m.ratio))
			}
			fmt.Fprintf(b, " %s |\n", p.grew(name, shape, known))
		}
	}
}

func (p *page) grew(name string, shape bench.Shape, known []int) string {
	if len(known) < 2 {
		return ""
	}
	n, m := known[len(known)-2], known[len(known)-1]
	return number(growth(p.rows[name][key{shape, n}].ours, p.rows[name][key{shape, m}].ours, n, m))
}

func (p *page) byShape(b *bytes.Buffer) {
	b.WriteString(`
## Single decisions

Beside decoding the two schemas, or the arguments of the call. A decision compiles both schemas and, when they break, finds a
witness and has the second validator check it. The hook judges a call of a tool that changed since the baseline; off is without
the section about changes, and validates all the same.

| work |`)
	for _, shape := range bench.Shapes() {
		fmt.Fprintf(b, " %s |", shape)
	}
	b.WriteString("\n| --- |" + strings.Repeat(" ---: |", len(bench.Shapes())) + "\n")
	for _, name := range rowNames() {
		if p.sized(name) {
			continue
		}
		fmt.Fprintf(b, "| %s |", name)
		for _, shape := range bench.Shapes() {
			fmt.Fprintf(b, " %s |", number(p.rows[name][key{shape: shape}].ratio))
		}
		b.WriteString("\n")
	}
}

// goals says what was promised and what came out, the worst shape.
func (p *page) goals(b *bytes.Buffer) {
	worst := func(name string) (ratio float64) {
		for _, shape := range bench.Shapes() {
			ratio = max(ratio, p.rows[name][key{shape, p.most}].ratio)
		}
		return ratio
	}
	fmt.Fprintf(b, "\n## Goals, at %d tools\n\n| goal | at most | measured |\n| --- | ---: | ---: |\n", p.most)
	fmt.Fprintf(b, "| check of an unchanged lockfile, decoding it = 1 | 3 | %s |\n", number(worst("check")))
	fmt.Fprintf(b, "| diff with 1 %% changed, decoding both = 1 | 5 | %s |\n", number(worst("diff 1 %")))
	for _, w := range p.whole {
		if w.peak > 0 {
			fmt.Fprintf(b, "| peak memory of `%s`, its files = 1 | 6 | %s |\n", w.what, number(w.peak))
		}
	}
}
