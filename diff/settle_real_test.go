package diff_test

import (
	"testing"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/realservers"
	"github.com/fusionctl/fusionctl/lockfile"
)

// TestRealPointersLead: each pointer of a change between published versions leads somewhere in one of the two.
func TestRealPointersLead(t *testing.T) {
	for _, pair := range realservers.Pairs(t) {
		base, rev := pair[0].File(), pair[1].File()
		for _, d := range diff.Compare(base, rev, diff.Options{}).Diffs {
			for _, c := range d.Changes {
				ok := c.Pointer == "" || d.Kind == lockfile.KindServer
				for _, f := range []*lockfile.File{base, rev} {
					if e := f.Servers[d.Server].Entries(d.Kind)[d.Name]; e != nil && !ok {
						_, ok = canonjson.Lookup(any(e.Fields()), c.Pointer)
					}
				}
				if !ok {
					t.Errorf("%s %s: %s leads nowhere: %s", pair[0].Package, d.Name, c.Pointer, c.Message)
				}
			}
		}
	}
}
