package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/capture"
	"github.com/fusionctl/fusionctl/internal/policy"
)

// usualConfig is the client configuration from which init takes servers.
const usualConfig = ".mcp.json"

func newInitCmd(a *app) *cobra.Command {
	var config string
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write " + policy.DefaultName,
		Long: "Init writes " + policy.DefaultName + `, from which "fusionctl lock" takes its servers. They come from ` + usualConfig + ` when there is one, or
from --config. Values of environment variables and headers are not copied: a reference to a variable stands in their place.`,
		Example: "  fusionctl init\n  fusionctl init --config .vscode/mcp.json",
		Args:    argsBetween(0, 0, "none"),
		RunE:    func(*cobra.Command, []string) error { return runInit(a, config) },
	}
	cmd.Flags().StringVar(&config, "config", "", "client configuration (default: "+usualConfig+" when there is one)")
	return cmd
}

func runInit(a *app, config string) error {
	servers, err := a.knownServers(config)
	if err != nil {
		return err
	}
	text := initText(servers)
	if _, err := policy.Parse([]byte(text)); err != nil {
		return fmt.Errorf("writing policy %q: %w", policy.DefaultName, err)
	}
	file, err := os.OpenFile(policy.DefaultName, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return hinted("edit it, or remove it first", "writing policy %q: it exists already", policy.DefaultName)
	}
	if err == nil {
		_, err = file.WriteString(text)
		if err = errors.Join(err, file.Close()); err != nil {
			_ = os.Remove(policy.DefaultName) // half of it would be in the way of the next try
		}
	}
	if err != nil {
		return fmt.Errorf("writing policy %q: %w", policy.DefaultName, plain(err))
	}
	next := "fusionctl lock"
	if len(servers) == 0 {
		next = `write your servers under "servers:", then fusionctl lock`
	}
	_, err = fmt.Fprintf(a.stdout, "%s: written (%s)\nnext: %s\n", policy.DefaultName, count(len(servers), "server"), next)
	return err
}

// knownServers reads the servers of a client configuration as they stand in it.
func (a *app) knownServers(config string) (map[string]any, error) {
	path := config
	if path == "" {
		path = usualConfig
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
	}
	data, err := a.readInput(path)
	if err != nil {
		return nil, err
	}
	v, err := capture.ParseConfig(data)
	if err != nil {
		return nil, fmt.Errorf("reading configuration %q: %w", path, err)
	}
	root, _ := v.(map[string]any)
	for _, key := range []string{"mcpServers", "servers"} {
		if servers, ok := root[key].(map[string]any); ok {
			return servers, nil
		}
	}
	return nil, fmt.Errorf(`reading configuration %q: it has neither "mcpServers" nor "servers"`, path)
}

const initHead = `# What fusionctl knows of this repository. "fusionctl lock" reads these servers, "fusionctl diff" obeys the rest.
`

const initTail = `
# From which severity on "fusionctl diff" fails: breaking, risky, safe, any or none.
fail-on: breaking

# Other severities for some changes; "fusionctl rules" lists them.
# severity:
#   - rule: tool-description-changed
#     tool: get_*
#     severity: safe
`

const initExample = `# servers:
#   billing:
#     command: npx
#     args: ["-y", "billing-server"]
#   search:
#     url: http://127.0.0.1:8080/mcp
`

// initText is the policy as text: each field of a server is one line, its value JSON, which YAML reads as it is.
func initText(servers map[string]any) string {
	var b strings.Builder
	b.WriteString(initHead)
	if len(servers) == 0 {
		b.WriteString(initExample + initTail)
		return b.String()
	}
	b.WriteString("servers:\n")
	for _, name := range canonjson.SortedKeys(servers) {
		b.WriteString("  " + string(canonjson.AppendString(nil, name)) + ":")
		fields, ok := servers[name].(map[string]any)
		if !ok || len(fields) == 0 {
			b.WriteString(" " + string(canonjson.Append(nil, servers[name])) + "\n")
			continue
		}
		b.WriteByte('\n')
		for _, field := range canonjson.SortedKeys(fields) {
			value := fields[field]
			if field == "env" || field == "headers" {
				value = withoutSecrets(field, value)
			}
			b.WriteString("    " + string(canonjson.AppendString(nil, field)) + ": " + string(canonjson.Append(nil, value)) + "\n")
		}
	}
	b.WriteString(initTail)
	return b.String()
}

// withoutSecrets keeps references to variables and puts references in the place of values.
func withoutSecrets(field string, v any) any {
	values, ok := v.(map[string]any)
	if !ok {
		return v
	}
	safe := make(map[string]any, len(values))
	for name, value := range values {
		text, _ := value.(string)
		if strings.Contains(text, "${") {
			safe[name] = text
			continue
		}
		variable := name
		if field == "headers" {
			variable = strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		}
		safe[name] = "${" + variable + "}"
	}
	return safe
}
