package envelope

import "bytes"

var newline = []byte{'\n'}

// Limits bounds the text of one envelope. A zero field means the default; a value below the floor counts as the floor,
// which leaves room for the parts that are never dropped.
type Limits struct {
	Bytes  int // length of the whole text, default 4096, floor 1024
	Lines  int // lines of the whole text, default 64, floor 16
	Issues int // field lines of a validation error, default 10, floor 1
	Value  int // characters of a value that is shown, default 50, floor 8
}

func (l Limits) orDefault() Limits {
	pick := func(n, standard, floor int) int {
		if n == 0 {
			return standard
		}
		return max(n, floor)
	}
	return Limits{Bytes: pick(l.Bytes, 4096, 1024), Lines: pick(l.Lines, 64, 16), Issues: pick(l.Issues, 10, 1), Value: pick(l.Value, 50, 8)}
}

// exceeded reports whether a text breaks a limit on the whole.
func (l Limits) exceeded(text []byte) bool {
	if len(text) > l.Bytes {
		return true
	}
	return bytes.Count(text, newline) >= l.Lines
}
