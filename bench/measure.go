package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// A sample is what one benchmark said in all rounds, by unit (ns/op, B/op, …).
type sample map[string][]float64

// median of the values of a unit; 0 if there are none.
func (s sample) median(unit string) float64 {
	v := slices.Sorted(slices.Values(s[unit]))
	switch n := len(v); {
	case n == 0:
		return 0
	case n%2 == 1:
		return v[n/2]
	default:
		return (v[n/2-1] + v[n/2]) / 2
	}
}

// findings are all samples by the benchmark's name, and what was said about the
// machine.
type findings struct {
	samples map[string]sample
	names   []string // in the order in which they came
	machine []string
	load    string // of the machine before it was measured; empty if it does not tell
}

// measure runs every program once a round.
func measure(ctx context.Context, programs []program, s settings, progress io.Writer) (*findings, error) {
	f := &findings{samples: map[string]sample{}, load: loadAverage()}
	for round := range s.rounds {
		for _, p := range programs {
			fmt.Fprintf(progress, "round %d of %d: %s …\n", round+1, s.rounds, p.name)
			cmd := exec.CommandContext(ctx, p.path, "-test.run", "^$", "-test.bench", s.only, "-test.benchtime", s.benchtime)
			out, err := cmd.CombinedOutput()
			if err != nil {
				return nil, fmt.Errorf("measure %s: %w\n%s", p.name, err, lastLines(string(out), 12))
			}
			f.read(string(out))
		}
	}
	return f, nil
}

// read takes in what a test program printed. Lines that are no benchmark's are
// passed over, but for those that name the machine.
func (f *findings) read(out string) {
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "cpu: ") && len(f.machine) == 0 {
			f.machine = append(f.machine, strings.TrimSpace(strings.TrimPrefix(line, "cpu: ")))
		}
		words := strings.Fields(line)
		if len(words) < 4 || !strings.HasPrefix(words[0], "Benchmark") || words[3] != "ns/op" {
			continue
		}
		name := strings.TrimPrefix(words[0], "Benchmark")
		if i := strings.LastIndexByte(name, '-'); i > 0 && isNumber(name[i+1:]) {
			name = name[:i] // the number of processors
		}
		s := f.samples[name]
		if s == nil {
			s = sample{}
			f.samples[name] = s
			f.names = append(f.names, name)
		}
		for i := 2; i+1 < len(words); i += 2 {
			if v, err := strconv.ParseFloat(words[i], 64); err == nil {
				s[words[i+1]] = append(s[words[i+1]], v)
			}
		}
	}
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

// runtimes are the names under a benchmark, in the order in which they came.
func (f *findings) runtimes(benchmark string) []string {
	var names []string
	for _, full := range f.names {
		rest, ok := strings.CutPrefix(full, benchmark+"/")
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(rest, "/")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// loadAverage is how many processes wanted a processor in the last minute, as
// Linux tells it: above zero at the start, other work disturbs the measurement.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}
