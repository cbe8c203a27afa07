package proxy

import (
	"bufio"
	"bytes"
	"io"
)

// An event is one event of a stream: its lines as they came, and its data.
type event struct {
	raw  []byte
	long bool // longer than may be looked at: raw is only its beginning
}

// An eventReader cuts a stream into events. A line may end with LF, CR LF or CR alone; a blank one ends an event. It never
// waits for the byte after a CR: an LF that follows stands at the beginning of the next event.
type eventReader struct {
	r       *bufio.Reader
	afterCR bool
}

func newEventReader(r io.Reader) *eventReader {
	return &eventReader{r: bufio.NewReaderSize(r, 64<<10)}
}

// next reads an event. At the end of the stream it gives what is left, with the error.
func (e *eventReader) next(most int) (event, error) {
	var raw []byte
	lineStart := true
	for {
		if _, err := e.r.Peek(1); err != nil {
			return event{raw: raw}, err
		}
		chunk, _ := e.r.Peek(e.r.Buffered())
		n, done := e.scan(chunk, &lineStart)
		raw = append(raw, chunk[:n]...)
		e.r.Discard(n)
		if done {
			return event{raw: raw}, nil
		}
		if len(raw) > most {
			return event{raw: raw, long: true}, nil
		}
	}
}

// scan gives how much of a chunk belongs to the event, and whether the event ends there.
func (e *eventReader) scan(chunk []byte, lineStart *bool) (n int, done bool) {
	for i, c := range chunk {
		second := e.afterCR && c == '\n'
		e.afterCR = c == '\r'
		switch {
		case second: // belongs to the CR before it
		case c != '\n' && c != '\r':
			*lineStart = false
		case *lineStart:
			return i + 1, true
		default:
			*lineStart = true
		}
	}
	return len(chunk), false
}

// eventLines cuts an event into lines with their ends.
func eventLines(raw []byte, f func(text, end []byte)) {
	for len(raw) > 0 {
		i := bytes.IndexAny(raw, "\r\n")
		if i < 0 {
			f(raw, nil)
			return
		}
		n := i + 1
		if raw[i] == '\r' && n < len(raw) && raw[n] == '\n' {
			n++
		}
		f(raw[:i], raw[i:n])
		raw = raw[n:]
	}
}

var dataField = []byte("data:")

// data is the data of the event, as the standard joins it.
func (e event) data() []byte {
	var data []byte
	found := false
	eventLines(e.raw, func(text, _ []byte) {
		if value, ok := bytes.CutPrefix(text, dataField); ok {
			if found {
				data = append(data, '\n')
			}
			found = true
			data = append(data, bytes.TrimPrefix(value, []byte(" "))...)
		}
	})
	return data
}

// replace gives the event with other data, of one line; its other fields stay.
func (e event) replace(data []byte) []byte {
	var out []byte
	written := false
	eventLines(e.raw, func(text, end []byte) {
		switch {
		case !bytes.HasPrefix(text, dataField):
			out = append(append(out, text...), end...)
		case !written:
			written = true
			out = append(append(append(out, "data: "...), data...), end...)
		}
	})
	return out
}

// A rewritingBody is the body of an answer that is a stream of events.
type rewritingBody struct {
	io.Closer
	events  *eventReader
	most    int
	rewrite func(data []byte) []byte // nil: unchanged
	left    []byte                   // not read yet
	err     error
	plain   bool // an event was too long: the rest passes unseen
}

func (b *rewritingBody) Read(p []byte) (int, error) {
	for len(b.left) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		if b.plain {
			return b.events.r.Read(p)
		}
		e, err := b.events.next(b.most)
		b.left, b.err, b.plain = e.raw, err, e.long
		if e.long {
			continue
		}
		if data := e.data(); len(data) > 0 {
			if out := b.rewrite(data); out != nil {
				b.left = e.replace(out)
			}
		}
	}
	n := copy(p, b.left)
	b.left = b.left[n:]
	return n, nil
}

// answerIn finds the answer with an id in a stream of events.
func answerIn(r io.Reader, id string, most int) []byte {
	events := newEventReader(r)
	for {
		e, err := events.next(most)
		data := e.data()
		if m, ok := readHead(data); ok && m.method == nil && string(plainText(m.id)) == id {
			return data
		}
		if err != nil || e.long {
			return nil
		}
	}
}
