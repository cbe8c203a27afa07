package main

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"strings"
)

// A page is what was compared.
type page struct {
	every      int // of the made pairs, one in so many was taken
	node       string
	compared   []*comparison
	validators *validation
}

const head = `# Comparison

Made by %s; do not edit.

What fusionctl answers about schemas, and how fast, beside published packages, in one run:
%s under node %s, and fusionctl built with %s,
on %s/%s with %d processors. The packages are installed from npm for the run and are no part of fusionctl.

Both sides get the same two JSON texts and read them anew for each decision. Times are processor time within each process,
without its start, taken in turns; the machine was not kept quiet, so read the ratios and not the last digit. The schemas are
those that read the same in 2020-12 and in the drafts before, refer to nothing outside of themselves, and are not equal.

Where the test suite gives the answer, it judges. Elsewhere a value does: a "no" is proved by a witness, which the producer's
schema accepts and the consumer's refuses, as ajv sees both; each "no" of ours brings one. For each "yes" of ours, ajv tries the
values of the test suite, values that jsoncompat generates for the producer, and our own sample. A "no" of theirs for which
none of these is a witness is not proved wrong by that.
`

func (p *page) markdown() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, head, "`go run ./internal/bench/sidebyside`", strings.Join(packages, ", "), p.node, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	if p.every > 1 {
		fmt.Fprintf(&b, "\nThis run took one in %d of the pairs that are made (one edit, test suite), by `-every %d`.\n", p.every, p.every)
	}
	for _, c := range p.compared {
		c.write(&b)
	}
	p.validators.write(&b)
	return b.Bytes()
}

func (c *comparison) write(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n## %s\n\n", c.tool)
	if c.free {
		b.WriteString("It takes a name that only the consumer declares as free, as fusionctl does for contracts; both are asked this way.\n")
	} else {
		b.WriteString("It answers plain inclusion of sets, as `--strict` does; both are asked this way.\n")
	}
	b.WriteString("\n| pairs |")
	for _, s := range sets() {
		fmt.Fprintf(b, " %s |", s)
	}
	b.WriteString(" all |\n| --- |" + strings.Repeat(" ---: |", len(sets())+1) + "\n")
	for _, o := range outcomes() {
		fmt.Fprintf(b, "| %s |", o)
		all := 0
		for _, s := range sets() {
			n := c.count(func(r result) bool { return r.pair.set == s && r.outcome == o })
			all += n
			fmt.Fprintf(b, " %d |", n)
		}
		fmt.Fprintf(b, " %d |\n", all)
	}
	c.writeTimes(b)
}

func (c *comparison) count(is func(result) bool) (n int) {
	for _, r := range c.results {
		if is(r) {
			n++
		}
	}
	return n
}

func (c *comparison) writeTimes(b *bytes.Buffer) {
	rows := []struct {
		name string
		of   func(ours, theirs []float64) string
	}{
		{"time of all decisions, theirs = 1", func(ours, theirs []float64) string { return number(sum(ours) / sum(theirs)) }},
		{"time of one decision, geometric mean, theirs = 1", func(ours, theirs []float64) string { return number(geometric(ours, theirs)) }},
		{"median of one decision, ours and theirs", func(ours, theirs []float64) string { return micro(median(ours)) + ", " + micro(median(theirs)) }},
		{"faster than theirs", func(ours, theirs []float64) string {
			n := 0
			for i := range ours {
				if ours[i] <= theirs[i] {
					n++
				}
			}
			return fmt.Sprintf("%.0f %%", 100*float64(n)/float64(len(ours)))
		}},
	}
	for _, row := range rows {
		fmt.Fprintf(b, "| %s |", row.name)
		for _, s := range append(sets(), "") {
			var ours, theirs []float64
			for _, r := range c.results {
				if (s == "" || r.pair.set == s) && r.ourTime > 0 && r.theirTime > 0 {
					ours, theirs = append(ours, r.ourTime), append(theirs, r.theirTime)
				}
			}
			cell := ""
			if len(ours) > 0 {
				cell = row.of(ours, theirs)
			}
			fmt.Fprintf(b, " %s |", cell)
		}
		b.WriteString("\n")
	}
}

func (v *validation) write(b *bytes.Buffer) {
	fmt.Fprintf(b, `
## ajv

Values under the schemas of the official test suite, drafts 7 and 2020-12, without its optional parts: our guarded validator is
right for %d of %d and declines %d; ajv is right for %d and declines %d.

ajv compiles a schema to JavaScript, which the engine compiles to machine code; ours interprets it, counts its steps, and keeps
numbers exact. So ajv takes long to compile and is quick afterwards. It is another language too. With the input schemas of %d
published tools, a smallest valid value and an empty object:

| work | ours, ajv's = 1, geometric mean | median, ours and ajv's |
| --- | ---: | ---: |
`, v.oursRight, v.values, v.oursMute, v.theirsRight, v.theirsMute, v.schemas)
	if v.schemas == 0 {
		return
	}
	fmt.Fprintf(b, "| compile a schema | %s | %s, %s |\n", number(geometric(v.compileOurs, v.compileAjv)), micro(median(v.compileOurs)), micro(median(v.compileAjv)))
	fmt.Fprintf(b, "| judge a value | %s | %s, %s |\n", number(geometric(v.valueOurs, v.valueAjv)), micro(median(v.valueOurs)), micro(median(v.valueAjv)))
}

// disagreements are all results but those that agree, as JSON lines.
func (p *page) disagreements() (out []byte) {
	for _, c := range p.compared {
		for _, r := range c.results {
			if r.outcome != agreeYes && r.outcome != agreeNo {
				out = append(out, r.line(c.tool)...)
			}
		}
	}
	return out
}

func sum(values []float64) (s float64) {
	for _, v := range values {
		s += v
	}
	return s
}

// geometric is the geometric mean of the quotients.
func geometric(a, b []float64) float64 {
	s := 0.0
	for i := range a {
		s += math.Log(a[i] / b[i])
	}
	return math.Exp(s / float64(len(a)))
}

func number(f float64) string {
	if f < 10 {
		return fmt.Sprintf("%.2f", f)
	}
	return fmt.Sprintf("%.0f", f)
}

// micro writes nanoseconds as microseconds.
func micro(ns float64) string {
	if ns < 10_000 {
		return fmt.Sprintf("%.2f µs", ns/1000)
	}
	return fmt.Sprintf("%.0f µs", ns/1000)
}
