package proxy

import (
	"bufio"
	"bytes"
	"context"
	"io"
)

// An event is one event of a stream: its lines as they came, and its data.
type event struct {
	raw  []byte
	data []byte
	long bool // longer than may be looked at: raw is only its beginning
}

// nextEvent reads up to the blank line that ends an event.
func nextEvent(r *bufio.Reader, most int64) (e event, err error) {
	for {
		var line []byte
		line, err = r.ReadSlice('\n')
		e.raw = append(e.raw, line...)
		if int64(len(e.raw)) > most {
			e.long = true
			return e, nil
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil || blank(e.raw) {
			break
		}
	}
	for _, line := range bytes.Split(e.raw, []byte("\n")) {
		if data, ok := bytes.CutPrefix(bytes.TrimSuffix(line, []byte("\r")), []byte("data:")); ok {
			if len(e.data) > 0 {
				e.data = append(e.data, '\n')
			}
			e.data = append(e.data, bytes.TrimPrefix(data, []byte(" "))...)
		}
	}
	return e, err
}

func blank(raw []byte) bool {
	return bytes.HasSuffix(raw, []byte("\n\n")) || bytes.HasSuffix(raw, []byte("\n\r\n")) ||
		bytes.Equal(raw, []byte("\n")) || bytes.Equal(raw, []byte("\r\n"))
}

// replace gives the event with other data; its other fields stay.
func (e event) replace(data []byte) []byte {
	var out []byte
	written := false
	for _, line := range bytes.SplitAfter(e.raw, []byte("\n")) {
		if !bytes.HasPrefix(line, []byte("data:")) {
			out = append(out, line...)
			continue
		}
		if !written {
			written = true
			out = append(append(append(out, "data: "...), data...), '\n')
		}
	}
	return out
}

// events passes a stream of events through the rewriter.
func (s *exchange) events(ctx context.Context, body io.ReadCloser) io.ReadCloser {
	out, in := io.Pipe()
	go func() {
		defer body.Close()
		reader := bufio.NewReaderSize(body, 64<<10)
		for {
			e, err := nextEvent(reader, s.proxy.options.MaxAnswer)
			write := e.raw
			if !e.long && len(e.data) > 0 {
				if data, changed := s.rewrite(ctx, e.data); changed {
					write = e.replace(data)
				}
			}
			if _, writeErr := in.Write(write); writeErr != nil {
				return // the client is gone
			}
			if e.long {
				_, err = io.Copy(in, reader) // beyond the bound the rest passes unseen
				in.CloseWithError(err)
				return
			}
			if err != nil {
				if err == io.EOF {
					err = nil
				}
				in.CloseWithError(err)
				return
			}
		}
	}()
	return out
}

// answerIn finds the answer with an id in a stream of events.
func answerIn(r io.Reader, id string) []byte {
	reader := bufio.NewReaderSize(r, 64<<10)
	for {
		e, err := nextEvent(reader, 64<<20)
		if got, ok := idOf(e.data); ok && got == id {
			return e.data
		}
		if err != nil || e.long {
			return nil
		}
	}
}
