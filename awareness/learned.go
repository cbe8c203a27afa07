package awareness

import "fmt"

// A standing says how arguments stand to a baseline.
type standing uint8

const (
	unjudged standing = iota // the schema cannot be judged, or accepts them only as far as the gate can tell
	right
	wrong
)

// learned finds the contract that the caller follows: the newest baseline under which the arguments are right, and that is
// not the live contract. Without one it is the newest baseline that differs from the live contract.
func (t *Tool) learned(arguments map[string]any) (p *past, held standing) {
	for _, candidate := range t.pasts {
		if len(candidate.changes()) == 0 {
			continue
		}
		now := candidate.judge(arguments)
		if now == right {
			return candidate, right
		}
		if p == nil {
			p, held = candidate, now
		}
	}
	return p, held
}

// judge asks both readings of the schema: what the gate refuses is surely wrong, what the strict one accepts surely right.
func (p *past) judge(arguments map[string]any) standing {
	gate, err := p.gate()
	if err != nil {
		return unjudged
	}
	if ok, err := gate.Valid(arguments); err != nil {
		return unjudged
	} else if !ok {
		return wrong
	}
	strict, err := p.strict()
	if err != nil || len(strict.Dropped()) > 0 {
		return unjudged
	}
	if ok, err := strict.Valid(arguments); err != nil || !ok {
		return unjudged
	}
	return right
}

// claim words how the arguments stood to the baseline, and what to do first when they were wrong already. Nothing is claimed
// that was not judged.
func (p *past) claim(held standing, first string) string {
	switch {
	case held == right:
		return " These arguments were right under " + p.title() + "."
	case held == wrong && first != "":
		return " These arguments were not right under the earlier contract either: " + first + "."
	case held == wrong:
		return " These arguments were not right under the earlier contract either."
	}
	return ""
}

// title names a baseline: the version that the server had, if it said one.
func (p *past) title() string {
	if version, ok := p.baseline.Info["version"].(string); ok && version != "" {
		return fmt.Sprintf("version %.40q", version)
	}
	return "the earlier contract"
}
