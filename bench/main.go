// Command bench measures toolpost beside other runtimes and prints the tables of
// docs/benchmarks.md:
//
//	go run ./bench/...
//	go run ./bench/... -rounds 3 -benchtime 50ms
//
// The peers are modules of their own under bench/peers, so that nothing of
// theirs is in the product's build. The command builds their test programs,
// which takes minutes the first time, has each show that it does the work, and
// then runs all of them in every round, so that a slow drift of the machine
// touches everybody alike. It prints medians over the rounds. Where the peers
// cannot be had, it says so and measures toolpost and the floor alone.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
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
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var s settings
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&s.rounds, "rounds", 7, "how often everything is measured; the tables show medians")
	flags.StringVar(&s.benchtime, "benchtime", "100ms", "how long each measurement takes")
	flags.StringVar(&s.only, "bench", ".", "which benchmarks, as for go test")
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
	report(stdout, found, s)
	if missing != nil {
		fmt.Fprintf(stdout, "\nNot measured: %v\n", missing)
	}
	return nil
}
