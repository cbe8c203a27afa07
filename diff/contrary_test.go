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
		{"archive_user", "unarchive_user", true}, {"encrypt_file", "decrypt_file", true}, {"publish_post", "unpublish_post", true},
		{"get_user", "ban_user", true}, {"read_file", "truncate_file", true}, {"file_info", "file_delete", true}, {"preview_order", "submit_order", true},
		{"upload_file", "download_file", true}, {"toCelsius", "toFahrenheit", true}, {"mute", "unmute", true}, {"user_info", "user_reset", true},
		{"timeout_seconds", "timeout_ms", true}, {"size_kb", "size_bytes", true}, {"use_cache", "no_cache", true}, {"password", "label", true},
		{"include_deleted", "exclude_deleted", true}, {"import_data", "export_data", true},
		{"search", "run_search", false}, {"create_issue", "issue_write", false}, {"send_message", "post_message", false},
		{"export_invoices", "download_invoices", false}, {"delete_list", "create_list", true}, {"get_list", "delete_list", true},
		{"timeout_sec", "timeout_seconds", false}, {"pageToken", "page_token", false}, {"list_users", "get_users", false},
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

// TestSuccessors: what a report guesses for a person is acted on by a model only when it is certain enough.
func TestSuccessors(t *testing.T) {
	tool := func(name, annotations string) string {
		return `"` + name + `":{"description":"Work on one user by its number","annotations":{` + annotations + `},
			"inputSchema":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}}`
	}
	server := func(tools ...string) string { return `{"tools":{` + strings.Join(tools, ",") + `}}` }
	argument := func(name, schema string) string {
		return `{"tools":{"t":{"inputSchema":{"type":"object","properties":{"q":{"type":"string"},"` + name + `":` + schema + `},"required":["q"]}}}}`
	}
	const readOnly = `"readOnlyHint":true`
	for _, c := range []struct {
		name, base, rev string
		want            string
		hint            string // a part of it, "" for none about a rename
	}{
		{"plain", server(tool("fetch_user", "")), server(tool("get_user", "")), "get_user", "renamed to"},
		{"two fit alike", server(tool("user_find", "")), server(tool("user_find_a", ""), tool("user_find_b", "")), "user_find_a,user_find_b", `"user_find_a" or "user_find_b"`},
		{"two for two", server(tool("get_red_user", ""), tool("get_blue_user", "")), server(tool("fetch_red_user", ""), tool("fetch_blue_user", "")), "fetch_blue_user;fetch_red_user", "renamed to"},
		{"an effect is gained", server(tool("user_work", "")), server(tool("user_work_delete", "")), "", "renamed to"},
		{"may write now", server(tool("user_a", readOnly)), server(tool("user_b", "")), "", "renamed to"},
		{"two became one", server(tool("list_users", ""), tool("list_teams", "")), server(tool("list_groups", "")), "", "renamed to"},
		{"reads as before", server(tool("user_a", readOnly)), server(tool("user_b", readOnly)), "user_b", "renamed to"},
		{"another unit", argument("timeout_seconds", `{"type":"integer"}`), argument("timeout_ms", `{"type":"integer"}`), "", ""},
		{"a unit is told", argument("timeout", `{"type":"integer"}`), argument("timeout_ms", `{"type":"integer"}`), "", "renamed to"},
		{"only the type is equal", argument("verbose", `{"type":"boolean"}`), argument("strict", `{"type":"boolean"}`), "", ""},
		{"the values are equal", argument("state", `{"enum":["a","b"]}`), argument("phase", `{"type":"string","enum":["a","b"]}`), "phase", "renamed to"},
	} {
		var got []string
		hint := ""
		for _, d := range Compare(oneServer(t, c.base), oneServer(t, c.rev), Options{}).Diffs {
			for _, change := range d.Changes {
				if len(change.Successors) > 0 {
					got = append(got, strings.Join(change.Successors, ","))
				}
				if strings.Contains(change.Hint, "likely renamed to") {
					hint += change.Hint
				}
			}
		}
		if strings.Join(got, ";") != c.want || !strings.Contains(hint, c.hint) || c.hint == "" && hint != "" {
			t.Errorf("%s: successors %q, want %q; hint %q, want %q", c.name, strings.Join(got, ";"), c.want, hint, c.hint)
		}
	}
}
