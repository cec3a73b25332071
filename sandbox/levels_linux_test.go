package sandbox_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolpost/toolpost/sandbox"
)

// ordinary is a user without rights.
var ordinary = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}

// again runs tests of this binary in a process of another user, with variables
// set. It returns what they print.
func again(t *testing.T, run string, attr *syscall.SysProcAttr, env ...string) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	shared, err := os.MkdirTemp("", "again")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(shared) })
	copied := filepath.Join(shared, "test") // the folder of the test binary is not everybody's
	bin, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(copied, bin, 0o755), os.Chmod(copied, 0o755), os.Chmod(shared, 0o777)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(copied, "-test.run="+run, "-test.count=1", "-test.v")
	cmd.Dir = shared
	cmd.SysProcAttr = attr
	cmd.Env = append(os.Environ(), append(env, "TMPDIR="+shared, "HOME="+shared)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, failing(string(out)))
	}
	return string(out)
}

// failing are the lines of a verbose test that do not just say what passed.
func failing(out string) string {
	var b strings.Builder
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(strings.TrimSpace(line), "--- PASS") && !strings.HasPrefix(line, "=== ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// needsLevel skips where the system cannot reach a level.
func needsLevel(t testing.TB, level string) {
	t.Helper()
	r, _ := open(t, sandbox.Profile{})
	c, err := sandbox.NewCell(r, sandbox.Profile{Confine: sandbox.Confine{Level: level, Require: level}})
	if err == nil {
		c.Close()
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("needs sandbox level %s: %v", level, err)
	}
	t.Skipf("needs sandbox level %s: %v", level, err)
}

// users are this one and, when this is root, an ordinary one.
func users() map[string]*syscall.SysProcAttr {
	u := map[string]*syscall.SysProcAttr{"own": nil}
	if os.Geteuid() == 0 {
		u["ordinary"] = ordinary
	}
	return u
}

func TestEveryLevelKeepsTheSameLaws(t *testing.T) {
	if os.Getenv(levelVar) != "" || testing.Short() {
		t.Skip("needs to run the tests again, which -short leaves out")
	}
	const laws = "^(TestACommandEnds.*|TestStartRefuses.*|TestCommandsDoNotInherit.*|TestOutputIs.*|TestAnOrphan.*|TestNothingOutlives.*|TestADeadline.*|TestTheProfileLimits.*|TestLimitsOnSize.*|TestATerminalIsOne|TestInputStays.*|TestAFolderExchanged.*|TestManyStarts.*)$"
	for _, level := range []string{sandbox.LevelFull, sandbox.LevelLandlock} {
		for name, user := range users() {
			t.Run(level+" as "+name+" user", func(t *testing.T) {
				needsLevel(t, level)
				if out := again(t, laws, user, levelVar+"="+level); strings.Count(out, "--- PASS: Test") < 13 {
					t.Errorf("not all ran:\n%s", failing(out))
				}
			})
		}
	}
}

func TestTheLevelIsWhatStands(t *testing.T) {
	needsLevel(t, sandbox.LevelFull)
	for _, level := range []string{"", sandbox.LevelNone, sandbox.LevelLandlock, sandbox.LevelFull} {
		c, _ := newCell(t, sandbox.Profile{Confine: sandbox.Confine{Level: level}})
		want := level
		if level == "" {
			want = sandbox.LevelNone
		}
		if c.Level() != want {
			t.Errorf("asked for %q, got %q: %+v", level, c.Level(), c.Layers())
		}
		status := run(t, c, sandbox.Cmd{Line: "cat /proc/self/status || grep -i nonewprivs /proc/thread-self/status"})
		if level == sandbox.LevelFull {
			for _, line := range []string{"CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "CapPrm:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"} {
				if !strings.Contains(status.out, line) {
					t.Errorf("no %q in the status of a command:\n%s", line, status.out)
				}
			}
			if got := run(t, c, sandbox.Cmd{Line: "id -u"}); got.out == "0\n" {
				t.Error("a command is root")
			}
		}
	}
}

func TestARequiredLevelFailsClosed(t *testing.T) {
	r, _ := open(t, sandbox.Profile{})
	for _, c := range []sandbox.Confine{{Level: "half"}, {Level: "none", Require: "full"}, {Level: "landlock", Require: "full"}, {Require: "landlock"}, {Level: "full", Readable: []string{"relative"}}, {Level: "full", Writable: []string{"/"}}, {Overlay: true}} {
		_, err := sandbox.NewCell(r, sandbox.Profile{Confine: c})
		wantKind(t, "confinement that makes no sense", err, sandbox.KindInvalid)
	}
	// A program that never called Init cannot be started again as a cell.
	t.Setenv("TOOLPOST_CELL_INIT", "")
	_, err := sandbox.NewCell(r, sandbox.Profile{Confine: sandbox.Confine{Level: sandbox.LevelFull, Require: sandbox.LevelFull}})
	wantKind(t, "full without Init", err, sandbox.KindUnconfined)
	if err != nil && !strings.Contains(err.Error(), "sandbox.Init") {
		t.Errorf("the error does not say what to do: %v", err)
	}
}

func TestACellStartsQuickly(t *testing.T) {
	needsLevel(t, sandbox.LevelFull)
	best := time.Hour
	for range 10 {
		c, _ := newCell(t, sandbox.Profile{Confine: sandbox.Confine{Level: sandbox.LevelFull}})
		begin := time.Now()
		c.Level()
		best = min(best, time.Since(begin))
		c.Close()
	}
	t.Logf("best of ten starts: %v", best)
	if best > 500*time.Millisecond { // 30 ms are promised of an idle machine
		t.Errorf("a cell starts in %v", best)
	}
}
