package main

import (
	"fmt"
	"io"
)

// A bar is a promise of ours: a time, and how many times the floor that may be.
// On a machine that is slower or busier than the one for which the time was
// promised, the floor says by how much.
type bar struct {
	what  string
	value func(*findings) float64 // in nanoseconds, 0 if it was not measured
	limit float64                 // in nanoseconds
	floor func(*findings) float64 // what the value is compared with; nil if with nothing
	ratio float64
}

var bars = []bar{
	{"one call, whole run", turn("toolpost", "1call"), 8e3, turn("floor", "1call"), 3.5},
	{"8 calls at once", turn("toolpost", "8par"), 40e3, turn("floor", "8par"), 40 / 22.6},
	{"64 calls at once", turn("toolpost", "64par"), 220e3, turn("floor", "64par"), 220 / 182.7},
	{"100 turns", turn("toolpost", "100turns"), 700e3, turn("floor", "100turns"), 700 / 142.1},
	{"arguments decoded and validated", order("toolpost"), 10e3, order("floor"), 10 / 4.7},
	{"one call, everything on", turn("toolpost-everything", "1call"), 25e3, turn("floor", "1call"), 25 / 2.3},
}

func turn(name, scenario string) func(*findings) float64 {
	return func(f *findings) float64 { return f.ns("Turn", name, scenario) }
}

func order(name string) func(*findings) float64 {
	return func(f *findings) float64 { return f.ns("Order", name, "") }
}

// barTable says of each promise whether it is kept.
func barTable(w io.Writer, f *findings) {
	header := false
	for _, b := range bars {
		got, floor := b.value(f), b.floor(f)
		if got == 0 {
			continue
		}
		if !header {
			header = true
			fmt.Fprintf(w, "\n### Promises\n\n| what | promised | measured | times the floor, promised | measured | kept |\n|---|---|---|---|---|---|\n")
		}
		fmt.Fprintf(w, "| %s | ≤ %s | %s | ≤ %s | %s | %s |\n", b.what, duration(b.limit), duration(got),
			ratio(b.ratio, 1), ratio(got, floor), verdict(got <= b.limit, floor > 0 && got/floor <= b.ratio))
	}
	for _, name := range []string{"toolpost", "toolpost-call"} {
		s := f.samples["Order/"+name]
		if len(s) == 0 {
			continue
		}
		refused, repaired := s.median("refused"), s.median("repaired")
		fmt.Fprintf(w, "\n%s: of 13 bad arguments %.0f are refused and %.0f repaired without loss; %.0f reach the tool unfit.\n",
			note(name), refused, repaired, 13-refused-repaired)
	}
}

func verdict(time, ratio bool) string {
	switch {
	case time && ratio:
		return "yes"
	case ratio:
		return "by the floor: this machine was slower than the one of the promise"
	case time:
		return "by the clock, not by the floor"
	}
	return "**no**"
}
