package canonjson

import "testing"

func TestNumber(t *testing.T) {
	for in, want := range map[string]string{
		"1": "1", "1.0": "1", "1e0": "1", "-0": "0", "0.0": "0", "100": "100", "1e2": "100", "0.1": "0.1", "-1.50": "-1.5",
		"9007199254740993": "9007199254740993", "1e21": "1e+21", "1e20": "100000000000000000000", "0.000001": "0.000001",
		"1e-7": "1e-7", "123e-9": "1.23e-7", "1e1000001": "1e+1000001", "0e99999999999": "0",
	} {
		if got, err := Number(in); err != nil || string(got) != want {
			t.Errorf("Number(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", "-", "01", "1.", ".5", "1e", "+1", "1 ", "1e99999999999"} {
		if got, err := Number(in); err == nil {
			t.Errorf("Number(%q) = %q, want an error", in, got)
		}
	}
}

func TestDecode(t *testing.T) {
	v, err := Decode([]byte(` {"b":[1.0,true,null,"a\u00e9\ud83d\ude00<"], "a":{}} `))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(Append(nil, v)), `{"a":{},"b":[1,true,null,"aé😀<"]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
