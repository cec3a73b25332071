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
	value string  // the benchmark
	limit float64 // in nanoseconds
	floor string  // the benchmark that it is compared with
	ratio float64
}

var bars = []bar{
	{"one call, whole run", "Turn/toolpost/1call", 8e3, "Turn/floor/1call", 3.5},
	{"8 calls at once", "Turn/toolpost/8par", 40e3, "Turn/floor/8par", 40 / 22.6},
	{"64 calls at once", "Turn/toolpost/64par", 220e3, "Turn/floor/64par", 220 / 182.7},
	{"100 turns", "Turn/toolpost/100turns", 700e3, "Turn/floor/100turns", 700 / 142.1},
	{"arguments decoded and validated", "Order/toolpost", 10e3, "Order/floor", 10 / 4.7},
	{"one call, everything on", "Turn/toolpost-everything/1call", 25e3, "Turn/floor/1call", 25 / 2.3},
}

// floors is how many times the floor the benchmark takes: by the clock or by the
// processors, whichever says more, for on a busy machine one of them flatters.
func (f *findings) floors(value, floor string) float64 {
	most := 0.0
	for _, unit := range []string{"ns/op", "cpu-ns/op"} {
		if below := f.samples[floor].median(unit); below > 0 {
			most = max(most, f.samples[value].median(unit)/below)
		}
	}
	return most
}

// barTable says of each promise whether it is kept.
func barTable(w io.Writer, f *findings) {
	header := false
	for _, b := range bars {
		got, floors := f.samples[b.value].median("ns/op"), f.floors(b.value, b.floor)
		if got == 0 {
			continue
		}
		if !header {
			header = true
			fmt.Fprintf(w, "\n### Promises\n\n| what | promised | measured | times the floor, promised | measured | kept |\n|---|---|---|---|---|---|\n")
		}
		fmt.Fprintf(w, "| %s | ≤ %s | %s | ≤ %s | %s | %s |\n", b.what, duration(b.limit), duration(got),
			ratio(b.ratio, 1), ratio(floors, 1), verdict(got <= b.limit, floors > 0 && floors <= b.ratio))
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
		return "by the floor only: the machine was slower, or busier, than the one of the promise"
	case time:
		return "by the clock only"
	}
	return "**no**"
}
