package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
)

// note is a row's name, with what a reader must know to compare it.
func note(name string) string {
	switch name {
	case "floor":
		return "floor (the same work by hand, nothing checked)"
	case "floor-picoclaw":
		return "floor in picoclaw's process"
	case "toolpost":
		return "**toolpost**"
	case "toolpost-everything":
		return "**toolpost**, everything on"
	case "toolpost-call":
		return "**toolpost**, as a whole call through a registry"
	case "eino-toolsnode":
		return "eino ToolsNode (dispatch only, loop by hand)"
	case "eino-react":
		return "eino react agent"
	case "eino-adk":
		return "eino adk.ChatModelAgent"
	case "fantasy":
		return "fantasy Generate (**one by one**)"
	case "fantasy-stream":
		return "fantasy Stream (five at a time)"
	case "langchaingo":
		return "langchaingo Executor (**one by one**)"
	case "adk-go":
		return "adk-go"
	case "adk-go-schema":
		return "adk-go, schema given"
	case "genkit-schema":
		return "genkit, schema given"
	case "santhosh-tekuri", "google-jsonschema", "xeipuuv", "kaptinlin":
		return "validator alone: " + name
	}
	return name
}

var scenarios = []string{"1call", "8par", "64par", "100turns"}

// report prints all tables in Markdown.
func report(w io.Writer, f *findings, s settings) {
	fmt.Fprintf(w, "%s %s/%s, %d processors (%s); medians of %d rounds of %s.\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), strings.Join(f.machine, ", "), s.rounds, s.benchtime)
	if f.load != "" {
		fmt.Fprintf(w, "Other work on the machine at the start: a load average of %s.\n", f.load)
	}
	turnTable(w, f)
	processorTable(w, f)
	memoryTable(w, f)
	orderTable(w, f)
	barTable(w, f)
}

func turnTable(w io.Writer, f *findings) {
	names := sortedBy(f.runtimes("Turn"), func(n string) float64 { return f.ns("Turn", n, "1call") })
	if len(names) == 0 {
		return
	}
	fmt.Fprintf(w, "\n### Whole runs: time, and how many times the floor\n\n")
	fmt.Fprintf(w, "| runtime | 1 call | 8 calls at once | 64 calls at once | 100 turns |\n|---|---|---|---|---|\n")
	for _, n := range names {
		fmt.Fprintf(w, "| %s |", note(n))
		for _, sc := range scenarios {
			fmt.Fprintf(w, " %s%s |", duration(f.ns("Turn", n, sc)), times(f.ns("Turn", n, sc), f.ns("Turn", floorOf(n), sc)))
		}
		fmt.Fprintln(w)
	}
}

// processorTable shows the time of processors, which other work on the machine
// disturbs less than the time of the clock, and which does not shrink when calls
// run side by side.
func processorTable(w io.Writer, f *findings) {
	cpu := func(n, sc string) float64 { return f.samples["Turn/"+n+"/"+sc].median("cpu-ns/op") }
	names := sortedBy(f.runtimes("Turn"), func(n string) float64 { return cpu(n, "1call") })
	if len(names) == 0 || cpu(names[len(names)-1], "1call") == 0 {
		return
	}
	fmt.Fprintf(w, "\n### Whole runs: processor time\n\n")
	fmt.Fprintf(w, "| runtime | 1 call | 8 calls at once | 64 calls at once | 100 turns |\n|---|---|---|---|---|\n")
	for _, n := range names {
		fmt.Fprintf(w, "| %s |", note(n))
		for _, sc := range scenarios {
			fmt.Fprintf(w, " %s%s |", duration(cpu(n, sc)), times(cpu(n, sc), cpu(floorOf(n), sc)))
		}
		fmt.Fprintln(w)
	}
}

func memoryTable(w io.Writer, f *findings) {
	names := sortedBy(f.runtimes("Turn"), func(n string) float64 { return f.ns("Turn", n, "1call") })
	if len(names) == 0 {
		return
	}
	fmt.Fprintf(w, "\n### Whole runs: memory, and whether a turn costs more the longer a run gets\n\n")
	fmt.Fprintf(w, "| runtime | 1 call | 64 calls at once | 100 turns | one turn of 100, to a run of one |\n|---|---|---|---|---|\n")
	for _, n := range names {
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", note(n), f.memory(n, "1call"), f.memory(n, "64par"), f.memory(n, "100turns"),
			ratio(f.ns("Turn", n, "100turns")/100, f.ns("Turn", n, "1call")))
	}
}

func orderTable(w io.Writer, f *findings) {
	names := sortedBy(f.runtimes("Order"), func(n string) float64 { return f.ns("Order", n, "") })
	if len(names) == 0 {
		return
	}
	fmt.Fprintf(w, "\n### Typed arguments: ten fields, one of them an object, 273 bytes\n\n")
	fmt.Fprintf(w, "| runtime | time | memory | of 13 bad ones refused | repaired |\n|---|---|---|---|---|\n")
	for _, n := range names {
		s := f.samples["Order/"+n]
		fmt.Fprintf(w, "| %s | %s | %.0f B, %.0f allocs | %.0f | %.0f |\n", note(n), duration(s.median("ns/op")),
			s.median("B/op"), s.median("allocs/op"), s.median("refused"), s.median("repaired"))
	}
}

// floorOf is the floor that was measured in the same process.
func floorOf(name string) string {
	if strings.Contains(name, "picoclaw") {
		return "floor-picoclaw"
	}
	return "floor"
}

// ns is the median time of a benchmark.
func (f *findings) ns(benchmark, name, scenario string) float64 {
	full := benchmark + "/" + name
	if scenario != "" {
		full += "/" + scenario
	}
	return f.samples[full].median("ns/op")
}

func (f *findings) memory(name, scenario string) string {
	s, ok := f.samples["Turn/"+name+"/"+scenario]
	if !ok {
		return "–"
	}
	return fmt.Sprintf("%.1f kB, %.0f allocs", s.median("B/op")/1000, s.median("allocs/op"))
}

func sortedBy(names []string, key func(string) float64) []string {
	slices.SortStableFunc(names, func(a, b string) int {
		switch x, y := key(a), key(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return names
}

func duration(ns float64) string {
	switch {
	case ns == 0:
		return "–"
	case ns < 1e3:
		return fmt.Sprintf("%.0f ns", ns)
	case ns < 1e6:
		return fmt.Sprintf("%.1f µs", ns/1e3)
	}
	return fmt.Sprintf("%.2f ms", ns/1e6)
}

func times(ns, floor float64) string {
	if ns == 0 || floor == 0 {
		return ""
	}
	return " (×" + ratio(ns, floor) + ")"
}

func ratio(a, b float64) string {
	switch {
	case a == 0 || b == 0:
		return "–"
	case a/b < 10:
		return fmt.Sprintf("%.1f", a/b)
	}
	return fmt.Sprintf("%.0f", a/b)
}
