package diff

import "fmt"

// Severity says how bad a change is. The list is closed; the worst has the highest number.
type Severity uint8

// The severities, from harmless to worst.
const (
	None     Severity = iota // nothing changed
	Cosmetic                 // another spelling of the same contract
	Safe                     // real and compatible
	Risky                    // still accepted, but meaning, permission or text for the model changed, or undecided
	Breaking                 // a call or a reader that was right before fails now, or is silently misunderstood
)

var severityNames = [...]string{None: "NONE", Cosmetic: "COSMETIC", Safe: "SAFE", Risky: "RISKY", Breaking: "BREAKING"}

// String is the severity in capital letters, "BREAKING".
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return fmt.Sprintf("Severity(%d)", uint8(s))
}

// MarshalText writes the severity as String does.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (s *Severity) UnmarshalText(text []byte) error {
	for i, name := range severityNames {
		if name == string(text) {
			*s = Severity(i)
			return nil
		}
	}
	return fmt.Errorf("severity %q: want BREAKING, RISKY, SAFE, COSMETIC or NONE", text)
}
