package capture

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// How long a program may take to end by itself after its input is closed, and then after it was asked to terminate.
const (
	graceClose     = time.Second
	graceTerminate = 2 * time.Second
	graceEnd       = 300 * time.Millisecond // between the end of output and the end of the program
	pollTime       = 5 * time.Millisecond
)

// A process is a running server program with all that it started.
type process struct {
	cmd    *exec.Cmd
	group  group // platform: reaches all descendants
	stdin  *os.File
	stdout *os.File
	stderr *os.File
	tail   tail
	exited chan struct{} // closed when the program itself has ended
	waited error
	read   sync.WaitGroup // the reader of stderr
	once   sync.Once
	input  sync.Once
}

// start runs the source's command. The pipes are files of our own, not those of exec.Cmd: a grandchild that keeps them
// open must not keep us waiting.
func start(src Source) (*process, error) {
	cmd := command(src.Command)
	if cmd.Err != nil {
		return nil, notFound(src.Command[0], cmd.Err)
	}
	cmd.Dir = src.Dir
	cmd.Env = cmd.Environ()
	for _, name := range canonjson.SortedKeys(src.Env) {
		cmd.Env = append(cmd.Env, name+"="+src.Env[name])
	}
	p := &process{cmd: cmd, exited: make(chan struct{})}
	theirs, err := p.pipes()
	if err == nil {
		p.group.prepare(cmd)
		err = cmd.Start()
	}
	for _, f := range theirs {
		f.Close()
	}
	if err != nil {
		p.closePipes()
		return nil, notFound(src.Command[0], err)
	}
	p.group.started(cmd)
	p.read.Go(func() { copyTail(&p.tail, p.stderr) })
	go func() {
		p.waited = cmd.Wait()
		close(p.exited)
	}()
	return p, nil
}

func (p *process) pipes() (theirs []*os.File, err error) {
	var in, out, errs *os.File
	if in, p.stdin, err = os.Pipe(); err != nil {
		return theirs, err
	}
	theirs = append(theirs, in)
	if p.stdout, out, err = os.Pipe(); err != nil {
		return theirs, err
	}
	theirs = append(theirs, out)
	if p.stderr, errs, err = os.Pipe(); err != nil {
		return theirs, err
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = in, out, errs
	return append(theirs, errs), nil
}

func (p *process) closePipes() {
	for _, f := range []*os.File{p.stdin, p.stdout, p.stderr} {
		if f != nil {
			f.Close()
		}
	}
}

func copyTail(t *tail, f *os.File) {
	buf := make([]byte, 4096)
	for {
		n, err := f.Read(buf)
		t.Write(buf[:n])
		if err != nil {
			return
		}
	}
}

// closeInput tells the program that nothing more comes, upon which most programs end. Descendants that left its group are
// looked for first: once it has ended they cannot be told from strangers.
func (p *process) closeInput() {
	p.input.Do(func() {
		p.group.collect()
		p.stdin.Close()
	})
}

// stop ends the program and everything that it started. When it returns, nothing runs.
func (p *process) stop() {
	p.once.Do(func() {
		p.closeInput()
		p.wait(graceClose)
		// The program may be gone and its children not, so the group is told in any case.
		p.group.collect()
		if p.group.alive() {
			p.group.terminate()
			p.outlast(graceTerminate)
		}
		p.group.collect()
		p.group.kill()
		<-p.exited
		p.outlast(graceTerminate) // a killed process is not gone at once
		p.group.close()
		p.stdout.Close()
		p.stderr.Close()
		p.read.Wait()
	})
}

// outlast waits until nothing of the group lives, for at most d.
func (p *process) outlast(d time.Duration) {
	for waited := time.Duration(0); waited < d && p.group.alive(); waited += pollTime {
		time.Sleep(pollTime)
	}
}

func (p *process) wait(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.exited:
	case <-t.C:
	}
}

// ownEnd describes how the program ended by itself, when its output has ended. It is called before stop, so that what
// stop does is not taken for the program's own doing, and waits a little for a program that is on its way out.
func (p *process) ownEnd() error {
	p.wait(graceEnd)
	select {
	case <-p.exited:
	default:
		return faultf(nil, "", "the server closed its output")
	}
	// What it wrote last may still be in the pipe. A grandchild may hold the pipe open for ever.
	done := make(chan struct{})
	go func() { p.read.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(graceEnd):
	}
	const hint = "run the command by hand to see what it needs; a missing argument or variable is the usual reason"
	return faultf(nil, hint, "the server ended by itself (%s)", p.cmd.ProcessState)
}

func notFound(name string, err error) error {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		place := "in PATH"
		if filepath.Base(name) != name {
			place = "at that path"
		}
		return faultf(ErrNotFound, "check the spelling and that the program is installed", "%s: no such program %s", quote(name), place)
	}
	return fmt.Errorf("%s: %w", quote(name), err)
}
