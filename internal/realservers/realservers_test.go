package realservers

import "testing"

func TestPairs(t *testing.T) {
	pairs := Pairs(t)
	if len(pairs) < 10 {
		t.Errorf("%d pairs, want at least 10", len(pairs))
	}
	for _, p := range pairs {
		if p[0].Package != p[1].Package || len(p[0].Server.Tools) == 0 || len(p[1].Server.Tools) == 0 {
			t.Errorf("%s %s → %s: %d and %d tools", p[0].Package, p[0].Version, p[1].Version, len(p[0].Server.Tools), len(p[1].Server.Tools))
		}
	}
}
