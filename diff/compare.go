package diff

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/lockfile"
)

// Compare says what changed from the baseline to the revision. A nil file is an empty one. Neither file is changed, and
// the report shares values with both.
func Compare(base, rev *lockfile.File, o Options) Report {
	var r Report
	for _, name := range unionKeys(servers(base), servers(rev)) {
		r.Diffs = append(r.Diffs, compareServers(name, servers(base)[name], servers(rev)[name], o)...)
	}
	r.Diffs = pairServers(r.Diffs, servers(base), servers(rev))
	r.Advice = adviseAll(r.Diffs, servers(base), servers(rev))
	seal(r.Diffs)
	r.Order()
	return r
}

// CompareEntry compares one entry with its revision, as Compare does for each. Name is its key. A nil entry is one that
// does not exist. Pairs of a removed and an added entry (renames) are found only by Compare, which sees them all.
func CompareEntry(kind lockfile.Kind, server, name string, base, rev *lockfile.Entry, o Options) ContractDiff {
	d := compareEntry(kind, server, name, base, rev, o)
	seal([]ContractDiff{d})
	r := Report{Diffs: []ContractDiff{d}}
	r.Order()
	if len(r.Diffs) == 0 {
		return ContractDiff{Server: server, Kind: kind, Name: name, Changes: []Change{}}
	}
	return r.Diffs[0]
}

// seal fills in what every change has, whoever made it, and bounds what they show together.
func seal(diffs []ContractDiff) {
	for _, d := range diffs {
		d.slim()
		for i := range d.Changes {
			c := &d.Changes[i]
			if d.Kind == lockfile.KindTool {
				c.Tool = d.Name
			}
			c.Fingerprint = Fingerprint(d, *c)
		}
		d.tellApart()
	}
}

// tellApart gives changes that look alike in all that a fingerprint holds, such as two names newly required by one list,
// fingerprints of their own: who accepts one of them does not accept the others.
func (d ContractDiff) tellApart() {
	count := map[string]int{}
	for _, c := range d.Changes {
		count[c.Fingerprint]++
	}
	for i := range d.Changes {
		if c := &d.Changes[i]; count[c.Fingerprint] > 1 {
			c.Fingerprint = shortDigest([]any{c.Fingerprint, c.Message})
		}
	}
}

func servers(f *lockfile.File) map[string]*lockfile.Server {
	if f == nil {
		return nil
	}
	return f.Servers
}

// compareServers gives the contract diffs of one server and all its entries.
func compareServers(name string, base, rev *lockfile.Server, o Options) []ContractDiff {
	c := newCollector(o, name, lockfile.KindServer, name)
	switch {
	case base == nil && rev == nil:
		return nil
	case rev == nil:
		c.add("server-removed", "", nil, nil, "the server %s was removed with all it offers", quote(name))
		return []ContractDiff{c.diff}
	case base == nil:
		c.add("server-added", "", nil, nil, "the server %s was added: %s", quote(name), countEntries(rev))
		scanHidden(c, nil, everyText(rev))
		return []ContractDiff{c.diff}
	}
	jobs := changedEntries(name, base, rev)
	diffs := runJobs(jobs, o)
	diffs = pairEntries(diffs, base, rev)
	compareServer(c, base, rev)
	diffs = append(diffs, c.diff)
	if d := versionNotRaised(diffs, base, rev, o, name); len(d.Changes) > 0 {
		diffs = append(diffs[:len(diffs)-1], d)
	}
	return diffs
}

// A job is one entry that changed. A nil side does not exist.
type job struct {
	kind         lockfile.Kind
	server, name string
	base, rev    *lockfile.Entry
}

// changedEntries lists the entries that differ. An entry with an equal definition costs this one comparison.
func changedEntries(server string, base, rev *lockfile.Server) []job {
	var jobs []job
	for _, kind := range lockfile.EntryKinds() {
		b, r := base.Entries(kind), rev.Entries(kind)
		for _, name := range unionKeys(b, r) {
			if b[name] != nil && r[name] != nil && b[name].Equal(r[name]) {
				continue
			}
			jobs = append(jobs, job{kind, server, name, b[name], r[name]})
		}
	}
	return jobs
}

// runJobs compares the entries, several at once, and keeps their order.
func runJobs(jobs []job, o Options) []ContractDiff {
	diffs := make([]ContractDiff, len(jobs))
	run := func(i int) {
		j := jobs[i]
		diffs[i] = compareEntry(j.kind, j.server, j.name, j.base, j.rev, o)
	}
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if workers = min(workers, len(jobs)); workers <= 1 {
		for i := range jobs {
			run(i)
		}
		return diffs
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(jobs); i = int(next.Add(1)) - 1 {
				run(i)
			}
		})
	}
	group.Wait()
	return diffs
}

func compareEntry(kind lockfile.Kind, server, name string, base, rev *lockfile.Entry, o Options) ContractDiff {
	c := newCollector(o, server, kind, name)
	switch {
	case base == nil && rev == nil:
	case rev == nil:
		c.add(string(kind)+"-removed", "", nil, nil, "the %s %s was removed%s", kindName[kind], quote(name), removalNote(kind, base))
		if kind == lockfile.KindTool {
			c.hint("allow and deny rules that name %s no longer match anything", quote(name))
		}
	case base == nil:
		c.add(string(kind)+"-added", "", nil, nil, "the %s %s was added", kindName[kind], quote(name))
		if text := rev.Description(); o.Audience == Consumer && orders(text) {
			c.hint("its description reads like an instruction to the model: %s", quote(text))
		}
		if kind == lockfile.KindTool {
			reportIllegal(c, rev)
		}
	case kind == lockfile.KindTool:
		compareTool(c, base, rev)
	case kind == lockfile.KindPrompt:
		comparePrompt(c, base, rev)
	default:
		compareResource(c, base, rev)
	}
	if rev != nil {
		reportHidden(c, base, rev)
	}
	if base != nil && rev != nil {
		reportRest(c, base, rev)
		settlePointers(c, base, rev)
	}
	weighTexts(c, base, rev)
	return c.diff
}

var kindName = map[lockfile.Kind]string{
	lockfile.KindServer:   "server",
	lockfile.KindTool:     "tool",
	lockfile.KindPrompt:   "prompt",
	lockfile.KindResource: "resource",
	lockfile.KindTemplate: "resource template",
}

// A collector gathers the changes of one item.
type collector struct {
	o    Options
	diff ContractDiff
}

func newCollector(o Options, server string, kind lockfile.Kind, name string) *collector {
	return &collector{o: o, diff: ContractDiff{Server: server, Kind: kind, Name: name, Changes: []Change{}}}
}

// add reports a change with the severity that the rule's table gives it. The result may be refined until the next call.
func (c *collector) add(rule, pointer string, before, after any, format string, args ...any) *Change {
	r := mustRule(rule)
	c.diff.Changes = append(c.diff.Changes, Change{
		Rule:     r.ID,
		Severity: r.severity(c.o.Audience),
		Side:     r.Side,
		Pointer:  pointer,
		Before:   before,
		After:    after,
		Message:  fmt.Sprintf(format, args...),
	})
	return &c.diff.Changes[len(c.diff.Changes)-1]
}

// hint adds to the hint of the change that was added last.
func (c *collector) hint(format string, args ...any) {
	addHint(&c.diff.Changes[len(c.diff.Changes)-1], fmt.Sprintf(format, args...))
}

func addHint(c *Change, hint string) {
	if c.Hint != "" {
		hint = c.Hint + "; " + hint
	}
	c.Hint = hint
}

// prefix is "tool", "prompt", "resource", "template" or "server": the first word of the item's rule ids.
func (c *collector) prefix() string { return string(c.diff.Kind) }

// unionKeys returns the keys of both maps, sorted.
func unionKeys[V any](a, b map[string]V) []string {
	keys := make(map[string]bool, len(a)+len(b))
	for k := range a {
		keys[k] = true
	}
	for k := range b {
		keys[k] = true
	}
	return canonjson.SortedKeys(keys)
}

func countEntries(s *lockfile.Server) string {
	return fmt.Sprintf("%s, %s, %s, %s", count(len(s.Tools), "tool"), count(len(s.Prompts), "prompt"),
		count(len(s.Resources), "resource"), count(len(s.ResourceTemplates), "resource template"))
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
