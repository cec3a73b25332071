package sandbox_test

import (
	"os"
	"strings"
	"testing"

	"github.com/toolpost/toolpost/sandbox"
)

// lines reads a list: blank lines and those that begin with "# " are comments.
func lines(t *testing.T, file string) []string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSuffix(line, "\n")
		if line != "" && !strings.HasPrefix(line, "# ") {
			out = append(out, line)
		}
	}
	return out
}

func TestDeniedLinesAreRefusedHoweverTheyAreWritten(t *testing.T) {
	list := lines(t, "testdata/denied.txt")
	if len(list) < 120 {
		t.Fatalf("only %d lines in the list", len(list))
	}
	for _, entry := range list {
		want, line, ok := strings.Cut(entry, " <- ")
		if !ok {
			t.Fatalf("no pattern in %q", entry)
		}
		line = strings.ReplaceAll(line, `\n`, "\n")
		if got, denied := sandbox.Denied(line); !denied || got != want {
			t.Errorf("Denied(%q) = %q, %v; want %q", line, got, denied, want)
		}
	}
}

func TestEverydayLinesPass(t *testing.T) {
	list := lines(t, "testdata/allowed.txt")
	if len(list) < 120 {
		t.Fatalf("only %d lines in the list", len(list))
	}
	for _, line := range list {
		line = strings.ReplaceAll(line, `\n`, "\n")
		if got, denied := sandbox.Denied(line); denied {
			t.Errorf("Denied(%q) = %q; want it to pass", line, got)
		}
	}
}
