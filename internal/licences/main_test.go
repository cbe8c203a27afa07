package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// allowed are the licences that ask no more of a program than to carry their text; MPL-2.0 also asks for the source of its
// own files as changed, and none is.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MPL-2.0"}

// libraries are the packages that others import into their programs.
var libraries = []string{command, "github.com/fusionctl/fusionctl/awareness/...", "github.com/fusionctl/fusionctl/diff",
	"github.com/fusionctl/fusionctl/envelope", "github.com/fusionctl/fusionctl/lockfile"}

// TestLicences looks at whatever the command and the libraries link, on each system.
func TestLicences(t *testing.T) {
	modules, err := linked(libraries...)
	if err != nil {
		t.Fatal(err)
	}
	if len(modules) < 15 {
		t.Fatalf("found only %v, the list is wrong", modules)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "dependencies.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range modules {
		texts, err := m.texts()
		if err != nil {
			t.Error(err)
			continue
		}
		found := kinds(strings.Join(texts, "\n"))
		t.Log(m.path, m.version, found)
		if len(found) == 0 {
			t.Errorf("%s: its licence is not known: %.200q", m.path, texts)
		}
		for _, kind := range found {
			if !slices.Contains(allowed, kind) {
				t.Errorf("%s is under %s, which is not allowed", m.path, kind)
			}
		}
		if told, ok := toldOf(string(page), m.path); ok && !equalSets(told, found) {
			t.Errorf("docs/dependencies.md says that %s is under %q, its files say %q", m.path, told, found)
		}
	}
}

// toldOf is the licence column of a module's row.
func toldOf(page, path string) ([]string, bool) {
	for _, line := range strings.Split(page, "\n") {
		if cells := strings.Split(strings.Trim(line, "| "), " | "); cells[0] == path {
			return strings.Split(cells[1], " and "), true
		}
	}
	return nil, false
}

func equalSets(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}

func TestKinds(t *testing.T) {
	for text, want := range map[string]string{
		"Permission is hereby granted, free of\n charge, to any person obtaining a copy of this software":                            "MIT",
		"Redistribution and use in source and binary forms, with or without\nmodification, are permitted":                            "BSD-2-Clause",
		"Redistribution and use in source and binary forms, with or without modification, are permitted. Neither the name of Google": "BSD-3-Clause",
		"GNU GENERAL PUBLIC LICENSE\n Version 3, 29 June 2007":                                                                       "GPL",
		"\"Commons Clause\" License Condition. Apache License\nVersion 2.0, January 2004":                                            "Apache-2.0 Commons-Clause",
		"All rights reserved.": "",
	} {
		if got := strings.Join(kinds(text), " "); got != want {
			t.Errorf("kinds(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestNotices(t *testing.T) {
	var out bytes.Buffer
	if err := run(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"github.com/spf13/cobra v", "Mozilla Public License Version 2.0", "github.com/inconshreveable/mousetrap v"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the notices lack %q", want)
		}
	}
	if strings.Contains(out.String(), "mark3labs") {
		t.Error("the notices name a library that the command does not link")
	}
}
