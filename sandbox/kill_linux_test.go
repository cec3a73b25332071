package sandbox_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/toolpost/toolpost/sandbox"
)

// What runs in a cell ends with the runtime, however that ends.
func TestNothingOutlivesAKilledRuntime(t *testing.T) {
	if isChild(t) {
		runUntilKilled(t)
	}
	needsLevel(t, sandbox.LevelFull)
	times := 3
	if os.Getenv("TOOLPOST_SOAK") != "" {
		times = 200
	}
	dir := t.TempDir()
	name, count := sleepers(t, dir)
	for i := range times {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), "SANDBOX_CHILD="+t.Name(), "SANDBOX_DIR="+dir, "SANDBOX_NAME="+name)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for lines.Scan() && lines.Text() != "running" {
		}
		for deadline := time.Now().Add(5 * time.Second); len(count()) < 4 && time.Now().Before(deadline); {
		}
		<-time.After(time.Duration(i) * time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		deadline := time.Now().Add(time.Second)
		left := count()
		for len(left) > 0 && time.Now().Before(deadline) {
			left = count()
		}
		if len(left) > 0 {
			t.Fatalf("1 s after the runtime was killed there are still:\n%s", strings.Join(left, "\n"))
		}
	}
}

func runUntilKilled(t *testing.T) {
	c, _ := newCell(t, sandbox.Profile{Workspace: os.Getenv("SANDBOX_DIR"), Confine: sandbox.Confine{Level: sandbox.LevelFull, Require: sandbox.LevelFull}})
	name := "./" + os.Getenv("SANDBOX_NAME")
	for _, cmd := range []sandbox.Cmd{
		{Line: name + " 300"}, {Line: name + " 300", TTY: &sandbox.Size{}}, {Line: "setsid " + name + " 300 & exit 0"},
		{Line: "(env -i /usr/bin/setsid " + name + " 300 >/dev/null 2>&1 &); trap '' TERM HUP; " + name + " 300"},
	} {
		if _, err := c.Start(context.Background(), cmd, nil); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Println("running")
	select {}
}
