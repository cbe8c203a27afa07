package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fusionctl/fusionctl/internal/canonjson"
	"github.com/fusionctl/fusionctl/internal/subschema"
)

func newSchemaCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "schema",
		Short:   "Decide about JSON Schemas",
		Example: "  fusionctl schema check old.json new.json\n  fusionctl schema sample schema.json",
	}
	return group(cmd, newSchemaCheckCmd(a), newSchemaSampleCmd(a))
}

type schemaOptions struct {
	strict       bool
	assertFormat bool
	steps        int
	dialect      string
	batch        bool
	format       *choice
}

func (o *schemaOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.assertFormat, "assert-format", false, "judge format as an assertion")
	f.IntVar(&o.steps, "steps", 0, fmt.Sprintf("budget of one decision (default %d)", subschema.DefaultSteps))
	f.StringVar(&o.dialect, "dialect", "", "$schema URI for schemas that have none (default 2020-12)")
}

func (o *schemaOptions) verify(cmd *cobra.Command) error {
	if o.steps < 0 {
		return usageError(cmd, fmt.Errorf("--steps %d: want 1 or more, or 0 for the default of %d", o.steps, subschema.DefaultSteps))
	}
	return nil
}

func (o *schemaOptions) decision() subschema.Options {
	return subschema.Options{Strict: o.strict, Steps: o.steps, AssertFormat: o.assertFormat}
}

func newSchemaCheckCmd(a *app) *cobra.Command {
	o := &schemaOptions{}
	cmd := &cobra.Command{
		Use:   "check PRODUCER CONSUMER | --batch",
		Short: "Is every value that one schema accepts accepted by another?",
		Long: `Check decides whether every value that the producer's schema accepts is accepted by the consumer's, and proves a "no" with
a value. Names that only the consumer declares are free, as for contracts; --strict is plain set inclusion. A file - is
standard input. Exit code 0: compatible, 1: incompatible, 3: undecided, 2: could not run.

With --batch each line of standard input is {"id":…,"producer":<schema>,"consumer":<schema>,"dialect":<URI, optional>}, answered
in order by {"id":…,"verdict":…,"witness":…,"reason":…,"steps":…} or {"id":…,"error":…}; the exit code is 0 when all was read.`,
		Example: `  fusionctl schema check old.json new.json
  fusionctl schema check --strict - new.json < old.json
  fusionctl schema check --batch < pairs.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.verify(cmd); err != nil {
				return err
			}
			if o.batch {
				if len(args) > 0 {
					return usageError(cmd, errors.New("--batch reads standard input: want no files"))
				}
				return checkBatch(cmd.Context(), a, o)
			}
			if len(args) != 2 {
				return usageError(cmd, fmt.Errorf("want a producer and a consumer, got %s", count(len(args), "argument")))
			}
			return checkSchemas(a, o, args[0], args[1])
		},
		Args: cobra.ArbitraryArgs,
	}
	o.addFlags(cmd)
	cmd.Flags().BoolVar(&o.strict, "strict", false, "plain set inclusion")
	cmd.Flags().BoolVar(&o.batch, "batch", false, "read pairs as JSON lines from standard input")
	o.format = choiceFlag(cmd, "format", "text", "form of the answer", "text", "json")
	return cmd
}

// loadSchema reads and compiles one schema.
func (a *app) loadSchema(path, dialect string) (*subschema.Schema, error) {
	data, err := a.readInput(path)
	if err != nil {
		return nil, err
	}
	v, err := canonjson.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("reading schema %q: %w", path, err)
	}
	s, err := subschema.Compile(v, dialect)
	if err != nil {
		return nil, fmt.Errorf("reading schema %q: %w", path, err)
	}
	return s, nil
}

func checkSchemas(a *app, o *schemaOptions, producerPath, consumerPath string) error {
	if producerPath == "-" && consumerPath == "-" {
		return hinted("", "-: standard input can be one schema only")
	}
	producer, err := a.loadSchema(producerPath, o.dialect)
	if err != nil {
		return err
	}
	consumer, err := a.loadSchema(consumerPath, o.dialect)
	if err != nil {
		return err
	}
	r := subschema.Decide(producer, consumer, o.decision())
	if err := writeVerdict(a.stdout, o.format.value, r); err != nil {
		return err
	}
	switch r.Verdict {
	case subschema.Compatible:
		return nil
	case subschema.Incompatible:
		return silent(exitChanges)
	}
	return silent(exitUndecided)
}

func writeVerdict(w io.Writer, format string, r subschema.Result) error {
	if format == "json" {
		_, err := w.Write(appendVerdict([]byte("{"), r))
		return err
	}
	fmt.Fprintln(w, r.Verdict)
	if r.Verdict == subschema.Incompatible {
		fmt.Fprintf(w, "witness: %s\n", harmlessJSON(canonjson.Append(nil, r.Witness)))
	}
	if r.Reason != "" {
		fmt.Fprintf(w, "reason: %s\n", harmless(r.Reason))
	}
	return nil
}

// appendVerdict ends an object with the members of a result, and a line break.
func appendVerdict(dst []byte, r subschema.Result) []byte {
	dst = append(dst, `"verdict":"`+r.Verdict.String()+`"`...)
	if r.Verdict == subschema.Incompatible {
		dst = append(dst, `,"witness":`...)
		dst = append(dst, harmlessJSON(canonjson.Append(nil, r.Witness))...)
	}
	if r.Reason != "" {
		dst = append(dst, `,"reason":`...)
		dst = append(dst, harmlessJSON(canonjson.AppendString(nil, r.Reason))...)
	}
	dst = append(dst, `,"steps":`...)
	dst = strconv.AppendInt(dst, int64(r.Steps), 10)
	return append(dst, "}\n"...)
}

// checkBatch answers line by line; what is wrong with one line is the answer to that line.
func checkBatch(ctx context.Context, a *app, o *schemaOptions) error {
	in := bufio.NewReaderSize(a.stdin, 64<<10)
	for number := 1; ; number++ {
		line, err := readLine(in)
		if len(bytes.TrimSpace(line)) > 0 {
			if _, err := a.stdout.Write(o.answer(line, number)); err != nil {
				return fmt.Errorf("writing answers: %w", err)
			}
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("reading pairs: %w", err)
		}
	}
}

// readLine reads one line of any length up to maxInput.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxInput {
			return nil, fmt.Errorf("a line has more than %d MiB", maxInput>>20)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// answer is the answer to one line, with its line break.
func (o *schemaOptions) answer(line []byte, number int) []byte {
	var id any
	r, err := func() (subschema.Result, error) {
		v, err := canonjson.Decode(line)
		if syntax := new(canonjson.SyntaxError); errors.As(err, &syntax) {
			syntax.Line = number // without an id, the line is all that tells which one is meant
		}
		if err != nil {
			return subschema.Result{}, err
		}
		pair, ok := v.(map[string]any)
		if !ok {
			return subschema.Result{}, fmt.Errorf("line %d: want an object", number)
		}
		id = pair["id"]
		return o.decidePair(pair)
	}()
	out := append([]byte(`{"id":`), harmlessJSON(canonjson.Append(nil, id))...)
	if err != nil {
		out = append(out, `,"error":`...)
		out = append(out, harmlessJSON(canonjson.AppendString(nil, err.Error()))...)
		return append(out, "}\n"...)
	}
	return appendVerdict(append(out, ','), r)
}

func (o *schemaOptions) decidePair(pair map[string]any) (subschema.Result, error) {
	dialect := o.dialect
	if given, ok := pair["dialect"]; ok && given != nil {
		text, ok := given.(string)
		if !ok {
			return subschema.Result{}, errors.New(`"dialect": want a text`)
		}
		dialect = text
	}
	var sides [2]*subschema.Schema
	for i, name := range []string{"producer", "consumer"} {
		root, ok := pair[name]
		if !ok {
			return subschema.Result{}, fmt.Errorf("missing %q", name)
		}
		s, err := subschema.Compile(root, dialect)
		if err != nil {
			return subschema.Result{}, fmt.Errorf("%s: %w", name, err)
		}
		sides[i] = s
	}
	return subschema.Decide(sides[0], sides[1], o.decision()), nil
}

func newSchemaSampleCmd(a *app) *cobra.Command {
	o := &schemaOptions{}
	cmd := &cobra.Command{
		Use:     "sample SCHEMA",
		Short:   "Print a smallest value that a schema accepts",
		Long:    "Sample prints a smallest value that the schema accepts. Exit code 1: there is none; 3: none was found.",
		Example: "  fusionctl schema sample schema.json",
		Args:    argsBetween(1, 1, "one schema"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.verify(cmd); err != nil {
				return err
			}
			s, err := a.loadSchema(args[0], o.dialect)
			if err != nil {
				return err
			}
			return o.sample(a, s)
		},
	}
	o.addFlags(cmd)
	return cmd
}

func (o *schemaOptions) sample(a *app, s *subschema.Schema) error {
	v, found, reason := subschema.Sample(s, o.decision())
	if found {
		_, err := fmt.Fprintf(a.stdout, "%s\n", harmlessJSON(canonjson.Append(nil, v)))
		return err
	}
	code := exitUndecided
	if never, err := subschema.Compile(false, ""); err == nil && subschema.Decide(s, never, o.decision()).Verdict == subschema.Compatible {
		code = exitChanges
	}
	return &exitError{code: code, err: fmt.Errorf("no value: %s", strings.TrimSpace(reason))}
}
