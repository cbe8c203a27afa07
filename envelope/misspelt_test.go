package envelope

import "testing"

// What is said of a name that was meant is true of its value, too.
func TestMeantName(t *testing.T) {
	t.Parallel()
	properties := js(`{"properties":{
		"tag_list":{"type":"array"},"userId":{"type":"string"},"mode":{"enum":["fast","slow"]},"limit":{"type":"integer","minimum":1,"maximum":9},
		"title":{"type":"string","maxLength":3},"link":{"type":"string","format":"uri"},"other":{"$ref":"#/$defs/x"},"anything":{},
		"exclude_deleted":{"type":"boolean"},"x":{"type":"string"},"y":{"type":"string"},"line2":{"type":"string"},"secret_key":{"const":"k1"}}}`).(map[string]any)
	var known []string
	for _, name := range sortedKeys(properties["properties"].(map[string]any)) {
		known = append(known, name)
	}
	undeclared := func(name, object string) Issue {
		is := undeclaredName("", name, object, known...)
		is.Schema = properties
		return is
	}
	for _, c := range []struct{ name, object, want string }{
		{"user_id", `{"user_id":"7"}`, "Expected the name 'userId' with the same value."},
		{"userid", `{"userid":7}`, "Expected the name 'userId' if that was meant, and there a string."},
		{"taglist", `{"taglist":"a"}`, "Expected the name 'tag_list' if that was meant, and there a list."},
		{"modes", `{"modes":"fast"}`, "Expected the name 'mode' with the same value."},
		{"modes", `{"modes":"medium"}`, "Expected the name 'mode' if that was meant, and there one of 'fast', 'slow'."},
		{"limits", `{"limits":9}`, "Expected the name 'limit' with the same value."},
		{"limits", `{"limits":10}`, "Expected the name 'limit' if that was meant, and there a whole number from 1 to 9."},
		{"limits", `{"limits":1.5}`, "Expected the name 'limit' if that was meant, and there a whole number from 1 to 9."},
		{"titel", `{"titel":"abcd"}`, "Expected the name 'title' if that was meant, and there a string of at most 3 characters."},
		{"links", `{"links":"x"}`, "Expected the name 'link' if that was meant, and there an absolute URI such as https://example.com/path."},
		{"others", `{"others":"x"}`, "Expected the name 'other' if that was meant."},
		{"any_thing", `{"any_thing":[1]}`, "Expected the name 'anything' with the same value."},
		{"include_deleted", `{"include_deleted":true}`, "Expected the name 'exclude_deleted' if that was meant."},
		{"line1", `{"line1":"x"}`, "Expected the name 'line2' if that was meant."},
		{"secretkey", `{"secretkey":"x"}`, "Expected the name 'secret_key' if that was meant."},
		{"a", `{"a":"x"}`, "Expected one of the names 'anything', 'exclude_deleted', 'limit', 'line2', 'link', 'mode', 'other', 'secret_key' and 5 more: leave this name out."},
	} {
		if got, want := lines(undeclared(c.name, c.object)), c.name+": Unknown name. You sent: '"+c.name+"'. "+c.want; got != want {
			t.Errorf("%s:\n got %s\nwant %s", c.object, got, want)
		}
	}
	for _, c := range []struct {
		issues []Issue
		want   string
	}{
		{[]Issue{lacks("", "userId", `{"type":"string"}`), undeclared("user_id", `{"user_id":"7"}`)},
			"user_id: Unknown name. You sent: 'user_id'. Expected the required name 'userId' with the same value."},
		{[]Issue{lacks("", "userId", `{"type":"string"}`), undeclared("id", `{"id":7}`)},
			"userId: Required field missing. You sent: nothing. Expected a string.\n" +
				"id: Unknown name. You sent: 'id'. Expected one of the names 'anything', 'exclude_deleted', 'limit', 'line2', 'link', 'mode', 'other', 'secret_key' and 5 more: leave this name out."},
		{[]Issue{lacks("", "userId", `{"type":"string"}`), undeclared("user", `{"user":"7"}`)},
			"user: Unknown name. You sent: 'user'. Expected the required name 'userId', with this value if that was meant."},
		{[]Issue{undeclared("limit_", `{"limit_":1,"limits":1}`), undeclared("limits", `{"limit_":1,"limits":1}`)}, // no two for one
			"limit_: Unknown name. You sent: 'limit_'. Expected the name 'limit' with the same value.\n" +
				"limits: Unknown name. You sent: 'limits'. Expected one of the names 'anything', 'exclude_deleted', 'limit', 'line2', 'link', 'mode', 'other', 'secret_key' and 5 more: leave this name out."},
	} {
		if got := lines(c.issues...); got != c.want {
			t.Errorf("\n got %s\nwant %s", got, c.want)
		}
	}
}
