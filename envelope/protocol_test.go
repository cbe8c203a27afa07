package envelope_test

import (
	"testing"

	"github.com/fusionctl/fusionctl/envelope"
)

func TestAsProtocol(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		envelope envelope.Envelope
		uri      string
		code     int
		data     []string // keys of data
	}{
		{envelope.NotFound("No such file"), "file:///a", envelope.RPCInvalidParams, []string{"uri"}},
		{envelope.NotFound("No such file"), "", envelope.RPCInternalError, []string{"code", "envelope"}},
		{envelope.MissingField("id"), "file:///a", envelope.RPCInvalidParams, []string{"code", "envelope", "uri"}},
		{envelope.Conflict("Changed"), "", envelope.RPCInternalError, []string{"code", "envelope"}},
	} {
		got := envelope.AsProtocol(test.envelope, test.uri)
		data, _ := got.Data.(map[string]any)
		if got.Code != test.code || len(data) != len(test.data) {
			t.Errorf("AsProtocol(%v, %q) = %d with %v, want %d with %v", test.envelope, test.uri, got.Code, data, test.code, test.data)
		}
		for _, key := range test.data {
			if _, ok := data[key]; !ok {
				t.Errorf("AsProtocol(%v, %q): data has no %q", test.envelope, test.uri, key)
			}
		}
	}
}
