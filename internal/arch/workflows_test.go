package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	usesLine   = regexp.MustCompile(`(?m)^\s*(?:- )?uses:\s*(.+)$`)
	pinned     = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	ours       = regexp.MustCompile(`^\./[\w./-]+$`)
	toolLine   = regexp.MustCompile(`go (?:run|install) (\S+\.\S+/\S+)@(\S+)`)
	writeLine  = regexp.MustCompile(`(?m)^\s+([a-z-]+): write\b.*$`)
	expression = regexp.MustCompile(`\$\{\{[^}]*\}\}`)
)

// grants are the rights beyond reading that a workflow may ask for, each in one of its jobs.
var grants = map[string][]string{
	"release.yml":  {"contents", "id-token", "attestations"}, // to publish, to sign, to store the signature
	"contract.yml": {"pull-requests", "security-events"},     // to comment, to upload SARIF
}

// TestWorkflows: what others publish is pinned, and nothing has more rights than it needs.
func TestWorkflows(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", ".github", "workflows", "*.yml"))
	if err != nil || len(files) < 3 {
		t.Fatalf("found %d workflows, %v", len(files), err)
	}
	actions, err := filepath.Glob(filepath.Join("..", "..", ".github", "actions", "*", "action.yml"))
	if err != nil || len(actions) < 1 {
		t.Fatalf("found %d actions, %v", len(actions), err)
	}
	for _, file := range append(files, actions...) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name, text := filepath.Base(file), strings.ReplaceAll(string(data), "\r\n", "\n")
		for _, problem := range pinProblems(text) {
			t.Errorf("%s: %s", name, problem)
		}
		for _, problem := range scriptProblems(text) {
			t.Errorf("%s: %s", name, problem)
		}
		if name != "action.yml" {
			for _, problem := range rightsProblems(text, grants[name]) {
				t.Errorf("%s: %s", name, problem)
			}
		}
	}
}

func pinProblems(text string) (problems []string) {
	for _, m := range usesLine.FindAllStringSubmatch(text, -1) {
		if what := strings.TrimSpace(m[1]); !strings.HasPrefix(m[0], "#") && !pinned.MatchString(what) && !ours.MatchString(what) {
			problems = append(problems, what+": want owner/name@COMMIT # vX.Y.Z")
		}
	}
	for _, m := range toolLine.FindAllStringSubmatch(text, -1) {
		if !regexp.MustCompile(`^v\d|^\$VERSION`).MatchString(m[2]) {
			problems = append(problems, m[0]+": want a version")
		}
	}
	return problems
}

func rightsProblems(text string, allowed []string) (problems []string) {
	if !strings.Contains(text, "\npermissions:\n  contents: read\n") {
		problems = append(problems, "want permissions of the whole workflow: contents: read, and nothing else")
	}
	if strings.Contains(text, "pull_request_target") || strings.Contains(text, "write-all") {
		problems = append(problems, "pull_request_target and write-all give strangers the rights of a maintainer")
	}
	for _, m := range writeLine.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(" "+strings.Join(allowed, " ")+" ", " "+m[1]+" ") {
			problems = append(problems, m[1]+": write is not in the table of grants")
		}
	}
	if n, m := strings.Count(text, "uses: actions/checkout@"), strings.Count(text, "persist-credentials: false"); n != m {
		problems = append(problems, "each checkout needs persist-credentials: false")
	}
	if !strings.Contains(text, "timeout-minutes:") {
		problems = append(problems, "want timeout-minutes")
	}
	return problems
}

// scriptProblems finds expressions inside of scripts: a name of a branch or a title would run as part of them. They belong
// into env.
func scriptProblems(text string) (problems []string) {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		at := strings.Index(line, "run:")
		if at < 0 || strings.Trim(line[:at], " -") != "" {
			continue
		}
		if expression.MatchString(line) {
			problems = append(problems, strings.TrimSpace(line)+": an expression in a script")
		}
		for i+1 < len(lines) && (strings.TrimSpace(lines[i+1]) == "" || indent(lines[i+1]) > at) {
			i++
			if expression.MatchString(lines[i]) {
				problems = append(problems, strings.TrimSpace(lines[i])+": an expression in a script")
			}
		}
	}
	return problems
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

func TestWorkflowProblemsAreSeen(t *testing.T) {
	for text, want := range map[string]int{
		"      - uses: actions/checkout@v4":                                                          1,
		"      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1":                    1,
		"      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1":           0,
		"      - uses: ./.github/actions/fusionctl":                                                  0,
		"        run: go run golang.org/x/vuln/cmd/govulncheck@latest ./...":                         1,
		"        run: go run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./...":                         0,
		"      - run: echo ${{ github.head_ref }}":                                                   1,
		"      - run: |\n          echo a\n\n          echo ${{ github.head_ref }}\n      - name: x": 1,
		"      - run: echo\n        env:\n          REF: ${{ github.head_ref }}":                     0,
	} {
		if got := append(pinProblems(text), scriptProblems(text)...); len(got) != want {
			t.Errorf("%q: %q, want %d problems", text, got, want)
		}
	}
}
