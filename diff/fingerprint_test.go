package diff_test

import (
	"testing"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// TestFingerprintsDiffer: accepting one change must not accept another.
func TestFingerprintsDiffer(t *testing.T) {
	t.Parallel()
	entry := func(required string) *lockfile.Entry {
		schema, err := canonjson.Decode([]byte(`{"type":"object","properties":{"a":{},"b":{},"c":{}},"required":[` + required + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		return lockfile.EntryOf(map[string]any{"inputSchema": schema})
	}
	d := diff.CompareEntry(lockfile.KindTool, "s", "t", entry(``), entry(`"a","b","c"`), diff.Options{})
	seen := map[string]string{}
	for _, c := range d.Changes {
		if other, ok := seen[c.Fingerprint]; ok {
			t.Errorf("%q and %q have one fingerprint", c.Message, other)
		}
		seen[c.Fingerprint] = c.Message
	}
	if len(d.Changes) < 3 {
		t.Errorf("%d changes, want one for each name", len(d.Changes))
	}
}
