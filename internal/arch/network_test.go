package arch

import (
	"go/parser"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// reaching are packages of the standard library by which a program gets at the network or starts another one. "net" itself is
// among them, although its types are used for addresses too.
var reaching = []string{"net", "net/http", "net/http/httputil", "net/http/httptest", "net/rpc", "net/smtp", "net/textproto", "crypto/tls", "os/exec", "plugin"}

// reachingHomes are the packages that may import them outside of tests, each with its reason. Whatever else is in the module
// can open no connection by itself.
var reachingHomes = map[string]string{
	"cmd/fusionctl":             "listens for the proxy, asks git, starts the demo server",
	"internal/capture":          "speaks with the server that is locked",
	"awareness/proxy":           "speaks with its upstream and its clients",
	"awareness/mcpgo":           "reads the request of a caller; opens nothing",
	"internal/bench/cmd":        "measures whole programs",
	"internal/bench/sidebyside": "installs npm packages to compare with",
	"internal/hooktest":         "installs npm packages for tests",
	"internal/licences":         "asks go for the modules",
	"internal/realservers":      "captures published servers for tests",
	"internal/validate/suite":   "asks go where the test suite of JSON Schema is, for tests",
}

func TestOnlyNamedPackagesReachOut(t *testing.T) {
	used := map[string]bool{}
	for _, s := range sources(t, parser.ImportsOnly) {
		if s.test {
			continue
		}
		for _, p := range s.imports() {
			if !slices.Contains(reaching, p) {
				continue
			}
			used[s.dir] = true
			if reachingHomes[s.dir] == "" {
				t.Errorf("%s imports %s, by which a program reaches beyond itself", s.name, p)
			}
		}
	}
	for home := range reachingHomes {
		if !used[home] {
			t.Errorf("%s reaches out no longer, take it from the table", home)
		}
	}
}

// TestTheCommandLinksNoTestHelpers keeps what only tests reach out with from getting into the command.
func TestTheCommandLinksNoTestHelpers(t *testing.T) {
	for _, p := range linked(t, "cmd/fusionctl") {
		pkg, ours := strings.CutPrefix(p, module+"/")
		if ours && reachingHomes[pkg] != "" && pkg != "cmd/fusionctl" && pkg != "internal/capture" && pkg != "awareness/proxy" {
			t.Errorf("the command links %s, which %s", pkg, reachingHomes[pkg])
		}
	}
}

// linked lists what a package of this module links.
func linked(t *testing.T, pkg string) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", module+"/"+pkg).Output()
	if err != nil {
		t.Fatalf("go list %s: %v", pkg, err)
	}
	all := strings.Fields(string(out))
	if !slices.Contains(all, module+"/"+pkg) {
		t.Fatalf("%s links %v, the list is wrong", pkg, all)
	}
	return all
}

// TestDecidingLinksNoClient: what decides about contracts links no HTTP client, no TLS and no way to start a program, in no
// library either. ("net" comes with a validator that reads IP addresses.)
func TestDecidingLinksNoClient(t *testing.T) {
	for _, pkg := range []string{"lockfile", "diff", "envelope", "awareness", "internal/report", "internal/policy"} {
		all := linked(t, pkg)
		for _, p := range []string{"net/http", "net/rpc", "net/smtp", "crypto/tls", "os/exec", "plugin"} {
			if slices.Contains(all, p) {
				t.Errorf("%s links %s", pkg, p)
			}
		}
	}
}
