package diff

import (
	"strings"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// compareServer compares what a server says about itself.
func compareServer(c *collector, base, rev *lockfile.Server) {
	compareText(c, "instructions", "/instructions", "the instructions", base.Instructions, rev.Instructions)
	scanHidden(c, serverTexts(base), serverTexts(rev))
	compareCapabilities(c, base.Capabilities, rev.Capabilities)
	compareInfo(c, base, rev)
	if base.ProtocolVersion != rev.ProtocolVersion && base.ProtocolVersion != "" && rev.ProtocolVersion != "" {
		c.add("server-protocol-changed", "/protocolVersion", base.ProtocolVersion, rev.ProtocolVersion,
			"the protocol version was %s and is %s", quote(base.ProtocolVersion), quote(rev.ProtocolVersion))
		c.hint("a server may publish another form of the same contract to clients of another protocol version")
	}
}

// serverTexts is what a server says about itself, as it lies in a lockfile.
func serverTexts(s *lockfile.Server) map[string]any {
	return map[string]any{"instructions": s.Instructions, "server": s.Info, "capabilities": s.Capabilities}
}

// everyText is serverTexts with all that the server offers.
func everyText(s *lockfile.Server) map[string]any {
	all := serverTexts(s)
	for kind, member := range map[lockfile.Kind]string{lockfile.KindTool: "tools", lockfile.KindPrompt: "prompts",
		lockfile.KindResource: "resources", lockfile.KindTemplate: "resourceTemplates"} {
		entries := map[string]any{}
		for key, e := range s.Entries(kind) {
			entries[key] = e.Fields()
		}
		all[member] = entries
	}
	return all
}

// compareInfo reports the parts of serverInfo. They are for display; that a version did not move is another rule.
func compareInfo(c *collector, base, rev *lockfile.Server) {
	if base.Info == nil || rev.Info == nil {
		return // not known on one side: nothing changed that we saw
	}
	for _, f := range listFields(base.Info, rev.Info) {
		pointer := "/server" + f.pointer()
		if len(f.path) == 1 && f.path[0] == "version" {
			c.add("server-version-changed", pointer, f.before, f.after, "the server version was %s and is %s", show(f.before), show(f.after))
			continue
		}
		c.add("server-info-changed", pointer, f.before, f.after, "the server's %s changed", quote(joinPath(f.path)))
	}
}

// compareCapabilities reports capabilities and their flags. A flag that is false is a flag that is absent.
func compareCapabilities(c *collector, base, rev map[string]any) {
	if base == nil || rev == nil {
		return // not known on one side
	}
	for _, f := range listFields(base, rev) {
		pointer := "/capabilities" + f.pointer()
		name := quote(joinPath(f.path))
		before, after := announced(f.before), announced(f.after)
		switch {
		case strings.EqualFold(f.path[len(f.path)-1], "listChanged") && before != after:
			if before {
				c.add("server-notification-removed", pointer, f.before, f.after, "the server no longer announces %s", name)
			} else {
				c.add("server-notification-added", pointer, f.before, f.after, "the server announces %s now", name)
			}
		case before && !after:
			c.add("server-capability-removed", pointer, f.before, f.after, "the capability %s was removed", name)
		case !before && after:
			c.add("server-capability-added", pointer, f.before, f.after, "the capability %s was added", name)
		case !before:
			c.add("server-capability-respelled", pointer, f.before, f.after, "the capability %s is absent in another spelling", name)
		case len(f.path) > 1:
			c.add("server-capability-changed", pointer, f.before, f.after, "the capability %s changed", name)
		default:
			c.add("server-capability-respelled", pointer, f.before, f.after, "the capability %s is spelled otherwise", name)
		}
	}
}

// announced reports whether the value of a capability means that the server has it.
func announced(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	}
	return true
}

// versionOf is the version that a server says it has, "" when it says none.
func versionOf(s *lockfile.Server) string {
	if s == nil {
		return ""
	}
	return textOf(s.Info["version"])
}

// pairServers adds to a removed server the hint that an added one has the very same tools.
func pairServers(diffs []ContractDiff, base, rev map[string]*lockfile.Server) []ContractDiff {
	for i := range diffs {
		d := &diffs[i]
		if d.Kind != lockfile.KindServer || rev[d.Name] != nil || base[d.Name] == nil || len(d.Changes) == 0 {
			continue
		}
		for _, name := range canonjson.SortedKeys(rev) {
			if base[name] == nil && sameTools(base[d.Name], rev[name]) {
				addHint(&d.Changes[0], "the added server "+quote(name)+" has the same tools: likely renamed")
				break
			}
		}
	}
	return diffs
}

func sameTools(a, b *lockfile.Server) bool {
	if len(a.Tools) != len(b.Tools) || len(a.Tools) == 0 {
		return false
	}
	for name, e := range a.Tools {
		if b.Tools[name] == nil || !e.Equal(b.Tools[name]) {
			return false
		}
	}
	return true
}
