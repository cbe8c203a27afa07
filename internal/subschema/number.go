package subschema

import (
	"encoding/json"
	"math/big"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

func isMultiple(r, of *big.Rat) bool {
	return new(big.Rat).Quo(r, of).IsInt()
}

// lcm of two positive rationals: the least positive number that is an integer multiple of both.
func lcm(a, b *big.Rat) *big.Rat {
	// a = n/d, b = p/q in lowest terms: lcm = lcm(n·q, p·d) / (d·q)
	x := new(big.Int).Mul(a.Num(), b.Denom())
	y := new(big.Int).Mul(b.Num(), a.Denom())
	g := new(big.Int).GCD(nil, nil, x, y)
	n := x.Mul(x, y.Div(y, g))
	return new(big.Rat).SetFrac(n, new(big.Int).Mul(a.Denom(), b.Denom()))
}

// A numberGoal is a set of numbers: an interval, a step of which they are multiples, and what they must not be.
type numberGoal struct {
	lo, hi         *big.Rat // nil: none
	loOpen, hiOpen bool
	step           *big.Rat   // nil: any real
	not            []*big.Rat // not a multiple of
	except         []*big.Rat
}

func (g *numberGoal) atLeast(r *big.Rat, open bool) {
	if g.lo == nil || r.Cmp(g.lo) > 0 || r.Cmp(g.lo) == 0 && open {
		g.lo, g.loOpen = r, open
	}
}

func (g *numberGoal) atMost(r *big.Rat, open bool) {
	if g.hi == nil || r.Cmp(g.hi) < 0 || r.Cmp(g.hi) == 0 && open {
		g.hi, g.hiOpen = r, open
	}
}

func (g *numberGoal) within(r *big.Rat) bool {
	if g.lo != nil {
		if c := r.Cmp(g.lo); c < 0 || c == 0 && g.loOpen {
			return false
		}
	}
	if g.hi != nil {
		if c := r.Cmp(g.hi); c > 0 || c == 0 && g.hiOpen {
			return false
		}
	}
	return true
}

func (g *numberGoal) allowed(r *big.Rat) bool {
	if !g.within(r) || g.step != nil && !isMultiple(r, g.step) {
		return false
	}
	for _, d := range g.not {
		if isMultiple(r, d) {
			return false
		}
	}
	for _, e := range g.except {
		if e.Cmp(r) == 0 {
			return false
		}
	}
	return true
}

// maxTries bounds the candidates that one number goal looks at.
const maxTries = 1 << 14

// solve returns a member that is short to write, or sat false; known is false when the search was cut short.
func (g *numberGoal) solve(spend func(int) bool) (value *big.Rat, sat, known bool) {
	if g.lo != nil && g.hi != nil {
		if c := g.lo.Cmp(g.hi); c > 0 || c == 0 && (g.loOpen || g.hiOpen) {
			return nil, false, true
		}
	}
	if g.step == nil {
		return g.real(spend)
	}
	return g.stepped(spend)
}

// stepped looks at k·step. A run of consecutive k in which each is a multiple of one of q given numbers above 1 is shorter
// than 2^q (Kanold's bound on Jacobsthal's function, applied to one prime factor of each), and every exception costs
// at most one more run, so that finitely many tries prove that there is none.
func (g *numberGoal) stepped(spend func(int) bool) (*big.Rat, bool, bool) {
	for _, d := range g.not {
		if isMultiple(g.step, d) {
			return nil, false, true // every multiple of step is one of d
		}
	}
	lo, hi := floorQuo(g.lo, g.step, true), floorQuo(g.hi, g.step, false)
	if lo != nil && g.loOpen && isMultiple(g.lo, g.step) {
		lo.Add(lo, big.NewInt(1))
	}
	if hi != nil && g.hiOpen && isMultiple(g.hi, g.step) {
		hi.Sub(hi, big.NewInt(1))
	}
	if lo != nil && hi != nil && lo.Cmp(hi) > 0 {
		return nil, false, true
	}
	bound := maxTries + 1
	if len(g.not) < 12 {
		bound = (1<<len(g.not) + 1) * (len(g.except) + 1)
	}
	k, dir := big.NewInt(0), int64(0) // dir 0: both ways from 0
	if lo != nil && lo.Sign() > 0 {
		k, dir = lo, 1
	} else if hi != nil && hi.Sign() < 0 {
		k, dir = hi, -1
	} else {
		bound *= 2
	}
	for i := 0; ; i++ {
		if i > maxTries || i&63 == 63 && !spend(1) {
			return nil, false, false
		}
		c := new(big.Int).Set(k)
		switch dir {
		case 0:
			half := int64(i+1) / 2
			if i%2 == 0 {
				half = -half
			}
			c.SetInt64(half)
			if lo != nil && hi != nil && big.NewInt(-abs64(half)).Cmp(lo) < 0 && big.NewInt(abs64(half)).Cmp(hi) > 0 {
				return nil, false, true
			}
		default:
			c.Add(c, big.NewInt(dir*int64(i)))
			if lo != nil && c.Cmp(lo) < 0 || hi != nil && c.Cmp(hi) > 0 {
				return nil, false, true
			}
		}
		r := new(big.Rat).Mul(new(big.Rat).SetInt(c), g.step)
		if g.allowed(r) {
			return r, true, true
		}
		if i > 2*bound+2 { // a window of bound numbers was seen, or all of the interval
			return nil, false, true
		}
	}
}

func abs64(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}

// floorQuo is r/step rounded down, or up when ceil is set; nil stays nil.
func floorQuo(r, step *big.Rat, ceil bool) *big.Int {
	if r == nil {
		return nil
	}
	q := new(big.Rat).Quo(r, step)
	n := new(big.Int).Div(q.Num(), q.Denom())
	if ceil && !q.IsInt() {
		n.Add(n, big.NewInt(1))
	}
	return n
}

// real looks for a number without a step. An interval of positive length always has one: exceptions and multiples are
// discrete. Candidates get more decimals until one fits.
func (g *numberGoal) real(spend func(int) bool) (*big.Rat, bool, bool) {
	if g.lo != nil && g.hi != nil && g.lo.Cmp(g.hi) == 0 {
		return g.lo, g.allowed(g.lo), true
	}
	ten := big.NewInt(10)
	scale := big.NewInt(1)
	for decimals := 0; decimals < 2*maxExponent; decimals++ {
		if !spend(1) {
			return nil, false, false
		}
		start := new(big.Int)
		unit := new(big.Rat).SetFrac(big.NewInt(1), scale)
		if g.lo != nil && g.lo.Sign() >= 0 {
			start = floorQuo(g.lo, unit, false)
		} else if g.hi != nil && g.hi.Sign() <= 0 {
			start = floorQuo(g.hi, unit, false)
		}
		tries := int64(8 + len(g.except)*2)
		for i := int64(0); i < tries; i++ {
			half := (i + 1) / 2
			if i%2 == 0 {
				half = -half
			}
			r := new(big.Rat).SetFrac(new(big.Int).Add(start, big.NewInt(half)), scale)
			if g.allowed(r) {
				return r, true, true
			}
		}
		scale = new(big.Int).Mul(scale, ten)
	}
	return nil, false, false
}

// toNumber writes r as a JSON number; false when it has no finite decimal form.
func toNumber(r *big.Rat) (json.Number, bool) {
	if r.IsInt() {
		n, err := canonjson.Number(r.Num().String())
		return n, err == nil
	}
	decimals, exact := r.FloatPrec()
	if !exact {
		return "", false
	}
	n, err := canonjson.Number(r.FloatString(decimals))
	return n, err == nil
}
