// Command sidebyside puts the decisions of fusionctl about schemas beside those of published npm packages, and its validator
// beside ajv, and writes docs/comparison.md:
//
//	go run ./internal/bench/sidebyside            # to docs/comparison.md
//	go run ./internal/bench/sidebyside -o -       # to standard output
//
// It needs npm and node: the packages are installed in the versions named here, into a folder for temporary files. Both sides
// get the same texts and are asked the same question. Where they disagree, a value decides: one that the producer's schema
// accepts and the consumer's refuses, as ajv judges it, proves that the two are not compatible. Times are taken inside of
// each process, in turns, so that neither pays for starting, and whatever else the machine does weighs on both.
package main

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/fusionctl/fusionctl/internal/bench"
)

// packages are what is installed, in this order of the report.
var packages = []string{"jsoncompat@0.4.2", "json-schema-diff@1.0.0", "ajv@8.20.0"}

func main() {
	testing.Init() // the suite and the captures of servers are made for tests, and ask for -short
	out := flag.String("o", "docs/comparison.md", "file to write, - is standard output")
	folder := flag.String("npm", "", "folder in which the packages are installed already; by default a new one")
	verbose := flag.Bool("v", false, "say which pairs take long")
	wrong := flag.String("disagreements", "", "file for every disagreement as a JSON line, in the form of schema check --batch")
	every := flag.Int("every", 1, "take one in so many of the pairs that are made; all that people wrote are taken")
	flag.Parse()
	logSlow = *verbose
	if err := run(*out, *folder, *wrong, max(1, *every)); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
}

func run(out, folder, wrong string, every int) error {
	if folder == "" {
		dir, err := os.MkdirTemp("", "sidebyside")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if err := install(dir, packages); err != nil {
			return err
		}
		folder = dir
	}
	w, err := startWorker(folder)
	if err != nil {
		return err
	}
	defer w.stop()
	p := &page{every: every}
	if p.node, err = w.version(); err != nil {
		return err
	}
	pairs := some(allPairs(bench.Stop{}), every)
	for _, tool := range []string{"jsoncompat", "json-schema-diff"} {
		c, err := compare(w, tool, pairs)
		if err != nil {
			return fmt.Errorf("%s: %w", tool, err)
		}
		p.compared = append(p.compared, c)
	}
	if p.validators, err = validators(w); err != nil {
		return err
	}
	if wrong != "" {
		if err := os.WriteFile(wrong, p.disagreements(), 0o644); err != nil {
			return err
		}
	}
	if out == "-" {
		_, err := os.Stdout.Write(p.markdown())
		return err
	}
	return os.WriteFile(out, p.markdown(), 0o644)
}

// some are the pairs that people wrote, and one in every so many of the others.
func some(pairs []pair, every int) (chosen []pair) {
	made := 0
	for _, p := range pairs {
		written := p.set == setReports || p.set == setReal
		if written || made%every == 0 {
			chosen = append(chosen, p)
		}
		if !written {
			made++
		}
	}
	return chosen
}
