package proxy

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// FuzzEvents: however a stream is cut, an untouched one comes out as it went in, and a rewritten event stays one event.
func FuzzEvents(f *testing.F) {
	for _, seed := range []string{"data: a\n\n", "data:a\r\rdata: b\r\n\r\n", "\r\n\r", "id: 1\ndata: x\ndata: y\n\n: c\n\n", "data", "\n\n\n", "data: x\r\n\ndata:"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		var datas []string
		body := func(r io.Reader, rewrite func([]byte) []byte) string {
			b := &rewritingBody{Closer: io.NopCloser(nil), events: newEventReader(r), most: 64, rewrite: rewrite}
			out, err := io.ReadAll(b)
			if err != nil {
				t.Fatal(err)
			}
			return string(out)
		}
		same := func(data []byte) []byte { datas = append(datas, string(data)); return nil }
		if got := body(bytes.NewReader(stream), same); got != string(stream) {
			t.Fatalf("%q became %q", stream, got)
		}
		whole := datas
		datas = nil
		if got := body(iotest.OneByteReader(bytes.NewReader(stream)), same); got != string(stream) {
			t.Fatalf("byte by byte, %q became %q", stream, got)
		}
		if len(stream) <= 64 && fmt.Sprintf("%q", whole) != fmt.Sprintf("%q", datas) {
			t.Fatalf("%q: %q at once, %q byte by byte", stream, whole, datas)
		}
		out := body(bytes.NewReader(stream), func([]byte) []byte { return []byte("new") })
		datas = nil
		body(strings.NewReader(out), same)
		if len(stream) <= 64 && len(out) <= 64 && len(datas) != len(whole) {
			t.Fatalf("%q has %d events with data, rewritten %q has %d", stream, len(whole), out, len(datas))
		}
	})
}
