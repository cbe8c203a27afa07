package envelope

import "fmt"

// Severity says how bad a [ToolError] is. The zero value is SeverityError.
type Severity uint8

const (
	SeverityError    Severity = iota // the call failed
	SeverityWarning                  // the call succeeded, and the model should know something
	SeverityCritical                 // the call failed, and so will others until someone acts
)

var severityNames = [...]string{"error", "warning", "critical"}

// String returns the name as it stands in an envelope.
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return "error"
}

// MarshalText writes the name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a name.
func (s *Severity) UnmarshalText(text []byte) error {
	for i, name := range severityNames {
		if name == string(text) {
			*s = Severity(i)
			return nil
		}
	}
	return fmt.Errorf("severity %q: want error, warning or critical", text)
}
