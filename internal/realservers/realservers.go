// Package realservers captures the contracts of published npm servers, for tests. Nothing of the servers is kept in the
// repository: each machine installs and captures them once, into a folder for temporary files that all tests share.
package realservers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fusionctl/fusionctl/internal/capture"
	"github.com/fusionctl/fusionctl/lockfile"
)

// A Release is one version of a server.
type Release struct {
	Package, Version string
	Server           *lockfile.Server
}

// File is the release as a lockfile with one server, named after the package.
func (r Release) File() *lockfile.File {
	return &lockfile.File{Servers: map[string]*lockfile.Server{r.Package: r.Server}}
}

// packages are the servers with the versions that are compared, the oldest first. Their tools can be listed without an
// account; the credentials are made up.
var packages = []struct {
	name     string
	versions []string
	env      map[string]string
	args     []string
}{
	{name: "@modelcontextprotocol/server-everything", versions: []string{"2025.9.12", "2026.1.14", "2026.8.31"}},
	{name: "@modelcontextprotocol/server-filesystem", versions: []string{"2025.8.21", "2026.1.14", "2026.8.31"}, args: []string{"."}},
	{name: "@modelcontextprotocol/server-memory", versions: []string{"2025.11.25", "2026.8.31"}},
	{name: "@modelcontextprotocol/server-sequential-thinking", versions: []string{"2025.12.18", "2026.8.31"}},
	{name: "@upstash/context7-mcp", versions: []string{"2.2.0", "3.2.3"}},
	{name: "@notionhq/notion-mcp-server", versions: []string{"2.2.1", "2.5.2"}, env: map[string]string{"NOTION_TOKEN": "ntn_made_up"}},
	{name: "firecrawl-mcp", versions: []string{"3.21.0", "3.26.0"}, env: map[string]string{"FIRECRAWL_API_KEY": "fc-made-up"}},
	{name: "tavily-mcp", versions: []string{"0.2.15", "0.2.22"}, env: map[string]string{"TAVILY_API_KEY": "tvly-made-up"}},
	{name: "@brave/brave-search-mcp-server", versions: []string{"2.0.82", "2.1.4"}, env: map[string]string{"BRAVE_API_KEY": "made-up"}},
	{name: "exa-mcp-server", versions: []string{"3.1.5", "3.4.1"}, env: map[string]string{"EXA_API_KEY": "made-up"}},
	{name: "@playwright/mcp", versions: []string{"0.0.52", "0.0.83"}, args: []string{"--headless"}},
	{name: "chrome-devtools-mcp", versions: []string{"0.20.1", "1.11.0"}},
	{name: "@sentry/mcp-server", versions: []string{"0.22.0", "0.39.0"}, env: map[string]string{"SENTRY_ACCESS_TOKEN": "made-up"}},
}

// Pairs returns pairs of successive versions of each server. The test is skipped where there is no npm, and with -short.
func Pairs(t testing.TB) [][2]Release {
	t.Helper()
	var pairs [][2]Release
	for _, versions := range releases(t) {
		for i := 1; i < len(versions); i++ {
			pairs = append(pairs, [2]Release{versions[i-1], versions[i]})
		}
	}
	return pairs
}

// Releases returns every captured release.
func Releases(t testing.TB) []Release {
	t.Helper()
	var all []Release
	for _, versions := range releases(t) {
		all = append(all, versions...)
	}
	return all
}

func releases(t testing.TB) [][]Release {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("skipped: no npm")
	}
	store := folder(t)
	defer lock(t, store)()
	var all [][]Release
	for _, p := range packages {
		var versions []Release
		for _, version := range p.versions {
			path := filepath.Join(store, strings.NewReplacer("@", "", "/", "+").Replace(p.name)+"@"+version+".lock")
			if _, err := os.Stat(path); err != nil {
				if err := install(npm, path, p.name, version, p.env, p.args); err != nil {
					t.Fatalf("%s %s: %v", p.name, version, err)
				}
			}
			f, err := lockfile.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			versions = append(versions, Release{p.name, version, f.Servers[p.name]})
		}
		all = append(all, versions)
	}
	return all
}

// folder is where the captures are kept: its name changes with the list and with the form of the lockfile.
func folder(t testing.TB) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %v", lockfile.Version, packages))
	dir := filepath.Join(os.TempDir(), "fusionctl-real-"+hex.EncodeToString(sum[:6]))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// lock lets one test at a time install. A test that was killed leaves the lock behind, an empty folder.
func lock(t testing.TB, store string) (unlock func()) {
	t.Helper()
	dir := filepath.Join(store, "installing")
	for range 6000 { // 20 minutes
		if os.Mkdir(dir, 0o755) == nil {
			return func() { os.Remove(dir) }
		}
		time.Sleep(200 * time.Millisecond)
	}
	t.Fatalf("waited for another test that installs npm servers; if there is none, remove %s", dir)
	return nil
}

// install installs one release into a folder of its own, captures it, and removes it again.
func install(npm, path, name, version string, env map[string]string, args []string) error {
	dir, err := os.MkdirTemp(filepath.Dir(path), "install-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, "install", "--prefix", dir, "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", name+"@"+version)
	cmd.Env = append(os.Environ(), "PUPPETEER_SKIP_DOWNLOAD=1", "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install: %w\n%s", err, out)
	}
	program, err := entry(filepath.Join(dir, "node_modules", filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	source := capture.Source{Name: name, Command: append([]string{"node", program}, args...), Env: env, Dir: dir}
	r, err := capture.Capture(ctx, source, capture.Options{Timeout: 2 * time.Minute, Version: "test"})
	if err != nil {
		return err
	}
	_, err = lockfile.WriteFile(path, &lockfile.File{Servers: map[string]*lockfile.Server{name: r.Server}})
	return err
}

// entry is the program that a package installs.
func entry(dir string) (string, error) {
	data, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return "", err
	}
	var manifest struct{ Bin any }
	if err := json.Unmarshal(data, &manifest); err != nil {
		return "", err
	}
	switch bin := manifest.Bin.(type) {
	case string:
		return filepath.Join(dir, filepath.FromSlash(bin)), nil
	case map[string]any:
		if len(bin) == 0 {
			break
		}
		first := filepath.Base(dir) // the program of the package's own name, if there is one
		if _, ok := bin[first]; !ok {
			first = slices.Min(slices.Collect(maps.Keys(bin)))
		}
		if program, ok := bin[first].(string); ok {
			return filepath.Join(dir, filepath.FromSlash(program)), nil
		}
	}
	return "", fmt.Errorf("package.json names no program")
}
