package diff

import (
	"testing"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/validate"
)

// FuzzCompare takes two texts as schemas: no input panics or hangs, a report is in order, and each witness separates.
func FuzzCompare(f *testing.F) {
	for _, c := range readCases(f) {
		if c.kind == "input" || c.kind == "output" {
			f.Add(string(canonjson.Append(nil, c.base)), string(canonjson.Append(nil, c.rev)))
		}
	}
	for _, c := range inputCases {
		f.Add(c.base, c.rev)
	}
	f.Fuzz(func(t *testing.T, baseText, revText string) {
		limits := canonjson.Limits{Bytes: 1 << 14, Depth: 40, NumberDigits: 40}
		base, err := canonjson.DecodeLimits([]byte(baseText), limits)
		if err != nil {
			return
		}
		rev, err := canonjson.DecodeLimits([]byte(revText), limits)
		if err != nil {
			return
		}
		for _, side := range []Side{Input, Output} {
			d := compareAs(side, base, rev)
			for i, c := range d.Changes {
				if i > 0 && compareChanges(d.Changes[i-1], c) > 0 {
					t.Errorf("%s stands before %s", d.Changes[i-1].Rule, c.Rule)
				}
				if _, ok := Lookup(c.Rule); !ok || c.Message == "" || c.Fingerprint == "" {
					t.Errorf("incomplete change %+v", c)
				}
				if c.Witness == nil {
					continue
				}
				b, errB := validate.Compile(base, validate.Options{ECMAPatterns: true})
				r, errR := validate.Compile(rev, validate.Options{ECMAPatterns: true})
				if errB != nil || errR != nil {
					continue
				}
				inBase, errB := b.Valid(c.Witness.Value)
				inRev, errR := r.Valid(c.Witness.Value)
				if errB == nil && errR == nil && inBase == inRev {
					t.Errorf("%s: the witness %s does not separate", c.Rule, show(c.Witness.Value))
				}
			}
		}
	})
}
