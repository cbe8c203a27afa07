package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/report"
	"github.com/fusionctl/fusionctl/lockfile"
)

type showOptions struct {
	lockfile string
	policy   string
	name     string
	format   *choice
}

func newShowCmd(a *app) *cobra.Command {
	o := &showOptions{}
	cmd := &cobra.Command{
		Use:   "show [FILE]",
		Short: "List what a lockfile holds",
		Long: `Show lists servers, tools, actions, prompts and resources with their annotations and with the size of each definition,
in bytes and in tokens (approximate). FILE is a lockfile, a list of tools or a capture; - is standard input.`,
		Example: "  fusionctl show\n  fusionctl show --format json\n  fusionctl show tools.json",
		Args:    argsBetween(0, 1, "at most one file"),
		RunE: func(_ *cobra.Command, args []string) error {
			return runShow(a, o, args)
		},
	}
	cmd.Flags().StringVar(&o.lockfile, "lockfile", "", "lockfile (default: the policy's, else "+lockfile.DefaultName+")")
	cmd.Flags().StringVar(&o.name, "name", "", "name of the server, for a file that does not tell it")
	addPolicyFlag(cmd, &o.policy)
	o.format = choiceFlag(cmd, "format", "text", "form of the list", "text", "json")
	return cmd
}

func runShow(a *app, o *showOptions, args []string) error {
	m, err := o.read(a, args)
	if err != nil {
		return err
	}
	write := writeInventory
	if o.format.value == "json" {
		write = writeInventoryJSON
	}
	if err := write(a.stdout, inventory(m.file)); err != nil {
		return err
	}
	return m.incomplete()
}

// read loads what is to be shown. What had to be left out is told, shown all the same, and ends in exit code 2, as with lock.
func (o *showOptions) read(a *app, args []string) (manifest, error) {
	if len(args) == 1 {
		m, err := a.readFrom(args[0], o.name, true)
		if err == nil {
			a.tell(m)
		}
		return m, err
	}
	p, _, err := loadPolicy(o.policy)
	if err != nil {
		return manifest{}, err
	}
	f, err := readLockfile(lockfilePath(o.lockfile, p))
	return manifest{file: f}, err
}

// The inventory is the model of show: the JSON form is an interface, fields are only added.
type shownFile struct {
	FormatVersion int           `json:"formatVersion"`
	Servers       []shownServer `json:"servers"`
}

type shownServer struct {
	Name            string      `json:"name"`
	Digest          string      `json:"digest"`
	Version         string      `json:"version,omitempty"`
	ProtocolVersion string      `json:"protocolVersion,omitempty"`
	Bytes           int         `json:"bytes"`
	Tokens          int         `json:"approximateTokens"`
	Items           []shownItem `json:"items"`
}

type shownItem struct {
	Kind        lockfile.Kind `json:"kind"`
	Name        string        `json:"name"`
	Digest      string        `json:"digest"`
	Actions     []string      `json:"actions"`
	Annotations []string      `json:"annotations"`
	Bytes       int           `json:"bytes"`
	Tokens      int           `json:"approximateTokens"`
}

func inventory(f *lockfile.File) shownFile {
	list := shownFile{FormatVersion: 1, Servers: []shownServer{}}
	for _, name := range canonjson.SortedKeys(f.Servers) {
		s := f.Servers[name]
		shown := shownServer{Name: name, Digest: s.Digest(), ProtocolVersion: s.ProtocolVersion, Items: []shownItem{}}
		shown.Version, _ = s.Info["version"].(string)
		for _, kind := range lockfile.EntryKinds() {
			for _, key := range canonjson.SortedKeys(s.Entries(kind)) {
				item := inventoryItem(kind, key, s.Entries(kind)[key])
				shown.Bytes += item.Bytes
				shown.Tokens += item.Tokens
				shown.Items = append(shown.Items, item)
			}
		}
		list.Servers = append(list.Servers, shown)
	}
	return list
}

func inventoryItem(kind lockfile.Kind, key string, e *lockfile.Entry) shownItem {
	item := shownItem{
		Kind: kind, Name: key, Digest: e.Digest(), Actions: []string{}, Annotations: []string{},
		Bytes:  len(canonjson.Append(nil, e.Definition(kind, key))),
		Tokens: diff.Tokens(kind, key, e),
	}
	if kind != lockfile.KindTool {
		return item
	}
	if d, ok := lockfile.Actions(e.InputSchema()); ok {
		for _, action := range d.Actions {
			item.Actions = append(item.Actions, action.Name)
		}
	}
	for _, hint := range hints {
		if on, set := e.Annotations()[hint.name].(bool); set {
			item.Annotations = append(item.Annotations, hint.word[on])
		}
	}
	return item
}

// hints are the tool annotations in words, as the server states them; what it does not state is not shown.
var hints = []struct {
	name string
	word map[bool]string
}{
	{"readOnlyHint", map[bool]string{true: "read-only", false: "writes"}},
	{"destructiveHint", map[bool]string{true: "destructive", false: "additive"}},
	{"idempotentHint", map[bool]string{true: "idempotent", false: "not idempotent"}},
	{"openWorldHint", map[bool]string{true: "open world", false: "closed world"}},
}

func writeInventoryJSON(w io.Writer, list shownFile) error {
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	v, err := canonjson.Decode(data)
	if err != nil {
		return err
	}
	return writeJSON(w, v)
}

// writeJSON writes a value for people and machines, with what would not print escaped.
func writeJSON(w io.Writer, v any) error {
	_, err := w.Write(append(harmlessJSON(canonjson.AppendIndent(nil, v, 0)), '\n'))
	return err
}

func writeInventory(w io.Writer, list shownFile) error {
	if len(list.Servers) == 0 {
		_, err := fmt.Fprintln(w, "no servers")
		return err
	}
	for i, s := range list.Servers {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := writeServer(w, s); err != nil {
			return err
		}
	}
	return nil
}

func writeServer(w io.Writer, s shownServer) error {
	title := fmt.Sprintf("server %q", s.Name)
	if s.Version != "" {
		title += " " + s.Version
	}
	if s.ProtocolVersion != "" {
		title += ", protocol " + s.ProtocolVersion
	}
	fmt.Fprintf(w, "%s: %s, %d bytes, about %d tokens\n", report.Harmless(title), count(len(s.Items), "item"), s.Bytes, s.Tokens)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  KIND\tNAME\tBYTES\tTOKENS\tANNOTATIONS")
	for _, item := range s.Items {
		row := fmt.Sprintf("  %s\t%s\t%d\t~%d", item.Kind, shortName(item.Name), item.Bytes, item.Tokens)
		if len(item.Annotations) > 0 {
			row += "\t" + strings.Join(item.Annotations, ", ")
		}
		fmt.Fprintln(table, row)
		for _, action := range item.Actions {
			fmt.Fprintf(table, "  action\t%s\n", shortName(item.Name+"."+action))
		}
	}
	return table.Flush()
}

// shortName makes a name from outside fit into a column.
func shortName(name string) string {
	const most = 80
	if runes := []rune(name); len(runes) > most {
		name = string(runes[:most]) + "…"
	}
	return report.Harmless(name)
}
