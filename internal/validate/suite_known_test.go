package validate

import (
	"slices"
	"strings"
	"testing"
)

// knownRefused lists the groups of the suite whose schema does not compile, as wanted, by a part of the name, with the
// number of groups and the kind of error.
var knownRefused = []struct {
	part  string
	count int
	kind  error
	why   string
}{
	{"draft7/official/refRemote.json", 11, ErrRef, "no document is loaded"},
	{"draft2020-12/official/refRemote.json", 15, ErrRef, "no document is loaded"},
	{"draft2020-12/official/dynamicRef.json", 5, ErrRef, "no document is loaded"},
	{"draft2019-09/derived/dynamicRef.json", 1, ErrRef, "no document is loaded"},
	{"draft2020-12/extra/vocabulary.json", 2, ErrDialect, "dialects of one's own are not supported"},
	{"draft2020-12/extra6/vocabulary.json", 1, ErrDialect, "dialects of one's own are not supported"},
	{"draft2020-12/extra6/mixed-dialects.json: subschema", 1, ErrDialect, "one dialect per document"},
	{"draft2020-12/extra6/mixed-dialects.json: draft4", 1, ErrDialect, "one dialect per document"},
	{"draft4/extra6/mixed-dialects.json", 1, ErrDialect, "one dialect per document"},
	{"draft7/extra6/if-then-else.json: skip", 2, ErrRef, "the library compiles unused branches too"},
	{"draft2020-12/extra6/infinite-loop-detection.json", 1, ErrRef, "the schema has no meaning"},
}

// knownWrong lists the tests of the suite with another verdict than ours, by a part of the name.
var knownWrong = []struct {
	part  string
	count int
	why   string
}{
	{"draft2020-12/official/dynamicRef.json: $dynamicRef skips over intermediate resources", 2, "fault of the library"},
	{"draft2020-12/extra/optional/content.json", 8, "content keywords are annotations here"},
	{"draft2020-12/extra6/optional/contentSchema.json", 7, "content keywords are annotations here"},
	{"draft7/extra6/optional/format/semver.json", 6, "a format of the other library"},
	{"draft2020-12/extra6/optional/format/email.json", 1, "the library accepts a backslash in quotes"},
}

func checkKnown(t *testing.T, what string, parts []string, counts []int, got []string) {
	t.Helper()
	used := make([]int, len(parts))
	for _, g := range got {
		i := slices.IndexFunc(parts, func(p string) bool { return strings.HasPrefix(g, p) })
		if i < 0 {
			t.Errorf("%s, not a known exception: %s", what, g)
			continue
		}
		used[i]++
	}
	for i, p := range parts {
		if used[i] != counts[i] {
			t.Errorf("%s: %d of %q, want %d", what, used[i], p, counts[i])
		}
	}
}
