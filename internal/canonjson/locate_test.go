package canonjson

import "testing"

func TestLocate(t *testing.T) {
	t.Parallel()
	text := "{\n  \"a\": [1, {\"b/c\": \"}],\"}],\n  \"\\u0064\": {\"x\": -1.5e3, \"y\": null}\n}\n"
	for _, test := range []struct {
		pointer      string
		line, column int
	}{
		{"", 1, 1}, {"/a", 2, 3}, {"/a/0", 2, 9}, {"/a/1", 2, 12}, {"/a/1/b~1c", 2, 13},
		{"/d", 3, 3}, {"/d/x", 3, 14}, {"/d/y", 3, 27},
		{"/a/2", 0, 0}, {"/b", 0, 0}, {"/a/x", 0, 0}, {"/d/x/y", 0, 0},
	} {
		line, column, ok := Locate([]byte(text), test.pointer)
		if line != test.line || column != test.column || ok != (test.line > 0) {
			t.Errorf("Locate(%q) = %d:%d, %v, want %d:%d", test.pointer, line, column, ok, test.line, test.column)
		}
	}
	for _, broken := range []string{"", "{", `{"a`, `{"a"`, `{"a":`, "[", "[1", `[1,`, "]", "}"} {
		Locate([]byte(broken), "/a/0") // must not panic
		Locate([]byte(broken), "/0/1")
	}
}
