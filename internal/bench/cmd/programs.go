package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/fusionctl/fusionctl/internal/bench"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/capture"
	"github.com/fusionctl/fusionctl/lockfile"
)

// A program is one whole run, beside node doing nothing, and its peak memory beside the size of its inputs.
type program struct {
	what  string
	ratio float64 // to node -e 0; 0 without node
	peak  float64 // to the size of the inputs; 0 when not told
	over  float64 // the same, without what "fusionctl version" takes
}

// programs measures whole processes. The inputs are written by a process of its own, so that this one stays small.
func (p *page) programs() error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "fusionctl")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", binary, "github.com/fusionctl/fusionctl/cmd/fusionctl").CombinedOutput(); err != nil {
		return fmt.Errorf("building: %w: %s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if out, err := exec.Command(self, "-make", dir, "-tools", fmt.Sprint(p.most)).CombinedOutput(); err != nil {
		return fmt.Errorf("writing inputs: %w: %s", err, out)
	}
	node, _ := exec.LookPath("node")
	floor := 0.0
	for _, c := range p.runs() {
		fmt.Fprintln(os.Stderr, "measuring", c.what)
		var ratios, peaks []float64
		for range p.rounds {
			_ = os.Remove(filepath.Join(dir, written)) // or nothing would be written
			ours, peak, err := process(dir, binary, c.args...)
			if err != nil {
				return fmt.Errorf("%s: %w", c.what, err)
			}
			peaks = append(peaks, float64(peak))
			if node == "" {
				continue
			}
			theirs, _, err := process(dir, node, "-e", "0")
			if err != nil {
				return fmt.Errorf("node: %w", err)
			}
			ratios = append(ratios, float64(ours)/float64(theirs))
		}
		r := program{what: c.what}
		if node != "" {
			r.ratio = median(ratios)
		}
		if floor == 0 {
			floor = median(peaks)
		}
		if size := sizeOf(dir, c.inputs); size > 0 {
			r.peak, r.over = median(peaks)/size, (median(peaks)-floor)/size
		}
		p.whole = append(p.whole, r)
	}
	return p.roundTrips(dir, binary)
}

// A command is one program with its arguments, and the files that it reads.
type command struct {
	what   string
	args   []string
	inputs []string
}

// written is the lockfile that is written by a run.
const written = "written.lock"

func (p *page) runs() []command {
	check := func(json, lock string) []string {
		return []string{"lock", "--check", "--from", json, "--lockfile", lock, "--name", bench.ServerName}
	}
	all := []command{
		{"fusionctl version", []string{"version"}, nil},
		{"fusionctl lock --check, 10 tools", check("small.json", "small.lock"), nil},
		{"fusionctl diff, 10 tools, 1 changed", []string{"diff", "--fail-on", "none", "small.lock", "smallnew.lock"}, nil},
		{"fusionctl schema check", []string{"schema", "check", "schema.json", "schema.json"}, nil},
	}
	for _, shape := range bench.Shapes() {
		s := string(shape)
		all = append(all,
			command{fmt.Sprintf("fusionctl lock --from, %s, %d tools", s, p.most), []string{"lock", "--from", s + ".json", "--lockfile", written, "--name", bench.ServerName}, []string{s + ".json", s + ".lock"}},
			command{fmt.Sprintf("fusionctl lock --check, %s, %d tools", s, p.most), check(s+".json", s+".lock"), []string{s + ".json", s + ".lock"}},
			command{fmt.Sprintf("fusionctl diff, %s, %d tools, 1 %% changed", s, p.most), []string{"diff", "--fail-on", "none", s + ".lock", s + "new.lock"}, []string{s + ".lock", s + "new.lock"}},
		)
	}
	return all
}

func process(dir, name string, args ...string) (time.Duration, int64, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir)
	start := time.Now()
	err := cmd.Run()
	return time.Since(start), bench.PeakMemory(cmd.ProcessState), err
}

func sizeOf(dir string, names []string) (size float64) {
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
			size += float64(info.Size())
		}
	}
	return size
}

func writeInputs(dir string, most int) error {
	write := func(name string, data []byte) error { return os.WriteFile(filepath.Join(dir, name), data, 0o600) }
	schema, _ := bench.Schemas(bench.Flat)
	err := errors.Join(
		write("small.json", bench.Manifest(bench.Flat, 10, 0)),
		write("small.lock", format(lockOf(bench.Flat, 10, 0))),
		write("smallnew.lock", format(lockOf(bench.Flat, 10, 1))),
		write("schema.json", canonjson.Append(nil, schema)),
	)
	for _, shape := range bench.Shapes() {
		err = errors.Join(err,
			write(string(shape)+".json", bench.Manifest(shape, most, 0)),
			write(string(shape)+".lock", format(lockOf(shape, most, 0))),
			write(string(shape)+"new.lock", format(lockOf(shape, most, most/100))),
		)
	}
	return err
}

// lockOf is the lockfile that a capture of the manifest gives: without what only a running server tells.
func lockOf(shape bench.Shape, n, changed int) *lockfile.File {
	f, _, err := capture.Read(bench.Manifest(shape, n, changed), bench.ServerName)
	must(err)
	return f
}
