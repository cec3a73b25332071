package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const printed = `goos: linux
cpu: Some Processor
BenchmarkTurn/floor/1call-2         	   82668	      2000 ns/op	      3399 cpu-ns/op	    1408 B/op	      14 allocs/op
BenchmarkTurn/toolpost/1call-2      	    8434	      6000 ns/op	     3179 cpu-ns/op	    7658 B/op	      65 allocs/op
BenchmarkTurn/fantasy-stream/1call-2	    8434	     26000 ns/op	     3179 cpu-ns/op	    7658 B/op	      65 allocs/op
BenchmarkOrder/toolpost-2           	   24583	      9000 ns/op	      13.00 refused	         0 repaired	     906 B/op	       8 allocs/op
BenchmarkOrder/floor-2              	   24583	      4000 ns/op	      6.000 refused	         0 repaired	     906 B/op	       8 allocs/op
PASS
`

func TestTheTableShowsMediansAndRatios(t *testing.T) {
	f := &findings{samples: map[string]sample{}}
	f.read(printed)
	f.read(strings.ReplaceAll(printed, "6000 ns/op", "6400 ns/op"))
	f.read(strings.ReplaceAll(printed, "6000 ns/op", "90000 ns/op"))
	var out strings.Builder
	report(&out, f, settings{rounds: 3, benchtime: "1ms"})
	for _, want := range []string{
		"(Some Processor); medians of 3 rounds of 1ms.",
		"| **toolpost** | 6.4 µs (×3.2) | – | – | – |",
		"| fantasy Stream (five at a time) | 26.4 µs (×13) |",
		"| **toolpost** | 9.0 µs | 906 B, 8 allocs | 13 | 0 |",
		"| one call, whole run | ≤ 8.0 µs | 6.4 µs | ≤ 3.5 | 3.2 | yes |",
		"| arguments decoded and validated | ≤ 10.0 µs | 9.0 µs | ≤ 2.1 | 2.2 | by the clock only |",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks this line:\n%s\nit is:\n%s", want, out.String())
		}
	}
}

func TestWhatWasNotMeasuredIsNotPromised(t *testing.T) {
	f := &findings{samples: map[string]sample{}}
	f.read("BenchmarkOrder/floor-8 10 4000 ns/op 6.000 refused 0 repaired 906 B/op 8 allocs/op\n")
	var out strings.Builder
	report(&out, f, settings{rounds: 1, benchtime: "1x"})
	if strings.Contains(out.String(), "Promises") || strings.Contains(out.String(), "Whole runs") {
		t.Errorf("the report tells of what was not measured:\n%s", out.String())
	}
}

func TestASingleOddNumberIsNotAProcessorCount(t *testing.T) {
	f := &findings{samples: map[string]sample{}}
	f.read("BenchmarkOrder/adk-go 10 4000 ns/op\n")
	if len(f.names) != 1 || f.names[0] != "Order/adk-go" {
		t.Errorf("names are %q, want Order/adk-go", f.names)
	}
}

func TestTablesAreWrittenBetweenTheirMarks(t *testing.T) {
	name := filepath.Join(t.TempDir(), "doc.md")
	if err := os.WriteFile(name, []byte("before\n"+beginMark+"old\n"+endMark+"after\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writeInto(name, []byte("new\n")); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(name)
	if want := "before\n" + beginMark + "new\n" + endMark + "after\n"; err != nil || string(got) != want {
		t.Errorf("the file is %q (%v), want %q", got, err, want)
	}
	if err := writeInto("bench_test.go", nil); err == nil {
		t.Error("a file without marks is written to")
	}
}
