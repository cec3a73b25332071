//go:build unix

package sandbox_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolpost/toolpost/sandbox"
)

func ExampleCell_Start() {
	dir, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(dir)
	root, _ := sandbox.Open(sandbox.Profile{Workspace: dir})
	defer root.Close()
	cell, err := sandbox.NewCell(root, sandbox.Profile{Limits: sandbox.Limits{Wall: time.Minute}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cell.Close()
	p, err := cell.Start(context.Background(), sandbox.Cmd{Line: "echo hello; exit 3"}, func(from sandbox.Stream, chunk []byte) {
		fmt.Printf("%s: %s", from, chunk)
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	exit, err := p.Wait(context.Background())
	fmt.Println(exit.Reason, exit.Code, err)
	fmt.Println("level", cell.Level())
	// Output:
	// stdout: hello
	// exited 3 <nil>
	// level none
}

func ExampleCheckEnv() {
	fmt.Println(sandbox.CheckEnv(map[string]string{"DEBUG": "1"}))
	fmt.Println(sandbox.CheckEnv(map[string]string{"LD_PRELOAD": "x.so"}))
	// Output:
	// <nil>
	// environment variable "LD_PRELOAD" may not be set here, because it changes which code programs run; leave it out
}

// levelVar names the level at which the tests of this file run; see

// TestEveryLevelKeepsTheSameLaws.

const levelVar = "TEST_SANDBOX_LEVEL"

type result struct {
	sandbox.Exit
	out, err, all string
}

func newCell(t testing.TB, p sandbox.Profile) (*sandbox.Cell, string) {
	t.Helper()
	r, dir := open(t, p)
	if p.Confine.Level == "" {
		p.Confine.Level = os.Getenv(levelVar)
		p.Confine.Require = p.Confine.Level
	}
	c, err := sandbox.NewCell(r, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c, dir
}

// run runs a command to its end, which must come within 20 s.

func run(t testing.TB, c *sandbox.Cell, cmd sandbox.Cmd) result {
	t.Helper()
	var res result
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	p, err := c.Start(context.Background(), cmd, func(from sandbox.Stream, b []byte) {
		if len(res.all) > 1<<20 {
			return
		}
		res.all += string(b)
		switch from {
		case sandbox.Stdout:
			res.out += string(b)
		case sandbox.Stderr:
			res.err += string(b)
		}
	})
	if err != nil {
		t.Fatalf("%+v: %v", cmd, err)
	}
	if res.Exit, err = p.Wait(ctx); err != nil {
		t.Fatalf("%q hangs: %v", cmd.Line, err)
	}
	return res
}

func TestACommandEndsWithItsCodeAndOutput(t *testing.T) {
	c, dir := newCell(t, sandbox.Profile{})
	put(t, dir, "sub/file")
	put(t, dir, "plain")
	for _, tt := range []struct {
		name           string
		cmd            sandbox.Cmd
		reason         sandbox.Reason
		code           int
		stdout, stderr string
	}{
		{"exit code", sandbox.Cmd{Line: "exit 3"}, sandbox.ReasonExited, 3, "", ""},
		{"both streams apart", sandbox.Cmd{Line: "echo o; echo e >&2"}, sandbox.ReasonExited, 0, "o\n", "e\n"},
		{"folder", sandbox.Cmd{Line: "ls; pwd | sed 's,.*/,,'; echo ${PWD##*/}", Dir: "sub"}, sandbox.ReasonExited, 0, "file\nsub\nsub\n", ""},
		{"argument list", sandbox.Cmd{Argv: []string{"printf", "%s|", "a b", "$HOME", ";"}}, sandbox.ReasonExited, 0, "a b|$HOME|;|", ""},
		{"input closed", sandbox.Cmd{Line: "cat; echo done"}, sandbox.ReasonExited, 0, "done\n", ""},
		{"input given", sandbox.Cmd{Line: "cat", Stdin: []byte("in")}, sandbox.ReasonExited, 0, "in", ""},
		{"input not read", sandbox.Cmd{Line: "true", Stdin: make([]byte, 1<<20)}, sandbox.ReasonExited, 0, "", ""},
		{"environment", sandbox.Cmd{Line: "echo $FOO $TERM", Env: map[string]string{"FOO": "x y"}}, sandbox.ReasonExited, 0, "x y dumb\n", ""},
		{"killed by a signal", sandbox.Cmd{Line: "kill -KILL $$"}, sandbox.ReasonSignaled, 137, "", ""},
		{"a line that looks like an option", sandbox.Cmd{Line: "-x 2>/dev/null"}, sandbox.ReasonNotFound, 127, "", ""},
		{"a file that is not executable", sandbox.Cmd{Line: "./plain 2>/dev/null"}, sandbox.ReasonNotExecutable, 126, "", ""},
		{"no terminal", sandbox.Cmd{Line: "test -t 0 || test -t 1 || (: </dev/tty) 2>/dev/null || echo none"}, sandbox.ReasonExited, 0, "none\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := run(t, c, tt.cmd)
			if got.Reason != tt.reason || got.Code != tt.code || got.out != tt.stdout || got.err != tt.stderr {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestStartRefusesWhatCannotBeRun(t *testing.T) {
	c, dir := newCell(t, sandbox.Profile{})
	put(t, dir, "plain")
	link(t, "..", filepath.Join(dir, "up"))
	for _, tt := range []struct {
		cmd  sandbox.Cmd
		want sandbox.Kind
	}{
		{sandbox.Cmd{}, sandbox.KindInvalid},
		{sandbox.Cmd{Line: "  \n"}, sandbox.KindInvalid},
		{sandbox.Cmd{Line: "ls", Argv: []string{"ls"}}, sandbox.KindInvalid},
		{sandbox.Cmd{Line: "echo \x00"}, sandbox.KindInvalid},
		{sandbox.Cmd{Line: strings.Repeat("x", 1<<18)}, sandbox.KindTooLarge},
		{sandbox.Cmd{Argv: []string{"nosuchprogram"}}, sandbox.KindNotFound},
		{sandbox.Cmd{Argv: []string{"./nosuch"}}, sandbox.KindNotFound},
		{sandbox.Cmd{Argv: []string{"./plain"}}, sandbox.KindPermission},
		{sandbox.Cmd{Line: "ls", Dir: ".."}, sandbox.KindInvalidPath},
		{sandbox.Cmd{Line: "ls", Dir: "up"}, sandbox.KindInvalidPath},
		{sandbox.Cmd{Line: "ls", Dir: "/"}, sandbox.KindInvalidPath},
		{sandbox.Cmd{Line: "ls", Dir: "none"}, sandbox.KindNotFound},
		{sandbox.Cmd{Line: "ls", Dir: "plain"}, sandbox.KindNotDir},
		{sandbox.Cmd{Line: "ls", Env: map[string]string{"A=B": ""}}, sandbox.KindInvalid},
		{sandbox.Cmd{Line: "ls", Env: map[string]string{"A": "\x00"}}, sandbox.KindInvalid},
	} {
		_, err := c.Start(context.Background(), tt.cmd, nil)
		wantKind(t, fmt.Sprintf("%.60v", tt.cmd), err, tt.want)
		if err != nil && strings.Contains(err.Error(), dir) {
			t.Errorf("the error %q tells the host path", err)
		}
	}
	for _, name := range []string{"LD_PRELOAD", "ld_preload", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "ENV", "BASH_FUNC_x", "BASH_FUNC_ls%%", "IFS", "PATH", "NODE_OPTIONS", "PYTHONPATH", "PYTHONSTARTUP", "PERL5OPT", "RUBYOPT", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_CONFIG_COUNT", "EDITOR", "PAGER", "LESSOPEN", "JAVA_TOOL_OPTIONS", "RUSTC_WRAPPER", "PROMPT_COMMAND", "PS4", "1X", "A B", ""} {
		_, err := c.Start(context.Background(), sandbox.Cmd{Line: "true", Env: map[string]string{name: "x"}}, nil)
		wantKind(t, "variable "+name, err, sandbox.KindInvalid)
	}
}

func TestCommandsDoNotInheritSecrets(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-secret")
	t.Setenv("LD_AUDIT_X", "secret")
	t.Setenv("LC_TIME", "C")
	t.Setenv("MY_FLAG", "on")
	c, _ := newCell(t, sandbox.Profile{Env: []string{"MY_*"}})
	got := run(t, c, sandbox.Cmd{Line: "env"})
	if strings.Contains(got.out, "secret") || !strings.Contains(got.out, "LC_TIME=C\n") || !strings.Contains(got.out, "MY_FLAG=on\n") || !strings.Contains(got.out, "PATH=") {
		t.Errorf("environment:\n%s", got.out)
	}
}

func TestOutputIsDrainedAndCapped(t *testing.T) {
	c, _ := newCell(t, sandbox.Profile{})
	if got := run(t, c, sandbox.Cmd{Line: "head -c 5000000 /dev/zero; head -c 3000000 /dev/zero >&2"}); got.Output != 8_000_000 || got.Code != 0 {
		t.Errorf("8 MB: %+v", got.Exit)
	}
	for _, line := range []string{"yes", "yes >&2", "yes & yes >&2", "(setsid yes &) ; sleep 100"} {
		begin := time.Now()
		got := run(t, c, sandbox.Cmd{Line: line, Limits: sandbox.Limits{OutputBytes: 100_000}})
		if got.Reason != sandbox.ReasonOutputLimit || got.Output != 100_000 || time.Since(begin) > 5*time.Second {
			t.Errorf("%s: %+v after %v", line, got.Exit, time.Since(begin))
		}
	}
}

// survivors are ways to outlive a command; @ becomes the name of the sleeper.

// sleepers gives the workspace a program with a name of its own, so that its

// processes can be counted.

func TestTheProfileLimitsACommand(t *testing.T) {
	c, _ := newCell(t, sandbox.Profile{Limits: sandbox.Limits{Wall: 100 * time.Millisecond}})
	if got := run(t, c, sandbox.Cmd{Line: "sleep 60", Limits: sandbox.Limits{Wall: time.Hour}}); got.Reason != sandbox.ReasonTimeout {
		t.Errorf("a command raised its limit: %+v", got.Exit)
	}
}

func TestLimitsOnSizeHold(t *testing.T) {
	if runtime.GOOS != "linux" {
		c, _ := newCell(t, sandbox.Profile{})
		_, err := c.Start(context.Background(), sandbox.Cmd{Line: "true", Limits: sandbox.Limits{Memory: 1}}, nil)
		wantKind(t, "a limit that cannot be enforced", err, sandbox.KindInvalid)
		return
	}
	c, dir := newCell(t, sandbox.Profile{})
	if got := run(t, c, sandbox.Cmd{Line: "ulimit -n", Limits: sandbox.Limits{OpenFiles: 64}}); got.out != "64\n" {
		t.Errorf("open files: %+v", got)
	}
	run(t, c, sandbox.Cmd{Line: "head -c 5000000 /dev/zero > big", Limits: sandbox.Limits{FileBytes: 1 << 20}})
	if info, err := os.Stat(filepath.Join(dir, "big")); err != nil || info.Size() > 1<<20 {
		t.Errorf("file size: %v, %v", info, err)
	}
	if got := run(t, c, sandbox.Cmd{Line: "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 30 & done; wait", Limits: sandbox.Limits{Processes: 8}}); got.Reason != sandbox.ReasonProcessLimit {
		t.Errorf("processes: %+v", got.Exit)
	}
	if got := run(t, c, sandbox.Cmd{Line: "head -c 300000000 /dev/zero | tail -n 1 | sleep 5", Limits: sandbox.Limits{Memory: 64 << 20}}); got.Reason != sandbox.ReasonMemoryLimit {
		t.Errorf("memory: %+v", got.Exit)
	}
	if got := run(t, c, sandbox.Cmd{Line: "sleep 0.2", Limits: sandbox.Limits{Memory: 64 << 20, Processes: 8}}); got.Reason != sandbox.ReasonExited {
		t.Errorf("a modest program: %+v", got.Exit)
	}
}

func TestAFolderExchangedAfterTheCheckIsNotEntered(t *testing.T) {
	c, dir := newCell(t, sandbox.Profile{})
	put(t, dir, "flip/inside")
	outside := filepath.Dir(put(t, dir, "..", "elsewhere", "outside"))
	link(t, outside, filepath.Join(dir, "flop"))
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				exchange(filepath.Join(dir, "flip"), filepath.Join(dir, "flop"))
			}
		}
	})
	for range 200 {
		var out string
		p, err := c.Start(context.Background(), sandbox.Cmd{Argv: []string{"ls"}, Dir: "flip"}, func(_ sandbox.Stream, b []byte) { out += string(b) })
		if err != nil {
			continue
		}
		if _, err := p.Wait(context.Background()); err != nil {
			t.Error(err)
		}
		if strings.Contains(out, "outside") && runtime.GOOS == "linux" {
			t.Fatal("a command started outside the workspace")
		}
	}
	close(stop)
	wg.Wait()
}

func BenchmarkStart(b *testing.B) {
	b.Run("os/exec", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("/bin/true").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, level := range []string{sandbox.LevelNone, sandbox.LevelLandlock, sandbox.LevelFull} {
		b.Run(level, func(b *testing.B) {
			c, _ := newCell(b, sandbox.Profile{Confine: sandbox.Confine{Level: level}})
			if c.Level() != level {
				b.Skipf("needs sandbox level %s", level)
			}
			for b.Loop() {
				p, err := c.Start(context.Background(), sandbox.Cmd{Argv: []string{"/bin/true"}}, nil)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := p.Wait(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
