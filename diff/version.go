package diff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fusionctl/fusionctl/lockfile"
)

// Advice says which part of a server's version the changes ask for.
type Advice []ServerAdvice

// A ServerAdvice is the advice for one server.
type ServerAdvice struct {
	Server   string `json:"server"`
	Raise    string `json:"raise"`              // "major", "minor", "patch" or "none"
	Baseline string `json:"baseline,omitempty"` // serverInfo.version as sent, "" when it is not known
	Revision string `json:"revision,omitempty"`
	Next     string `json:"next,omitempty"` // the version to publish at least, when Baseline is a semantic version
	Enough   bool   `json:"enough"`         // whether Revision is Next or higher
}

// adviseAll gives the advice for every server that is on both sides and changed.
func adviseAll(diffs []ContractDiff, base, rev map[string]*lockfile.Server) Advice {
	advice := Advice{}
	for _, name := range unionKeys(base, rev) {
		if base[name] == nil || rev[name] == nil {
			continue
		}
		raise := raiseFor(worstOf(diffs, name))
		if raise == "none" {
			continue
		}
		version := versionOf(base[name])
		next := nextVersion(version, raise)
		advice = append(advice, ServerAdvice{name, raise, version, versionOf(rev[name]), next, atLeast(versionOf(rev[name]), next)})
	}
	return advice
}

// worstOf is the worst severity of a server's changes. A change of the version itself does not count.
func worstOf(diffs []ContractDiff, server string) Severity {
	worst := None
	for _, d := range diffs {
		if d.Server != server {
			continue
		}
		for _, c := range d.Changes {
			if !strings.HasPrefix(c.Rule, "server-version-") {
				worst = max(worst, c.Severity)
			}
		}
	}
	return worst
}

func raiseFor(worst Severity) string {
	switch worst {
	case Breaking:
		return "major"
	case Risky, Safe:
		return "minor"
	case Cosmetic:
		return "patch"
	}
	return "none"
}

// parseVersion reads the three numbers of a semantic version; what follows them is left alone.
func parseVersion(version string) (n [3]int, ok bool) {
	core, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), "+")
	core, _, _ = strings.Cut(core, "-")
	parts := strings.Split(core, ".")
	if len(parts) != 3 {
		return n, false
	}
	for i, p := range parts {
		v, err := strconv.Atoi(p)
		if err != nil || v < 0 || v > 1e9 {
			return n, false
		}
		n[i] = v
	}
	return n, true
}

// nextVersion raises one part of a semantic version. Below 1.0.0 the minor part stands for the major one. It returns ""
// for a text that is no semantic version.
func nextVersion(version, raise string) string {
	n, ok := parseVersion(version)
	if !ok {
		return ""
	}
	if raise == "major" && n[0] == 0 {
		raise = "minor"
	}
	switch raise {
	case "major":
		return fmt.Sprintf("%d.0.0", n[0]+1)
	case "minor":
		return fmt.Sprintf("%d.%d.0", n[0], n[1]+1)
	}
	return fmt.Sprintf("%d.%d.%d", n[0], n[1], n[2]+1)
}

// atLeast reports whether version is next or higher.
func atLeast(version, next string) bool {
	v, okV := parseVersion(version)
	n, okN := parseVersion(next)
	return okV && okN && slices.Compare(v[:], n[:]) >= 0
}

// versionNotRaised returns the server's own contract diff (the last of diffs) with one more change when the contract broke
// although the version stayed. An unknown version says nothing.
func versionNotRaised(diffs []ContractDiff, base, rev *lockfile.Server, o Options, server string) ContractDiff {
	own := diffs[len(diffs)-1]
	version := versionOf(rev)
	if version == "" || version != versionOf(base) || worstOf(diffs, server) != Breaking {
		return own
	}
	c := &collector{o: o, diff: own}
	c.add("server-version-not-raised", "/server/version", version, version, "the contract broke, but the server version stayed %s", quote(version))
	if next := nextVersion(version, "major"); next != "" {
		c.hint("publish it as %s", next)
	}
	return c.diff
}
