// Package report writes a diff.Report in the formats that people and machines read.
//
// Start with [Write]. One model, one writer per format: a writer sorts nothing and decides nothing, it makes harmless what
// came from a server, and it returns the first error of the writer below it. What text shows is in the JSON too.
package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/fusionctl/fusionctl/diff"
	"github.com/fusionctl/fusionctl/lockfile"
)

// Options are what a writer needs to know beside the report. The zero value is good for every format.
type Options struct {
	Color    bool   // text: use colors
	Lockfile string // sarif, github, gitlab: path of the lockfile relative to the repository; "" means fusion.lock
	Version  string // sarif, junit: version of fusionctl
	Verbose  bool   // text: every cosmetic change by itself, values in full length

	// FailOn is the severity from which a change is a failure in junit; None means Breaking.
	FailOn diff.Severity

	// Locate gives line and column, both from 1, of a pointer into an item of the lockfile; 0 when it is not there. Nil
	// means that no places are known.
	Locate func(server string, kind lockfile.Kind, name, pointer string) (line, column int)
}

func (o Options) lockfile() string {
	if o.Lockfile == "" {
		return "fusion.lock"
	}
	return o.Lockfile
}

// locate is Locate, or the first line.
func (o Options) locate(d diff.ContractDiff, c diff.Change) (line, column int) {
	if o.Locate != nil {
		line, column = o.Locate(d.Server, d.Kind, d.Name, c.Pointer)
	}
	return max(line, 1), max(column, 1)
}

type writer struct {
	name  string
	write func(io.Writer, diff.Report, Options) error
}

var writers = []writer{
	{"text", writeText},
	{"json", writeJSON},
	{"markdown", writeMarkdown},
	{"sarif", writeSARIF},
	{"junit", writeJUnit},
	{"github", writeGitHub},
	{"gitlab", writeGitLab},
}

// Formats lists the names of the formats, the default first.
func Formats() []string {
	names := make([]string, len(writers))
	for i, w := range writers {
		names[i] = w.name
	}
	return names
}

// Write writes r in the named format.
func Write(w io.Writer, format string, r diff.Report, o Options) error {
	for _, f := range writers {
		if f.name == format {
			return f.write(w, r, o)
		}
	}
	names := Formats()
	last := len(names) - 1
	return fmt.Errorf("format %q: want %s or %s", format, strings.Join(names[:last], ", "), names[last])
}

// A stickyWriter keeps the first error, so that a writer can print line by line and return it at the end.
type stickyWriter struct {
	w   io.Writer
	err error
}

func (s *stickyWriter) printf(format string, args ...any) {
	if s.err == nil {
		_, s.err = fmt.Fprintf(s.w, format, args...)
	}
}
