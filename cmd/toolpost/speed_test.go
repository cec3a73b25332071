package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// TestStartUpIsCheap holds the program to its bars of processor time: 30 ms for
// version, 60 ms for tools ls. The least of several runs counts, since a busy
// machine can only add to it.
func TestStartUpIsCheap(t *testing.T) {
	if testing.Short() {
		t.Skip("the binary is built for this test, which is not short")
	}
	bin := filepath.Join(t.TempDir(), "toolpost")
	if runtime.GOOS == "windows" {
		bin += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	for _, tt := range []struct {
		args []string
		bar  time.Duration
	}{
		{[]string{"version"}, 30 * time.Millisecond},
		{[]string{"tools", "ls"}, 60 * time.Millisecond},
	} {
		least := time.Hour
		for range 10 {
			cmd := exec.Command(bin, tt.args...)
			cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", tt.args, err, out)
			}
			least = min(least, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		}
		t.Logf("%v: %s of processor time", tt.args, least)
		if least > tt.bar {
			t.Errorf("%v takes %s of processor time, more than %s", tt.args, least, tt.bar)
		}
	}
}
