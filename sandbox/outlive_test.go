//go:build unix

package sandbox_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/sandbox"
)

func TestAnOrphanThatHoldsTheOutputDoesNotHoldUpWait(t *testing.T) {
	c, _ := newCell(t, sandbox.Profile{})
	begin := time.Now()
	got := run(t, c, sandbox.Cmd{Line: "sleep 60 & echo started"})
	if got.Reason != sandbox.ReasonExited || got.out != "started\n" || !got.Detached || time.Since(begin) > 5*time.Second {
		t.Errorf("%+v after %v", got, time.Since(begin))
	}
}

var survivors = []string{
	"@ 300",
	"@ 300 & wait",
	"nohup @ 300 & wait",
	"setsid @ 300 & wait",
	"(setsid @ 300 &) ; @ 300",
	"(trap '' TERM HUP INT; @ 300 & wait) & wait",
	"trap '' TERM; while :; do @ 1; done",
	"env -i /usr/bin/setsid ./@ 300 & wait",
	"(env -i /bin/sh -c '/usr/bin/setsid ./@ 300 & /usr/bin/setsid ./@ 301 &' >/dev/null 2>&1 </dev/null &) ; sleep 0.2; @ 300",
	"sh -c 'sh -c \"setsid @ 300 & setsid @ 300 &\" & @ 300'",
	"@ 300 | @ 300 | @ 300",
	"for i in 1 2 3 4 5 6 7 8; do setsid @ 300 & done; wait",
}

func sleepers(t *testing.T, dir string) (name string, count func() []string) {
	t.Helper()
	name = "zz" + strconv.Itoa(os.Getpid()) + strconv.FormatInt(time.Now().UnixNano()%1e6, 36)
	path, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), b, 0o755); err != nil {
		t.Fatal(err)
	}
	return name, func() []string {
		out, _ := exec.Command("ps", "-eo", "pid,stat,args").Output()
		var found []string
		for line := range strings.Lines(string(out)) {
			if f := strings.Fields(line); strings.Contains(line, name) && !strings.HasPrefix(f[1], "Z") { // a zombie is its parent's
				found = append(found, strings.TrimSpace(line))
			}
		}
		return found
	}
}

func TestNothingOutlivesTimeoutCancelOrKill(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux: elsewhere a process that leaves its group and parent is not found, as the package says")
	}
	c, dir := newCell(t, sandbox.Profile{})
	name, count := sleepers(t, dir)
	var wg sync.WaitGroup
	for i, line := range survivors {
		line = strings.ReplaceAll(strings.ReplaceAll(line, "./@", "@"), "@", "./"+name)
		wg.Go(func() {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			p, err := c.Start(ctx, sandbox.Cmd{Line: line, Limits: sandbox.Limits{Wall: time.Second}}, nil)
			if err != nil {
				t.Error(err)
				return
			}
			want := sandbox.ReasonTimeout
			switch i % 3 {
			case 1:
				<-time.After(400 * time.Millisecond)
				cancel()
				want = sandbox.ReasonCancelled
			case 2:
				<-time.After(400 * time.Millisecond)
				want = sandbox.ReasonKilled
				if err := p.Kill(); err != nil {
					t.Error(err)
				}
			}
			exit, err := p.Wait(context.Background())
			if exit.Reason != want || err != nil || exit.Duration > 6*time.Second {
				t.Errorf("%s: %+v, %v", line, exit, err)
			}
		})
	}
	wg.Wait()
	if left := count(); len(left) > 0 {
		t.Errorf("left:\n%s", strings.Join(left, "\n"))
	}
}

func TestNothingOutlivesTheCell(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux: elsewhere a process that leaves its group and parent is not found, as the package says")
	}
	c, dir := newCell(t, sandbox.Profile{})
	name, count := sleepers(t, dir)
	for _, line := range []string{"./@ 300", "setsid ./@ 300 & exit 0", "(env -i /usr/bin/setsid ./@ 300 >/dev/null 2>&1 &) ; exit 0", "nohup ./@ 300 >/dev/null 2>&1 &"} {
		if _, err := c.Start(context.Background(), sandbox.Cmd{Line: strings.ReplaceAll(line, "@", name)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	deadline := time.After(10 * time.Second)
	for len(count()) < 4 {
		select {
		case <-deadline:
			t.Fatalf("only %v run", count())
		case <-time.After(20 * time.Millisecond):
		}
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if left := count(); len(left) > 0 {
		t.Errorf("left:\n%s", strings.Join(left, "\n"))
	}
	_, err := c.Start(context.Background(), sandbox.Cmd{Line: "true"}, nil)
	wantKind(t, "Start after Close", err, sandbox.KindClosed)
	if err := c.Close(); err != nil {
		t.Error("closing twice:", err)
	}
}

func TestADeadlineOfTheContextIsATimeout(t *testing.T) {
	c, _ := newCell(t, sandbox.Profile{})
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	p, err := c.Start(ctx, sandbox.Cmd{Line: "sleep 60"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	exit, _ := p.Wait(context.Background())
	if exit.Reason != sandbox.ReasonTimeout || exit.Signal != "SIGTERM" || exit.Code != 143 {
		t.Errorf("%+v", exit)
	}
}

func TestManyStartsLeaveNoDescriptorsAndNoZombies(t *testing.T) {
	c, _ := newCell(t, sandbox.Profile{})
	run(t, c, sandbox.Cmd{Line: "true"})
	before, _ := os.ReadDir("/dev/fd")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 25 {
				cmd := sandbox.Cmd{Line: "echo x", Stdin: []byte("y")}
				if i%5 == 0 {
					cmd.TTY = &sandbox.Size{}
				}
				p, err := c.Start(context.Background(), cmd, nil)
				if err != nil {
					t.Error(err)
					return
				}
				if exit, err := p.Wait(context.Background()); exit.Code != 0 || err != nil {
					t.Errorf("%+v, %v", exit, err)
				}
			}
		})
	}
	wg.Wait()
	after, _ := os.ReadDir("/dev/fd")
	if diff := cmp.Diff(len(after), len(before)); diff != "" {
		t.Errorf("open descriptors (-after +before):\n%s", diff)
	}
	out, _ := exec.Command("ps", "-o", "stat=", "--ppid", strconv.Itoa(os.Getpid())).Output()
	if strings.Contains(string(out), "Z") {
		t.Errorf("zombies:\n%s", out)
	}
}
