package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// settings is what the command line says.
type settings struct {
	rounds    int
	benchtime string
	only      string
	doc       string
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var s settings
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&s.rounds, "rounds", 7, "how often everything is measured; the tables show medians")
	flags.StringVar(&s.benchtime, "benchtime", "100ms", "how long each measurement takes")
	flags.StringVar(&s.only, "bench", ".", "which benchmarks, as for go test")
	flags.StringVar(&s.doc, "doc", "", "a file that is to hold the tables, between its two marks")
	if err := flags.Parse(args); err != nil {
		return flag.ErrHelp
	}
	if s.rounds < 1 || flags.NArg() > 0 {
		fmt.Fprintf(stderr, "bench: at least one round, and no arguments beside flags\n")
		return flag.ErrHelp
	}
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "toolpost-bench-")
	if err != nil {
		return fmt.Errorf("make a folder for the test programs: %w", err)
	}
	defer os.RemoveAll(dir)

	programs, missing := build(ctx, root, dir, stderr)
	if len(programs) == 0 {
		return fmt.Errorf("nothing could be built: %w", missing)
	}
	found, err := measure(ctx, programs, s, stderr)
	if err != nil {
		return err
	}
	var tables bytes.Buffer
	report(&tables, found, s)
	if missing != nil {
		fmt.Fprintf(&tables, "\nNot measured: %v\n", missing)
	}
	if _, err := stdout.Write(tables.Bytes()); err != nil {
		return fmt.Errorf("print the tables: %w", err)
	}
	if s.doc != "" {
		return writeInto(s.doc, tables.Bytes())
	}
	return nil
}

// The marks between which a document holds the tables.
const (
	beginMark = "<!-- tables: go run ./bench/... -doc docs/benchmarks.md -->\n"
	endMark   = "<!-- end of tables -->\n"
)

// writeInto replaces what stands between the marks of a file.
func writeInto(name string, tables []byte) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("write the tables: %w", err)
	}
	before, rest, ok := bytes.Cut(text, []byte(beginMark))
	_, after, ok2 := bytes.Cut(rest, []byte(endMark))
	if !ok || !ok2 {
		return fmt.Errorf("write the tables: %s lacks the lines %q and %q", name, beginMark, endMark)
	}
	text = slices.Concat(before, []byte(beginMark), tables, []byte(endMark), after)
	if err := os.WriteFile(name, text, 0o644); err != nil {
		return fmt.Errorf("write the tables: %w", err)
	}
	return nil
}
