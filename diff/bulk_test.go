package diff

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestValuesOfManyChangesAreBounded(t *testing.T) {
	names := make([]string, 3000)
	for i := range names {
		names[i] = fmt.Sprintf(`"name_of_an_argument_%d"`, i)
	}
	base := decode(t, `{"type":"object"}`)
	rev := decode(t, `{"type":"object","required":[`+strings.Join(names, ",")+`]}`)
	d := compareAs(Input, base, rev)
	if len(d.Changes) < len(names) {
		t.Fatalf("%d changes, want one for each of %d names", len(d.Changes), len(names))
	}
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	if most := 3*maxBulk + 1000*len(d.Changes); len(data) > most {
		t.Errorf("%d bytes, want at most %d", len(data), most)
	}
	shown, left := 0, 0
	for _, c := range d.Changes {
		if c.After != nil {
			shown++
		} else if strings.Contains(c.Hint, "left out") {
			left++
		}
	}
	if shown == 0 || left == 0 || shown+left < len(names) {
		t.Errorf("%d changes show their values and %d say that they do not, of %d", shown, left, len(d.Changes))
	}
}
