package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/fusionctl/fusionctl/internal/bench"
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
	for _, c := range []struct {
		what   string
		args   []string
		inputs []string
	}{
		{"fusionctl version", []string{"version"}, nil},
		{"fusionctl lock --check, 10 tools", []string{"lock", "--check", "--from", "small.json", "--lockfile", "small.lock", "--name", bench.ServerName}, nil},
		{"fusionctl diff, 10 tools, 1 changed", []string{"diff", "--fail-on", "none", "small.lock", "smallnew.lock"}, nil},
		{fmt.Sprintf("fusionctl lock --check, %d tools", p.most), []string{"lock", "--check", "--from", "large.json", "--lockfile", "large.lock", "--name", bench.ServerName}, []string{"large.json", "large.lock"}},
		{fmt.Sprintf("fusionctl diff, %d tools, 1 %% changed", p.most), []string{"diff", "--fail-on", "none", "large.lock", "largenew.lock"}, []string{"large.lock", "largenew.lock"}},
	} {
		fmt.Fprintln(os.Stderr, "measuring", c.what)
		var ratios, peaks []float64
		for range p.rounds {
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
	return nil
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
	for name, data := range map[string][]byte{
		"small.json":    bench.Manifest(bench.Flat, 10, 0),
		"small.lock":    format(lockOf(10, 0)),
		"smallnew.lock": format(lockOf(10, 1)),
		"large.json":    bench.Manifest(bench.Flat, most, 0),
		"large.lock":    format(lockOf(most, 0)),
		"largenew.lock": format(lockOf(most, most/100)),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}
