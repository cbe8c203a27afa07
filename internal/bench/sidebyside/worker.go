package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/fusionctl/fusionctl/internal/validate/suite"
)

//go:embed worker.cjs
var script []byte

// install puts npm packages into a folder, without running scripts of theirs.
func install(dir string, packages []string) error {
	args := append([]string{"install", "--prefix", dir, "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"}, packages...)
	if out, err := exec.Command("npm", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("npm install: %w\n%s", err, out)
	}
	return nil
}

// A worker is a node process that holds the packages and answers line by line. One that gives no answer is replaced.
type worker struct {
	folder string
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan []byte
	rights map[string]bool // whether ajv agrees with the suite about a group, by name
}

// patience is how long one answer may take.
const patience = 8 * time.Second

func startWorker(folder string) (*worker, error) {
	w := &worker{folder: folder, rights: map[string]bool{}}
	return w, w.start()
}

func (w *worker) start() error {
	path := filepath.Join(w.folder, "worker.cjs") // beside node_modules, where its imports are looked up
	if err := os.WriteFile(path, script, 0o600); err != nil {
		return err
	}
	w.cmd = exec.Command("node", path)
	w.cmd.Dir = w.folder
	w.cmd.Stderr = os.Stderr
	in, err := w.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	w.in, w.lines = in, make(chan []byte, 1)
	lines := w.lines
	go func() {
		defer close(lines)
		r := bufio.NewReaderSize(out, 1<<20)
		for {
			line, err := r.ReadBytes('\n')
			if err != nil {
				return
			}
			lines <- line
		}
	}()
	if err := w.cmd.Start(); err != nil {
		return err
	}
	select {
	case <-lines: // the first line says that it is ready
		return nil
	case <-time.After(8 * patience):
		w.stop()
		return errors.New("the worker does not start")
	}
}

func (w *worker) stop() {
	w.in.Close()
	w.cmd.Process.Kill()
	w.cmd.Wait()
}

// A failure is what the package said, or that it said nothing in time.
type failure struct{ text string }

func (f *failure) Error() string { return f.text }

// ask sends a request and reads the answer into result. The error is a *failure when the package could not answer.
func (w *worker) ask(request map[string]any, result any) error {
	line, err := json.Marshal(request)
	if err != nil {
		return err
	}
	if _, err := w.in.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("asking the worker: %w", err)
	}
	select {
	case answer, ok := <-w.lines:
		if !ok {
			w.stop()
			return w.restarted("ended")
		}
		var a struct {
			Result json.RawMessage
			Error  string
		}
		if err := json.Unmarshal(answer, &a); err != nil {
			return fmt.Errorf("reading the worker's answer: %w", err)
		}
		if a.Error == "unreachable" { // WebAssembly that ended in a fault answers nothing from then on
			w.stop()
			return w.restarted("ended in a fault")
		}
		if a.Error != "" {
			return &failure{a.Error}
		}
		return json.Unmarshal(a.Result, result)
	case <-time.After(patience):
		w.stop()
		return w.restarted(fmt.Sprintf("no answer within %v", patience))
	}
}

func (w *worker) restarted(why string) error {
	if err := w.start(); err != nil {
		return err
	}
	return &failure{why}
}

func (w *worker) version() (v string, err error) {
	return v, w.ask(map[string]any{"op": "version"}, &v)
}

// compatible asks a package whether every value of the producer is one of the consumer.
func (w *worker) compatible(tool string, p pair) (yes bool, err error) {
	return yes, w.ask(map[string]any{"op": "decide", "tool": tool, "producer": p.texts[0], "consumer": p.texts[1]}, &yes)
}

// timed is the CPU time of one of n decisions, in nanoseconds.
func (w *worker) timed(tool string, p pair, n int) (ns float64, err error) {
	return ns, w.ask(map[string]any{"op": "time", "tool": tool, "producer": p.texts[0], "consumer": p.texts[1], "n": n}, &ns)
}

// judge asks ajv which of the values, JSON texts, each of the two schemas accepts.
func (w *worker) judge(p pair, values []string) (accepted [][2]bool, err error) {
	return accepted, w.ask(map[string]any{"op": "judge", "schemas": p.texts, "dialect": p.dialect, "values": values}, &accepted)
}

// generate asks jsoncompat for values of a schema. None is no error.
func (w *worker) generate(schema string, n int) (values []string) {
	if w.ask(map[string]any{"op": "generate", "schema": schema, "n": n}, &values) != nil {
		return nil
	}
	return values
}

// right reports whether ajv agrees with the suite about all tests of a group.
func (w *worker) right(g suite.Group) bool {
	right, ok := w.rights[g.Name()]
	if !ok {
		p := pair{texts: [2]string{text(g.Schema), "true"}, dialect: g.Dialect}
		var values []string
		for _, t := range g.Tests {
			values = append(values, text(t.Data))
		}
		accepted, err := w.judge(p, values)
		right = err == nil
		for i, a := range accepted {
			right = right && a[0] == g.Tests[i].Valid
		}
		w.rights[g.Name()] = right
	}
	return right
}
