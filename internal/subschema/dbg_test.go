package subschema

import (
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"math/rand"
	"os"
	"strconv"
	"testing"
)

func TestDbg(t *testing.T) {
	seed, _ := strconv.ParseInt(os.Getenv("SEED"), 10, 64)
	g := &generator{Rand: rand.New(rand.NewSource(seed))}
	g.dialect = randomDialects[g.Intn(len(randomDialects))]
	a := g.root(1 + g.Intn(3))
	var b any = g.mutate(a)
	switch g.Intn(6) {
	case 0:
		b = g.root(2)
	case 1, 2:
		b = g.mutate(b)
	}
	t.Log(g.dialect)
	t.Log(string(canonjson.Append(nil, a)))
	t.Log(string(canonjson.Append(nil, b)))
	p, _ := Compile(a, g.dialect)
	c, _ := Compile(b, g.dialect)
	for _, st := range []bool{true, false} {
		r := Decide(p, c, Options{Strict: st, Steps: 20000})
		t.Log(r, string(canonjson.Append(nil, r.Witness)))
	}
}
