package audit_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/tool"
)

// BenchmarkList lists a store of 10,000 runs, whose run.json is that of an agent
// run with 20 tools on offer.
func BenchmarkList(b *testing.B) {
	const runs = 10_000
	s := &audit.Store{Dir: b.TempDir()}
	var offer []tool.Spec
	for i := range 20 {
		offer = append(offer, tool.Spec{Name: fmt.Sprintf("tool_%d", i)})
	}
	version, specs, err := audit.RegistryVersion(offer)
	if err != nil {
		b.Fatal(err)
	}
	run, err := s.Create(audit.Facts{Prompt: "bump the version in package.json and run the tests", Model: "openai/gpt-x",
		Registry: version, Specs: specs, Policy: &tool.Snapshot{Hash: version}})
	if err != nil {
		b.Fatal(err)
	}
	if err := run.Close(); err != nil {
		b.Fatal(err)
	}
	one, err := os.ReadFile(filepath.Join(s.Dir, run.ID(), "run.json"))
	if err != nil {
		b.Fatal(err)
	}
	for range runs - 1 {
		dir := filepath.Join(s.Dir, tool.NewID())
		if err := os.Mkdir(dir, 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "run.json"), one, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	b.ResetTimer()
	for range b.N {
		n := 0
		for _, err := range s.List() {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != runs {
			b.Fatalf("%d runs", n)
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(time.Millisecond), "ms/list")
}
