// Command licences prints the licences of the libraries that the command links on any system it is released for. The archives
// of a release carry its output, since most of these licences ask for that. Its test checks them against an allow-list.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const command = "github.com/fusionctl/fusionctl/cmd/fusionctl"

// systems are those of releases; a library may be linked on one of them only.
var systems = []string{"linux", "darwin", "windows"}

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
}

func run(w io.Writer) error {
	modules, err := linked(command)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "fusionctl links the libraries below. Each is under the licence that follows its name.")
	for _, m := range modules {
		texts, err := m.texts()
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "\n%s\n%s %s\n", strings.Repeat("=", 80), m.path, m.version)
		for _, text := range texts {
			fmt.Fprintf(out, "\n%s\n", strings.TrimSpace(text))
		}
	}
	return out.Flush()
}

// A module is a library at one version, with the folder that holds its source.
type module struct{ path, version, dir string }

// linked lists the modules that packages link on any of the systems, sorted, without this one.
func linked(packages ...string) ([]module, error) {
	var all []module
	for _, system := range systems {
		cmd := exec.Command("go", append([]string{"list", "-deps", "-f",
			`{{with .Module}}{{if not .Main}}{{.Path}}|{{.Version}}|{{.Dir}}{{end}}{{end}}`}, packages...)...)
		cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("listing modules for %s: %w: %s", system, err, stderr.String())
		}
		for line := range strings.Lines(string(out)) {
			parts := strings.Split(strings.TrimSpace(line), "|")
			if len(parts) == 3 && !slices.Contains(all, module{parts[0], parts[1], parts[2]}) {
				all = append(all, module{parts[0], parts[1], parts[2]})
			}
		}
	}
	slices.SortFunc(all, func(a, b module) int { return strings.Compare(a.path, b.path) })
	return all, nil
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice)([.-].*)?$`)

// texts are the licence files of a module, at its root.
func (m module) texts() ([]string, error) {
	entries, err := os.ReadDir(m.dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.path, err)
	}
	var texts []string
	for _, e := range entries {
		if e.IsDir() || !licenceFile.MatchString(e.Name()) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(m.dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.path, err)
		}
		texts = append(texts, string(data))
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("%s %s has no licence file", m.path, m.version)
	}
	return texts, nil
}

// signs are sentences by which a licence is known, once white space is one blank each.
var signs = []struct{ name, sentence string }{
	{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy of this software"},
	{"ISC", "Permission to use, copy, modify, and/or distribute this software for any purpose"},
	{"Apache-2.0", "Apache License Version 2.0, January 2004"},
	{"Apache-2.0", "Licensed under the Apache License, Version 2.0"},
	{"MPL-2.0", "Mozilla Public License Version 2.0"},
	{"GPL", "GNU GENERAL PUBLIC LICENSE Version"},
	{"LGPL", "GNU LESSER GENERAL PUBLIC LICENSE Version"},
	{"AGPL", "GNU AFFERO GENERAL PUBLIC LICENSE Version"},
	{"Commons-Clause", "Commons Clause"},
	{"BUSL", "Business Source License"},
	{"SSPL", "Server Side Public License"},
	{"EPL", "Eclipse Public License"},
	{"NonCommercial", "NonCommercial"},
}

const (
	bsd  = "Redistribution and use in source and binary forms, with or without modification, are permitted"
	bsd3 = "Neither the name of"
)

// kinds names the licences that a text holds, sorted.
func kinds(text string) []string {
	text = strings.Join(strings.Fields(text), " ")
	var found []string
	for _, s := range signs {
		if strings.Contains(text, s.sentence) {
			found = append(found, s.name)
		}
	}
	switch {
	case strings.Contains(text, bsd) && strings.Contains(text, bsd3):
		found = append(found, "BSD-3-Clause")
	case strings.Contains(text, bsd):
		found = append(found, "BSD-2-Clause")
	}
	slices.Sort(found)
	return slices.Compact(found)
}
