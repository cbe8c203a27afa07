// Command cmd measures fusionctl beside the limits that no tool can beat, reading and hashing or decoding the same bytes and
// starting a process, and writes docs/performance.md:
//
//	go run ./internal/bench/cmd            # to docs/performance.md
//	go run ./internal/bench/cmd -o -       # to standard output
//
// Both sides of each ratio run in turns in the same run, so that whatever else the machine does weighs on both; the median
// of the ratios is told. No absolute time goes into the page: those belong to one machine on one day.
package main

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

func main() {
	testing.Init() // the captures of published servers are made for tests, and ask for -short
	out := flag.String("o", "docs/performance.md", "file to write, - is standard output")
	rounds := flag.Int("rounds", 7, "runs of each pair; long ones run three times")
	most := flag.Int("tools", 10000, "tools in the largest contract")
	makeIn := flag.String("make", "", "only write the inputs for whole programs into this folder (used by the command itself)")
	flag.Parse()
	if err := run(*out, *makeIn, *rounds, *most); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
}

func run(out, makeIn string, rounds, most int) error {
	if makeIn != "" {
		return writeInputs(makeIn, most)
	}
	p := &page{rounds: rounds, most: most, machine: machine()}
	if err := p.programs(); err != nil { // first: the peak of a child process is at least its parent's
		return err
	}
	if err := p.functions(); err != nil {
		return err
	}
	p.releases()
	text := p.markdown()
	if out == "-" {
		_, err := os.Stdout.Write(text)
		return err
	}
	return os.WriteFile(out, text, 0o644)
}
