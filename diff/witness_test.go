package diff

import "testing"

// A branch of a choice has the reason that a reader looks for, not that no branch fits.
func TestReasonInsideOfAChoice(t *testing.T) {
	const head, tail = `{"type":"object","required":["action"],"properties":{"action":{"enum":["list","get"]}},"oneOf":[
		{"properties":{"action":{"const":"list"},"limit":{"type":"integer","maximum":`, `}}},
		{"properties":{"action":{"const":"get"},"id":{"type":"string"}},"required":["id"]}]}`
	d := compareAs(Input, decode(t, head+"100"+tail), decode(t, head+"50"+tail))
	if len(d.Changes) != 1 || d.Changes[0].Witness == nil {
		t.Fatalf("%+v, want one change with a witness", d.Changes)
	}
	if got, want := d.Changes[0].Witness.Reason, `"limit" is 51, want at most 50`; got != want {
		t.Errorf("reason %q, want %q", got, want)
	}
}
