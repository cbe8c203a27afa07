package diff

import "fmt"

// causeHint says where to look when no single keyword tells why the verdict is what it is.
func (j *judge) causeHint() string {
	if j.b.sub != nil && j.r.sub != nil && j.b.sub.Dialect() != j.r.sub.Dialect() {
		return fmt.Sprintf("no single keyword tells it: the baseline is read in the dialect %s and the revision in %s, which give some keywords another meaning",
			j.b.sub.Dialect(), j.r.sub.Dialect())
	}
	return "no single keyword tells it: look at what references and definitions lead to"
}
