package proxy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"

	"github.com/fusionctl/fusionctl/awareness"
)

// Stdio runs a server as a child process and passes lines between it and a client.
type Stdio struct {
	Command []string
	Dir     string
	Env     []string // nil: that of this process
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer // the child's errors go here untouched; an *os.File is handed to it

	Hook        *awareness.Hook
	Grace       time.Duration // from the end of input to SIGTERM, and from there to the kill; default 5 s
	ListTimeout time.Duration // for the proxy's own tools/list; default 3 s
	MaxInspect  int           // longer lines pass unseen; default 16 MiB
}

// Run passes messages until the client or the server ends, and returns the child's exit code. The error says that the
// child could not be started or had to be killed.
func (p *Stdio) Run(ctx context.Context) (exitCode int, err error) {
	if len(p.Command) == 0 {
		return 0, errors.New("no command")
	}
	cmd := exec.Command(p.Command[0], p.Command[1:]...)
	cmd.Dir, cmd.Env, cmd.Stderr = p.Dir, p.Env, p.Stderr
	isolate(cmd)
	input, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("starting %q: %w", p.Command[0], err)
	}
	s := &session{proxy: p, rewriter: NewRewriter(p.Hook), server: &lineWriter{w: input}, client: &lineWriter{w: p.Stdout}, own: map[string]chan []byte{}}
	ended := make(chan struct{})
	go func() {
		s.fromClient(p.Stdin)
		input.Close()
	}()
	go func() {
		defer close(ended)
		s.fromServer(output)
		s.rewrites.Wait()
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		input.Close()
		p.stop(cmd, ended)
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return cmd.ProcessState.ExitCode(), err
}

func (p *Stdio) grace() time.Duration {
	if p.Grace > 0 {
		return p.Grace
	}
	return 5 * time.Second
}

// stop ends a child that does not end by itself: first asked, then killed, with everything it started.
func (p *Stdio) stop(cmd *exec.Cmd, ended <-chan struct{}) {
	for _, end := range [...]func(*exec.Cmd){terminate, kill} {
		select {
		case <-ended:
			return
		case <-time.After(p.grace()):
			end(cmd)
		}
	}
	<-ended
}

// A session is one run.
type session struct {
	proxy          *Stdio
	rewriter       *Rewriter
	server, client *lineWriter
	rewrites       sync.WaitGroup

	mu  sync.Mutex
	own map[string]chan []byte // answers to own requests, by id
}

// A lineWriter writes whole lines from several goroutines.
type lineWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lineWriter) write(line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.w.Write(line) // a closed pipe ends the session elsewhere
}

func (s *session) maxInspect() int {
	if s.proxy.MaxInspect > 0 {
		return s.proxy.MaxInspect
	}
	return 16 << 20
}

func (s *session) fromClient(r io.Reader) {
	s.lines(r, s.server, func(line []byte) []byte {
		s.rewriter.ClientMessage(bytes.TrimSpace(line))
		return line
	})
}

func (s *session) fromServer(r io.Reader) {
	s.lines(r, s.client, func(line []byte) []byte {
		body := bytes.TrimSpace(line)
		if s.ownAnswer(body) {
			return nil
		}
		out, need := s.rewriter.ServerMessage(body)
		if need != nil {
			// Waiting for the own listing must not block the pump that brings its answer.
			s.rewrites.Add(1)
			go func() {
				defer s.rewrites.Done()
				s.client.write(ended(s.list(need), line))
			}()
			return nil
		}
		if len(out) > 0 && len(body) > 0 && &out[0] == &body[0] {
			return line // untouched, with its own white space
		}
		return ended(out, line)
	})
}

// ended gives a rewritten message the line end of the line that it takes the place of.
func ended(message, line []byte) []byte {
	if bytes.HasSuffix(line, []byte("\r\n")) {
		return append(message[:len(message):len(message)], '\r', '\n')
	}
	return append(message[:len(message):len(message)], '\n')
}

// lines passes lines through a function; one that is longer than maxInspect is copied in pieces without being looked at.
func (s *session) lines(r io.Reader, to *lineWriter, look func([]byte) []byte) {
	reader := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	for {
		piece, err := reader.ReadSlice('\n')
		if len(line)+len(piece) > s.maxInspect() {
			s.pass(reader, to, append(line, piece...), err)
			line = nil
			if err != nil && err != bufio.ErrBufferFull {
				return
			}
			continue
		}
		line = append(line, piece...)
		if err == bufio.ErrBufferFull {
			continue
		}
		if len(line) > 0 {
			if out := look(line); len(out) > 0 {
				to.write(out)
			}
			line = nil // handed on; a rewrite may still hold it
		}
		if err != nil {
			return
		}
	}
}

// pass copies the rest of a long line. The writer is held meanwhile, so that no other line falls into it.
func (s *session) pass(reader *bufio.Reader, to *lineWriter, begun []byte, err error) {
	to.mu.Lock()
	defer to.mu.Unlock()
	to.w.Write(begun)
	for err == bufio.ErrBufferFull {
		var piece []byte
		piece, err = reader.ReadSlice('\n')
		to.w.Write(piece)
	}
}

// list asks the server for its tools and gives the answer to the call that waits.
func (s *session) list(need *ListRequest) []byte {
	timeout := s.proxy.ListTimeout
	if timeout <= 0 {
		timeout = 3 * time.Second
	}
	deadline := time.After(timeout)
	for {
		answers := make(chan []byte, 1)
		s.mu.Lock()
		s.own[need.ID()] = answers
		s.mu.Unlock()
		s.server.write(append(need.Body, '\n'))
		var answer []byte
		select {
		case answer = <-answers:
		case <-deadline:
		}
		s.mu.Lock()
		if answer != nil {
			delete(s.own, need.ID()) // otherwise a late answer must still be kept from the client
		}
		s.mu.Unlock()
		out, more := s.rewriter.Learn(need, answer)
		if more == nil {
			return out
		}
		need = more
	}
}

// ownAnswer takes answers to own requests out of the stream.
func (s *session) ownAnswer(body []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.own) == 0 || !bytes.Contains(body, []byte("fusionctl-")) {
		return false
	}
	id, ok := idOf(body)
	if !ok {
		return false
	}
	answers, ok := s.own[id]
	if !ok {
		return false
	}
	select {
	case answers <- bytes.Clone(body):
	default:
	}
	return true
}
