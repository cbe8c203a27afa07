package lockfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/fusionctl/fusionctl/internal/canonjson"
)

// TestDigestRecipe follows the recipe of the package comment with encoding/json, whose compact form without HTML escapes is
// canonical for this contract: its keys are ASCII and its numbers are kept as they stand.
func TestDigestRecipe(t *testing.T) {
	t.Parallel()
	f := billing(t)
	f.Servers = map[string]*Server{"billing": f.Servers["billing"]}
	decoder := json.NewDecoder(bytes.NewReader(format(t, f)))
	decoder.UseNumber()
	var tree map[string]any
	if err := decoder.Decode(&tree); err != nil {
		t.Fatal(err)
	}
	server := tree["servers"].(map[string]any)["billing"].(map[string]any)
	for _, test := range []struct {
		object map[string]any
		member string
	}{
		{server["tools"].(map[string]any)["get_invoice"].(map[string]any), "digest"},
		{server["resources"].(map[string]any)["file:///a b"].(map[string]any), "digest"},
		{server, "digest"},
		{tree, "integrity"},
	} {
		want := test.object[test.member]
		delete(test.object, test.member)
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(test.object); err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(bytes.TrimSuffix(text.Bytes(), []byte("\n")))
		if got := "sha256:" + hex.EncodeToString(sum[:]); got != want {
			t.Errorf("by the recipe the digest is %s, the file has %v: %s", got, want, &text)
		}
		test.object[test.member] = want
	}
}

// nodeRecipe is the recipe of the package comment, and a walk over the file that applies it to everything with a digest.
const nodeRecipe = `
const jcs = v => v === null || typeof v !== "object" ? JSON.stringify(v)
  : Array.isArray(v) ? "[" + v.map(jcs).join(",") + "]"
  : "{" + Object.keys(v).sort().map(k => JSON.stringify(k) + ":" + jcs(v[k])).join(",") + "}";
const digest = (v, without) => {
  const rest = {...v};
  delete rest[without];
  return "sha256:" + require("crypto").createHash("sha256").update(jcs(rest)).digest("hex");
};
const file = JSON.parse(require("fs").readFileSync(0, "utf8"));
let checked = 0;
const check = (v, member) => {
  if (digest(v, member) !== v[member]) throw new Error(jcs(v));
  checked++;
};
check(file, "integrity");
for (const server of Object.values(file.servers)) {
  check(server, "digest");
  for (const kind of ["tools", "prompts", "resources", "resourceTemplates"])
    for (const entry of Object.values(server[kind])) check(entry, "digest");
}
console.log(checked);
`

// TestDigestNode lets another implementation follow the recipe, over the corners of RFC 8785: the order of keys outside
// of ASCII, escapes, the layout of numbers.
func TestDigestNode(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("skipped: no node")
	}
	s := &Server{Instructions: "\u2028 \u0000 \x7f \" \\ / </script> é \U0001F600"}
	for key, schema := range map[string]string{
		"keys":       `{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"10":5,"2":6,"\ud83d\ude00":7,"\u0080":8,"\u00f6":9,"":10,"__proto__":11,"\ue000":12,"\ud7ff":13}`,
		"texts":      `{"a":"\u20ac$\u000f\nA'B\"\\\\\"\/\b\f\t\u001f\u007f\u2029"}`,
		"numbers":    `{"a":[333333333.3333333,1E30,4.50,2e-3,0.000000000000000000000000001,-0,1e21,1e20,123456789012345680000,1e-6,1e-7,5e-324,1.7976931348623157e308,9007199254740991,-1.5e300]}`,
		"\U0001F600": `{}`, "\ufb33": `{}`,
	} {
		s.SetEntry(KindTool, key, EntryOf(map[string]any{"inputSchema": decode(t, schema), "digest": "theirs"}))
	}
	f := billing(t)
	delete(f.Servers["billing"].Tools, "get_invoice") // has a number that JavaScript rounds
	f.Servers["corners"] = s
	f.Servers["empty"] = &Server{Capabilities: map[string]any{}, Info: map[string]any{}}
	cmd := exec.Command(node, "-e", nodeRecipe)
	cmd.Stdin = bytes.NewReader(format(t, f))
	out, err := cmd.CombinedOutput()
	if got := strings.TrimSpace(string(out)); err != nil || got != "14" {
		t.Errorf("node checked %s of 14 digests, %v", got, err)
	}
}

// TestDigestMethods: the methods give what stands in the file.
func TestDigestMethods(t *testing.T) {
	t.Parallel()
	f := billing(t)
	f.Servers["billing"].SetEntry(KindPrompt, "bare", &Entry{})
	f.Servers["billing"].SetEntry(KindPrompt, "under", EntryOf(map[string]any{"_": nil}))
	f.Servers["billing"].SetEntry(KindPrompt, "around", EntryOf(map[string]any{"": nil, "zz": nil, "\ufb33": nil, "\U0001F600": nil}))
	tree := decode(t, string(format(t, f)))
	for name, s := range f.Servers {
		if want, _ := canonjson.Lookup(tree, canonjson.Pointer("servers", name, "digest")); s.Digest() != want {
			t.Errorf("server %q: Digest() = %s, the file has %v", name, s.Digest(), want)
		}
		for _, kind := range EntryKinds() {
			for key, e := range s.Entries(kind) {
				if want, _ := canonjson.Lookup(tree, canonjson.Pointer("servers", name, sectionName[kind], key, "digest")); e.Digest() != want {
					t.Errorf("%s %q: Digest() = %s, the file has %v", kind, key, e.Digest(), want)
				}
			}
		}
	}
}
