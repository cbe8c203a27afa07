package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/fusionctl/fusionctl/internal/bench"
)

type key struct {
	shape bench.Shape
	tools int
}

// percents are the shares of tools that changed.
var percents = []int{0, 1, 10, 100}

// Rows that are named in more than one place.
const (
	rowHash  = "read and hash"
	rowLock  = "lock"
	rowCheck = "check"
)

func rowDiff(percent int) string { return fmt.Sprintf("diff %d %%", percent) }

// sizedRows are about contracts of several sizes, singleRows about one schema or call.
func sizedRows() []string {
	rows := []string{rowHash, rowLock, rowCheck}
	for _, percent := range percents {
		rows = append(rows, rowDiff(percent))
	}
	return rows
}

var singleRows = []string{"decide, equal", "decide, broken", "compare one tool, broken",
	"hook off, right call", "hook off, stale call", "hook on, right call", "hook on, stale call",
	"proxy, call that succeeds", "proxy, answer of 1 MB", "proxy, stale call that fails"}

// A page is what was measured.
type page struct {
	rounds, most int
	machine      string
	whole        []program
	trip         float64 // of a call through the proxy, without it = 1
	rows         map[string]map[key]measure
	published    []release
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

Made by ` + "`go run ./internal/bench/cmd`" + `; do not edit.

Every figure is a ratio of two things that ran in turns in the same run, the median of %d pairs (3 where one run takes seconds).
Below 1 is less than what it is compared with. The machine: %s.

## Whole programs

From the start of the process to its end by the clock, beside ` + "`node -e 0`" + `, which starts and does nothing. Memory is the peak of
the process divided by the size of the files that it reads or writes.

| program | time, node = 1 | peak memory, files = 1 | without the memory of an idle start |
| --- | ---: | ---: | ---: |
`

func (p *page) markdown() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, head, p.rounds, p.machine)
	for _, w := range p.whole {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", w.what, number(w.ratio), number(w.peak), number(w.over))
	}
	fmt.Fprintf(&b, "\nA call of a small server over standard input and output takes %s times as long, from the request to the answer, with\n"+
		"`fusionctl proxy` between.\n", number(p.trip))
	p.bySize(&b)
	p.allocations(&b)
	p.byShape(&b)
	p.servers(&b)
	p.goals(&b)
	return b.Bytes()
}

func number(f float64) string {
	switch {
	case f == 0:
		return ""
	case f < 0.1:
		return fmt.Sprintf("%.3f", f)
	case f < 10:
		return fmt.Sprintf("%.2f", f)
	}
	return fmt.Sprintf("%.0f", f)
}

// table begins a table with columns of figures after some of words.
func table(b *bytes.Buffer, words []string, figures ...string) {
	fmt.Fprintf(b, "| %s |", strings.Join(slices.Concat(words, figures), " | "))
	fmt.Fprintf(b, "\n|%s%s\n", strings.Repeat(" --- |", len(words)), strings.Repeat(" ---: |", len(figures)))
}

func (p *page) bySize(b *bytes.Buffer) {
	b.WriteString(`
## Contracts

Processor time of all threads, beside decoding the same bytes with ` + "`encoding/json`" + ` into ` + "`any`" + `. Read and hash is what nobody can
beat: a file with these bytes is read and its SHA-256 computed. Lock reads the list of tools and lays out the lockfile; check reads
the lockfile and computes all its digests anew; diff reads and checks both lockfiles and compares them, with so many tools changed.
The last column is the exponent e of n^e by which the time grew from the second largest to the largest contract: 1 is linear.

`)
	all := sizes(p.most)
	var figures []string
	for _, n := range all {
		figures = append(figures, fmt.Sprintf("%d tools", n))
	}
	table(b, []string{"work", "shape"}, append(figures, "growth")...)
	for _, name := range sizedRows() {
		for _, shape := range bench.Shapes() {
			fmt.Fprintf(b, "| %s | %s |", name, shape)
			for _, n := range all {
				fmt.Fprintf(b, " %s |", number(p.rows[name][key{shape, n}].ratio))
			}
			fmt.Fprintf(b, " %s |\n", number(p.grew(name, shape)))
		}
	}
}

// grew is the exponent between the two largest contracts, 0 when it is not known.
func (p *page) grew(name string, shape bench.Shape) float64 {
	n, m := p.most/10, p.most
	small, large := p.rows[name][key{shape, n}].ours, p.rows[name][key{shape, m}].ours
	if small == 0 || large == 0 {
		return 0
	}
	return growth(small, large, n, m)
}

func (p *page) allocations(b *bytes.Buffer) {
	fmt.Fprintf(b, `
## Allocations, at %d tools

How often memory is asked for, beside decoding; and how much in all, beside the size of the bytes that are read. Most of it is
given back on the way: the peak is in the first table.

`, p.most)
	table(b, []string{"work", "shape"}, "allocations, decoding = 1", "bytes allocated, bytes read = 1")
	for _, name := range sizedRows() {
		for _, shape := range bench.Shapes() {
			m := p.rows[name][key{shape, p.most}]
			fmt.Fprintf(b, "| %s | %s | %s | %s |\n", name, shape, number(m.allocs), number(m.bytes))
		}
	}
}

func (p *page) byShape(b *bytes.Buffer) {
	b.WriteString(`
## Single decisions, calls and messages

Processor time and, in brackets, allocations, beside decoding the two schemas, the arguments of the call, or the call and its
answer. A decision compiles both schemas and, when they break, finds a witness and has the second validator check it; to compare one
tool is to decide and to tell all changes, each with its witness. The hook judges a call of a tool that changed since the baseline;
off is without the section about changes, and validates all the same. The proxy looks at one call and its answer.

`)
	var figures []string
	for _, shape := range bench.Shapes() {
		figures = append(figures, string(shape))
	}
	table(b, []string{"work"}, figures...)
	for _, name := range singleRows {
		fmt.Fprintf(b, "| %s |", name)
		for _, shape := range bench.Shapes() {
			m := p.rows[name][key{shape: shape}]
			fmt.Fprintf(b, " %s (%s) |", number(m.ratio), number(m.allocs))
		}
		b.WriteString("\n")
	}
}

// servers are the figures of published servers.
func (p *page) servers(b *bytes.Buffer) {
	b.WriteString("\n## Published servers\n\n")
	if len(p.published) == 0 {
		b.WriteString("Not measured: npm is missing.\n")
		return
	}
	b.WriteString(`Their contracts as captured by npm on this machine, two versions each, beside decoding the lockfile, for diff both. A diff finds all
changes and proves those that break, so it grows with the changes.

`)
	table(b, []string{"server", "versions"}, "tools", "changes", "KiB", rowHash, rowCheck, "diff")
	for _, r := range p.published {
		fmt.Fprintf(b, "| %s | %s | %d | %d | %d | %s | %s | %s |\n", r.name, r.versions, r.tools, r.changes, (r.size+1023)>>10,
			number(r.hash.ratio), number(r.check.ratio), number(r.df.ratio))
	}
}

// goals says what was promised and what came out, the worst shape.
func (p *page) goals(b *bytes.Buffer) {
	worst := func(f func(bench.Shape) float64) (most float64) {
		for _, shape := range bench.Shapes() {
			most = max(most, f(shape))
		}
		return most
	}
	ratio := func(name string, n int) float64 {
		return worst(func(s bench.Shape) float64 { return p.rows[name][key{s, n}].ratio })
	}
	fmt.Fprintf(b, "\n## Goals\n\nThe worst of the shapes, at %d tools where nothing else is said.\n\n", p.most)
	table(b, []string{"goal"}, "at most", "measured")
	fmt.Fprintf(b, "| check of an unchanged lockfile, decoding it = 1 | 3 | %s |\n", number(ratio(rowCheck, p.most)))
	fmt.Fprintf(b, "| diff with 1 %% changed, decoding both = 1 | 5 | %s |\n", number(ratio(rowDiff(1), p.most)))
	fmt.Fprintf(b, "| diff of %d tools with 10 %% changed, decoding both = 1 | 6 | %s |\n", p.most/10, number(ratio(rowDiff(10), p.most/10)))
	peak := 0.0
	for _, w := range p.whole {
		peak = max(peak, w.peak)
	}
	fmt.Fprintf(b, "| peak memory of any of the programs, its files = 1 | 6 | %s |\n", number(peak))
	for _, name := range sizedRows()[1:] {
		fmt.Fprintf(b, "| %s: exponent of growth (n log n is 1.12 here) | 1.12 | %s |\n", name, number(worst(func(s bench.Shape) float64 { return p.grew(name, s) })))
	}
}
