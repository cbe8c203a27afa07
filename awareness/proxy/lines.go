package proxy

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"sync"

	"github.com/fusionctl/fusionctl/awareness"
)

// A session is one run of a server.
type session struct {
	proxy          *Stdio
	rewriter       *Rewriter
	server, client *lineWriter
	listing        context.Context // ends when the server does
	waiting        sync.WaitGroup  // for answers that are held back
	observed       chan struct{}   // closed when the last call that was only observed is; of the pump of the server's messages

	mu   sync.Mutex
	own  map[string]chan []byte // answers to own requests, by id; of those that came too late as well
	held int                    // answers held back
}

// Bounds of what is held back and asked for; beyond them answers pass untouched.
const (
	maxWaiting = 64
	maxOwn     = 1000
)

// A lineWriter writes whole lines from several goroutines.
type lineWriter struct {
	mu     sync.Mutex
	w      io.Writer
	broken func() // called when a write fails; may be nil
}

func (l *lineWriter) write(line []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.writeLocked(line)
}

func (l *lineWriter) writeLocked(line []byte) error {
	_, err := l.w.Write(line)
	if err != nil && l.broken != nil {
		l.broken()
	}
	return err
}

// busy reports whether a write is under way.
func (l *lineWriter) busy() bool {
	if l.mu.TryLock() {
		l.mu.Unlock()
		return false
	}
	return true
}

func (s *session) fromClient(r io.Reader) {
	s.lines(r, s.server, func(line []byte) {
		s.rewriter.ClientMessage(line)
		s.server.write(line)
	})
}

func (s *session) fromServer(r io.Reader) {
	s.lines(r, s.client, func(line []byte) {
		if s.ownAnswer(line) {
			return
		}
		out, wait := s.rewriter.ServerMessage(line)
		switch {
		case wait != nil && s.hold():
			s.resolve(wait, bytes.Clone(line))
		case wait != nil && wait.answer == nil: // many at once; each is counted
			s.client.write(line)
			s.rewriter.succeeded(wait.call)
		case out != nil:
			s.client.write(ended(out, line))
		default:
			s.client.write(line)
		}
	})
}

func (s *session) hold() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held >= maxWaiting {
		return false
	}
	s.held++
	return true
}

// resolve answers when the tools are listed. It must not block the pump that brings the list.
func (s *session) resolve(wait *Waiting, line []byte) {
	observe := s.proxy.Hook.Mode() == awareness.Observe
	if observe {
		s.client.write(line) // nothing will change, so nothing waits
	}
	before, done := s.observed, make(chan struct{})
	if observe { // one after the other, so that the events come in the order of the answers
		s.observed = done
	}
	s.waiting.Go(func() {
		defer close(done)
		if observe && before != nil {
			<-before
		}
		ctx, cancel := context.WithTimeout(s.listing, or(s.proxy.ListTimeout, defaultListTimeout))
		defer cancel()
		out := s.rewriter.Resolve(ctx, wait, s.ask)
		switch {
		case observe:
		case out != nil:
			s.client.write(ended(out, line))
		default:
			s.client.write(line)
		}
		s.mu.Lock()
		s.held--
		s.mu.Unlock()
	})
}

// ended gives a rewritten message the line end of the line that it takes the place of.
func ended(message, line []byte) []byte {
	switch {
	case bytes.HasSuffix(line, []byte("\r\n")):
		return append(message, '\r', '\n')
	case bytes.HasSuffix(line, []byte("\n")):
		return append(message, '\n')
	}
	return message
}

// ask is an Ask.
func (s *session) ask(ctx context.Context, id string, request []byte) []byte {
	answers := make(chan []byte, 1)
	s.mu.Lock()
	if len(s.own) >= maxOwn {
		s.mu.Unlock()
		return nil
	}
	s.own[id] = answers
	s.mu.Unlock()
	broken := make(chan struct{})
	go func() { // a server that does not read must not hold the answer back; the end of the session ends the write
		if s.server.write(append(request, '\n')) != nil {
			close(broken)
		}
	}()
	select {
	case answer := <-answers:
		s.mu.Lock()
		delete(s.own, id) // not before: a late answer must be kept from the client too
		s.mu.Unlock()
		return answer
	case <-ctx.Done():
	case <-broken:
	}
	return nil
}

// ownAnswer takes answers to own requests out of the stream.
func (s *session) ownAnswer(line []byte) bool {
	answers := s.ownRequest(line)
	if answers == nil {
		return false
	}
	select {
	case answers <- bytes.Clone(line):
	default: // a second answer
	}
	return true
}

func (s *session) ownRequest(line []byte) chan []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.own) == 0 || !bytes.Contains(line, []byte(s.rewriter.catalog.token)) {
		return nil
	}
	m, ok := readHead(line)
	if !ok || m.method != nil {
		return nil
	}
	return s.own[string(plainText(m.id))]
}

// maxKept is how large a buffer for a line may be to be used again.
const maxKept = 1 << 20

// lines passes lines through a function, which keeps nothing of them; one that is longer than MaxInspect is copied in
// pieces without being looked at.
func (s *session) lines(r io.Reader, to *lineWriter, pass func(line []byte)) {
	most := or(s.proxy.MaxInspect, defaultInspect)
	reader := bufio.NewReaderSize(r, 64<<10)
	var begun []byte // a line that does not fit the reader
	for {
		piece, err := reader.ReadSlice('\n')
		switch {
		case len(begun)+len(piece) > most:
			err = copyLine(reader, to, begun, piece, err)
			begun = nil
		case err == bufio.ErrBufferFull:
			begun = append(begun, piece...)
			continue
		case len(begun) > 0:
			begun = append(begun, piece...)
			pass(begun)
			if begun = begun[:0]; cap(begun) > maxKept {
				begun = nil
			}
		case len(piece) > 0:
			pass(piece)
		}
		if err != nil {
			return
		}
	}
}

// copyLine copies a long line. The writer is held meanwhile, so that no other line falls into it.
func copyLine(reader *bufio.Reader, to *lineWriter, begun, piece []byte, err error) error {
	to.mu.Lock()
	defer to.mu.Unlock()
	to.writeLocked(begun)
	to.writeLocked(piece)
	for err == bufio.ErrBufferFull {
		piece, err = reader.ReadSlice('\n')
		to.writeLocked(piece)
	}
	return err
}
