package diff

import (
	"testing"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/validate"
	"github.com/fusionctl/fusionctl/lockfile"
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

// FuzzCompareServers takes two texts as servers in the shape of the rules' examples: nothing in a definition makes the
// comparison panic, whatever type it has.
func FuzzCompareServers(f *testing.F) {
	for _, r := range Rules() {
		if r.Side == Whole && r.Example.Base != "" {
			f.Add(r.Example.Base, r.Example.Rev)
		}
	}
	for _, c := range wholeCases {
		f.Add(c.base, c.rev)
	}
	f.Fuzz(func(t *testing.T, baseText, revText string) {
		limits := canonjson.Limits{Bytes: 1 << 14, Depth: 40, NumberDigits: 40}
		base, errBase := canonjson.DecodeLimits([]byte(baseText), limits)
		rev, errRev := canonjson.DecodeLimits([]byte(revText), limits)
		b, okBase := base.(map[string]any)
		r, okRev := rev.(map[string]any)
		if errBase != nil || errRev != nil || !okBase || !okRev {
			return
		}
		file := func(m map[string]any) *lockfile.File {
			return &lockfile.File{Servers: map[string]*lockfile.Server{"s": exampleServer(m)}}
		}
		report := Compare(file(b), file(r), Options{})
		same := Compare(file(b), file(b), Options{})
		if len(same.Diffs) != 0 {
			t.Errorf("differs from itself: %s", dump(same))
		}
		seen := map[string]bool{}
		for _, d := range report.Diffs {
			for _, c := range d.Changes {
				key := d.Name + string(d.Kind) + c.Rule + c.Pointer + c.Action + c.Message
				if seen[key] {
					t.Errorf("told twice: %s %s %s", d.Name, c.Rule, c.Message)
				}
				seen[key] = true
			}
		}
	})
}
