package main

import "github.com/spf13/cobra"

func colorFlag(cmd *cobra.Command) *choice {
	return choiceFlag(cmd, "color", "auto", "colors in text", "auto", "always", "never")
}

// useColor decides for standard output: auto honours NO_COLOR, a dumb terminal, and output that is no terminal.
func (a *app) useColor(c *choice) bool {
	if c.value != "auto" {
		return c.value == "always"
	}
	if value, set := a.getenv("NO_COLOR"); set && value != "" {
		return false
	}
	if kind, _ := a.getenv("TERM"); kind == "dumb" {
		return false
	}
	return isTerminal(a.stdout)
}
