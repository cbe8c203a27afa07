package proxy

import "testing"

func TestIDsThatAreTheSame(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sent, answered string
		same           bool
	}{
		{"1", "1", true}, {"1.0", "1", true}, {"1.00", "1", true}, {"1.5", "1", false}, {"10", "1", false},
		{`"1.0"`, `"1"`, false}, {`"1"`, "1", false}, {"1.", "1", false}, {`"a\/b"`, `"a/b"`, true},
	} {
		if same := string(idKey([]byte(c.sent))) == string(idKey([]byte(c.answered))); same != c.same {
			t.Errorf("%s and %s: the same id %v, want %v", c.sent, c.answered, same, c.same)
		}
	}
}
