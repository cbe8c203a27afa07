package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/fusionctl/fusionctl/awareness"
)

// Stdio runs a server as a child process and passes lines between it and a client. A zero field means the default.
type Stdio struct {
	Command []string
	Dir     string
	Env     []string // nil: that of this process
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer // for the child's errors, untouched; it inherits an *os.File

	Hook        *awareness.Hook
	Grace       time.Duration // from the end of input to SIGTERM, and from there to the kill; default 5 s
	ListTimeout time.Duration // for the proxy's own tools/list; default 3 s
	MaxInspect  int           // longer lines pass unseen; default 16 MiB
}

const (
	defaultGrace       = 5 * time.Second
	defaultListTimeout = 3 * time.Second
	defaultInspect     = 16 << 20
)

// Run passes messages until the client or the server ends, and returns the child's exit code: 128 and the signal, if a
// signal ended it. When the client ends its input, so does the child's; when ctx ends, the child is told to stop. One that
// goes on is stopped, and then killed, with everything that it started. The error says that there was no child.
//
// A read of Stdin that is under way when the server ends outlives Run.
func (p *Stdio) Run(ctx context.Context) (int, error) {
	if len(p.Command) == 0 {
		return 0, errors.New("no command")
	}
	cmd := exec.Command(p.Command[0], p.Command[1:]...)
	cmd.Dir, cmd.Env, cmd.Stderr = p.Dir, p.Env, p.Stderr
	cmd.WaitDelay = or(p.Grace, defaultGrace) // for errors that a child of the child may hold open
	isolate(cmd)
	input, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	// A pipe of our own: the one of exec is closed when the child ends, with what it still holds.
	output, theirs, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer output.Close()
	cmd.Stdout = theirs
	err = cmd.Start()
	theirs.Close()
	if err != nil {
		return 0, fmt.Errorf("starting %q: %w", p.Command[0], withoutName(err))
	}
	listing, stopListing := context.WithCancel(context.WithoutCancel(ctx))
	defer stopListing()
	left := make(chan struct{})
	leave := sync.OnceFunc(func() { close(left) })
	rewriter := NewRewriter(p.Hook)
	rewriter.aside = true
	s := &session{
		proxy: p, rewriter: rewriter, listing: listing, own: map[string]chan []byte{},
		server: &lineWriter{w: input}, client: &lineWriter{w: p.Stdout, broken: leave},
	}
	go func() {
		s.fromClient(p.Stdin)
		input.Close()
		leave()
	}()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		s.fromServer(output)
		stopListing() // no answer can come any more
		s.waiting.Wait()
	}()
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		cmd.Wait()
	}()
	s.supervise(ctx, cmd, input, output, left, drained, exited)
	return exitCode(cmd.ProcessState), nil
}

// withoutName takes the program out of an error that names it already.
func withoutName(err error) error {
	var missing *exec.Error
	if errors.As(err, &missing) {
		return missing.Err
	}
	return err
}

// supervise waits until the child has ended and all that it said is passed on, and sees to it that this happens once one
// side has left.
func (s *session) supervise(ctx context.Context, cmd *exec.Cmd, input, output io.Closer, left, drained, exited <-chan struct{}) {
	grace := or(s.proxy.Grace, defaultGrace)
	var timer <-chan time.Time
	steps := []func(){
		func() { terminate(cmd) },
		func() { kill(cmd) },
		func() { output.Close() }, // a process that left the group holds it
	}
	next := func() {
		timer = time.After(grace)
		switch {
		case len(steps) == 1 && ctx.Err() == nil && s.client.busy(): // not lost, only slow
		case len(steps) > 0:
			steps[0]()
			steps = steps[1:]
		case ctx.Err() != nil:
			drained = nil // the client does not take what is left
		}
	}
	done := ctx.Done()
	for exited != nil || drained != nil {
		select {
		case <-timer:
			next()
			continue
		case <-done:
			done = nil
			input.Close()
			if len(steps) == 3 {
				next()
			}
			continue
		case <-left:
			left = nil
			input.Close()
		case <-exited:
			exited = nil
		case <-drained:
			drained = nil
			input.Close()
		}
		if timer == nil {
			timer = time.After(grace)
		}
	}
}

func or[T int | int64 | time.Duration](value, otherwise T) T {
	if value > 0 {
		return value
	}
	return otherwise
}
