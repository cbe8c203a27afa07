package mcpgo

import (
	"bytes"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
)

// Handler wraps the handler of the Streamable HTTP transport (server.NewStreamableHTTPServer) so that corrected
// answers get through, as JSON and in event streams.
func Handler(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, l := withLedger(r.Context())
		version := r.Header.Get(mcp.HeaderProtocolVersion)
		answer := &answerWriter{ResponseWriter: w, ledger: l, modern: mcp.IsModernProtocol(version)}
		defer answer.sendStatus(0)
		next := http.ResponseWriter(answer)
		if f, ok := w.(http.Flusher); ok {
			next = flushingWriter{answer, f}
		}
		h.ServeHTTP(next, r.WithContext(ctx))
	})
}

// answerWriter corrects the bodies of answers. The SDK writes each message, and each event, with one call.
type answerWriter struct {
	http.ResponseWriter
	ledger *ledger
	modern bool
	status int // held back until the body is known, since revision 2026-07-28 derives it from the code; 0 when none is
}

// Unwrap is for http.ResponseController, with which the SDK sets deadlines.
func (w *answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *answerWriter) WriteHeader(status int) {
	if w.ledger.waiting.Load() > 0 && w.status == 0 {
		w.status = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

// sendStatus sends the status that was held back, or the other one if that is not 0.
func (w *answerWriter) sendStatus(other int) {
	if w.status == 0 {
		return
	}
	if other == 0 {
		other = w.status
	}
	w.status = 0
	w.ResponseWriter.WriteHeader(other)
}

func (w *answerWriter) Write(p []byte) (int, error) {
	before, message, after := split(p)
	corrected, c := w.ledger.correct(message)
	if c == nil {
		w.sendStatus(0)
		return w.ResponseWriter.Write(p)
	}
	if w.modern && len(before) == 0 {
		w.sendStatus(statusOf(c))
	} else {
		w.sendStatus(0)
	}
	out := append(append(append(make([]byte, 0, len(p)), before...), corrected...), after...)
	if _, err := w.ResponseWriter.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// split finds the message in one write: the JSON itself, or the data line of an event.
func split(p []byte) (before, message, after []byte) {
	start := 0
	if i := bytes.Index(p, []byte("\ndata: ")); i >= 0 && !bytes.HasPrefix(p, []byte("{")) {
		start = i + len("\ndata: ")
	}
	end := len(p)
	if i := bytes.IndexByte(p[start:], '\n'); i >= 0 {
		end = start + i
	}
	return p[:start], p[start:end], p[end:]
}

// statusOf is the HTTP status that the SDK gives an answer from revision 2026-07-28 on.
func statusOf(c *correction) int {
	if c.protocol == nil {
		return http.StatusOK
	}
	switch c.protocol.Code {
	case mcp.METHOD_NOT_FOUND:
		return http.StatusNotFound
	case mcp.INVALID_REQUEST, mcp.INVALID_PARAMS, mcp.PARSE_ERROR:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// flushingWriter is an answerWriter that can stream: the SDK asks for the interface.
type flushingWriter struct {
	*answerWriter
	flusher http.Flusher
}

func (w flushingWriter) Flush() {
	w.sendStatus(0)
	w.flusher.Flush()
}
