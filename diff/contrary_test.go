package diff

import (
	"strings"
	"testing"
)

func TestContrary(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"delete_user", "create_user", true}, {"getUser", "deleteUser", true}, {"lock-door", "unlock-door", true},
		{"endRef", "startTarget", true}, {"min_price", "max_price", true}, {"from", "to", true}, {"asc", "desc", true},
		{"delete_user", "remove_user", false}, {"getUser", "fetchUser", false}, {"user_get", "user", false}, {"startRef", "startTarget", false},
		{"start_end", "end_start", false}, {"", "", false}, {"old_name", "name", false}, {"get2", "delete2", true},
	} {
		if Contrary(c.a, c.b) != c.want || Contrary(c.b, c.a) != c.want {
			t.Errorf("Contrary(%q, %q) is not %v both ways", c.a, c.b, c.want)
		}
	}
}

// TestNoContraryRename: no guess leads from one thing to its contrary, however alike the two are otherwise.
func TestNoContraryRename(t *testing.T) {
	tool := func(name string) string {
		return `{"tools":{"` + name + `":{"description":"Work on one user by ID","inputSchema":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}},
			"stays":{"inputSchema":{"type":"object"}}}}`
	}
	argument := func(names ...string) string {
		return `{"tools":{"drag":{"inputSchema":{"type":"object","properties":{"` + names[0] + `":{"type":"string"},"` + names[1] + `":{"type":"string"}},
			"required":["` + names[0] + `","` + names[1] + `"]}}}}`
	}
	value := func(name string) string {
		return `{"tools":{"t":{"inputSchema":{"type":"object","properties":{"order":{"enum":["none","` + name + `"]}}}}}}`
	}
	prompt := func(name string) string {
		return `{"prompts":{"p":{"arguments":[{"name":"` + name + `","required":true}]}}}`
	}
	for _, c := range []struct{ base, rev, want, never string }{
		{tool("delete_user"), tool("create_user"), "", "renamed to"},
		{tool("delete_user"), tool("remove_user"), `renamed to "remove_user"`, ""},
		{argument("endRef", "startRef"), argument("endTarget", "startTarget"), `renamed to "endTarget"`, `"endRef" was removed and "startTarget"`},
		{value("asc"), value("desc"), "", "new name"},
		{value("asc"), value("ascending"), `new name of "asc"`, ""},
		{prompt("from"), prompt("to"), "", "renamed to"},
	} {
		text := dump(Compare(oneServer(t, c.base), oneServer(t, c.rev), Options{}))
		if !strings.Contains(text, c.want) || c.never != "" && strings.Contains(text, c.never) {
			t.Errorf("want %q, never %q in\n%s", c.want, c.never, text)
		}
	}
}
